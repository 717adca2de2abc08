#include "lesson/lesson.h"
#include "studio/harness.h"

#include "catch.h"

#include <QApplication>
#include <QFile>
#include <QImage>
#include <QProcess>
#include <QSet>

using namespace warpmill::studio;

namespace {

struct Ended {
  int code = -1;
  QString output, error;
};

Ended program(const QStringList& words) {
  application();
  QProcess process;
  QProcessEnvironment environment = QProcessEnvironment::systemEnvironment();
  for (const char* name : {"DISPLAY", "WAYLAND_DISPLAY", "QT_QPA_PLATFORM"}) environment.remove(name);
  process.setProcessEnvironment(environment);
  process.start(WARPMILL_STUDIO_BINARY, words);
  process.waitForFinished(300000);
  return {process.exitStatus() == QProcess::NormalExit ? process.exitCode() : -1, process.readAllStandardOutput(), process.readAllStandardError()};
}

}  // namespace

TEST_CASE("A picture is made without a display, of the size asked for, and shows something") {
  const TempFile file("a.png", {});
  const Ended ended = program({"--launch", QString(WARPMILL_SOURCE_DIR) + "/lessons/01-vector-add/scale.json", "--at", "300", "--screenshot", file.path(),
                               "--size", "1280x720"});
  INFO(ended.error.toStdString());
  REQUIRE(ended.code == 0);
  const QImage image(file.path());
  CHECK(image.width() == 1280);
  CHECK(image.height() == 720);
  QSet<QRgb> colours;
  for (int y = 0; y < image.height(); y += 3)
    for (int x = 0; x < image.width(); x += 3) colours.insert(image.pixel(x, y));
  CHECK(colours.size() > 100);
}

TEST_CASE("Every step of a lesson gives a picture, and the moments differ") {
  const std::string id = GENERATE("01-vector-add", "02-vector-add-triton");
  const int steps = static_cast<int>(warpmill::lesson::findLesson(id)->steps.size());
  const TempFile file("steps.png", {});
  const auto picture = [&](int step) { return file.path().chopped(4) + (step < 10 ? "-0" : "-") + QString::number(step) + ".png"; };
  const Ended ended = program({"--lesson", QString::fromStdString(id), "--step", "all", "--screenshot", file.path(), "--size", "1280x720"});
  INFO(ended.error.toStdString());
  REQUIRE(ended.code == 0);
  CHECK(QImage(picture(0)).width() == 1280);
  CHECK_FALSE(QImage(picture(steps)).isNull());
  CHECK(QImage(picture(steps + 1)).isNull());
  CHECK(QImage(picture(3)) != QImage(picture(0)));
  CHECK(QImage(picture(3)) != QImage(picture(5)));
  for (int step = 0; step <= steps; ++step) QFile::remove(picture(step));
}

TEST_CASE("A bad launch file gives its diagnostics on standard error and code 2, but still a picture") {
  const TempFile launch("bad.json", "{\"name\": 3}");
  const TempFile picture("b.png", {});
  const Ended ended = program({"--launch", launch.path(), "--screenshot", picture.path()});
  CHECK(ended.code == 2);
  CHECK(ended.error.contains("bad.json:1:"));
  CHECK_FALSE(QImage(picture.path()).isNull());
}

TEST_CASE("A lesson that is not there, and a picture that cannot be written, end with code 2 and a message") {
  const TempFile picture("c.png", {});
  const Ended missing = program({"--lesson", "no-such-lesson", "--screenshot", picture.path()});
  CHECK(missing.code == 2);
  CHECK(missing.error.contains("no-such-lesson"));
  const Ended unwritable =
      program({"--launch", QString(WARPMILL_SOURCE_DIR) + "/lessons/01-vector-add/scale.json", "--screenshot", "/no/such/folder/d.png"});
  CHECK(unwritable.code == 2);
  CHECK(unwritable.error.contains("/no/such/folder/d.png"));
}

TEST_CASE("Without a display and without a picture to make, the program says so and ends with code 3") {
  const Ended ended = program({});
  CHECK(ended.code == 3);
  CHECK(ended.error.contains("--screenshot"));
}
