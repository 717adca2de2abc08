#include "studio/lesson_panel.h"

#include "lesson/check.h"
#include "studio/choice_button.h"
#include "studio/lesson_guide.h"
#include "studio/markdown_view.h"
#include "studio/panel_header.h"
#include "studio/player.h"
#include "studio/theme.h"

#include <QButtonGroup>
#include <QHBoxLayout>
#include <QLabel>
#include <QPushButton>
#include <QScrollArea>
#include <QScrollBar>
#include <QVBoxLayout>

namespace warpmill::studio {

namespace {

QLabel* coloured(QLabel* label, const QFont& font, const QColor& colour) {
  label->setFont(font);
  QPalette p = label->palette();
  p.setColor(QPalette::WindowText, colour);
  label->setPalette(p);
  label->setWordWrap(true);
  return label;
}

}  // namespace

LessonPanel::LessonPanel(LessonGuide& guide, Player& player, bool russian, QWidget* parent)
    : QWidget(parent), guide_(guide), player_(player), russian_(russian), header_(new PanelHeader(tr("Lesson"))) {
  const Theme& th = theme();
  const Tokens& t = th.tokens();
  scroll_ = new QScrollArea(this);
  scroll_->setWidgetResizable(true);
  scroll_->setFrameShape(QFrame::NoFrame);
  scroll_->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
  scroll_->setFocusPolicy(Qt::StrongFocus);
  scroll_->setAccessibleName(tr("Lesson text"));
  auto* page = new QWidget;
  auto* column = new QVBoxLayout(page);
  column->setContentsMargins(th.px(20), th.px(14), th.px(20), th.px(10));
  column->setSpacing(th.px(8));
  title_ = coloured(new QLabel(page), th.sans(20, QFont::DemiBold), t.hi);
  body_ = new MarkdownView(page);
  question_ = new QWidget(page);
  auto* questionColumn = new QVBoxLayout(question_);
  questionColumn->setContentsMargins(0, 0, 0, 0);
  questionColumn->setSpacing(th.px(6));
  questionText_ = coloured(new QLabel(question_), th.sans(14), t.hi);
  choices_ = new QVBoxLayout;
  choices_->setSpacing(th.px(2));
  questionColumn->addWidget(questionText_);
  questionColumn->addLayout(choices_);
  group_ = new QButtonGroup(this);
  outcome_ = new MarkdownView(page);
  column->addWidget(title_);
  column->addWidget(body_);
  column->addWidget(question_);
  column->addWidget(outcome_);
  column->addStretch(1);
  scroll_->setWidget(page);

  main_ = new QPushButton(this);
  back_ = new QPushButton(tr("Previous"), this);
  back_->setProperty("flat", true);
  count_ = coloured(new QLabel(this), th.sans(12), t.low);
  count_->setWordWrap(false);
  main_->setFont(th.sans(13, QFont::DemiBold));
  back_->setFont(th.sans(13, QFont::Medium));
  main_->setFixedHeight(th.px(30));
  main_->setMinimumWidth(th.px(92));
  back_->setFixedHeight(th.px(30));
  auto* bar = new QHBoxLayout;
  bar->setContentsMargins(th.px(20), th.px(6), th.px(20), th.px(12));
  bar->addWidget(main_);
  bar->addWidget(back_);
  bar->addStretch(1);
  bar->addWidget(count_);

  auto* layout = new QVBoxLayout(this);
  layout->setContentsMargins(0, 0, 0, 0);
  layout->setSpacing(0);
  layout->addWidget(scroll_, 1);
  layout->addLayout(bar);

  connect(main_, &QPushButton::clicked, this, &LessonPanel::forward);
  connect(back_, &QPushButton::clicked, this, [this] { guide_.goTo(guide_.step() - 1); });
  connect(&guide_, &LessonGuide::changed, this, &LessonPanel::refresh);
  connect(&player_, &Player::failed, this, &LessonPanel::refresh);
  refresh();
}

QString LessonPanel::titleText() const { return title_->text(); }

QString LessonPanel::bodyText() const { return body_->toPlainText(); }

QString LessonPanel::filled(const std::string& text) const {
  return QString::fromStdString(lesson::fillFigures(text, guide_.runs().figures(), language()).text);
}

void LessonPanel::forward() {
  const lesson::Step* step = guide_.current();
  if (step != nullptr && step->kind == lesson::StepKind::Predict && guide_.answer() && !guide_.isChecked()) guide_.check();
  else guide_.goTo(guide_.step() + 1);
}

void LessonPanel::refresh() {
  const bool open = guide_.isOpen();
  main_->setVisible(open);
  back_->setVisible(open);
  count_->setVisible(open);
  if (!open) {
    title_->setText(player_.isOpen() ? QString::fromStdString(player_.document().simulated->launch().launch.name) : tr("No lesson"));
    body_->setText(tr("Choose a lesson in the toolbar, or open a launch file of your own (Ctrl+O)."));
    question_->hide();
    outcome_->hide();
    header_->setCaption({});
    return;
  }
  const lesson::Lesson& lesson = guide_.lesson();
  const lesson::Step* step = guide_.current();
  if (step == nullptr) {
    title_->setText(QString::fromStdString(lesson::localized(lesson.title, language())));
    body_->setText(filled(lesson.text(language()).intro));
  } else {
    const lesson::Section& section = lesson.section(*step, language());
    title_->setText(filled(section.title));
    body_->setText(filled(section.body));
  }
  body_->setVisible(!body_->toPlainText().trimmed().isEmpty());
  refreshQuestion();

  QString outcome;
  if (step != nullptr && step->kind == lesson::StepKind::Run && player_.isOpen() && player_.document().check)
    outcome = QString::fromStdString(lesson::checkText(*player_.document().check, language()));
  if (const lesson::Question* question = guide_.question();
      question != nullptr && step != nullptr &&
      (step->kind == lesson::StepKind::Answer || (step->kind == lesson::StepKind::Predict && guide_.isChecked()))) {
    if (step->kind == lesson::StepKind::Predict)
      outcome = guide_.answer() == question->right ? "**" + tr("Right.") + "** " : "**" + tr("Not quite.") + "** ";
    outcome += filled(lesson::localized(question->why, language()));
  }
  outcome_->setText(outcome);
  outcome_->setVisible(!outcome.isEmpty());

  const bool asks = step != nullptr && step->kind == lesson::StepKind::Predict && !guide_.isChecked();
  main_->setText(asks ? tr("Check") : tr("Next"));
  main_->setEnabled(asks ? guide_.answer().has_value() : guide_.step() + 1 < guide_.stepCount());
  back_->setEnabled(guide_.step() >= 0);
  count_->setText(tr("step %1 of %2").arg(guide_.step() + 2).arg(guide_.stepCount() + 1));
  header_->setCaption(tr("lesson %1").arg(lesson.order));
  if (shownStep_ != guide_.step()) {
    shownStep_ = guide_.step();
    scroll_->verticalScrollBar()->setValue(0);
  }
}

void LessonPanel::refreshQuestion() {
  const lesson::Step* step = guide_.current();
  const lesson::Question* question = step != nullptr && step->question ? &*step->question : nullptr;
  if (question == nullptr && step != nullptr && step->kind == lesson::StepKind::Answer) question = guide_.question();
  question_->setVisible(question != nullptr);
  if (question == nullptr) return;
  questionText_->setText(filled(lesson::localized(question->text, language())));
  const auto wanted = static_cast<qsizetype>(question->choices.size());
  if (group_->buttons().size() != wanted) {
    for (QAbstractButton* button : group_->buttons()) {
      group_->removeButton(button);
      delete button;
    }
    for (qsizetype i = 0; i < wanted; ++i) {
      auto* choice = new ChoiceButton(question_);
      choices_->addWidget(choice);
      group_->addButton(choice, static_cast<int>(i));
      connect(choice, &QRadioButton::clicked, this, [this, i] { guide_.setAnswer(static_cast<std::size_t>(i)); });
    }
  }
  for (QAbstractButton* button : group_->buttons()) {
    const auto i = static_cast<std::size_t>(group_->id(button));
    button->setText(filled(lesson::localized(question->choices[i].text, language())));
    button->updateGeometry();
    button->setChecked(guide_.answer() == i);
    button->setEnabled(!guide_.isChecked() || guide_.answer() == i);
  }
}

}  // namespace warpmill::studio
