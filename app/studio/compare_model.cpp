#include "studio/compare_panel.h"

#include "studio/table_tools.h"
#include "studio/theme.h"
#include "studio/words.h"

namespace warpmill::studio {

std::optional<double> CompareRow::ratio() const {
  if (!simulated || !measured || *measured == 0) return std::nullopt;
  return *simulated / *measured;
}

void CompareModel::setRows(std::vector<CompareRow> rows, const QString& size, bool busy) {
  beginResetModel();
  rows_ = std::move(rows);
  size_ = size;
  busy_ = busy;
  endResetModel();
}

int CompareModel::rowCount(const QModelIndex& parent) const { return parent.isValid() ? 0 : static_cast<int>(rows_.size()); }

int CompareModel::columnCount(const QModelIndex& parent) const { return parent.isValid() ? 0 : ColumnCount; }

QString CompareModel::number(std::optional<double> value, const QString& unit, bool pending) const {
  if (!value) return pending ? QString(QChar(0x2026)) : QString(QChar(0x2013));
  const QString text = figureText(*value, russian_);
  return unit == "%" ? text + " %" : text;
}

QVariant CompareModel::data(const QModelIndex& index, int role) const {
  if (!index.isValid()) return {};
  const Tokens& t = theme().tokens();
  const CompareRow& row = rows_[static_cast<std::size_t>(index.row())];
  switch (role) {
    case Qt::ToolTipRole:
      if (index.column() == Ratio && row.ratio()) return tr("simulated against measured: %1").arg(signedPercent(*row.ratio() - 1, russian_));
      if (index.column() == Peak && row.peak) return row.unit == figureUnit("us", russian_) ? tr("the least time that the device's peaks allow") : tr("the device's peak");
      return row.name;
    case Qt::DisplayRole:
    case Qt::AccessibleTextRole:
      switch (index.column()) {
        case Name: return row.unit.isEmpty() || row.unit == "%" ? row.name : row.name + ", " + row.unit;
        case Simulated: return number(row.simulated, row.unit, busy_);
        case Measured: return number(row.measured, row.unit, false);
        case Peak: return row.peak ? number(row.peak, row.unit, false) : QString();
        default: return row.ratio() ? ratioText(*row.ratio(), russian_) : QString();
      }
    case Qt::TextAlignmentRole: return static_cast<int>((index.column() == Name ? Qt::AlignLeft : Qt::AlignRight) | Qt::AlignVCenter);
    case InkRole:
      if (index.column() == Simulated) return row.simulated ? t.simulated : t.low;
      if (index.column() == Measured) return row.measured ? t.measured : t.low;
      return index.column() == Name ? t.hi : index.column() == Peak ? t.low : t.mid;
    case SizeRole: return index.column() == Ratio ? 12.0 : 13.0;
    case WeightRole:
      return static_cast<int>(index.column() == Measured ? QFont::DemiBold : index.column() == Simulated ? QFont::Medium : QFont::Normal);
    default: return {};
  }
}

QVariant CompareModel::headerData(int section, Qt::Orientation orientation, int role) const {
  if (orientation != Qt::Horizontal) return {};
  if (role == Qt::TextAlignmentRole) return static_cast<int>((section == Name ? Qt::AlignLeft : Qt::AlignRight) | Qt::AlignVCenter);
  if (role != Qt::DisplayRole) return {};
  switch (section) {
    case Name: return size_;
    case Simulated: return tr("simulated");
    case Measured: return tr("measured");
    case Peak: return tr("peak");
    default: return tr("ratio");
  }
}

}  // namespace warpmill::studio
