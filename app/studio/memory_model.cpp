#include "studio/memory_panel.h"
#include "studio/player.h"
#include "studio/table_tools.h"
#include "studio/theme.h"
#include "studio/words.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstring>

namespace warpmill::studio {

namespace {

double halfToDouble(std::uint16_t bits) {
  const int exponent = (bits >> 10) & 31;
  const int mantissa = bits & 1023;
  const double sign = (bits & 0x8000) != 0 ? -1 : 1;
  if (exponent == 31) return mantissa != 0 ? std::nan("") : sign * INFINITY;
  if (exponent == 0) return sign * std::ldexp(mantissa, -24);
  return sign * std::ldexp(1024 + mantissa, exponent - 25);
}

template <class T>
T load(const std::uint8_t* bytes) {
  T value;
  std::memcpy(&value, bytes, sizeof value);
  return value;
}

QString floatText(double value, int digits) { return QString::number(value, 'g', digits).replace('-', QChar(0x2212)); }

}  // namespace

QString elementText(launch::DType type, const std::uint8_t* bytes) {
  using launch::DType;
  switch (type) {
    case DType::U8: return QString::number(load<std::uint8_t>(bytes));
    case DType::I8: return QString::number(load<std::int8_t>(bytes));
    case DType::U16: return QString::number(load<std::uint16_t>(bytes));
    case DType::I16: return QString::number(load<std::int16_t>(bytes));
    case DType::U32: return QString::number(load<std::uint32_t>(bytes));
    case DType::I32: return QString::number(load<std::int32_t>(bytes));
    case DType::U64: return QString::number(load<std::uint64_t>(bytes));
    case DType::I64: return QString::number(load<std::int64_t>(bytes));
    case DType::F16: return floatText(halfToDouble(load<std::uint16_t>(bytes)), 4);
    case DType::BF16: return floatText(std::bit_cast<float>(static_cast<std::uint32_t>(load<std::uint16_t>(bytes)) << 16), 3);
    case DType::F32: return floatText(static_cast<double>(load<float>(bytes)), 4);
    case DType::F64: return floatText(load<double>(bytes), 5);
  }
  return {};
}

MemoryModel::MemoryModel(Player& player, QObject* parent) : QAbstractTableModel(parent), player_(player) {}

const machine::Allocation* MemoryModel::now() const {
  if (!player_.isOpen()) return nullptr;
  const auto& all = player_.session().state().memory.allocations();
  return allocation_ < all.size() ? &all[allocation_] : nullptr;
}

std::uint64_t MemoryModel::elementCount() const {
  const machine::Allocation* buffer = now();
  return buffer == nullptr ? 0 : buffer->sizeBytes / launch::dtypeBytes(type_);
}

void MemoryModel::show(std::size_t allocation) {
  beginResetModel();
  allocation_ = allocation;
  first_ = 0;
  type_ = launch::DType::U32;
  if (const machine::Allocation* buffer = now()) {
    const auto& arguments = player_.document().simulated->launch().launch.arguments;
    if (buffer->argument < arguments.size()) type_ = arguments[buffer->argument].type;
  }
  endResetModel();
  refresh();
}

void MemoryModel::setColumns(int columns) {
  if (columns == columns_) return;
  beginResetModel();
  columns_ = columns;
  endResetModel();
}

void MemoryModel::showPage(std::uint64_t firstElement) {
  beginResetModel();
  first_ = firstElement / pageElements * pageElements;
  endResetModel();
}

void MemoryModel::refresh() {
  wanted_.clear();
  const machine::Allocation* buffer = now();
  if (buffer == nullptr) return;
  const presenter::RequestView& request = player_.frame()->request;
  const std::uint32_t size = launch::dtypeBytes(type_);
  if (request.any && !request.isShared)
    for (std::uint32_t lane = 0; lane < 32; ++lane) {
      if (((request.lanes >> lane) & 1u) == 0) continue;
      const std::uint64_t begin = request.address[lane];
      if (begin < buffer->base || begin >= buffer->base + buffer->sizeBytes) continue;
      for (std::uint64_t at = begin; at < begin + request.bytesPerLane; at += size) wanted_.push_back((at - buffer->base) / size);
    }
  std::sort(wanted_.begin(), wanted_.end());
  if (rowCount() > 0) emit dataChanged(index(0, 0), index(rowCount() - 1, columns_ - 1));
}

std::uint64_t MemoryModel::addressOf(const QModelIndex& index) const {
  const machine::Allocation* buffer = now();
  if (buffer == nullptr || !index.isValid()) return 0;
  const std::uint64_t element = elementAt(index);
  return element < elementCount() ? buffer->base + element * launch::dtypeBytes(type_) : 0;
}

QModelIndex MemoryModel::indexOf(std::uint64_t address) const {
  const machine::Allocation* buffer = now();
  if (buffer == nullptr || address < buffer->base || address >= buffer->base + buffer->sizeBytes) return {};
  const std::uint64_t element = (address - buffer->base) / launch::dtypeBytes(type_);
  return indexOfElement(element);
}

std::uint64_t MemoryModel::elementAt(const QModelIndex& index) const {
  return first_ + static_cast<std::uint64_t>(index.row() * columns_ + index.column());
}

QModelIndex MemoryModel::indexOfElement(std::uint64_t element) const {
  if (element < first_ || element >= first_ + pageElements) return {};
  const int at = static_cast<int>(element - first_);
  return index(at / columns_, at % columns_);
}

int MemoryModel::rowCount(const QModelIndex& parent) const {
  if (parent.isValid()) return 0;
  const std::uint64_t left = elementCount() > first_ ? elementCount() - first_ : 0;
  return (static_cast<int>(std::min(left, pageElements)) + columns_ - 1) / columns_;
}

int MemoryModel::columnCount(const QModelIndex& parent) const { return parent.isValid() ? 0 : columns_; }

QString MemoryModel::valueText(std::uint64_t element) const {
  const machine::Allocation* buffer = now();
  if (buffer == nullptr || element >= elementCount()) return {};
  const std::uint32_t size = launch::dtypeBytes(type_);
  std::array<std::uint8_t, 8> bytes{};
  player_.session().state().memory.read(buffer->base + element * size, bytes.data(), size);
  return elementText(type_, bytes.data());
}

bool MemoryModel::changedSinceStart(std::uint64_t element) const {
  const machine::Allocation* buffer = now();
  const std::uint32_t size = launch::dtypeBytes(type_);
  std::array<std::uint8_t, 8> before{}, after{};
  player_.session().state().memory.read(buffer->base + element * size, after.data(), size);
  player_.document().simulated->launch().memory.read(buffer->base + element * size, before.data(), size);
  return before != after;
}

QVariant MemoryModel::data(const QModelIndex& index, int role) const {
  const std::uint64_t address = addressOf(index);
  if (address == 0) return {};
  const std::uint64_t element = elementAt(index);
  const Tokens& t = theme().tokens();
  switch (role) {
    case Qt::DisplayRole: return valueText(element);
    case Qt::TextAlignmentRole: return static_cast<int>(Qt::AlignRight | Qt::AlignVCenter);
    case MonoRole: return true;
    case BandRole: return index.row() % 2 == 1;
    case WantedRole: return std::binary_search(wanted_.begin(), wanted_.end(), element);
    case RingRole: return player_.selection().address == address;
    case InkRole: return changedSinceStart(element) ? t.hi : t.low;
    case Qt::ToolTipRole: return QString("[%1] %2").arg(element).arg(hex(address));
    default: return {};
  }
}

QVariant MemoryModel::headerData(int section, Qt::Orientation orientation, int role) const {
  if (role == Qt::DisplayRole)
    return orientation == Qt::Horizontal ? QString("+%1").arg(section)
                                         : QString::number(first_ + static_cast<std::uint64_t>(section * columns_));
  if (role == Qt::FontRole) return theme().mono(12);
  if (role == Qt::TextAlignmentRole) return static_cast<int>(Qt::AlignRight | Qt::AlignVCenter);
  return {};
}

}  // namespace warpmill::studio
