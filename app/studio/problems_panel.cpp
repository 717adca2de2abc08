#include "studio/problems_panel.h"

#include "studio/player.h"
#include "studio/table_tools.h"
#include "studio/theme.h"
#include "studio/words.h"

#include <QHeaderView>
#include <QLabel>
#include <QStackedWidget>
#include <QTextBrowser>
#include <QUrl>
#include <QVBoxLayout>

namespace warpmill::studio {

ProblemsModel::ProblemsModel(Player& player, Language language, QObject* parent) : QAbstractTableModel(parent), player_(player), language_(language) {}

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
  if (role == Qt::ToolTipRole) return QString::fromStdString(messageOf(fault, language_) + "\n" + remedyOf(fault, language_));
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
    case Message: return QString::fromStdString(messageOf(fault, language_));
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

ProblemsPanel::ProblemsPanel(Player& player, bool russian, QWidget* parent)
    : QWidget(parent),
      player_(player),
      language_(russian ? Language::Russian : Language::English),
      model_(new ProblemsModel(player, language_, this)),
      table_(new PlainTable(this)),
      stack_(new QStackedWidget(this)),
      none_(new QLabel(tr("No problems: every access stayed in its buffer."), this)),
      text_(new QTextBrowser(this)),
      list_(new QWidget(this)),
      details_(new QTextBrowser(this)) {
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
  details_->setAccessibleName(tr("The chosen problem"));
  details_->setOpenLinks(false);
  details_->document()->setDocumentMargin(th.px(10));
  details_->setFrameShape(QFrame::NoFrame);
  auto* column = new QVBoxLayout(list_);
  column->setContentsMargins(0, 0, 0, 0);
  column->setSpacing(0);
  column->addWidget(table_, 2);
  column->addWidget(details_, 3);
  stack_->addWidget(none_);
  stack_->addWidget(list_);
  stack_->addWidget(text_);
  connect(table_, &QTableView::activated, this, [this](const QModelIndex& at) { jump(at.row()); });
  connect(table_, &QTableView::clicked, this, [this](const QModelIndex& at) { jump(at.row()); });
  connect(details_, &QTextBrowser::anchorClicked, this, [this](const QUrl& link) {
    go(link.fragment() == "after" ? Moment::After : link.fragment() == "other" ? Moment::Other : Moment::Before);
  });
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
    stack_->setCurrentWidget(list_);
    choose(0);
    went_ = false;
  } else {
    none_->setText(player_.isOpen() ? tr("No problems: every access stayed in its buffer.") : tr("No launch is open."));
    stack_->setCurrentWidget(none_);
  }
}

void ProblemsPanel::choose(int row) {
  chosen_ = row < model_->rowCount() ? row : -1;
  details_->setHtml(chosen_ < 0 ? QString() : details(model_->faults()[static_cast<std::size_t>(chosen_)]));
  if (chosen_ >= 0) table_->selectRow(chosen_);
}

QString ProblemsPanel::detailsText() const { return details_->toPlainText(); }

QString ProblemsPanel::details(const machine::Fault& fault) const {
  const Theme& th = theme();
  const auto escaped = [](const std::string& s) { return QString::fromStdString(s).toHtmlEscaped(); };
  const auto place = [&](const ptx::SourceLocation& at, std::uint32_t ptxLine) { return at.line == 0 ? tr("PTX %1").arg(ptxLine) : tr("line %1").arg(at.line); };
  QString html = QString("<p><b>%1</b> (%2)</p><p>%3</p>").arg(escaped(messageOf(fault, language_)), place(fault.location, fault.ptxLine), escaped(remedyOf(fault, language_)));
  html += QString("<p><a href='#before'>%1</a> &nbsp; <a href='#after'>%2</a>%3</p>")
              .arg(tr("Moment before"), tr("moment after"), fault.other ? QString(" &nbsp; <a href='#other'>%1</a>").arg(tr("the other party")) : QString());
  const auto party = [&](const machine::OtherParty& o) {
    html += QString("<p>%1: %2</p>").arg(place(o.location, o.ptxLine), escaped(noteOf(o, language_)));
  };
  if (fault.other) party(*fault.other);
  for (const machine::OtherParty& o : fault.parties) party(o);
  if (!fault.expression.empty()) {
    html += QString("<table cellspacing='0' cellpadding='2' style=\"font-family:'%1'\">").arg(th.mono(12).family());
    for (const machine::ExpressionStep& s : fault.expression)
      html += QString("<tr><td>%1 &nbsp;</td><td>%2 &nbsp;</td><td>%3</td></tr>")
                  .arg(escaped(s.name), s.definition.empty() ? QString() : "= " + escaped(s.definition), s.value.empty() ? QString() : "= " + escaped(s.value));
    html += "</table>";
  }
  if (fault.count > 1) html += QString("<p>%1</p>").arg(tr("%1 times at this instruction").arg(fault.count));
  return html;
}

// The playhead goes where the issue is about to be made, or has just been made; the warp and lane that made it are chosen.
void ProblemsPanel::jump(int row, Moment moment) {
  if (row < 0 || row >= model_->rowCount()) return;
  choose(row);
  went_ = true;
  const machine::Fault fault = model_->faults()[static_cast<std::size_t>(row)];
  const auto& grid = player_.document().simulated->launch().launch.grid;
  const auto step = player_.session().stepOf(fault);
  const bool toOther = moment == Moment::Other && fault.other;
  const auto& block = toOther ? fault.other->block : fault.block;
  Selection next = player_.selection();
  next.warp = {block[0] + std::uint64_t{block[1]} * grid[0] + std::uint64_t{block[2]} * grid[0] * grid[1], toOther ? fault.other->warp : fault.warp};
  next.lane = toOther ? fault.other->lane : fault.lane;
  next.sm.reset();
  next.request.reset();
  player_.select(next);
  std::optional<std::uint64_t> at = step;
  if (toOther) at = player_.session().stepOf(*fault.other, step.value_or(~0ull));
  if (at) player_.seekStep(*at + (moment == Moment::After ? 1 : 0));
  else if (fault.cycle != 0) player_.seekCycle(fault.cycle);
  else emit player_.message(tr("This problem has no moment in the present history."));
}

void ProblemsPanel::go(Moment moment) {
  if (chosen_ < 0) {
    emit player_.message(tr("There is no problem to go to."));
    return;
  }
  if (moment == Moment::Other && !model_->faults()[static_cast<std::size_t>(chosen_)].other) {
    emit player_.message(tr("This problem has no other party."));
    return;
  }
  jump(chosen_, moment);
}

void ProblemsPanel::goTo(int direction) {
  if (model_->rowCount() == 0) {
    emit player_.message(tr("There is no problem to go to."));
    return;
  }
  const int rows = model_->rowCount();
  const bool wasThere = chosen_ >= 0 && went_;
  jump(wasThere ? (chosen_ + direction + rows) % rows : direction > 0 ? 0 : rows - 1);
}

}  // namespace warpmill::studio
