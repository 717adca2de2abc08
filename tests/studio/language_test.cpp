#include "studio/commands.h"
#include "studio/controls.h"
#include "studio/harness.h"
#include "studio/lesson_panel.h"
#include "studio/status_strip.h"
#include "studio/toolbar.h"
#include "studio/translator.h"

#include "catch.h"

#include <QAbstractButton>
#include <QLabel>

#include <map>

using namespace warpmill::studio;

TEST_CASE("Switching to Russian changes the window's words and keeps the moment") {
  Studio studio;
  studio.openLesson();
  studio.player->seekCycle(600);
  CHECK(studio.window->toolbar().stepButton()->text() == "Step");
  studio.window->setLanguage("ru");
  studio.settle();
  CHECK(studio.window->toolbar().stepButton()->text() == QString::fromUtf8("Шаг"));
  CHECK(studio.frame().cycle == 600);
  CHECK(studio.window->lessonPanel().titleText().contains(QString::fromUtf8("векторов")));
  CHECK(studio.window->status().description().contains(QString::fromUtf8("акт")));
  studio.window->setLanguage("en");
  studio.settle();
  CHECK(studio.window->toolbar().stepButton()->text() == "Step");
}

TEST_CASE("Nothing that the window asks for is missing in Russian") {
  Studio studio("ru");
  studio.openLesson();
  studio.player->seekCycle(600);
  for (const char* panel : {"memory", "problems", "watch", "ptx-all"}) {
    studio.window->showPanel(panel);
    studio.settle();
  }
  for (int step = -1; step < studio.guide->stepCount(); ++step) studio.guide->goTo(step);
  studio.settle();
  const TableTranslator* translator = studio.window->translator();
  REQUIRE(translator != nullptr);
  INFO(QStringList(translator->missing().begin(), translator->missing().end()).join("; ").toStdString());
  CHECK(translator->missing().isEmpty());
}

TEST_CASE("Every command has a Russian text, and no text stands in the table twice") {
  std::map<std::string, int> count;
  for (const Translation& entry : russianTable()) ++count[entry.english];
  for (const auto& [text, times] : count) {
    INFO(text);
    CHECK(times == 1);
  }
  for (const CommandInfo& command : commandList()) {
    INFO(command.text);
    CHECK(count.contains(command.text));
  }
}

TEST_CASE("Placeholders survive translation") {
  for (const Translation& entry : russianTable())
    for (const char* place : {"%1", "%2", "%3", "%4"}) {
      INFO(entry.english);
      CHECK(QString(entry.english).contains(place) == QString::fromUtf8(entry.russian).contains(place));
    }
}
