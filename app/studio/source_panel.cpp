#include "studio/source_panel.h"

#include "studio/code_view.h"
#include "studio/panel_header.h"
#include "studio/player.h"
#include "studio/words.h"

#include <QStackedWidget>
#include <QVBoxLayout>

#include <algorithm>

namespace warpmill::studio {

SourcePanel::SourcePanel(Player& player, QWidget* parent)
    : QWidget(parent), player_(player), header_(new PanelHeader(QStringList{tr("Source")}, nullptr)), stack_(new QStackedWidget(this)) {
  auto* layout = new QVBoxLayout(this);
  layout->setContentsMargins(0, 0, 0, 0);
  layout->addWidget(stack_);
  connect(header_, &PanelHeader::tabChosen, this, &SourcePanel::showTab);
  connect(&player_, &Player::opened, this, &SourcePanel::rebuildTabs);
  connect(&player_, &Player::historyChanged, this, &SourcePanel::updateShares);
  connect(&player_, &Player::frameChanged, this, &SourcePanel::updateFocus);
  rebuildTabs();
}

void SourcePanel::rebuildTabs() {
  while (stack_->count() > 0) {
    QWidget* old = stack_->widget(0);
    stack_->removeWidget(old);
    delete old;
  }
  fileOfTab_.clear();
  QStringList titles;
  const auto addTab = [&](const TextFile& file, std::uint32_t index) {
    auto* view = new CodeView;
    view->setAccessibleName(tr("Source %1").arg(QString::fromStdString(file.name)));
    const QString text = file.found ? QString::fromStdString(file.text)
                                    : tr("%1 was not found beside the PTX; the PTX panel still shows every instruction.")
                                          .arg(QString::fromStdString(file.path));
    view->setCode(text, file.found ? kindOfFile(QString::fromStdString(file.name)) : CodeKind::Plain);
    stack_->addWidget(view);
    fileOfTab_.push_back(index);
    titles.append(QString::fromStdString(file.name));
    if (index == ptx::none) return;
    connect(view, &CodeView::runToLine, this,
            [this, index](int line) { player_.runToLine(index, static_cast<std::uint32_t>(line)); });
  };
  if (player_.isOpen()) {
    const Document& document = player_.document();
    // Headers of a compiler that is not here would be tabs with nothing in them.
    const bool any = std::any_of(document.sources.begin(), document.sources.end(), [](const TextFile& f) { return f.found; });
    for (std::uint32_t i = 0; i < document.sources.size(); ++i)
      if (document.sources[i].found || !any) addTab(document.sources[i], i);
    if (document.launchFile.found) addTab(document.launchFile, ptx::none);
  }
  header_->setTabs(titles.isEmpty() ? QStringList{tr("Source")} : titles);
  showTab(0);
  updateShares();
  updateFocus();
}

CodeView* SourcePanel::codeOf(int tab) const { return qobject_cast<CodeView*>(stack_->widget(tab)); }

void SourcePanel::showTab(int index) {
  header_->setCurrentTab(index);
  stack_->setCurrentIndex(index);
  const bool source = index < static_cast<int>(fileOfTab_.size()) && fileOfTab_[static_cast<std::size_t>(index)] != ptx::none;
  header_->setCaption(source && heat_.total.cycles() != 0 ? tr("gutter: share of time") : QString());
}

void SourcePanel::showLaunchTab() {
  if (!fileOfTab_.empty()) showTab(static_cast<int>(fileOfTab_.size()) - 1);
}

namespace {

// What the line issued, moved and waited for, as its tool-tip says.
QString heatWords(const profile::HeatCounts& c) {
  QStringList lines{SourcePanel::tr("%1 warp instructions").arg(thousands(c.instructions))};
  if (const auto stall = c.mostWaitedFor(); stall != timing::Stall::Selected) {
    const double share = 100.0 * static_cast<double>(c.warpCycles[static_cast<std::size_t>(stall)]) / static_cast<double>(c.cycles());
    const std::string_view name = timing::stallName(stall);
    lines.append(SourcePanel::tr("waits most for: %1, %2 % of its time").arg(QString::fromUtf8(name.data(), static_cast<qsizetype>(name.size()))).arg(share, 0, 'f', 0));
  }
  if (c.requests != 0) lines.append(SourcePanel::tr("%1 sectors, %2 would do").arg(thousands(c.sectors), thousands(c.idealSectors)));
  if (c.sharedRequests != 0) lines.append(SourcePanel::tr("%1 wavefronts of %2 accesses to shared memory").arg(thousands(c.sharedWavefronts), thousands(c.sharedRequests)));
  return lines.join('\n');
}

}  // namespace

void SourcePanel::updateShares() {
  heat_ = {};
  if (player_.isOpen()) {
    const Document& document = player_.document();
    profile::Heat heat(*document.simulated);
    heat.take(player_.session().trace());
    heat_ = profile::heatReport(heat, document.module(), document.function());
  }
  for (std::size_t tab = 0; tab < fileOfTab_.size(); ++tab) {
    if (fileOfTab_[tab] == ptx::none) continue;
    CodeView* view = codeOf(static_cast<int>(tab));
    std::vector<LineHeat> heat(static_cast<std::size_t>(view->document()->blockCount()));
    for (const profile::HeatLine& line : heat_.lines)
      if (line.file == player_.document().module().files[fileOfTab_[tab]] && line.line <= heat.size()) heat[line.line - 1] = {line.share, heatWords(line.counts)};
    view->setHeat(std::move(heat));
  }
  showTab(header_->currentTab());
}

void SourcePanel::updateFocus() {
  const ptx::SourceLocation at = player_.focusLocation();
  for (std::size_t tab = 0; tab < fileOfTab_.size(); ++tab)
    if (CodeView* view = codeOf(static_cast<int>(tab)))
      view->setFocusLine(fileOfTab_[tab] != ptx::none && fileOfTab_[tab] == at.file ? static_cast<int>(at.line) : 0);
}

ptx::SourceLocation SourcePanel::cursor() const {
  ptx::SourceLocation at;
  const int tab = header_->currentTab();
  if (tab >= static_cast<int>(fileOfTab_.size()) || fileOfTab_[static_cast<std::size_t>(tab)] == ptx::none) return at;
  at.file = fileOfTab_[static_cast<std::size_t>(tab)];
  at.line = static_cast<std::uint32_t>(codeOf(tab)->cursorLine());
  return at;
}

}  // namespace warpmill::studio
