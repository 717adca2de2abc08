#include "studio/ptx_panel.h"

#include "studio/panel_header.h"
#include "studio/player.h"
#include "studio/table_tools.h"
#include "studio/theme.h"

#include <QHeaderView>
#include <QVBoxLayout>

namespace warpmill::studio {

PtxModel::PtxModel(Player& player, QObject* parent) : QAbstractTableModel(parent), player_(player) {}

void PtxModel::setAll(bool all) {
  all_ = all;
  rebuild();
}

void PtxModel::rebuild() {
  beginResetModel();
  rows_.clear();
  if (player_.isOpen()) {
    const auto& code = player_.document().function().instructions;
    const ptx::SourceLocation at = player_.focusLocation();
    for (std::uint32_t pc = 0; pc < code.size(); ++pc)
      if (all_ || player_.focusPc() == machine::noPc || (code[pc].location.line == at.line && code[pc].location.file == at.file)) rows_.push_back(pc);
  }
  endResetModel();
  rebuildIssues();
}

void PtxModel::rebuildIssues() {
  issues_.clear();
  if (player_.isOpen()) {
    warp_ = player_.selection().warp;
    issues_ = TraceFacts::issuesOf(player_.session().trace(), warp_);
  }
  refresh();
}

void PtxModel::refresh() {
  if (!player_.isOpen()) return;
  if (warp_ != player_.selection().warp) {
    warp_ = player_.selection().warp;
    issues_ = TraceFacts::issuesOf(player_.session().trace(), warp_);
  }
  lastIssue_.assign(player_.document().function().instructions.size(), -1);
  const std::uint64_t step = player_.session().stepIndex();
  for (const WarpIssue& issue : issues_) {
    if (issue.step >= step) break;
    lastIssue_[issue.pc] = static_cast<std::int64_t>(issue.cycle);
  }
  if (!rows_.empty()) emit dataChanged(index(0, 0), index(rowCount() - 1, ColumnCount - 1));
}

int PtxModel::rowOfPc(std::uint32_t pc) const {
  for (std::size_t row = 0; row < rows_.size(); ++row)
    if (rows_[row] == pc) return static_cast<int>(row);
  return -1;
}

int PtxModel::rowCount(const QModelIndex& parent) const { return parent.isValid() ? 0 : static_cast<int>(rows_.size()); }

int PtxModel::columnCount(const QModelIndex& parent) const { return parent.isValid() ? 0 : ColumnCount; }

QString PtxModel::text(std::uint32_t pc, int column) const {
  const Document& document = player_.document();
  const ptx::Instruction& instruction = document.function().instructions[pc];
  if (column == Number) return QString::number(instruction.position.line);
  if (column == IssueCycle) {
    const std::int64_t cycle = pc < lastIssue_.size() ? lastIssue_[pc] : -1;
    return cycle < 0 ? QString(QChar(0x2013)) : QString::number(cycle);
  }
  const std::string_view whole = document.module().textOf(instruction);
  const QString statement = QString::fromUtf8(whole.data(), static_cast<qsizetype>(whole.size())).simplified();
  // "@%p1 bra L" keeps its guard with the opcode.
  qsizetype space = statement.indexOf(' ');
  if (statement.startsWith('@') && space > 0) space = statement.indexOf(' ', space + 1);
  if (column == Opcode) return space < 0 ? statement : statement.left(space);
  return space < 0 ? QString() : statement.mid(space + 1);
}

QVariant PtxModel::data(const QModelIndex& index, int role) const {
  if (!index.isValid() || !player_.isOpen()) return {};
  const Tokens& t = theme().tokens();
  const std::uint32_t pc = rows_[static_cast<std::size_t>(index.row())];
  const bool now = pc == player_.focusPc();
  const bool done = pc < lastIssue_.size() && lastIssue_[pc] >= 0;
  switch (role) {
    case Qt::DisplayRole: return text(pc, index.column());
    case Qt::ToolTipRole:
      if (index.column() == IssueCycle && !player_.session().timingHolds()) return tr("some warps were frozen: cycle figures do not hold");
      return text(pc, Opcode) + " " + text(pc, Operands);
    case Qt::TextAlignmentRole:
      return static_cast<int>((index.column() == Number || index.column() == IssueCycle ? Qt::AlignRight : Qt::AlignLeft) | Qt::AlignVCenter);
    case MonoRole: return true;
    case SizeRole: return index.column() == Number || index.column() == IssueCycle ? 12.0 : 13.0;
    case WeightRole: return now && index.column() == Opcode ? static_cast<int>(QFont::DemiBold) : static_cast<int>(QFont::Normal);
    case FocusRole: return now;
    case MarkRole: return now && index.column() == Number;
    case InkRole:
      if (index.column() == Number) return t.low;
      if (index.column() == IssueCycle) return done && player_.session().timingHolds() ? t.mid : t.low;
      if (index.column() == Opcode) return now || done ? t.hi : t.mid;
      return t.mid;
    default: return {};
  }
}

QVariant PtxModel::headerData(int section, Qt::Orientation orientation, int role) const {
  if (orientation != Qt::Horizontal || role != Qt::DisplayRole) return {};
  switch (section) {
    case Number: return tr("line");
    case Opcode: return tr("instruction");
    case Operands: return tr("operands");
    default: return tr("issue cycle");
  }
}

PtxPanel::PtxPanel(Player& player, QWidget* parent)
    : QWidget(parent),
      player_(player),
      header_(new PanelHeader(QStringList{tr("PTX of this line"), tr("All PTX")}, nullptr)),
      table_(new PlainTable(this)),
      model_(new PtxModel(player, this)) {
  const Theme& th = theme();
  auto* layout = new QVBoxLayout(this);
  layout->setContentsMargins(0, th.px(6), 0, 0);
  layout->addWidget(table_);
  table_->setModel(model_);
  table_->setRowHeight(18.4);
  table_->setAccessibleName(tr("PTX instructions"));
  table_->horizontalHeader()->hide();
  table_->setSelectionBehavior(QAbstractItemView::SelectRows);
  table_->horizontalHeader()->setSectionResizeMode(PtxModel::Operands, QHeaderView::Stretch);
  table_->setColumnWidth(PtxModel::Number, th.px(60));
  table_->horizontalHeader()->setSectionResizeMode(PtxModel::Opcode, QHeaderView::ResizeToContents);
  table_->horizontalHeader()->setSectionResizeMode(PtxModel::IssueCycle, QHeaderView::ResizeToContents);
  table_->cells()->setPadding(4, 14);
  header_->setCaption(tr("issue cycle"));
  connect(header_, &PanelHeader::tabChosen, this, [this](int tab) { showAll(tab == 1); });
  connect(&player_, &Player::opened, this, [this] { model_->rebuild(); });
  connect(&player_, &Player::historyChanged, this, [this] { model_->rebuildIssues(); });
  connect(&player_, &Player::frameChanged, this, &PtxPanel::refresh);
  model_->rebuild();
  refresh();
}

void PtxPanel::showAll(bool all) {
  header_->setCurrentTab(all ? 1 : 0);
  model_->setAll(all);
  refresh();
}

void PtxPanel::refresh() {
  const ptx::SourceLocation at = player_.focusLocation();
  const bool all = header_->currentTab() == 1;
  const bool known = player_.focusPc() != machine::noPc;
  if (!all && (at.line != shownLine_.line || at.file != shownLine_.file || known != shownKnown_)) model_->rebuild();
  shownLine_ = at;
  shownKnown_ = known;
  model_->refresh();
  header_->setTabs({!known ? tr("PTX") : at.line == 0 ? tr("PTX without a line") : tr("PTX of line %1").arg(at.line), tr("All PTX")});
  const int row = model_->rowOfPc(player_.focusPc());
  if (row >= 0) table_->scrollTo(model_->index(row, 0), QAbstractItemView::EnsureVisible);
}

}  // namespace warpmill::studio
