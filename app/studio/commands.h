// Every command of the studio: its words, its keys, where the menu shows it. Toolbar, menu, palette, help and key handling read this
// one list. One rule of the keys: Shift means backward.
#pragma once

#include <QKeySequence>
#include <QObject>
#include <QString>

#include <array>
#include <vector>

class QAction;
class QKeyEvent;
class QWidget;

namespace warpmill::studio {

enum class Command : int {
  OpenLaunch, SaveScreenshot, Quit,
  Restart, Run, RunBack, Pause, Step, Back, StepInstruction, BackInstruction, StepLine, BackLine, CycleForward, CycleBack, TenCyclesForward,
  TenCyclesBack, RunToCursor, RunBackToCursor, NextIssue, PreviousIssue, ToStart, ToEnd, Faster, Slower,
  GoToCycle, NextLane, PreviousLane, NextWarp, PreviousWarp, NextBlock, PreviousBlock, NextProblem, PreviousProblem, AfterProblem, OtherParty, LastWriter, NextStep, PreviousStep,
  LevelGpu, LevelStorey, LevelSm, LevelBlock, LevelWarp, LevelThread,
  Describe, DescribeComparison, FullScreen, LargerText, SmallerText, NormalText, ResetLayout, Palette, Keys, About, Menu,
  Count
};

struct CommandInfo {
  Command id;
  const char* name;       // stable, for settings and tests: "step-instruction"
  const char* text;       // English, translated when shown
  const char* group;      // menu: "File", "Run", "Go", "View", "Help"; empty: not in a menu
  const char* keys;       // "F11"; works everywhere
  const char* plainKeys;  // ". " as a list by spaces: only while no text field has the keyboard
};

const std::vector<CommandInfo>& commandList();
const CommandInfo& infoOf(Command command);

// The actions of one window.
class Commands : public QObject {
  Q_OBJECT
 public:
  explicit Commands(QWidget* window);
  [[nodiscard]] QAction* action(Command command) const { return actions_[static_cast<std::size_t>(command)]; }
  [[nodiscard]] QString keysText(Command command) const;   // "F5, Space"

  // Fires the command whose plain key this is, if the focused widget has no use for the key itself.
  bool handlePlainKey(QKeyEvent* event, QWidget* focused);

 signals:
  void fired(Command command);

 private:
  std::array<QAction*, static_cast<std::size_t>(Command::Count)> actions_{};
};

}  // namespace warpmill::studio
