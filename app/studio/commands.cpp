#include "studio/commands.h"

#include <QAbstractButton>
#include <QAbstractItemView>
#include <QAbstractSpinBox>
#include <QAction>
#include <QApplication>
#include <QComboBox>
#include <QKeyEvent>
#include <QLineEdit>
#include <QPlainTextEdit>
#include <QTextEdit>

namespace warpmill::studio {

const std::vector<CommandInfo>& commandList() {
  static const std::vector<CommandInfo> list = {
      {Command::OpenLaunch, "open-launch", QT_TR_NOOP("Open a launch file..."), "File", "Ctrl+O", ""},
      {Command::SaveScreenshot, "save-picture", QT_TR_NOOP("Save a picture of the window..."), "File", "Ctrl+Shift+S", ""},
      {Command::Quit, "quit", QT_TR_NOOP("Quit"), "File", "Ctrl+Q", ""},
      {Command::Restart, "restart", QT_TR_NOOP("Restart the launch"), "Run", "Ctrl+Shift+F5", ""},
      {Command::Run, "run", QT_TR_NOOP("Run"), "Run", "F5", "Space L"},
      {Command::RunBack, "run-back", QT_TR_NOOP("Run backward"), "Run", "Shift+F5", "J"},
      {Command::Pause, "pause", QT_TR_NOOP("Pause"), "Run", "F6", "K"},
      {Command::Step, "step", QT_TR_NOOP("Step"), "", "", ""},
      {Command::Back, "back", QT_TR_NOOP("Step back"), "", "", ""},
      {Command::StepInstruction, "step-instruction", QT_TR_NOOP("Step one instruction"), "Run", "F11", ""},
      {Command::BackInstruction, "back-instruction", QT_TR_NOOP("Back one instruction"), "Run", "Shift+F11", ""},
      {Command::StepLine, "step-line", QT_TR_NOOP("Step one source line"), "Run", "F10", ""},
      {Command::BackLine, "back-line", QT_TR_NOOP("Back one source line"), "Run", "Shift+F10", ""},
      {Command::CycleForward, "cycle-forward", QT_TR_NOOP("One cycle forward"), "Run", "", "."},
      {Command::CycleBack, "cycle-back", QT_TR_NOOP("One cycle back"), "Run", "", ","},
      {Command::TenCyclesForward, "ten-cycles-forward", QT_TR_NOOP("Ten cycles forward"), "Run", "", "Shift+. >"},
      {Command::TenCyclesBack, "ten-cycles-back", QT_TR_NOOP("Ten cycles back"), "Run", "", "Shift+, <"},
      {Command::RunToCursor, "run-to-cursor", QT_TR_NOOP("Run to the cursor's line"), "Run", "Ctrl+F10", ""},
      {Command::RunBackToCursor, "run-back-to-cursor", QT_TR_NOOP("Run back to the cursor's line"), "Run", "Ctrl+Shift+F10", ""},
      {Command::NextIssue, "next-issue", QT_TR_NOOP("Next issue of this warp"), "Run", "", "]"},
      {Command::PreviousIssue, "previous-issue", QT_TR_NOOP("Previous issue of this warp"), "Run", "", "["},
      {Command::ToStart, "to-start", QT_TR_NOOP("To the start"), "Run", "Ctrl+Home", "Home"},
      {Command::ToEnd, "to-end", QT_TR_NOOP("To the end"), "Run", "Ctrl+End", "End"},
      {Command::Faster, "faster", QT_TR_NOOP("Play faster"), "Run", "Ctrl+.", ""},
      {Command::Slower, "slower", QT_TR_NOOP("Play slower"), "Run", "Ctrl+,", ""},
      {Command::GoToCycle, "go-to-cycle", QT_TR_NOOP("Go to a cycle..."), "Go", "Ctrl+G", ""},
      {Command::NextLane, "next-lane", QT_TR_NOOP("Next lane"), "Go", "", "Down"},
      {Command::PreviousLane, "previous-lane", QT_TR_NOOP("Previous lane"), "Go", "", "Up"},
      {Command::NextWarp, "next-warp", QT_TR_NOOP("Next warp"), "Go", "", "Right"},
      {Command::PreviousWarp, "previous-warp", QT_TR_NOOP("Previous warp"), "Go", "", "Left"},
      {Command::NextBlock, "next-block", QT_TR_NOOP("Next block"), "Go", "", "PgDown"},
      {Command::PreviousBlock, "previous-block", QT_TR_NOOP("Previous block"), "Go", "", "PgUp"},
      {Command::NextProblem, "next-problem", QT_TR_NOOP("Next problem"), "Go", "", "N"},
      {Command::PreviousProblem, "previous-problem", QT_TR_NOOP("Previous problem"), "Go", "", "Shift+N"},
      {Command::AfterProblem, "after-problem", QT_TR_NOOP("Moment after the problem"), "Go", "", "A"},
      {Command::OtherParty, "other-party", QT_TR_NOOP("Other party of the problem"), "Go", "", "O"},
      {Command::LastWriter, "last-writer", QT_TR_NOOP("Back to the last writer of the chosen cell"), "Go", "Ctrl+W", ""},
      {Command::NextStep, "next-step", QT_TR_NOOP("Next step of the lesson"), "Go", "Ctrl+PgDown", ""},
      {Command::PreviousStep, "previous-step", QT_TR_NOOP("Previous step of the lesson"), "Go", "Ctrl+PgUp", ""},
      {Command::LevelGpu, "level-gpu", QT_TR_NOOP("Scene: GPU"), "View", "", "1"},
      {Command::LevelStorey, "level-storey", QT_TR_NOOP("Scene: storey"), "View", "", "2"},
      {Command::LevelSm, "level-sm", QT_TR_NOOP("Scene: SM floor"), "View", "", "3"},
      {Command::LevelBlock, "level-block", QT_TR_NOOP("Scene: block"), "View", "", "4"},
      {Command::LevelWarp, "level-warp", QT_TR_NOOP("Scene: warp"), "View", "", "5"},
      {Command::LevelThread, "level-thread", QT_TR_NOOP("Scene: thread"), "View", "", "6"},
      {Command::Describe, "describe", QT_TR_NOOP("Describe this moment"), "View", "Ctrl+I", ""},
      {Command::DescribeComparison, "describe-comparison", QT_TR_NOOP("Describe the comparison"), "View", "Ctrl+Shift+I", ""},
      {Command::FullScreen, "full-screen", QT_TR_NOOP("Full screen"), "View", "Alt+Return", ""},
      {Command::LargerText, "larger", QT_TR_NOOP("Larger"), "View", "Ctrl++", ""},
      {Command::SmallerText, "smaller", QT_TR_NOOP("Smaller"), "View", "Ctrl+-", ""},
      {Command::NormalText, "normal-size", QT_TR_NOOP("Normal size"), "View", "Ctrl+0", ""},
      {Command::ResetLayout, "reset-layout", QT_TR_NOOP("Reset the layout"), "View", "", ""},
      {Command::Palette, "palette", QT_TR_NOOP("Command palette..."), "Help", "Ctrl+Shift+P", ""},
      {Command::Keys, "keys", QT_TR_NOOP("Keyboard"), "Help", "F1", ""},
      {Command::About, "about", QT_TR_NOOP("About Warpmill"), "Help", "", ""},
      {Command::Menu, "menu", QT_TR_NOOP("Menu"), "", "Alt+M", ""},
  };
  return list;
}

const CommandInfo& infoOf(Command command) { return commandList()[static_cast<std::size_t>(command)]; }

namespace {

QList<QKeySequence> sequences(const char* list) {
  QList<QKeySequence> result;
  for (const QString& part : QString::fromLatin1(list).split(' ', Qt::SkipEmptyParts)) result.append(QKeySequence(part));
  return result;
}

enum class KeyUse { Free, Activates, Navigates, Text };

// What the focused widget does with plain keys itself.
KeyUse useOf(QWidget* focused) {
  if (focused == nullptr) return KeyUse::Free;
  if (qobject_cast<QLineEdit*>(focused) || qobject_cast<QAbstractSpinBox*>(focused)) return KeyUse::Text;
  if (auto* edit = qobject_cast<QPlainTextEdit*>(focused)) return edit->isReadOnly() ? KeyUse::Navigates : KeyUse::Text;
  if (auto* edit = qobject_cast<QTextEdit*>(focused)) return edit->isReadOnly() ? KeyUse::Navigates : KeyUse::Text;
  if (auto* combo = qobject_cast<QComboBox*>(focused)) return combo->isEditable() ? KeyUse::Text : KeyUse::Activates;
  if (qobject_cast<QAbstractButton*>(focused)) return KeyUse::Activates;
  if (qobject_cast<QAbstractItemView*>(focused)) return KeyUse::Navigates;
  return KeyUse::Free;
}

bool isNavigation(int key) {
  return key == Qt::Key_Up || key == Qt::Key_Down || key == Qt::Key_Left || key == Qt::Key_Right || key == Qt::Key_Home ||
         key == Qt::Key_End || key == Qt::Key_PageUp || key == Qt::Key_PageDown;
}

}  // namespace

Commands::Commands(QWidget* window) : QObject(window) {
  for (const CommandInfo& info : commandList()) {
    auto* action = new QAction(tr(info.text), window);
    action->setObjectName(QString::fromLatin1(info.name));
    action->setShortcuts(sequences(info.keys));
    action->setAutoRepeat(true);
    const Command id = info.id;
    connect(action, &QAction::triggered, this, [this, id] { emit fired(id); });
    window->addAction(action);
    actions_[static_cast<std::size_t>(id)] = action;
  }
}

QString Commands::keysText(Command command) const {
  const CommandInfo& info = infoOf(command);
  QStringList keys;
  for (const QKeySequence& sequence : sequences(info.keys) + sequences(info.plainKeys)) {
    const QString text = sequence.toString(QKeySequence::NativeText);
    if (text != "<" && text != ">") keys.append(text);
  }
  return keys.join(", ");
}

bool Commands::handlePlainKey(QKeyEvent* event, QWidget* focused) {
  const KeyUse use = useOf(focused);
  if (use == KeyUse::Text) return false;
  const int key = event->key();
  if (key == 0 || key == Qt::Key_unknown) return false;
  if (use == KeyUse::Activates && (key == Qt::Key_Space || isNavigation(key))) return false;
  if (use == KeyUse::Navigates && isNavigation(key)) return false;
  const QKeySequence pressed(QKeyCombination(event->modifiers() & ~Qt::KeypadModifier, static_cast<Qt::Key>(key)));
  const QKeySequence bare(key);
  for (const CommandInfo& info : commandList()) {
    for (const QKeySequence& sequence : sequences(info.plainKeys)) {
      const bool shifted = (event->modifiers() & Qt::ShiftModifier) != 0;
      // "<" and ">" arrive as such with Shift on many layouts.
      const bool same = sequence == pressed || (shifted && (key == Qt::Key_Less || key == Qt::Key_Greater) && sequence == bare);
      if (!same) continue;
      QAction* act = action(info.id);
      if (act->isEnabled()) act->trigger();
      return true;
    }
  }
  return false;
}

}  // namespace warpmill::studio
