#include "studio/memory_panel.h"

#include "studio/panel_header.h"
#include "studio/player.h"
#include "studio/table_tools.h"
#include "studio/theme.h"
#include "studio/words.h"

#include <QHBoxLayout>
#include <QHeaderView>
#include <QLabel>
#include <QLineEdit>
#include <QVBoxLayout>

namespace warpmill::studio {

namespace {

std::uint32_t laneOf(const timing::Request& request, std::uint64_t address) {
  for (std::uint32_t lane = 0; lane < 32; ++lane)
    if (((request.lanes >> lane) & 1u) != 0 && request.address[lane] <= address && address < request.address[lane] + request.bytesPerLane)
      return lane;
  return 32;
}

}  // namespace

MemoryPanel::MemoryPanel(Player& player, QWidget* parent)
    : QWidget(parent),
      player_(player),
      model_(new MemoryModel(player, this)),
      table_(new PlainTable(this)),
      tabRow_(new QHBoxLayout),
      index_(new QLineEdit(this)),
      cell_(new ElidedLabel(this)) {
  const Theme& th = theme();
  auto* layout = new QVBoxLayout(this);
  layout->setContentsMargins(0, 0, 0, 0);
  layout->setSpacing(0);
  tabRow_->setContentsMargins(th.px(14), th.px(4), th.px(14), th.px(4));
  tabRow_->setSpacing(th.px(18));
  tabRow_->addStretch(1);
  index_->setPlaceholderText(tr("go to index"));
  index_->setAccessibleName(tr("Go to index"));
  index_->setFixedSize(th.px(130), th.px(26));
  index_->setFont(th.mono(12));
  tabRow_->addWidget(index_);
  layout->addLayout(tabRow_);
  table_->setModel(model_);
  table_->setRowHeight(19);
  table_->setAccessibleName(tr("Elements of the buffer"));
  table_->verticalHeader()->show();
  table_->verticalHeader()->setFixedWidth(th.px(60));
  table_->cells()->setPadding(2, 4);
  table_->verticalHeader()->setFont(th.mono(12));
  table_->horizontalHeader()->setSectionResizeMode(QHeaderView::Stretch);
  layout->addWidget(table_, 1);
  cell_->setFont(th.sans(12));
  cell_->setFixedHeight(th.px(26));
  cell_->setContentsMargins(th.px(14), 0, th.px(14), 0);
  QPalette p = cell_->palette();
  p.setColor(QPalette::WindowText, th.tokens().mid);
  cell_->setPalette(p);
  cell_->setSizePolicy(QSizePolicy::Ignored, QSizePolicy::Fixed);
  layout->addWidget(cell_);
  connect(index_, &QLineEdit::returnPressed, this, [this] { goTo(index_->text()); });
  const auto choose = [this](const QModelIndex& at) {
    const std::uint64_t address = model_->addressOf(at);
    if (address == 0) return;
    Selection next = player_.selection();
    next.address = address;
    player_.select(next);
  };
  connect(table_, &QTableView::clicked, this, choose);
  connect(table_, &QTableView::activated, this, choose);
  connect(table_->selectionModel(), &QItemSelectionModel::currentChanged, this, [this, choose](const QModelIndex& at) {
    if (table_->hasFocus()) choose(at);
  });
  connect(&player_, &Player::opened, this, &MemoryPanel::rebuildTabs);
  connect(&player_, &Player::frameChanged, this, &MemoryPanel::refresh);
  rebuildTabs();
}

void MemoryPanel::rebuildTabs() {
  for (HeaderTab* tab : tabs_) delete tab;
  tabs_.clear();
  followed_ = timing::noRequest;
  if (player_.isOpen()) {
    const auto& allocations = player_.session().state().memory.allocations();
    for (std::size_t i = 0; i < allocations.size(); ++i) {
      auto* tab = new HeaderTab(QString::fromStdString(allocations[i].name), this);
      tab->setFixedHeight(theme().px(26));
      tabRow_->insertWidget(static_cast<int>(i), tab);
      tabs_.append(tab);
      connect(tab, &QAbstractButton::clicked, this, [this, i] { showBuffer(i); });
    }
  }
  showBuffer(0);
}

void MemoryPanel::showBuffer(std::size_t allocation) {
  for (qsizetype i = 0; i < tabs_.size(); ++i) tabs_[i]->setChecked(i == static_cast<qsizetype>(allocation));
  model_->show(allocation);
  refresh();
}

void MemoryPanel::refresh() {
  if (!player_.isOpen()) {
    cell_->setFullText({});
    return;
  }
  // The buffer that the focused warp reached for comes into view once for each request; the user may look elsewhere after that.
  const presenter::RequestView& request = player_.frame()->request;
  if (request.any && request.id != followed_ && !request.isShared && request.lanes != 0) {
    followed_ = request.id;
    const std::uint32_t lane = ((request.lanes >> player_.selection().lane) & 1u) != 0
                                   ? player_.selection().lane
                                   : static_cast<std::uint32_t>(std::countr_zero(request.lanes));
    const auto& allocations = player_.session().state().memory.allocations();
    for (std::size_t i = 0; i < allocations.size(); ++i) {
      const machine::Allocation& buffer = allocations[i];
      if (request.address[lane] < buffer.base || request.address[lane] >= buffer.base + buffer.sizeBytes) continue;
      if (i != model_->allocation()) {
        for (qsizetype tab = 0; tab < tabs_.size(); ++tab) tabs_[tab]->setChecked(tab == static_cast<qsizetype>(i));
        model_->show(i);
      }
      const std::uint64_t element = (request.address[lane] - buffer.base) / launch::dtypeBytes(model_->type());
      if (element / MemoryModel::pageElements * MemoryModel::pageElements != model_->firstElement()) model_->showPage(element);
      table_->scrollTo(model_->indexOf(request.address[lane]), QAbstractItemView::PositionAtCenter);
    }
  }
  model_->refresh();
  describeCell();
}

void MemoryPanel::resizeEvent(QResizeEvent* event) {
  QWidget::resizeEvent(event);
  const Theme& th = theme();
  model_->setColumns(width() - th.px(70) >= 8 * th.px(58) ? 8 : 4);
}

void MemoryPanel::goTo(const QString& text) {
  if (model_->elementCount() == 0) return;
  bool ok = false;
  const std::uint64_t element = text.trimmed().toULongLong(&ok, 0);
  if (!ok || element >= model_->elementCount()) {
    emit player_.message(tr("This buffer has the elements 0 to %1.").arg(model_->elementCount() - 1));
    return;
  }
  model_->showPage(element);
  const QModelIndex at = model_->indexOfElement(element);
  table_->setCurrentIndex(at);
  table_->scrollTo(at, QAbstractItemView::PositionAtCenter);
  Selection next = player_.selection();
  next.address = model_->addressOf(at);
  player_.select(next);
}

QString MemoryPanel::caption() const {
  if (!player_.isOpen() || model_->elementCount() == 0) return {};
  const std::string_view type = launch::dtypeName(model_->type());
  return tr("%1 elements of %2")
      .arg(thousands(model_->elementCount()), QString::fromLatin1(type.data(), static_cast<qsizetype>(type.size())));
}

QString MemoryPanel::cellText() const { return cell_->fullText(); }

void MemoryPanel::describeCell() {
  if (!player_.selection().address) {
    cell_->setFullText(tr("Lit: what the focused warp's last request touches. Choose a cell to see who wrote and read it."));
    return;
  }
  const std::uint64_t address = *player_.selection().address;
  const QModelIndex at = model_->indexOf(address);
  if (!at.isValid()) {
    cell_->setFullText(tr("The chosen cell is in another buffer."));
    return;
  }
  const std::uint32_t size = launch::dtypeBytes(model_->type());
  const std::uint64_t element = model_->elementAt(at);
  const QString name = tabs_.value(static_cast<qsizetype>(model_->allocation()))->text();
  QString text = QString("%1[%2] = %3. ").arg(name).arg(element).arg(model_->valueText(element));
  const timing::Trace& trace = player_.session().trace();
  const auto who = [&](const timing::IssueEvent& event, std::uint32_t lane) {
    return tr("block %1, warp %2, lane %3, cycle %4").arg(event.warp.block).arg(event.warp.warp).arg(lane).arg(event.at.cycle);
  };
  if (const timing::IssueEvent* writer = player_.session().lastWriter(address, size)) {
    const std::uint32_t lane = writer->request < trace.requests.size() ? laneOf(trace.requests[writer->request], address) : 32;
    text += tr("Written by %1. ").arg(who(*writer, lane));
  } else {
    text += tr("Not written yet. ");
  }
  std::uint64_t reads = 0;
  const timing::IssueEvent* last = nullptr;
  std::uint32_t lastLane = 0;
  const std::uint64_t until = std::min<std::uint64_t>(player_.session().stepIndex(), trace.issues.size());
  for (std::uint64_t i = 0; i < until; ++i) {
    const timing::IssueEvent& event = trace.issues[i];
    if (event.request >= trace.requests.size()) continue;
    const timing::Request& request = trace.requests[event.request];
    if (request.isStore || request.isShared) continue;
    const std::uint32_t lane = laneOf(request, address);
    if (lane == 32) continue;
    ++reads;
    last = &event;
    lastLane = lane;
  }
  text += last == nullptr ? tr("Not read yet.") : reads == 1 ? tr("Read by %1.").arg(who(*last, lastLane))
                                                             : tr("Read %1 times, last by %2.").arg(reads).arg(who(*last, lastLane));
  cell_->setFullText(text);
}

}  // namespace warpmill::studio
