#include "studio/warp_watch.h"

#include "studio/player.h"
#include "studio/table_tools.h"
#include "studio/theme.h"
#include "studio/words.h"

#include <QHeaderView>
#include <QLabel>
#include <QStackedWidget>
#include <QVBoxLayout>

#include <algorithm>
#include <bit>

namespace warpmill::studio {

namespace {

using presenter::LaneMark;

bool isLaneNumber(ptx::SpecialRegister special) {
  using ptx::SpecialRegister;
  switch (special) {
    case SpecialRegister::TidX: case SpecialRegister::TidY: case SpecialRegister::TidZ: case SpecialRegister::LaneId:
    case SpecialRegister::LanemaskEq: case SpecialRegister::LanemaskLe: case SpecialRegister::LanemaskLt: case SpecialRegister::LanemaskGe:
    case SpecialRegister::LanemaskGt: return true;
    default: return false;
  }
}

// Calls `visit` for each register an operand names.
template <class Visit>
void registersOf(const ptx::Function& function, const ptx::Operand& operand, Visit visit) {
  using Kind = ptx::Operand::Kind;
  if (operand.kind == Kind::Register) visit(operand.index);
  if (operand.kind == Kind::Address && operand.scope == ptx::Operand::In::None && operand.index != ptx::none) visit(operand.index);
  if (operand.kind == Kind::Vector)
    for (std::uint32_t i = 0; i < operand.count; ++i) registersOf(function, function.vectorElements[operand.index + i], visit);
  if (operand.hasPredicate && operand.predicate != ptx::none) visit(operand.predicate);
}

bool readsMemory(const ptx::Instruction& instruction) {
  const std::string_view name = ptx::opcodeName(instruction.opcode);
  return (name == "ld" && instruction.mods.space != ptx::Space::Param && instruction.mods.space != ptx::Space::Const) || name == "atom" ||
         name == "ldmatrix" || name == "shfl";
}

int groupOfType(ptx::Type type) {
  if (type == ptx::Type::Pred) return 0;
  if (ptx::isFloat(type)) return 1;
  return ptx::sizeBytes(type) >= 8 ? 2 : 0;
}

}  // namespace

std::vector<bool> varyingRegisters(const ptx::Function& function) {
  std::vector<bool> varies(function.registers.size(), false);
  for (bool changed = true; changed;) {
    changed = false;
    for (const ptx::Instruction& instruction : function.instructions) {
      bool source = readsMemory(instruction) || (instruction.guard != ptx::none && varies[instruction.guard]);
      for (std::size_t i = instruction.destinationCount; i < instruction.operands.size(); ++i) {
        const ptx::Operand& operand = instruction.operands[i];
        if (operand.kind == ptx::Operand::Kind::Special && isLaneNumber(operand.special)) source = true;
        registersOf(function, operand, [&](std::uint32_t r) { source = source || varies[r]; });
      }
      if (!source) continue;
      for (std::size_t i = 0; i < instruction.destinationCount; ++i)
        registersOf(function, instruction.operands[i], [&](std::uint32_t r) {
          changed = changed || !varies[r];
          varies[r] = true;
        });
    }
  }
  return varies;
}

WatchModel::WatchModel(Player& player, QObject* parent) : QAbstractTableModel(parent), player_(player) {}

void WatchModel::rebuild() {
  beginResetModel();
  columns_.clear();
  issues_.clear();
  historySize_ = 0;
  if (player_.isOpen()) {
    const ptx::Function& function = player_.document().function();
    const std::vector<bool> varies = varyingRegisters(function);
    std::vector<bool> listed(function.registers.size(), false);
    std::vector<Column> order;   // by first write
    for (const ptx::Instruction& instruction : function.instructions)
      for (std::size_t i = 0; i < instruction.destinationCount; ++i)
        registersOf(function, instruction.operands[i], [&](std::uint32_t r) {
          if (!listed[r]) order.push_back({Column::Kind::Register, r, varies[r]});
          listed[r] = true;
        });
    const auto take = [&](auto wanted) {
      for (const Column& column : order)
        if (wanted(column, groupOfType(function.registers[column.reg].type))) columns_.push_back(column);
    };
    take([](const Column& c, int group) { return c.varies && group == 0; });
    take([](const Column& c, int group) { return c.varies && group == 1; });
    columns_.push_back({Column::Kind::Address, 0, true});
    columns_.push_back({Column::Kind::Pallet, 0, true});
    take([](const Column& c, int group) { return c.varies && group == 2; });
    take([](const Column& c, int) { return !c.varies; });
    viewOf_.assign(function.registers.size(), -1);
    written_.assign(function.registers.size(), false);
  }
  endResetModel();
  refresh();
}

bool WatchModel::hasWarp() const { return player_.isOpen() && player_.frame() != nullptr && player_.frame()->crew.any; }

void WatchModel::refresh() {
  if (!player_.isOpen() || columns_.empty()) return;
  const ptx::Function& function = player_.document().function();
  const auto& registers = player_.frame()->crew.registers;
  std::fill(viewOf_.begin(), viewOf_.end(), -1);
  for (std::size_t i = 0; i < registers.size(); ++i)
    for (std::size_t r = 0; r < function.registers.size(); ++r)
      if (function.registers[r].name == registers[i].name) {
        viewOf_[r] = static_cast<std::int32_t>(i);
        break;
      }
  const timing::Trace& trace = player_.session().trace();
  if (warp_ != player_.selection().warp || historySize_ != trace.issues.size()) {
    warp_ = player_.selection().warp;
    historySize_ = trace.issues.size();
    issues_ = TraceFacts::issuesOf(trace, warp_);
  }
  std::fill(written_.begin(), written_.end(), false);
  for (const WarpIssue& issue : issues_) {
    if (issue.step >= player_.session().stepIndex()) break;
    const ptx::Instruction& instruction = function.instructions[issue.pc];
    for (std::size_t i = 0; i < instruction.destinationCount; ++i)
      registersOf(function, instruction.operands[i], [&](std::uint32_t r) { written_[r] = true; });
  }
  emit dataChanged(index(0, 0), index(rowCount() - 1, columnCount() - 1));
  emit headerDataChanged(Qt::Horizontal, 0, columnCount() - 1);
}

int WatchModel::columnOfRegister(const QString& name) const {
  for (std::size_t i = 0; i < columns_.size(); ++i)
    if (columns_[i].kind == Column::Kind::Register &&
        player_.document().function().registers[columns_[i].reg].name == name.toStdString())
      return static_cast<int>(i) + FixedCount;
  return -1;
}

const presenter::RegisterView* WatchModel::view(std::uint32_t reg) const {
  const std::int32_t at = viewOf_[reg];
  return at < 0 ? nullptr : &player_.frame()->crew.registers[static_cast<std::size_t>(at)];
}

int WatchModel::rowCount(const QModelIndex& parent) const { return parent.isValid() || columns_.empty() ? 0 : 32; }

int WatchModel::columnCount(const QModelIndex& parent) const {
  return parent.isValid() || columns_.empty() ? 0 : FixedCount + static_cast<int>(columns_.size());
}

QString WatchModel::text(std::uint32_t lane, const Column& column, bool whole) const {
  const presenter::Frame& frame = *player_.frame();
  if (column.kind == Column::Kind::Register) {
    const presenter::RegisterView* reg = view(column.reg);
    if (reg == nullptr || !written_[column.reg]) return QChar(0x2013);
    // Four digits fit the column; the tool-tip has them all.
    if (reg->type == ptx::Type::F32 && !whole)
      return QString::number(static_cast<double>(std::bit_cast<float>(static_cast<std::uint32_t>(reg->bits[lane]))), 'g', 4);
    return QString::fromStdString(presenter::valueText(*reg, lane));
  }
  if (!frame.request.any || ((frame.request.lanes >> lane) & 1u) == 0) return QChar(0x2013);
  const std::uint64_t address = frame.request.address[lane];
  if (column.kind == Column::Kind::Address) return ".." + QString::number(address & 0xFFFFFF, 16).rightJustified(6, '0');
  for (std::size_t p = 0; p < frame.request.pallets.size(); ++p)
    if (frame.request.pallets[p].address <= address && address < frame.request.pallets[p].address + 32) return QString::number(p);
  return QChar(0x2013);
}

QVariant WatchModel::data(const QModelIndex& index, int role) const {
  if (!index.isValid() || !hasWarp()) return {};
  const Tokens& t = theme().tokens();
  const presenter::Frame& frame = *player_.frame();
  const auto lane = static_cast<std::uint32_t>(index.row());
  const LaneMark mark = frame.crew.marks[lane];
  const bool focus = lane == player_.selection().lane;
  if (role == FocusRole) return focus;
  if (role == BandRole) return (lane / 8) % 2 == 1;
  if (role == MonoRole) return true;
  if (role == Qt::TextAlignmentRole) return static_cast<int>(Qt::AlignRight | Qt::AlignVCenter);
  const bool active = mark == LaneMark::Active;
  if (index.column() == Lane) {
    if (role == Qt::DisplayRole) return index.row();
    if (role == InkRole) return focus ? t.hi : t.mid;
    if (role == WeightRole) return focus ? static_cast<int>(QFont::DemiBold) : static_cast<int>(QFont::Normal);
    return {};
  }
  if (index.column() == Mark) {
    if (role == DotRole) return static_cast<int>(mark);
    if (role == Qt::AccessibleTextRole || role == Qt::ToolTipRole) {
      switch (mark) {
        case LaneMark::Active: return tr("active");
        case LaneMark::Diverged: return tr("diverged: stands elsewhere");
        case LaneMark::PredicatedOff: return tr("predicated off");
        case LaneMark::Exited: return tr("exited");
        case LaneMark::Empty: return tr("no thread");
      }
    }
    return {};
  }
  const Column& column = columns_[static_cast<std::size_t>(index.column() - FixedCount)];
  const presenter::RegisterView* reg = column.kind == Column::Kind::Register ? view(column.reg) : nullptr;
  switch (role) {
    case Qt::DisplayRole: return text(lane, column);
    case HatchRole: return reg != nullptr && reg->inFlight && active;
    case Qt::ToolTipRole:
      if (column.kind == Column::Kind::Address && frame.request.any) return hex(frame.request.address[lane]);
      if (reg == nullptr) return {};
      return reg->inFlight ? tr("%1 of lane %2: on the road").arg(QString::fromStdString(reg->name)).arg(lane)
                           : tr("%1 of lane %2: %3").arg(QString::fromStdString(reg->name)).arg(lane).arg(text(lane, column, true));
    case InkRole:
      if (!active || (reg != nullptr && !written_[column.reg])) return t.low;
      return focus || column.varies ? t.hi : t.mid;
    default: return {};
  }
}

QVariant WatchModel::headerData(int section, Qt::Orientation orientation, int role) const {
  if (orientation != Qt::Horizontal) return {};
  if (role == Qt::TextAlignmentRole) return static_cast<int>(Qt::AlignRight | Qt::AlignVCenter);
  if (section >= FixedCount && columns_[static_cast<std::size_t>(section - FixedCount)].kind == Column::Kind::Register) {
    const ptx::Register& reg = player_.document().function().registers[columns_[static_cast<std::size_t>(section - FixedCount)].reg];
    if (role == Qt::DisplayRole) return QString::fromStdString(reg.name);
    if (role == Qt::ToolTipRole) return QString::fromStdString(reg.name + " ." + std::string(ptx::typeName(reg.type)));
    if (role == Qt::FontRole) return theme().mono(12);
    return {};
  }
  if (role != Qt::DisplayRole) return {};
  if (section == Lane) return tr("lane");
  if (section == Mark) return QString();
  return columns_[static_cast<std::size_t>(section - FixedCount)].kind == Column::Kind::Address ? tr("address") : tr("pallet");
}

int WatchModel::designWidth(int column) const {
  if (column == Lane) return 42;
  if (column == Mark) return 18;
  const Column& c = columns_[static_cast<std::size_t>(column - FixedCount)];
  if (c.kind == Column::Kind::Address) return 80;
  if (c.kind == Column::Kind::Pallet) return 50;
  const ptx::Type type = player_.document().function().registers[c.reg].type;
  if (type == ptx::Type::Pred) return 48;
  if (ptx::isFloat(type)) return 68;
  return ptx::sizeBytes(type) >= 8 ? 120 : 58;
}

WarpWatch::WarpWatch(Player& player, QWidget* parent)
    : QWidget(parent),
      player_(player),
      model_(new WatchModel(player, this)),
      table_(new PlainTable(this)),
      stack_(new QStackedWidget(this)),
      absent_(new QLabel(this)) {
  auto* layout = new QVBoxLayout(this);
  layout->setContentsMargins(0, 0, 0, 0);
  layout->addWidget(stack_);
  table_->setModel(model_);
  table_->setRowHeight(17.1);
  table_->horizontalHeader()->setFixedHeight(theme().px(24));
  table_->setAccessibleName(tr("Registers of the focused warp, a row a lane"));
  absent_->setAlignment(Qt::AlignCenter);
  absent_->setWordWrap(true);
  absent_->setMargin(theme().px(24));
  QPalette p = absent_->palette();
  p.setColor(QPalette::WindowText, theme().tokens().mid);
  absent_->setPalette(p);
  stack_->addWidget(table_);
  stack_->addWidget(absent_);
  connect(&player_, &Player::opened, this, [this] {
    model_->rebuild();
    fitColumns();
  });
  connect(&player_, &Player::frameChanged, this, &WarpWatch::refresh);
  connect(table_->selectionModel(), &QItemSelectionModel::currentRowChanged, this, [this](const QModelIndex& now) {
    if (now.isValid() && table_->hasFocus()) player_.selectLane(static_cast<std::uint32_t>(now.row()));
  });
  connect(table_, &QTableView::clicked, this, [this](const QModelIndex& at) { player_.selectLane(static_cast<std::uint32_t>(at.row())); });
  model_->rebuild();
  fitColumns();
  refresh();
}

void WarpWatch::fitColumns() {
  for (int column = 0; column < model_->columnCount(); ++column) table_->setColumnWidth(column, theme().px(model_->designWidth(column)));
}

QString WarpWatch::caption() const {
  if (!player_.isOpen()) return {};
  const timing::WarpId warp = player_.selection().warp;
  const QString place = tr("block %1, warp %2").arg(warp.block).arg(warp.warp);
  if (!model_->hasWarp()) return place;
  const presenter::CrewView& crew = player_.frame()->crew;
  return place + ", " + tr("%1 of %2 active").arg(std::popcount(crew.status.active)).arg(crew.threads);
}

void WarpWatch::refresh() {
  if (!player_.isOpen()) {
    absent_->setText(tr("No launch is open."));
    stack_->setCurrentWidget(absent_);
    return;
  }
  model_->refresh();
  if (!model_->hasWarp()) {
    const timing::WarpId warp = player_.selection().warp;
    absent_->setText(player_.hasEnded() ? tr("Warp %1 of block %2 has ended.").arg(warp.warp).arg(warp.block)
                           : tr("Warp %1 of block %2 has not begun yet.").arg(warp.warp).arg(warp.block));
    stack_->setCurrentWidget(absent_);
    return;
  }
  stack_->setCurrentWidget(table_);
  const int lane = static_cast<int>(player_.selection().lane);
  if (table_->currentIndex().row() != lane)
    table_->setCurrentIndex(model_->index(lane, qMax(0, table_->currentIndex().column())));
}

}  // namespace warpmill::studio
