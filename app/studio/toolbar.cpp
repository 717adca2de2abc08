#include "studio/toolbar.h"

#include "studio/commands.h"
#include "studio/controls.h"
#include "studio/theme.h"

#include <QAction>
#include <QHBoxLayout>
#include <QPainter>

namespace warpmill::studio {

namespace {

// A thin upright line with air on both sides.
class Gap : public QWidget {
 public:
  explicit Gap(QWidget* parent) : QWidget(parent) { setFixedSize(theme().px(9), theme().px(32)); }

 protected:
  void paintEvent(QPaintEvent*) override {
    const int inset = theme().px(4);
    QPainter(this).fillRect(width() / 2, inset, 1, height() - 2 * inset, theme().tokens().line);
  }
};

// Looks like a field; opens the palette.
class PaletteField : public QAbstractButton {
 public:
  PaletteField(QAction* action, const QString& keys, QWidget* parent) : QAbstractButton(parent), keys_(keys) {
    setText(Toolbar::tr("Command"));
    setAccessibleName(action->text());
    setToolTip(action->text());
    setFocusPolicy(Qt::TabFocus);
    setFixedHeight(theme().px(32));
    setMinimumWidth(theme().px(90));
    setMaximumWidth(theme().px(236));
    setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Fixed);
    connect(this, &QAbstractButton::clicked, action, &QAction::trigger);
  }
  [[nodiscard]] QSize sizeHint() const override { return {theme().px(150), theme().px(32)}; }

 protected:
  void paintEvent(QPaintEvent*) override {
    const Theme& th = theme();
    const Tokens& t = th.tokens();
    QPainter painter(this);
    painter.setRenderHint(QPainter::Antialiasing);
    painter.setBrush(underMouse() ? QBrush(t.raised) : QBrush(Qt::NoBrush));
    painter.setPen(hasFocus() ? t.lamp : t.line);
    painter.drawRoundedRect(QRectF(rect()).adjusted(0.5, 0.5, -0.5, -0.5), th.px(6), th.px(6));
    painter.setPen(t.low);
    painter.setFont(th.sans(13));
    painter.drawText(rect().adjusted(th.px(10), 0, 0, 0), Qt::AlignLeft | Qt::AlignVCenter, text());
    painter.setFont(th.sans(12));
    const int taken = QFontMetrics(th.sans(13)).horizontalAdvance(text()) + QFontMetrics(th.sans(12)).horizontalAdvance(keys_) + th.px(34);
    if (taken <= width()) painter.drawText(rect().adjusted(0, 0, -th.px(10), 0), Qt::AlignRight | Qt::AlignVCenter, keys_);
  }

 private:
  QString keys_;
};

}  // namespace

Toolbar::Toolbar(Commands& commands, QWidget* parent) : QToolBar(parent) {
  const Theme& th = theme();
  setObjectName("toolbar");
  setWindowTitle(tr("Toolbar"));
  setMovable(false);
  setFloatable(false);
  setContextMenuPolicy(Qt::PreventContextMenu);
  layout()->setContentsMargins(0, 0, 0, 0);
  // One widget with a layout of its own: a tool bar's layout keeps margins and an overflow button that the style decides.
  auto* row = new QWidget(this);
  row->setFixedHeight(th.px(48));
  row->setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Fixed);
  addWidget(row);
  row_ = new QHBoxLayout(row);
  row_->setContentsMargins(th.px(14), 0, th.px(14), 0);
  row_->setSpacing(th.px(6));

  const auto button = [&](Command command, Glyph glyph, const QString& text, bool primary) {
    auto* b = new CommandButton(commands.action(command), glyph, text, primary, this);
    b->setObjectName(QString("button-") + infoOf(command).name);
    row_->addWidget(b);
    return b;
  };
  menu_ = button(Command::Menu, Glyph::Menu, {}, false);
  button(Command::Restart, Glyph::Start, {}, false);
  run_ = button(Command::Run, Glyph::Play, tr("Run"), false);
  button(Command::Pause, Glyph::Pause, {}, false);
  addGap();
  back_ = button(Command::Back, Glyph::Back, tr("Back"), false);
  step_ = button(Command::Step, Glyph::Forward, tr("Step"), true);
  addGap();
  scope_ = addCombo(tr("Scope"), "scope");
  unit_ = addCombo(tr("Unit"), "unit");
  speed_ = addCombo(tr("Speed"), "speed");
  addGap();
  machine_ = addCombo(tr("Machine"), "machine");
  lesson_ = addCombo(tr("Lesson"), "lesson");
  launch_ = addCombo(tr("Launch"), "launch");
  row_->addStretch(1);   // the field grows before the gap does
  auto* field = new PaletteField(commands.action(Command::Palette), commands.keysText(Command::Palette), this);
  field->setObjectName("palette-field");
  row_->addWidget(field, 100);
}

CaptionedCombo* Toolbar::addCombo(const QString& caption, const char* name) {
  auto* combo = new CaptionedCombo(caption, this);
  combo->setObjectName(QString("combo-") + name);
  row_->addWidget(combo);
  return combo;
}

void Toolbar::addGap() { row_->addWidget(new Gap(this)); }

void Toolbar::paintEvent(QPaintEvent*) {
  QPainter painter(this);
  painter.fillRect(rect(), theme().tokens().panel);
  painter.fillRect(0, height() - 1, width(), 1, theme().tokens().line);
}

}  // namespace warpmill::studio
