#include "studio/source_panel.h"

#include "studio/code_view.h"
#include "studio/panel_header.h"
#include "studio/player.h"

#include <QStackedWidget>
#include <QVBoxLayout>

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
    for (std::uint32_t i = 0; i < document.sources.size(); ++i) addTab(document.sources[i], i);
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
  header_->setCaption(source && facts_.hasShares() ? tr("gutter: share of time") : QString());
}

void SourcePanel::showLaunchTab() {
  if (!fileOfTab_.empty()) showTab(static_cast<int>(fileOfTab_.size()) - 1);
}

void SourcePanel::updateShares() {
  facts_.clear();
  if (player_.isOpen()) facts_.build(player_.session().trace(), player_.document().function());
  for (std::size_t tab = 0; tab < fileOfTab_.size(); ++tab) {
    if (fileOfTab_[tab] == ptx::none) continue;
    CodeView* view = codeOf(static_cast<int>(tab));
    std::vector<double> shares(static_cast<std::size_t>(view->document()->blockCount()));
    for (std::size_t line = 0; line < shares.size(); ++line)
      shares[line] = facts_.share(fileOfTab_[tab], static_cast<std::uint32_t>(line + 1));
    view->setShares(std::move(shares));
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
