#include "studio/commands.h"
#include "studio/compare_panel.h"
#include "studio/harness.h"
#include "studio/lesson_panel.h"
#include "studio/measures.h"
#include "studio/problems_panel.h"
#include "studio/scene_panel.h"
#include "studio/status_strip.h"
#include "studio/theme.h"
#include "studio/watch_dock.h"

#include "catch.h"

#include <QAbstractItemView>
#include <QAction>
#include <QApplication>
#include <QDockWidget>
#include <QImage>
#include <QPushButton>
#include <QRadioButton>
#include <QSet>
#include <QSettings>
#include <QTemporaryDir>
#include <QTest>

using namespace warpmill;
using namespace warpmill::studio;

TEST_CASE("The window opens on lesson 1 with its text, its launch and a description of the moment") {
  Studio studio;
  studio.openLesson();
  REQUIRE(studio.player->isOpen());
  CHECK(studio.window->lessonPanel().titleText() == "Vector addition in CUDA");
  CHECK(studio.window->windowTitle().startsWith("Vector addition in CUDA"));
  CHECK(studio.window->status().description().startsWith("Cycle"));
  CHECK(studio.window->watchDock().problems()->count() == 0);
}

TEST_CASE("Next leads from step to step and brings the step's moment") {
  Studio studio;
  studio.openLesson();
  for (int step = 0; step < studio.guide->stepCount(); ++step) {
    studio.guide->goTo(step);
    studio.settle();
    for (int i = 0; i < 400 && studio.player->isOpening(); ++i) QTest::qWait(10);
    const lesson::Step& now = *studio.guide->current();
    INFO(now.id);
    REQUIRE(studio.player->isOpen());
    if (now.kind == lesson::StepKind::Step || now.kind == lesson::StepKind::Run)
      CHECK(studio.player->document().launchIndex == now.variants.front());
    if (now.moment && now.moment->kind == lesson::MomentKind::Wait) CHECK(studio.frame().request.any);
  }
}

TEST_CASE("The question is answered, checked and explained") {
  Studio studio;
  studio.openLesson();
  studio.guide->goTo(0);
  studio.settle();
  REQUIRE(studio.guide->question() != nullptr);
  const auto radios = studio.window->lessonPanel().findChildren<QRadioButton*>();
  REQUIRE(radios.size() == static_cast<qsizetype>(studio.guide->question()->choices.size()));
  const auto buttons = studio.window->lessonPanel().findChildren<QPushButton*>();
  REQUIRE(buttons.first()->text() == "Check");
  CHECK_FALSE(buttons.first()->isEnabled());
  const auto& rows = studio.window->comparePanel().model()->rows();
  CHECK_FALSE(rows.front().measured.has_value());   // the figures would give the answer away
  radios[static_cast<qsizetype>(studio.guide->question()->right)]->click();
  CHECK(buttons.first()->isEnabled());
  buttons.first()->click();
  studio.settle();
  CHECK(studio.guide->isChecked());
  CHECK(rows.front().measured.has_value());
  CHECK(buttons.first()->text() == "Next");
}

TEST_CASE("The theme switches without losing the moment, and the picture becomes lighter") {
  Studio studio;
  studio.openLesson();
  studio.player->seekCycle(300);
  const auto brightness = [&] {
    const QImage image = studio.window->grab().toImage().scaled(16, 9);
    double sum = 0;
    for (int y = 0; y < image.height(); ++y)
      for (int x = 0; x < image.width(); ++x) sum += qGray(image.pixel(x, y));
    return sum / (image.width() * image.height());
  };
  const double dark = brightness();
  studio.window->setTheme("light");
  studio.settle();
  CHECK(brightness() > dark + 100);
  CHECK(studio.frame().cycle == 300);
}

TEST_CASE("Larger makes text larger, and normal brings it back") {
  Studio studio;
  const int before = theme().px(13);
  studio.window->commands().action(Command::LargerText)->trigger();
  studio.settle();
  CHECK(theme().px(13) > before);
  studio.window->commands().action(Command::NormalText)->trigger();
  studio.settle();
  CHECK(theme().px(13) == before);
}

TEST_CASE("Number keys choose the scene's level") {
  Studio studio;
  studio.openLesson();
  if (studio.window->scenePanel() == nullptr) return;   // no OpenGL on this machine; the window says so itself
  studio.key(Qt::Key_1);
  CHECK(studio.window->scenePanel()->level() == scene::Level::Gpu);
  studio.key(Qt::Key_3);
  CHECK(studio.window->scenePanel()->level() == scene::Level::Floor);
  studio.key(Qt::Key_5);
  CHECK(studio.window->scenePanel()->level() == scene::Level::Crew);
}

TEST_CASE("Every command that shows a key reacts to no other command's key") {
  QSet<QString> seen;
  for (const CommandInfo& info : commandList())
    for (const QString& list : {QString(info.keys), QString(info.plainKeys)})
      for (const QString& key : list.split(' ', Qt::SkipEmptyParts)) {
        INFO(info.name << " " << key.toStdString());
        CHECK_FALSE(seen.contains(key));
        seen.insert(key);
      }
}

TEST_CASE("Every dock and every panel's table has a name for screen readers") {
  Studio studio;
  studio.openLesson();
  for (const QAbstractItemView* view : studio.window->findChildren<QAbstractItemView*>()) {
    if (view->parentWidget() != nullptr && view->parentWidget()->inherits("QComboBoxPrivateContainer")) continue;
    if (view->inherits("QHeaderView")) continue;
    CHECK_FALSE(view->accessibleName().isEmpty());
  }
  for (const QAbstractButton* button : studio.window->findChildren<QAbstractButton*>()) {
    if (!button->isVisible()) continue;
    CHECK_FALSE((button->accessibleName() + button->text()).isEmpty());
  }
  CHECK(studio.window->findChildren<QDockWidget*>().size() >= 6);
}

TEST_CASE("A broken launch file is explained in the problems panel") {
  Studio studio;
  const TempFile file("broken.json", "{\"name\": \"x\", \"ptx\": \"nowhere\", \"grid\": [1,1,1], \"block\": [0,1,1], \"args\": []}");
  studio.window->openLaunchFile(file.path(), true);
  studio.settle();
  CHECK_FALSE(studio.player->isOpen());
  CHECK(studio.window->watchDock().currentTab() == WatchDock::Problems);
  CHECK(studio.window->watchDock().problems()->diagnosticsText().contains("broken.json"));
  studio.openLesson();
  CHECK(studio.player->isOpen());
}

TEST_CASE("A launch that stores out of bounds lists the fault, and the fault leads to its thread") {
  Studio studio;
  const QByteArray launch = QByteArray("{\"name\": \"over\", \"ptx\": \"") + WARPMILL_SOURCE_DIR +
                            "/lessons/01-vector-add/vec_add\", \"kernel\": \"vec_add\", \"grid\": [1,1,1], \"block\": [64,1,1], \"args\": ["
                            "{\"type\": \"buffer\", \"dtype\": \"f32\", \"count\": 64, \"init\": \"ones\"},"
                            "{\"type\": \"buffer\", \"dtype\": \"f32\", \"count\": 64, \"init\": \"ones\"},"
                            "{\"type\": \"buffer\", \"dtype\": \"f32\", \"count\": 40, \"init\": \"zeros\"},"
                            "{\"type\": \"i32\", \"value\": 64}]}";
  const TempFile file("over.json", launch);
  studio.window->openLaunchFile(file.path(), true);
  studio.settle();
  REQUIRE(studio.player->isOpen());
  ProblemsPanel* problems = studio.window->watchDock().problems();
  REQUIRE(problems->count() > 0);
  problems->goTo(1);
  CHECK(studio.player->selection().warp == timing::WarpId{0, 1});
  CHECK(studio.player->selection().lane == 8);
  const std::uint64_t before = studio.player->session().stepIndex();
  CHECK(studio.player->session().state().faults.empty());
  problems->go(ProblemsPanel::Moment::After);
  CHECK(studio.player->session().stepIndex() == before + 1);
  CHECK(studio.player->session().state().faults.size() == 1);
  problems->go(ProblemsPanel::Moment::Before);
  CHECK(studio.player->session().stepIndex() == before);
  CHECK(problems->detailsText().contains("right behind its end"));
  CHECK(problems->detailsText().contains("%rd"));
}

TEST_CASE("A launch without a record of a real GPU shows simulated figures only") {
  Studio studio;
  const QString ptx = QString(WARPMILL_SOURCE_DIR) + "/lessons/01-vector-add/vec_add.ptx";
  const QByteArray buffer = R"({"type": "buffer", "dtype": "f32", "count": 64, "init": "zeros"},)";
  const TempFile file("own.json", R"({"name": "nobody measured this", "ptx": ")" + ptx.toUtf8() + R"(", "grid": 1, "block": 64, "args": [)" + buffer + buffer + buffer + R"({"type": "i32", "value": 64}]})");
  studio.window->openLaunchFile(file.path(), true);
  studio.settle();
  REQUIRE(studio.player->isOpen());
  Measures* measures = studio.window->comparePanel().measures();
  while (measures->isSimulating()) QApplication::processEvents(QEventLoop::WaitForMoreEvents, 50);
  INFO(measures->runsError().toStdString());
  const auto& rows = studio.window->comparePanel().model()->rows();
  REQUIRE_FALSE(rows.empty());
  CHECK(rows.front().simulated.has_value());
  CHECK_FALSE(rows.front().measured.has_value());
}

TEST_CASE("Ctrl+PgDown and Ctrl+PgUp turn the lesson's pages") {
  Studio studio;
  studio.openLesson();
  studio.key(Qt::Key_PageDown, Qt::ControlModifier);
  CHECK(studio.guide->step() == 0);
  studio.key(Qt::Key_PageUp, Qt::ControlModifier);
  CHECK(studio.guide->step() == -1);
}

TEST_CASE("Leaving while full-size runs are still being made ends them") {
  Studio studio;
  studio.guide->open("1", true, RunMode::Background);
  studio.settle();
  studio.guide->leave();
  CHECK_FALSE(studio.guide->runs().isBusy());
}

TEST_CASE("Theme, language and layout are remembered") {
  QTemporaryDir folder;
  QSettings::setPath(QSettings::IniFormat, QSettings::UserScope, folder.path());
  Settings first;
  first.theme = "light";
  first.language = "ru";
  first.scale = 1.5;
  first.layout = "somewhere";
  first.save();
  Settings second;
  second.load();
  CHECK(second.theme == "light");
  CHECK(second.isRussian());
  CHECK_FALSE(second.isDark());
  CHECK(second.scale == 1.5);
  CHECK(second.layout == "somewhere");
  Settings untouched;
  untouched.persistent = false;
  untouched.load();
  CHECK(untouched.theme == "system");
}
