// What the tables of the studio share: a plain table view in the look of the style guide, and roles that its delegate paints.
#pragma once

#include <QStyledItemDelegate>
#include <QTableView>

namespace warpmill::studio {

enum ItemRole : int {
  InkRole = Qt::UserRole + 1,   // QColor of the text
  MonoRole,                     // bool: fixed-width font
  WeightRole,                   // int: font weight
  SizeRole,                     // double: design pixels of the font
  HatchRole,                    // bool: value still on its way
  FocusRole,                    // bool: the row (cell) in focus: tinted
  BandRole,                     // bool: on the raised ground
  DotRole,                      // int: presenter::LaneMark drawn as a mark
  MarkRole,                     // bool: the arrow of the next instruction
  WantedRole,                   // bool: bytes that the focused instruction touches
  RingRole                      // bool: chosen cell
};

class CellDelegate : public QStyledItemDelegate {
  Q_OBJECT
 public:
  using QStyledItemDelegate::QStyledItemDelegate;
  void setPadding(int left, int right);
  void paint(QPainter* painter, const QStyleOptionViewItem& option, const QModelIndex& index) const override;
  [[nodiscard]] QSize sizeHint(const QStyleOptionViewItem& option, const QModelIndex& index) const override;

 private:
  int left_ = 4, right_ = 8;
};

class PlainTable : public QTableView {
  Q_OBJECT
 public:
  explicit PlainTable(QWidget* parent = nullptr);
  void setRowHeight(double designPixels);
  [[nodiscard]] CellDelegate* cells() const { return cells_; }

 private:
  CellDelegate* cells_;
};

}  // namespace warpmill::studio
