#include "studio/app.h"

#include "studio/compare_panel.h"
#include "studio/lesson_guide.h"
#include "studio/main_window.h"
#include "studio/measures.h"
#include "studio/options.h"
#include "studio/picture.h"
#include "studio/player.h"

#include <QApplication>
#include <QElapsedTimer>
#include <QStyleFactory>

#include <cstdio>
#include <filesystem>

namespace warpmill::studio {

namespace {

int fail(int code, const std::string& message) {
  std::fprintf(stderr, "warpmill-studio: %s\n", message.c_str());
  return code;
}

bool hasDisplay() { return !qEnvironmentVariableIsEmpty("DISPLAY") || !qEnvironmentVariableIsEmpty("WAYLAND_DISPLAY"); }

// "h200", "h200:2" (a scale model of two SMs) or a file.
MachineChoice machineOf(const std::string& text) {
  MachineChoice choice;
  const std::size_t colon = text.rfind(':');
  const bool scaled = colon != std::string::npos && colon + 1 < text.size() &&
                      text.find_first_not_of("0123456789", colon + 1) == std::string::npos && text.size() - colon < 6;
  choice.profile = scaled ? text.substr(0, colon) : text;
  if (scaled) choice.sms = static_cast<std::uint32_t>(std::stoul(text.substr(colon + 1)));
  return choice;
}

// Opens what the command line names; false when it does not open (the window then shows why).
bool openDocument(const Options& options, MainWindow& window, Player& player, LessonGuide& guide, bool wait) {
  if (!options.device.empty()) window.setMachine(machineOf(options.device));
  if (!options.launch.empty()) {
    window.openLaunchFile(QString::fromStdString(options.launch), wait, options.launchName);
    return !wait || player.isOpen();
  }
  if (!options.device.empty()) guide.setMachine(machineOf(options.device));
  if (!guide.open(options.lesson.empty() ? "1" : options.lesson, wait, wait ? RunMode::Wait : RunMode::Background)) {
    Loaded nothing;
    nothing.diagnostics = guide.diagnostics();
    player.adopt(std::move(nothing));
    return false;
  }
  if (options.step) guide.goTo(*options.step - 1, wait);
  return !wait || player.isOpen();
}

// --record, --at, --select, --level, --panel: once the document is there.
void arrangeView(const Options& options, MainWindow& window, Player& player) {
  if (!options.record.empty() && !window.comparePanel().useRecordFile(QString::fromStdString(options.record)))
    fail(2, "there are no measurements of these launches in " + options.record);
  for (const std::string& panel : options.panels) window.showPanel(QString::fromStdString(panel));
  if (!options.level.empty()) window.setLevel(QString::fromStdString(options.level));
  if (!player.isOpen()) return;
  if (options.atCycle) player.seekCycle(*options.atCycle);
  if (options.select) {
    player.selectWarp({options.select->block, options.select->warp});
    player.selectLane(options.select->lane);
  }
}

// "lesson.png" -> "lesson-03.png"
QString numbered(const std::string& file, int number) {
  const std::filesystem::path path(file);
  const std::string name = path.stem().string() + (number < 10 ? "-0" : "-") + std::to_string(number) + path.extension().string();
  return QString::fromStdString((path.parent_path() / name).string());
}

// What Qt's own parts remark about the machine (no runtime folder, an offscreen window without size hints) says nothing to a user
// who asked for a picture; everything else goes on to standard error.
void printMessage(QtMsgType type, const QMessageLogContext&, const QString& message) {
  if (type == QtDebugMsg || message.contains("XDG_RUNTIME_DIR") || message.contains("propagateSizeHints")) return;
  std::fprintf(stderr, "warpmill-studio: %s\n", qPrintable(message));
}

// Without a display: Qt's offscreen platform draws the very same widgets.
int takePictures(const Options& options, MainWindow& window, Player& player, LessonGuide& guide, bool opened) {
  const int last = options.everyStep && guide.isOpen() ? guide.stepCount() : 0;
  for (int step = 0; step <= last; ++step) {
    if (options.everyStep) guide.goTo(step - 1, true);
    arrangeView(options, window, player);
    for (int i = 0; i < 5; ++i) QApplication::processEvents();
    QElapsedTimer clock;
    clock.start();
    constexpr qint64 mostMs = 300'000;
    while (window.comparePanel().measures()->isSimulating() && clock.elapsed() < mostMs) QApplication::processEvents(QEventLoop::WaitForMoreEvents, 200);
    const QString problem = writePicture(window, options.everyStep ? numbered(options.screenshot, step) : QString::fromStdString(options.screenshot));
    if (!problem.isEmpty()) return fail(2, problem.toStdString());
  }
  if (!player.diagnostics().empty()) std::fputs(formatDiagnostics(player.diagnostics()).c_str(), stderr);
  return opened ? 0 : 2;
}

Settings settingsFor(const Options& options) {
  Settings settings;
  settings.persistent = !options.resetSettings && options.screenshot.empty();
  settings.load();
  if (!options.theme.empty()) settings.theme = QString::fromStdString(options.theme);
  else if (!options.screenshot.empty()) settings.theme = "dark";
  if (!options.language.empty()) settings.language = QString::fromStdString(options.language);
  else if (!options.screenshot.empty()) settings.language = "en";
  if (options.scale) settings.scale = *options.scale;
  return settings;
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
  const bool picture = !options.screenshot.empty();
  if (qEnvironmentVariableIsEmpty("QT_QPA_PLATFORM")) {
    if (!picture && !hasDisplay())
      return fail(3, "there is no display (DISPLAY and WAYLAND_DISPLAY are not set); --screenshot FILE.png makes a picture without one");
    if (picture) qputenv("QT_QPA_PLATFORM", "offscreen");
  }

  qInstallMessageHandler(printMessage);
  QApplication application(argc, argv);
  QApplication::setApplicationName("warpmill-studio");
  QApplication::setApplicationDisplayName("Warpmill");
  QApplication::setApplicationVersion(WARPMILL_VERSION);
  QApplication::setStyle(QStyleFactory::create("Fusion"));

  Settings settings = settingsFor(options);
  Player player;
  LessonGuide guide(player);
  MainWindow window(settings, player, guide);
  if (options.startupTime)
    QObject::connect(&window, &MainWindow::firstPainted,
                     [&clock] { std::fprintf(stderr, "first paint after %lld ms\n", static_cast<long long>(clock.elapsed())); });
  window.resize(options.width, options.height);
  if (!settings.geometry.isEmpty() && !options.sizeGiven) window.restoreGeometry(settings.geometry);
  window.show();
  if (picture) return takePictures(options, window, player, guide, openDocument(options, window, player, guide, true));

  // The view asked for on the command line is arranged once, when the document has come.
  QMetaObject::Connection once = QObject::connect(&player, &Player::ready, &window, [&] {
    QObject::disconnect(once);
    arrangeView(options, window, player);
  });
  openDocument(options, window, player, guide, false);
  return QApplication::exec();
}

}  // namespace warpmill::studio
