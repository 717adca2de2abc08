#include "studio/crew_panel.h"

#include "studio/panel_header.h"
#include "studio/player.h"
#include "studio/theme.h"
#include "studio/words.h"

#include <QGridLayout>
#include <QLabel>
#include <QMouseEvent>
#include <QPainter>

#include <bit>

namespace warpmill::studio {

using presenter::LaneMark;

// 32 cells: filled for active lanes, outlined for the others; click chooses a lane.
class CrewPanel::MaskBar : public QWidget {
 public:
  explicit MaskBar(Player& player, QWidget* parent) : QWidget(parent), player_(player) {
    setFixedHeight(theme().px(14));
    setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Fixed);
    setCursor(Qt::PointingHandCursor);
  }

 protected:
  void paintEvent(QPaintEvent*) override {
    if (player_.frame() == nullptr) return;
    const presenter::Frame& frame = *player_.frame();
    const Tokens& t = theme().tokens();
    QPainter painter(this);
    painter.setRenderHint(QPainter::Antialiasing);
    const double cell = width() / 32.0, gap = qMax(1.0, 2 * theme().scale());
    for (std::uint32_t lane = 0; lane < 32; ++lane) {
      const QRectF box(lane * cell, 1, cell - gap, height() - 2);
      const LaneMark mark = frame.crew.any ? frame.crew.marks[lane] : LaneMark::Empty;
      painter.setPen(Qt::NoPen);
      painter.setBrush(Qt::NoBrush);
      if (mark == LaneMark::Active) painter.setBrush(t.ivory);
      else if (mark == LaneMark::Diverged) painter.setPen(QPen(t.mid, 1, Qt::DashLine));
      else if (mark == LaneMark::PredicatedOff) painter.setPen(QPen(t.ivory, 1));
      else painter.setPen(QPen(t.strong, 1));
      painter.drawRect(painter.brush() == Qt::NoBrush ? box.adjusted(0.5, 0.5, -0.5, -0.5) : box);
      if (mark == LaneMark::Exited) painter.drawPoint(box.center());
      if (lane == player_.selection().lane) {
        painter.setBrush(Qt::NoBrush);
        painter.setPen(QPen(t.lamp, 1.5));
        painter.drawRect(box.adjusted(-0.5, -0.5, 0.5, 0.5));
      }
    }
  }
  void mousePressEvent(QMouseEvent* event) override {
    player_.selectLane(static_cast<std::uint32_t>(qBound(0.0, event->position().x() * 32 / width(), 31.0)));
  }

 private:
  Player& player_;
};

CrewPanel::CrewPanel(Player& player, QWidget* parent)
    : QWidget(parent),
      player_(player),
      header_(new PanelHeader(tr("Crew"))),
      mask_(new MaskBar(player, this)),
      bits_(new QLabel(this)),
      state_(new ElidedLabel(this)),
      paths_(new ElidedLabel(this)) {
  const Theme& th = theme();
  auto* grid = new QGridLayout(this);
  grid->setContentsMargins(th.px(14), th.px(8), th.px(14), th.px(8));
  grid->setHorizontalSpacing(th.px(14));
  grid->setVerticalSpacing(th.px(8));
  const auto caption = [&](const QString& text, int row) {
    auto* label = new QLabel(text, this);
    label->setFont(th.sans(12));
    QPalette p = label->palette();
    p.setColor(QPalette::WindowText, th.tokens().low);
    label->setPalette(p);
    grid->addWidget(label, row, 0);
  };
  caption(tr("active"), 0);
  caption(tr("state"), 1);
  QPalette mid = palette();
  mid.setColor(QPalette::WindowText, th.tokens().mid);
  bits_->setFont(th.mono(12));
  bits_->setPalette(mid);
  bits_->setMinimumWidth(QFontMetrics(th.mono(12)).horizontalAdvance("0xffffffff"));
  state_->setFont(th.sans(12));
  state_->setPalette(mid);
  paths_->setFont(th.sans(12));
  paths_->setPalette(mid);
  grid->addWidget(mask_, 0, 1);
  grid->addWidget(bits_, 0, 2);
  grid->addWidget(state_, 1, 1, 1, 2);
  grid->addWidget(paths_, 2, 1, 1, 2);
  grid->setRowStretch(3, 1);
  grid->setColumnStretch(1, 1);
  state_->setSizePolicy(QSizePolicy::Ignored, QSizePolicy::Preferred);
  paths_->setSizePolicy(QSizePolicy::Ignored, QSizePolicy::Preferred);
  connect(&player_, &Player::frameChanged, this, &CrewPanel::refresh);
  refresh();
}

QString CrewPanel::stateText() const { return state_->fullText(); }

void CrewPanel::refresh() {
  mask_->update();
  paths_->hide();
  if (player_.frame() == nullptr || !player_.frame()->crew.any) {
    bits_->setText({});
    state_->setFullText(player_.isOpen() ? tr("not on the GPU at this moment") : QString());
    header_->setCaption({});
    return;
  }
  const presenter::Frame& frame = *player_.frame();
  const presenter::CrewView& crew = frame.crew;
  bits_->setText("0x" + QString::number(crew.status.active, 16).rightJustified(8, '0'));
  mask_->setAccessibleName(tr("%1 of %2 lanes active").arg(std::popcount(crew.status.active)).arg(crew.threads));
  const timing::Stall stall = crew.status.stall;
  QString text = groupWords(crew.status.group);
  const std::string_view name = timing::stallName(stall);
  text += " (" + QString::fromLatin1(name.data(), static_cast<qsizetype>(name.size())) + ")";
  if (stall != timing::Stall::Selected && crew.status.until != timing::never && crew.status.until > frame.cycle && frame.timingHolds)
    text += ", " + tr("%1 cycles more").arg(crew.status.until - frame.cycle);
  state_->setFullText(text);
  if (crew.paths.size() > 1) {
    QStringList parts;
    for (const presenter::PathView& path : crew.paths)
      parts.append(path.line == 0 ? tr("%1 lanes at instruction %2").arg(std::popcount(path.lanes)).arg(path.pc)
                                  : tr("%1 lanes at line %2").arg(std::popcount(path.lanes)).arg(path.line));
    QString join = parts.join("; ");
    if (crew.joinLine != 0) join += "; " + tr("they meet at line %1").arg(crew.joinLine);
    paths_->setFullText(join);
    paths_->show();
  }
  bool barrier = false;
  for (const presenter::SmView& sm : frame.sms)
    for (const presenter::BlockView& block : sm.blocks)
      if (block.used && block.block == crew.warp.block && block.expected > 0) {
        header_->setCaption(tr("barrier: %1 of %2 arrived").arg(block.arrived).arg(block.expected));
        barrier = true;
      }
  if (!barrier) header_->setCaption(tr("no barrier in use"));
}

}  // namespace warpmill::studio
