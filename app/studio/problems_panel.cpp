#include "studio/problems_panel.h"

#include "studio/player.h"
#include "studio/table_tools.h"
#include "studio/theme.h"
#include "studio/words.h"

#include <QHeaderView>
#include <QLabel>
#include <QStackedWidget>
#include <QTextBrowser>
#include <QVBoxLayout>

namespace warpmill::studio {

ProblemsModel::ProblemsModel(Player& player, QObject* parent) : QAbstractTableModel(parent), player_(player) {}

void ProblemsModel::refresh() {
  beginResetModel();
  faults_.clear();
  if (player_.isOpen()) {
    faults_ = player_.document().finalFaults;
    if (!player_.session().timingHolds()) faults_ = player_.session().state().faults;   // another history: only what has happened
  }
  endResetModel();
}

int ProblemsModel::rowCount(const QModelIndex& parent) const { return parent.isValid() ? 0 : static_cast<int>(faults_.size()); }

int ProblemsModel::columnCount(const QModelIndex& parent) const { return parent.isValid() ? 0 : ColumnCount; }

QVariant ProblemsModel::data(const QModelIndex& index, int role) const {
  if (!index.isValid()) return {};
  const machine::Fault& fault = faults_[static_cast<std::size_t>(index.row())];
  if (role == Qt::ToolTipRole) return QString::fromStdString(fault.message + "\n" + fault.remedy);
  if (role == MonoRole) return index.column() == Thread || index.column() == Cycle;
  if (role == InkRole) return index.column() == Kind ? theme().tokens().hi : theme().tokens().mid;
  if (role == WeightRole) return static_cast<int>(index.column() == Kind ? QFont::DemiBold : QFont::Normal);
  if (role != Qt::DisplayRole && role != Qt::AccessibleTextRole) return {};
  switch (index.column()) {
    case Kind: return faultWords(fault.kind);
    case Where: return fault.location.line == 0 ? tr("PTX %1").arg(fault.ptxLine) : tr("line %1").arg(fault.location.line);
    case Thread: return QString("%1:%2:%3").arg(fault.block[0]).arg(fault.warp).arg(fault.lane);
    case Buffer: {
      if (fault.buffer < 0) return QString(QChar(0x2013));
      const auto& arguments = player_.document().simulated->launch().launch.arguments;
      const auto at = static_cast<std::size_t>(fault.buffer);
      const QString name = at < arguments.size() && !arguments[at].name.empty() ? QString::fromStdString(arguments[at].name)
                                                                               : tr("argument %1").arg(fault.buffer);
      return QString("%1 %2%3").arg(name, fault.offset < 0 ? QString(QChar(0x2212)) : QString("+")).arg(std::abs(fault.offset));
    }
    case Cycle: return QString::number(fault.cycle);
    case Message: return QString::fromStdString(fault.message);
    default: return {};
  }
}

QVariant ProblemsModel::headerData(int section, Qt::Orientation orientation, int role) const {
  if (orientation != Qt::Horizontal) return {};
  if (role == Qt::TextAlignmentRole) return static_cast<int>(Qt::AlignLeft | Qt::AlignVCenter);
  if (role != Qt::DisplayRole) return {};
  switch (section) {
    case Kind: return tr("kind");
    case Where: return tr("where");
    case Thread: return tr("thread");
    case Buffer: return tr("buffer");
    case Cycle: return tr("cycle");
    default: return tr("what happened");
  }
}

ProblemsPanel::ProblemsPanel(Player& player, QWidget* parent)
    : QWidget(parent),
      player_(player),
      model_(new ProblemsModel(player, this)),
      table_(new PlainTable(this)),
      stack_(new QStackedWidget(this)),
      none_(new QLabel(tr("No problems: every access stayed in its buffer."), this)),
      text_(new QTextBrowser(this)) {
  const Theme& th = theme();
  auto* layout = new QVBoxLayout(this);
  layout->setContentsMargins(0, 0, 0, 0);
  layout->addWidget(stack_);
  table_->setModel(model_);
  table_->setRowHeight(22);
  table_->setSelectionBehavior(QAbstractItemView::SelectRows);
  table_->setAccessibleName(tr("Problems"));
  table_->horizontalHeader()->setStretchLastSection(true);
  const int widths[] = {120, 70, 80, 90, 60, 100};
  for (int column = 0; column < ProblemsModel::ColumnCount; ++column) table_->setColumnWidth(column, th.px(widths[column]));
  none_->setAlignment(Qt::AlignCenter);
  none_->setWordWrap(true);
  none_->setMargin(th.px(24));
  QPalette p = none_->palette();
  p.setColor(QPalette::WindowText, th.tokens().mid);
  none_->setPalette(p);
  text_->setAccessibleName(tr("Why the file would not open"));
  text_->setFont(th.mono(12));
  text_->document()->setDocumentMargin(th.px(14));
  stack_->addWidget(none_);
  stack_->addWidget(table_);
  stack_->addWidget(text_);
  connect(table_, &QTableView::activated, this, [this](const QModelIndex& at) { jump(at.row()); });
  connect(table_, &QTableView::doubleClicked, this, [this](const QModelIndex& at) { jump(at.row()); });
  connect(&player_, &Player::opened, this, &ProblemsPanel::refresh);
  connect(&player_, &Player::failed, this, &ProblemsPanel::refresh);
  connect(&player_, &Player::historyChanged, this, &ProblemsPanel::refresh);
  refresh();
}

QString ProblemsPanel::diagnosticsText() const { return QString::fromStdString(formatDiagnostics(player_.diagnostics())); }

int ProblemsPanel::count() const {
  return player_.isOpen() ? model_->rowCount() : static_cast<int>(player_.diagnostics().size());
}

void ProblemsPanel::refresh() {
  model_->refresh();
  if (!player_.isOpen() && !player_.diagnostics().empty()) {
    text_->setPlainText(diagnosticsText());
    stack_->setCurrentWidget(text_);
  } else if (model_->rowCount() > 0) {
    stack_->setCurrentWidget(table_);
  } else {
    none_->setText(player_.isOpen() ? tr("No problems: every access stayed in its buffer.") : tr("No launch is open."));
    stack_->setCurrentWidget(none_);
  }
}

void ProblemsPanel::jump(int row) {
  if (row < 0 || row >= model_->rowCount()) return;
  const machine::Fault fault = model_->faults()[static_cast<std::size_t>(row)];
  const auto& grid = player_.document().simulated->launch().launch.grid;
  Selection next = player_.selection();
  next.warp = {fault.block[0] + std::uint64_t{fault.block[1]} * grid[0] + std::uint64_t{fault.block[2]} * grid[0] * grid[1], fault.warp};
  next.lane = fault.lane;
  next.sm.reset();
  next.request.reset();
  player_.select(next);
  player_.seekCycle(fault.cycle);
}

void ProblemsPanel::goTo(int direction) {
  if (model_->rowCount() == 0) {
    emit player_.message(tr("There is no problem to go to."));
    return;
  }
  const std::uint64_t here = player_.frame()->cycle;
  int found = -1;
  for (int row = 0; row < model_->rowCount(); ++row) {
    const std::uint64_t cycle = model_->faults()[static_cast<std::size_t>(row)].cycle;
    if (direction > 0 ? (cycle > here && found < 0) : cycle < here) found = row;
  }
  jump(found >= 0 ? found : direction > 0 ? 0 : model_->rowCount() - 1);
}

}  // namespace warpmill::studio
