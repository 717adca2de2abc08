#include "studio/table_tools.h"

#include "presenter/frame.h"
#include "studio/theme.h"

#include <QHeaderView>
#include <QPainter>

namespace warpmill::studio {

namespace {

void paintHatch(QPainter& painter, const QRect& cell) {
  const Theme& th = theme();
  const QColor line = th.tokens().strong;
  const int width = qMin(th.px(44), cell.width() - th.px(8));
  const QRectF box(cell.right() - th.px(8) - width + 0.5, cell.center().y() - th.px(5) + 0.5, width, th.px(10));
  painter.save();
  painter.setClipRect(box);
  painter.setPen(QPen(line, 1));
  for (double x = box.left() - box.height(); x < box.right(); x += 6 * th.scale())
    painter.drawLine(QPointF(x, box.bottom()), QPointF(x + box.height(), box.top()));
  painter.setClipping(false);
  painter.setBrush(Qt::NoBrush);
  painter.drawRect(box);
  painter.restore();
}

// Four distinct marks: solid, dashed ring, ring, ring with a dot; an empty place has none.
void paintLaneMark(QPainter& painter, QPointF centre, presenter::LaneMark mark) {
  const Theme& th = theme();
  const Tokens& t = th.tokens();
  const double r = 3.2 * th.scale();
  using presenter::LaneMark;
  painter.setPen(Qt::NoPen);
  painter.setBrush(Qt::NoBrush);
  switch (mark) {
    case LaneMark::Active:
      painter.setBrush(t.ivory);
      painter.drawEllipse(centre, r, r);
      break;
    case LaneMark::Diverged:
      painter.setPen(QPen(t.ivory, 1, Qt::DashLine));
      painter.drawEllipse(centre, r, r);
      break;
    case LaneMark::PredicatedOff:
      painter.setPen(QPen(t.ivory, 1.2));
      painter.drawEllipse(centre, r, r);
      break;
    case LaneMark::Exited:
      painter.setPen(QPen(t.low, 0.8));
      painter.drawEllipse(centre, r, r);
      painter.drawPoint(centre);
      break;
    case LaneMark::Empty: break;
  }
}

QFont fontOf(const QModelIndex& index) {
  const double size = index.data(SizeRole).isValid() ? index.data(SizeRole).toDouble() : 12;
  const int weight = index.data(WeightRole).isValid() ? index.data(WeightRole).toInt() : QFont::Normal;
  return index.data(MonoRole).toBool() ? theme().mono(size, weight) : theme().sans(size, weight);
}

}  // namespace

QSize CellDelegate::sizeHint(const QStyleOptionViewItem&, const QModelIndex& index) const {
  const QFontMetrics metrics(fontOf(index));
  return {metrics.horizontalAdvance(index.data(Qt::DisplayRole).toString()) + theme().px(left_ + right_) + 2, metrics.height()};
}

void CellDelegate::setPadding(int left, int right) {
  left_ = left;
  right_ = right;
}

void CellDelegate::paint(QPainter* painter, const QStyleOptionViewItem& option, const QModelIndex& index) const {
  const Theme& th = theme();
  const Tokens& t = th.tokens();
  const QRect rect = option.rect;
  painter->save();
  painter->setRenderHint(QPainter::Antialiasing);
  if (index.data(BandRole).toBool()) painter->fillRect(rect, withAlpha(t.raised, 0.55));
  const bool wanted = index.data(WantedRole).toBool();
  if (wanted) painter->fillRect(rect.adjusted(1, 1, -1, -1), t.lit);
  if (index.data(FocusRole).toBool()) {
    painter->fillRect(rect, t.tint());
    if (index.column() == 0) painter->fillRect(QRect(rect.left(), rect.top(), th.px(3), rect.height()), t.lamp);
  }
  if (index.data(MarkRole).toBool()) {
    const double x = rect.left() + th.px(12), y = rect.center().y() + 0.5, d = 4.5 * th.scale();
    painter->setPen(Qt::NoPen);
    painter->setBrush(t.lamp);
    painter->drawPolygon(QPolygonF{QPointF(x, y - d), QPointF(x + 8 * th.scale(), y), QPointF(x, y + d)});
  }
  if (const QVariant dot = index.data(DotRole); dot.isValid())
    paintLaneMark(*painter, QRectF(rect).center(), static_cast<presenter::LaneMark>(dot.toInt()));
  if (index.data(HatchRole).toBool()) {
    paintHatch(*painter, rect);
  } else {
    const QFont font = fontOf(index);
    const QVariant alignment = index.data(Qt::TextAlignmentRole);
    const int align = alignment.isValid() ? alignment.toInt() : static_cast<int>(Qt::AlignLeft | Qt::AlignVCenter);
    const QVariant ink = index.data(InkRole);
    painter->setFont(font);
    painter->setPen(wanted ? QColor("#1A1410") : ink.isValid() ? ink.value<QColor>() : t.hi);
    const QRect inner = rect.adjusted(th.px(left_), 0, -th.px(right_), 0);
    painter->drawText(inner, align, QFontMetrics(font).elidedText(index.data(Qt::DisplayRole).toString(), Qt::ElideRight, inner.width()));
  }
  const bool cursor = (option.state & QStyle::State_HasFocus) != 0;
  if (cursor || index.data(RingRole).toBool()) {
    painter->setBrush(Qt::NoBrush);
    painter->setPen(QPen(t.lamp, cursor ? 1 : 1.5));
    painter->drawRect(QRectF(rect).adjusted(0.75, 0.75, -0.75, -0.75));
  }
  painter->restore();
}

PlainTable::PlainTable(QWidget* parent) : QTableView(parent), cells_(new CellDelegate(this)) {
  const Theme& th = theme();
  setItemDelegate(cells_);
  setShowGrid(false);
  setFrameShape(NoFrame);
  setWordWrap(false);
  setSelectionMode(SingleSelection);
  setSelectionBehavior(SelectItems);
  setVerticalScrollMode(ScrollPerPixel);
  setHorizontalScrollMode(ScrollPerPixel);
  setCornerButtonEnabled(false);
  setTabKeyNavigation(false);
  verticalHeader()->hide();
  verticalHeader()->setMinimumSectionSize(1);
  verticalHeader()->setSectionResizeMode(QHeaderView::Fixed);
  horizontalHeader()->setHighlightSections(false);
  horizontalHeader()->setFont(th.sans(12, QFont::Medium));
  horizontalHeader()->setMinimumSectionSize(th.px(20));
  horizontalHeader()->setFixedHeight(th.px(26));
  horizontalHeader()->setDefaultAlignment(Qt::AlignRight | Qt::AlignVCenter);
}

void PlainTable::setRowHeight(double designPixels) { verticalHeader()->setDefaultSectionSize(theme().px(designPixels)); }

}  // namespace warpmill::studio
