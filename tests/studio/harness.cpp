#include "studio/harness.h"

#include "studio/scene_panel.h"
#include "studio/view_host.h"

#include <QApplication>
#include <QDir>
#include <QFile>
#include <QStyleFactory>
#include <QTemporaryDir>
#include <QTest>

namespace warpmill::studio {

QApplication& application() {
  static int argc = 1;
  static char name[] = "test_studio";
  static char* argv[] = {name, nullptr};
  static QApplication* app = [] {
    qputenv("QT_QPA_PLATFORM", "offscreen");
    auto* made = new QApplication(argc, argv);   // lives as long as the program: widgets of a failing test may outlast main's statics
    QApplication::setStyle(QStyleFactory::create("Fusion"));
    return made;
  }();
  return *app;
}

Studio::Studio(const QString& language, const QString& theme) {
  application();
  settings.persistent = false;
  settings.language = language;
  settings.theme = theme;
  player = std::make_unique<Player>();
  guide = std::make_unique<LessonGuide>(*player);
  window = std::make_unique<MainWindow>(settings, *player, *guide);
  window->resize(1920, 1080);
  window->show();
  settle();
}

Studio::~Studio() {
  window.reset();
  guide.reset();
  player.reset();
}

void Studio::openLesson(const std::string& id) {
  guide->open(id, true, RunMode::Skip);
  settle();
}

void Studio::key(int key, Qt::KeyboardModifiers modifiers) {
  QWidget* target = window->scenePanel() != nullptr ? static_cast<QWidget*>(window->scenePanel()->host()) : window.get();
  window->activateWindow();
  target->setFocus();
  QTest::keyClick(target, static_cast<Qt::Key>(key), modifiers);
  settle();
}

void Studio::settle() {
  for (int i = 0; i < 4; ++i) QApplication::processEvents();
}

TempFile::TempFile(const QString& name, const QByteArray& content) {
  QTemporaryDir folder;
  folder.setAutoRemove(false);
  folder_ = folder.path();
  path_ = folder_ + "/" + name;
  QFile file(path_);
  if (file.open(QIODevice::WriteOnly)) file.write(content);
}

TempFile::~TempFile() { QDir(folder_).removeRecursively(); }

}  // namespace warpmill::studio
