// What each command of the main window does.
#include "studio/code_view.h"
#include "studio/commands.h"
#include "studio/compare_panel.h"
#include "studio/controls.h"
#include "studio/dock.h"
#include "studio/lesson_guide.h"
#include "studio/main_window.h"
#include "studio/palette.h"
#include "studio/panel_header.h"
#include "studio/picture.h"
#include "studio/player.h"
#include "studio/problems_panel.h"
#include "studio/ptx_panel.h"
#include "studio/scene_panel.h"
#include "studio/source_panel.h"
#include "studio/status_strip.h"
#include "studio/theme.h"
#include "studio/toolbar.h"
#include "studio/watch_dock.h"

#include <QAction>
#include <QActionGroup>
#include <QDialog>
#include <QDialogButtonBox>
#include <QFileDialog>
#include <QMenu>
#include <QRegularExpression>
#include <QTextBrowser>
#include <QVBoxLayout>

#include <algorithm>

namespace warpmill::studio {

void MainWindow::run(Command command) {
  Player& p = player_;
  switch (command) {
    case Command::OpenLaunch: chooseLaunchFile(); break;
    case Command::SaveScreenshot: savePicture(); break;
    case Command::Quit: close(); break;
    case Command::Restart:
      p.pause();
      p.toStart();
      break;
    case Command::Run:
      if (p.direction() > 0) p.pause();
      else p.play(1);
      break;
    case Command::RunBack:
      if (p.direction() < 0) p.pause();
      else p.play(-1);
      break;
    case Command::Pause: p.pause(); break;
    case Command::Step: p.step(p.unit()); break;
    case Command::Back: p.step(p.unit(), -1); break;
    case Command::StepInstruction: p.step(Unit::Instruction); break;
    case Command::BackInstruction: p.step(Unit::Instruction, -1); break;
    case Command::StepLine: p.step(Unit::SourceLine); break;
    case Command::BackLine: p.step(Unit::SourceLine, -1); break;
    case Command::CycleForward: p.step(Unit::Cycle); break;
    case Command::CycleBack: p.step(Unit::Cycle, -1); break;
    case Command::TenCyclesForward: p.step(Unit::Cycle, 10); break;
    case Command::TenCyclesBack: p.step(Unit::Cycle, -10); break;
    case Command::RunToCursor:
    case Command::RunBackToCursor:
      if (const ptx::SourceLocation at = sourcePanel_->cursor(); at.line != 0) p.runToLine(at.file, at.line, command == Command::RunBackToCursor);
      else status_->showMessage(tr("Put the cursor on a line of the kernel's source first."));
      break;
    case Command::NextIssue: p.stepWarpIssue(1); break;
    case Command::PreviousIssue: p.stepWarpIssue(-1); break;
    case Command::ToStart: p.toStart(); break;
    case Command::ToEnd: p.toEnd(); break;
    case Command::Faster:
    case Command::Slower: {
      const auto& speeds = Player::speeds();
      const auto at = std::find(speeds.begin(), speeds.end(), p.speed());
      if (command == Command::Faster && at + 1 < speeds.end()) p.setSpeed(*(at + 1));
      if (command == Command::Slower && at != speeds.begin()) p.setSpeed(*(at - 1));
      break;
    }
    case Command::GoToCycle: palette_->popUp("= "); break;
    case Command::NextLane: p.moveLane(1); break;
    case Command::PreviousLane: p.moveLane(-1); break;
    case Command::NextWarp: p.moveWarp(1); break;
    case Command::PreviousWarp: p.moveWarp(-1); break;
    case Command::NextBlock: p.moveBlock(1); break;
    case Command::PreviousBlock: p.moveBlock(-1); break;
    case Command::NextProblem: watchDock_->problems()->goTo(1); break;
    case Command::PreviousProblem: watchDock_->problems()->goTo(-1); break;
    case Command::AfterProblem: watchDock_->problems()->go(ProblemsPanel::Moment::After); break;
    case Command::OtherParty: watchDock_->problems()->go(ProblemsPanel::Moment::Other); break;
    case Command::LastWriter:
      if (p.selection().address) p.toLastWriter(*p.selection().address, 1);
      else status_->showMessage(tr("Choose a cell of the memory panel first."));
      break;
    case Command::NextStep: guide_.goTo(guide_.step() + 1); break;
    case Command::PreviousStep: guide_.goTo(guide_.step() - 1); break;
    default: runView(command); break;
  }
}

void MainWindow::runView(Command command) {
  const auto level = [this](scene::Level l) {
    if (scenePanel_ != nullptr) scenePanel_->setLevel(l);
  };
  switch (command) {
    case Command::LevelGpu:
    case Command::LevelStorey: level(scene::Level::Gpu); break;
    case Command::LevelSm:
    case Command::LevelBlock: level(scene::Level::Floor); break;
    case Command::LevelWarp:
    case Command::LevelThread: level(scene::Level::Crew); break;
    case Command::Describe: showText(tr("This moment"), describe()); break;
    case Command::DescribeComparison: showText(tr("Simulated and measured"), comparePanel_->describe()); break;
    case Command::FullScreen: setWindowState(windowState() ^ Qt::WindowFullScreen); break;
    // Building anew deletes the button or action that asked for it: not while it is still on the way.
    case Command::LargerText: QMetaObject::invokeMethod(this, [this] { setScale(settings_.scale + 0.25); }, Qt::QueuedConnection); break;
    case Command::SmallerText: QMetaObject::invokeMethod(this, [this] { setScale(settings_.scale - 0.25); }, Qt::QueuedConnection); break;
    case Command::NormalText: QMetaObject::invokeMethod(this, [this] { setScale(1.0); }, Qt::QueuedConnection); break;
    case Command::ResetLayout:
      for (QDockWidget* dock : findChildren<QDockWidget*>()) {
        dock->setFloating(false);
        dock->show();
      }
      QMetaObject::invokeMethod(
          this,
          [this] {
            settings_.layout.clear();
            rebuild();
            designLayout();
          },
          Qt::QueuedConnection);
      break;
    case Command::Palette: palette_->popUp(); break;
    case Command::Keys: showKeys(); break;
    case Command::About: showAbout(); break;
    case Command::Menu: showMenu(); break;
    default: break;
  }
}

void MainWindow::showMenu() {
  QMenu menu(this);
  QMenu* current = nullptr;
  QString group;
  for (const CommandInfo& info : commandList()) {
    if (*info.group == 0) continue;
    if (group != info.group) {
      group = info.group;
      current = menu.addMenu(group == "File" ? tr("File") : group == "Run" ? tr("Run") : group == "Go" ? tr("Go") : group == "View" ? tr("View") : tr("Help"));
      if (group == "View") {
        QMenu* panels = current->addMenu(tr("Panels"));
        for (QDockWidget* dock : findChildren<QDockWidget*>()) panels->addAction(dock->toggleViewAction());
        const auto choices = [&](const QString& title, const std::vector<std::pair<QString, QString>>& list, const QString& now, auto set) {
          QMenu* sub = current->addMenu(title);
          for (const auto& [id, text] : list) {
            QAction* action = sub->addAction(text);
            action->setCheckable(true);
            action->setChecked(id == now);
            const QString value = id;
            connect(action, &QAction::triggered, this,
                    [this, value, set] { QMetaObject::invokeMethod(this, [value, set] { set(value); }, Qt::QueuedConnection); });
          }
        };
        choices(tr("Theme"), {{"dark", tr("Dark")}, {"light", tr("Light")}, {"system", tr("As the system")}}, settings_.theme,
                [this](const QString& v) { setTheme(v); });
        choices(tr("Language"), {{"en", "English"}, {"ru", QString::fromUtf8("Русский")}}, settings_.isRussian() ? "ru" : "en",
                [this](const QString& v) { setLanguage(v); });
        current->addSeparator();
      }
    }
    QAction* action = commands_->action(info.id);
    if (*info.keys == 0 && *info.plainKeys != 0) {   // keys that the menu cannot bind, only show
      QAction* shown = current->addAction(action->text() + "\t" + commands_->keysText(info.id));
      shown->setEnabled(action->isEnabled());
      connect(shown, &QAction::triggered, action, &QAction::trigger);
    } else {
      current->addAction(action);
    }
  }
  QWidget* button = toolbar_->menuButton();
  menu.exec(button->mapToGlobal(QPoint(0, button->height() + theme().px(4))));
}

void MainWindow::chooseLaunchFile() {
  const QString path = QFileDialog::getOpenFileName(this, tr("Open a launch file"), {}, tr("Launch files (*.json);;All files (*)"));
  if (!path.isEmpty()) openLaunchFile(path);
}

void MainWindow::openLaunchFile(const QString& path, bool wait, const std::string& name) {
  guide_.leave();
  OpenRequest request;
  request.launchFile = path.toStdString();
  request.launchName = name;
  request.machine = machine_;
  player_.open(std::move(request), wait);
}

void MainWindow::savePicture() {
  const QString path = QFileDialog::getSaveFileName(this, tr("Save a picture"), "warpmill.png", tr("Pictures (*.png)"));
  if (path.isEmpty()) return;
  const QString problem = writePicture(*this, path);
  status_->showMessage(problem.isEmpty() ? tr("Saved %1.").arg(path) : problem);
}

void MainWindow::goToText(const QString& text) {
  static const QRegularExpression position("^\\s*=?\\s*(\\d+)(?::(\\d+))?\\s*$");
  const auto match = position.match(text);
  bool ok = match.hasMatch();
  const std::uint64_t cycle = ok ? match.captured(1).toULongLong(&ok) : 0;
  if (!ok) {
    status_->showMessage(tr("A position is a cycle, or cycle:slot, such as 812:2."));
    return;
  }
  player_.seekPosition({cycle, match.captured(2).toUInt()});
}

bool MainWindow::showPanel(const QString& name) {
  static const QStringList tabs = {"watch", "memory", "problems"};
  if (const qsizetype tab = tabs.indexOf(name); tab >= 0) watchDock_->showTab(static_cast<int>(tab));
  else if (name == "ptx-all") ptxPanel_->showAll(true);
  else if (name == "ptx") ptxPanel_->showAll(false);
  else if (name == "launch") sourcePanel_->showLaunchTab();
  else if (name == "sizes") comparePanel_->showPage(ComparePanel::Sizes);
  else if (name == "why") comparePanel_->showPage(ComparePanel::Why);
  else if (auto* dock = findChild<QDockWidget*>(name)) {
    dock->show();
    dock->raise();
  } else {
    return false;
  }
  return true;
}

void MainWindow::setLevel(const QString& name) {
  if (name == "gpu" || name == "storey") run(Command::LevelGpu);
  else if (name == "floor" || name == "block") run(Command::LevelSm);
  else run(Command::LevelWarp);
}

void MainWindow::showText(const QString& title, const QString& text) {
  auto* dialog = new QDialog(this);
  dialog->setAttribute(Qt::WA_DeleteOnClose);
  dialog->setWindowTitle(title);
  dialog->setObjectName("text-dialog");
  auto* column = new QVBoxLayout(dialog);
  column->setContentsMargins(theme().px(18), theme().px(18), theme().px(18), theme().px(14));
  auto* view = new QTextBrowser(dialog);
  view->setFont(theme().sans(14));
  view->setAccessibleName(title);
  if (text.startsWith('<')) view->setHtml(text);
  else view->setPlainText(text);
  auto* buttons = new QDialogButtonBox(QDialogButtonBox::Close, dialog);
  connect(buttons, &QDialogButtonBox::rejected, dialog, &QDialog::close);
  column->addWidget(view);
  column->addWidget(buttons);
  const bool isLong = text.size() > 900;
  dialog->resize(theme().px(isLong ? 640 : 520), theme().px(isLong ? 640 : 180));
  dialog->show();
  view->setFocus();
}

void MainWindow::showKeys() {
  QString html = "<table cellpadding=4>";
  for (const CommandInfo& info : commandList()) {
    const QString keys = commands_->keysText(info.id);
    if (!keys.isEmpty())
      html += QString("<tr><td>%1</td><td>&nbsp;&nbsp;%2</td></tr>").arg(keys.toHtmlEscaped(), commands_->action(info.id)->text().toHtmlEscaped());
  }
  html += QString("<tr><td>W A S D, + - 0</td><td>&nbsp;&nbsp;%1</td></tr></table>").arg(tr("Scene: move, zoom, fit"));
  showText(tr("Keyboard"), html);
}

void MainWindow::showAbout() {
  showText(tr("About Warpmill"),
           tr("Warpmill %1: an interactive GPU simulator with a visual debugger. Apache License 2.0. Built on Qt %2.").arg(WARPMILL_VERSION, qVersion()));
}

}  // namespace warpmill::studio
