#include "studio/status_strip.h"

#include "studio/panel_header.h"
#include "studio/theme.h"

#include <QAccessible>
#include <QHBoxLayout>
#include <QMouseEvent>
#include <QPainter>

namespace warpmill::studio {

namespace {

// By style sheet: the labels stand in a tool bar, whose style overrules palettes.
void colour(QLabel* label, const QColor& text) {
  label->setStyleSheet(QString("color: %1; font-weight: 400;").arg(text.name()));
}

constexpr int kMessageMs = 6000;

}  // namespace

StatusStrip::StatusStrip(QWidget* parent) : QWidget(parent) {
  const Theme& th = theme();
  setFixedHeight(th.px(24));
  auto* layout = new QHBoxLayout(this);
  layout->setContentsMargins(th.px(14), 0, th.px(14), 0);
  layout->setSpacing(th.px(24));
  description_ = new ElidedLabel(this);
  description_->setObjectName("description");
  description_->setFont(th.sans(12));
  description_->setSizePolicy(QSizePolicy::Ignored, QSizePolicy::Preferred);
  problems_ = new QLabel(this);
  problems_->setObjectName("problems-count");
  problems_->setFont(th.sans(12));
  position_ = new QLabel(this);
  position_->setObjectName("position");
  position_->setFont(th.mono(12));
  position_->setTextInteractionFlags(Qt::TextSelectableByMouse);
  for (QLabel* label : {static_cast<QLabel*>(description_), problems_, position_}) colour(label, th.tokens().mid);
  timer_.setSingleShot(true);
  connect(&timer_, &QTimer::timeout, this, &StatusStrip::clearMessage);
  layout->addWidget(description_, 1);
  layout->addWidget(problems_);
  layout->addWidget(position_);
}

void StatusStrip::setDescription(const QString& text) {
  if (text_ == text) return;
  text_ = text;
  showText();
}

void StatusStrip::showMessage(const QString& text) {
  message_ = text;
  timer_.start(kMessageMs);
  showText();
}

void StatusStrip::clearMessage() {
  timer_.stop();
  message_.clear();
  showText();
}

void StatusStrip::showText() {
  const bool message = !message_.isEmpty();
  description_->setFullText(message ? message_ : text_);
  colour(description_, message ? theme().tokens().lampInk : theme().tokens().mid);
  QAccessibleEvent changed(description_, QAccessible::NameChanged);
  QAccessible::updateAccessibility(&changed);
}

void StatusStrip::setProblems(const QString& text) {
  problems_->setText(text);
  problems_->setAccessibleName(text);
}

void StatusStrip::setPosition(const QString& text, bool timingHolds) {
  position_->setText(text);
  position_->setAccessibleName(text);
  colour(position_, timingHolds ? theme().tokens().mid : mixed(theme().tokens().raised, theme().tokens().low, 0.75));
}

QString StatusStrip::description() const { return text_; }

QString StatusStrip::position() const { return position_->text(); }

void StatusStrip::paintEvent(QPaintEvent*) {
  QPainter painter(this);
  painter.fillRect(rect(), theme().tokens().raised);
  painter.fillRect(0, 0, width(), 1, theme().tokens().line);
}

void StatusStrip::mousePressEvent(QMouseEvent* event) {
  if (problems_->geometry().contains(event->position().toPoint())) emit problemsClicked();
}

}  // namespace warpmill::studio
