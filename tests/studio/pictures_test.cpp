// Not run by default: writes pictures of the parts that --screenshot does not reach, and says how long a step takes with all panels.
//   WARPMILL_PICTURES=out test_studio "[pictures]"
#include "studio/commands.h"
#include "studio/harness.h"
#include "studio/palette.h"

#include "catch.h"

#include <QAction>
#include <QApplication>
#include <QDialog>
#include <QElapsedTimer>
#include <QMenu>
#include <QPainter>
#include <QTimer>

#include <cstdio>

using namespace warpmill::studio;

namespace {

void save(QWidget& widget, const QString& name) { widget.grab().save(qEnvironmentVariable("WARPMILL_PICTURES", ".") + "/" + name + ".png"); }

}  // namespace

TEST_CASE("Pictures of palette, menu and dialogs", "[.pictures]") {
  Studio studio;
  studio.openLesson();
  studio.player->seekCycle(600);
  Commands& commands = studio.window->commands();
  commands.action(Command::Palette)->trigger();
  studio.settle();
  Palette* palette = studio.window->findChild<Palette*>();
  REQUIRE(palette != nullptr);
  save(*palette, "palette");
  palette->close();
  for (const auto& [command, name] : {std::pair{Command::Describe, "describe"}, {Command::Keys, "keys"}, {Command::About, "about"}}) {
    commands.action(command)->trigger();
    studio.settle();
    for (QDialog* dialog : studio.window->findChildren<QDialog*>("text-dialog")) {
      save(*dialog, name);
      delete dialog;
    }
  }
  QTimer::singleShot(200, [] {
    if (QWidget* menu = QApplication::activePopupWidget()) {
      const auto subs = static_cast<QMenu*>(menu)->findChildren<QMenu*>();
      save(*menu, "menu");
      for (qsizetype i = 0; i < subs.size(); ++i) {
        subs[i]->popup(QPoint(0, 0));
        save(*subs[i], QString("menu-%1").arg(i));
        subs[i]->close();
      }
      menu->close();
    }
  });
  commands.action(Command::Menu)->trigger();
}

TEST_CASE("Time of a step with every panel drawn", "[.pictures]") {
  Studio studio;
  studio.openLesson();
  studio.player->seekCycle(200);
  for (const auto& [unit, name] : {std::pair{Unit::Instruction, "instruction"}, {Unit::Cycle, "cycle"}}) {
    for (const int direction : {1, -1}) {
      QElapsedTimer clock;
      clock.start();
      for (int i = 0; i < 60; ++i) {
        studio.player->step(unit, direction);
        QApplication::processEvents();
      }
      std::printf("%s %s: %.1f ms a step\n", name, direction > 0 ? "forward" : "back", static_cast<double>(clock.elapsed()) / 60);
    }
  }
}
