// A studio window on lesson 1 without a display: Qt's offscreen platform, nothing saved, the launch opened before the test goes on.
#pragma once

#include "studio/lesson_guide.h"
#include "studio/main_window.h"
#include "studio/player.h"
#include "studio/settings.h"

#include <QString>

#include <memory>

class QApplication;

namespace warpmill::studio {

// The one application object of the program.
QApplication& application();

struct Studio {
  explicit Studio(const QString& language = "en", const QString& theme = "dark");
  ~Studio();

  void openLesson(const std::string& id = "1");
  void key(int key, Qt::KeyboardModifiers modifiers = Qt::NoModifier);   // to the scene, which has the focus
  void settle();                                                        // handles all that is waiting
  [[nodiscard]] const presenter::Frame& frame() const { return *player->frame(); }

  Settings settings;
  std::unique_ptr<Player> player;
  std::unique_ptr<LessonGuide> guide;
  std::unique_ptr<MainWindow> window;
};

// A file in a fresh folder that is removed with the object.
class TempFile {
 public:
  TempFile(const QString& name, const QByteArray& content);
  ~TempFile();
  [[nodiscard]] QString path() const { return path_; }

 private:
  QString folder_, path_;
};

}  // namespace warpmill::studio
