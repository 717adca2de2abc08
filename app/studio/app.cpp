#include "studio/app.h"

#include "studio/main_window.h"
#include "studio/options.h"
#include "studio/theme.h"

#include <QApplication>
#include <QElapsedTimer>
#include <QImage>
#include <QSaveFile>
#include <QStyleFactory>
#include <QTimer>

#include <cstdio>

namespace warpmill::studio {

namespace {

void fail(const QString& message) { std::fprintf(stderr, "warpmill-studio: %s\n", qPrintable(message)); }

// Without a display a picture can still be made: Qt's offscreen platform draws the very same widgets.
void choosePlatform(const Options& options) {
  if (!qEnvironmentVariableIsEmpty("QT_QPA_PLATFORM")) return;
  const bool display = !qEnvironmentVariableIsEmpty("DISPLAY") || !qEnvironmentVariableIsEmpty("WAYLAND_DISPLAY");
  if (!options.screenshot.empty() || !display) qputenv("QT_QPA_PLATFORM", "offscreen");
}

int savePicture(MainWindow& window, const QString& path) {
  QImage image(window.size() * window.devicePixelRatioF(), QImage::Format_RGB32);
  image.setDevicePixelRatio(window.devicePixelRatioF());
  window.render(&image);
  QSaveFile file(path);   // written beside, then renamed
  if (!file.open(QIODevice::WriteOnly) || !image.save(&file, "PNG") || !file.commit()) {
    fail(QObject::tr("cannot write %1: %2").arg(path, file.errorString()));
    return 2;
  }
  return 0;
}

}  // namespace

int runStudio(int argc, char** argv) {
  QElapsedTimer clock;
  clock.start();
  const CommandLine line = parseCommandLine(argc, argv);
  if (!line.output.empty()) std::fputs(line.output.c_str(), stdout);
  if (!line.error.empty()) std::fputs(line.error.c_str(), stderr);
  if (line.exitNow) return line.exitCode;
  const Options& options = line.options;
  if (options.screenshot.empty() && qEnvironmentVariableIsEmpty("QT_QPA_PLATFORM") && qEnvironmentVariableIsEmpty("DISPLAY") &&
      qEnvironmentVariableIsEmpty("WAYLAND_DISPLAY")) {
    fail("there is no display (DISPLAY and WAYLAND_DISPLAY are not set); --screenshot FILE.png makes a picture without one");
    return 3;
  }
  choosePlatform(options);

  QApplication application(argc, argv);
  QApplication::setApplicationName("warpmill-studio");
  QApplication::setApplicationDisplayName("Warpmill");
  QApplication::setApplicationVersion(WARPMILL_VERSION);
  QApplication::setStyle(QStyleFactory::create("Fusion"));

  Settings settings;
  settings.persistent = !options.resetSettings && options.screenshot.empty();
  settings.load();
  if (!options.theme.empty()) settings.theme = QString::fromStdString(options.theme);
  else if (!options.screenshot.empty()) settings.theme = "dark";
  if (!options.language.empty()) settings.language = QString::fromStdString(options.language);
  else if (!options.screenshot.empty()) settings.language = "en";
  if (options.scale) settings.scale = *options.scale;

  MainWindow window(settings);
  if (options.startupTime)
    QObject::connect(&window, &MainWindow::firstPainted,
                     [&clock] { std::fprintf(stderr, "first paint after %lld ms\n", static_cast<long long>(clock.elapsed())); });
  window.resize(options.width, options.height);
  window.show();
  if (!options.screenshot.empty()) {
    QApplication::processEvents();
    return savePicture(window, QString::fromStdString(options.screenshot));
  }
  return QApplication::exec();
}

}  // namespace warpmill::studio
