#include "studio/crew_panel.h"
#include "studio/harness.h"
#include "studio/memory_panel.h"
#include "studio/panel_header.h"
#include "studio/problems_panel.h"
#include "studio/ptx_panel.h"
#include "studio/table_tools.h"
#include "studio/warp_watch.h"
#include "studio/watch_dock.h"

#include "catch.h"

using namespace warpmill;
using namespace warpmill::studio;

TEST_CASE("Choosing a warp or a lane moves every panel") {
  Studio studio;
  studio.openLesson();
  studio.player->seekCycle(500);
  studio.player->selectWarp({2, 3});
  studio.key(Qt::Key_Down);
  studio.key(Qt::Key_Down);
  CHECK(studio.player->selection().lane == 2);
  CHECK(studio.window->watchDock().watch()->caption().startsWith("block 2, warp 3"));
  CHECK(studio.frame().crew.warp == timing::WarpId{2, 3});
  WatchModel* model = studio.window->watchDock().watch()->model();
  CHECK(model->index(2, 0).data(FocusRole).toBool());
  CHECK_FALSE(model->index(0, 0).data(FocusRole).toBool());
  studio.key(Qt::Key_Right);
  CHECK(studio.player->selection().warp == timing::WarpId{2, 4});
  studio.key(Qt::Key_PageUp);
  CHECK(studio.player->selection().warp == timing::WarpId{1, 4});
}

TEST_CASE("The watch shows the index of each lane, and hatches a load that is still on the road") {
  Studio studio;
  studio.openLesson();
  studio.player->selectWarp({1, 0});
  studio.player->seekCycle(600);
  WatchModel* model = studio.window->watchDock().watch()->model();
  const int index = model->columnOfRegister("%r5");
  const int loaded = model->columnOfRegister("%f1");
  REQUIRE(index >= 0);
  REQUIRE(loaded >= 0);
  CHECK(model->index(0, index).data().toString() == "256");
  CHECK(model->index(31, index).data().toString() == "287");
  CHECK(model->index(5, loaded).data(HatchRole).toBool());
  CHECK(model->index(5, model->columnOfRegister("%f3")).data().toString() == QString(QChar(0x2013)));   // not written yet
}

TEST_CASE("What differs between lanes stands before what is the same for all") {
  Studio studio;
  studio.openLesson();
  WatchModel* model = studio.window->watchDock().watch()->model();
  CHECK(model->columnOfRegister("%r5") < model->columnOfRegister("%f1"));
  CHECK(model->columnOfRegister("%f1") < model->columnOfRegister("%r2"));   // %ctaid.x
}

TEST_CASE("The PTX list follows the line, marks the next instruction, and knows when each was issued") {
  Studio studio;
  studio.openLesson();
  studio.player->seekCycle(600);
  PtxModel* model = studio.window->ptxPanel().model();
  const int row = model->rowOfPc(studio.player->focusPc());
  REQUIRE(row >= 0);
  CHECK(model->index(row, PtxModel::Number).data(MarkRole).toBool());
  CHECK(model->index(row, PtxModel::Opcode).data().toString() == "add.f32");
  CHECK(model->index(row, PtxModel::Operands).data().toString() == "%f3, %f1, %f2");
  CHECK(model->index(row, PtxModel::IssueCycle).data().toString() == QString(QChar(0x2013)));
  const int shown = model->rowCount();
  studio.window->ptxPanel().showAll(true);
  CHECK(model->rowCount() == static_cast<int>(studio.player->document().function().instructions.size()));
  CHECK(model->rowCount() > shown);
  CHECK(model->index(0, PtxModel::IssueCycle).data().toString().toInt() > 0);
}

TEST_CASE("The memory panel lights what the last request touched and names the last writer of a cell") {
  Studio studio;
  studio.openLesson();
  studio.window->showPanel("memory");
  studio.player->selectWarp({0, 1});
  studio.player->seekCycle(600);
  MemoryModel* model = studio.window->watchDock().memory()->model();
  CHECK(model->allocation() == 1);   // b was asked for last
  CHECK(model->index(4, 0).data(WantedRole).toBool());    // element 32
  CHECK_FALSE(model->index(3, 7).data(WantedRole).toBool());
  studio.window->watchDock().memory()->showBuffer(2);
  Selection cell = studio.player->selection();
  cell.address = model->addressOf(model->index(4, 0));
  studio.player->select(cell);
  CHECK(studio.window->watchDock().memory()->cellText().contains("Not written yet"));
  studio.player->toEnd();
  CHECK(studio.window->watchDock().memory()->cellText().contains("Written by block 0, warp 1, lane 0"));
  studio.key(Qt::Key_W, Qt::ControlModifier);
  REQUIRE_FALSE(studio.frame().atEnd);
  CHECK(studio.player->selection().warp == timing::WarpId{0, 1});
}

TEST_CASE("An element reads as its type says") {
  const float f = 0.25f;
  CHECK(elementText(launch::DType::F32, reinterpret_cast<const std::uint8_t*>(&f)) == "0.25");
  const std::uint16_t half = 0xC100;
  CHECK(elementText(launch::DType::F16, reinterpret_cast<const std::uint8_t*>(&half)) == QString(QChar(0x2212)) + "2.5");
  const std::int32_t i = -7;
  CHECK(elementText(launch::DType::I32, reinterpret_cast<const std::uint8_t*>(&i)) == "-7");
}

TEST_CASE("The crew panel says what the warp waits for, by both names") {
  Studio studio;
  studio.openLesson();
  studio.player->seekCycle(600);
  CHECK(studio.window->crewPanel().stateText().contains("waits for the warehouse (long_scoreboard)"));
}

TEST_CASE("A warp that has not begun and one that has ended are told apart") {
  Studio studio;
  studio.openLesson();
  CHECK_FALSE(studio.player->hasEnded());
  CHECK(studio.player->focusPc() == 0);
  studio.player->toEnd();
  CHECK(studio.player->hasEnded());
  CHECK(studio.player->focusPc() == machine::noPc);
}

TEST_CASE("A float shows four digits in the watch and all of them in its tool-tip") {
  Studio studio;
  studio.openLesson();
  studio.player->selectWarp({0, 0});
  for (int i = 0; i < 40 && studio.player->focusPc() != machine::noPc; ++i) {
    if (studio.player->document().function().instructions[studio.player->focusPc()].opcode == ptx::Opcode::St) break;
    studio.player->stepWarpIssue(1);
  }
  WatchModel* model = studio.window->watchDock().watch()->model();
  const QModelIndex cell = model->index(0, model->columnOfRegister("%f1"));
  CHECK(cell.data().toString().size() <= 9);
  CHECK(cell.data(Qt::ToolTipRole).toString().contains(cell.data().toString().left(5)));
}
