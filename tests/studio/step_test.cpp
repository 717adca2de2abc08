#include "studio/code_view.h"
#include "studio/crew_panel.h"
#include "studio/harness.h"
#include "studio/ptx_panel.h"
#include "studio/source_panel.h"
#include "studio/status_strip.h"
#include "studio/warp_watch.h"
#include "studio/watch_dock.h"

#include "catch.h"

#include <QRegularExpression>
#include <QTest>

using namespace warpmill;
using namespace warpmill::studio;

TEST_CASE("Stepping forward moves the position, stepping back restores the state") {
  Studio studio;
  studio.openLesson();
  studio.player->seekCycle(200);
  studio.key(Qt::Key_F11);   // from a cycle in which nothing may issue to the place of an issue
  const timing::MachineState before = studio.player->session().state();
  const QString position = studio.window->status().position();
  for (int i = 0; i < 5; ++i) studio.key(Qt::Key_F11);
  CHECK(studio.window->status().position() != position);
  CHECK_FALSE(studio.player->session().state() == before);
  for (int i = 0; i < 5; ++i) studio.key(Qt::Key_F11, Qt::ShiftModifier);
  CHECK(studio.window->status().position().toStdString() == position.toStdString());
  CHECK(studio.player->session().state() == before);
}

TEST_CASE("A source line step brings the focused warp to another line, and Shift brings it back") {
  Studio studio;
  studio.openLesson();
  const std::uint32_t pc = studio.player->focusPc();
  studio.key(Qt::Key_F10);
  studio.key(Qt::Key_F10);
  CHECK(studio.player->focusPc() != pc);
  studio.key(Qt::Key_F10, Qt::ShiftModifier);
  studio.key(Qt::Key_F10, Qt::ShiftModifier);
  CHECK(studio.player->session().stepIndex() == 0);
}

TEST_CASE("The keys of a video editor move by cycles, brackets by the focused warp's issues") {
  Studio studio;
  studio.openLesson();
  studio.player->seekCycle(100);
  const std::uint64_t here = studio.frame().cycle;
  studio.key(Qt::Key_Period);
  CHECK(studio.frame().cycle > here);
  studio.key(Qt::Key_Comma);
  CHECK(studio.frame().cycle <= here);
  studio.key(Qt::Key_BracketRight);
  REQUIRE(studio.player->session().lastIssue() != nullptr);
  CHECK(studio.player->session().lastIssue()->warp == studio.player->selection().warp);
}

TEST_CASE("Home and End go to the start and the end of the launch") {
  Studio studio;
  studio.openLesson();
  studio.key(Qt::Key_End);
  CHECK(studio.frame().atEnd);
  studio.key(Qt::Key_Home);
  CHECK(studio.frame().atStart);
}

TEST_CASE("Freezing the other warps is said, and the cycle figures are marked as not holding") {
  Studio studio;
  studio.openLesson();
  studio.player->seekCycle(100);
  CHECK(studio.frame().timingHolds);
  studio.player->setScope(Scope::Warp);
  studio.key(Qt::Key_F11);
  CHECK_FALSE(studio.frame().timingHolds);
  CHECK(studio.window->status().position().contains("do not hold"));
}

TEST_CASE("A click in the gutter runs the focused warp to that line") {
  Studio studio;
  studio.openLesson();
  CodeView* code = studio.window->sourcePanel().codeOf(0);
  REQUIRE(code != nullptr);
  const int line = code->toPlainText().split('\n').indexOf(QRegularExpression(".*float y = b\\[i\\];.*")) + 1;
  REQUIRE(line > 0);
  emit code->runToLine(line);
  studio.settle();
  CHECK(code->focusLine() == line);
  const ptx::Instruction& next = studio.player->document().function().instructions[studio.player->focusPc()];
  CHECK(next.location.line == static_cast<std::uint32_t>(line));
}

TEST_CASE("The gutter says of each line how much of the time it takes, what it waits for and what it moves") {
  Studio studio;
  studio.openLesson();
  CodeView* code = studio.window->sourcePanel().codeOf(0);
  REQUIRE(code != nullptr);
  QStringList all;
  for (int line = 1; line <= code->document()->blockCount(); ++line) all.append(code->heatOf(line));
  const QString text = all.join('\n');
  INFO(text.toStdString());
  CHECK(text.contains("% of the time"));
  CHECK(text.contains("long_scoreboard"));
  CHECK(text.contains("sectors"));
  CHECK(code->heatOf(0).isEmpty());
}

TEST_CASE("Playing runs to the end by itself and stops there") {
  Studio studio;
  studio.openLesson();
  studio.player->setUnit(Unit::Cycle);
  studio.player->setSpeed(1000);
  studio.key(Qt::Key_F5);
  CHECK(studio.player->isPlaying());
  for (int i = 0; i < 2000 && studio.player->isPlaying(); ++i) QTest::qWait(5);
  CHECK_FALSE(studio.player->isPlaying());
  CHECK(studio.frame().atEnd);
}

TEST_CASE("Run, pressed while running, pauses") {
  Studio studio;
  studio.openLesson();
  studio.key(Qt::Key_F5);
  CHECK(studio.player->direction() == 1);
  studio.key(Qt::Key_F5);
  CHECK(studio.player->direction() == 0);
  studio.key(Qt::Key_F5, Qt::ShiftModifier);
  CHECK(studio.player->direction() == -1);
  studio.key(Qt::Key_F6);
  CHECK(studio.player->direction() == 0);
}
