// The measured side of the compare panel: records, runs on a (stand-in) GPU, curves over all sizes.
#include "cli/program.h"
#include "studio/compare_panel.h"
#include "studio/harness.h"
#include "studio/lesson_measures.h"
#include "studio/size_plot.h"

#include "catch.h"

#include <QElapsedTimer>
#include <QImage>
#include <QTest>
#include <QToolButton>

#include <filesystem>

using namespace warpmill;
using namespace warpmill::studio;
using warpmill::testing::Workplace;

namespace {

// A lesson's folder with one small launch, enough for the program `warpmill`.
std::shared_ptr<const lesson::Lesson> smallLesson(const Workplace& w) {
  std::filesystem::create_directories(w.path("lesson"));
  w.write("lesson/lesson.json", R"({"launches": {"scale": "s.json"}})");
  w.write("lesson/s.json", testing::vecAddLaunch);
  w.write("lesson/vec_add.ptx", testing::vecAddPtx);
  auto lesson = std::make_shared<lesson::Lesson>();
  lesson->folder = w.path("lesson");
  lesson->device = "h200";
  return lesson;
}

void waitWhile(const std::function<bool()>& busy) {
  QElapsedTimer timer;
  timer.start();
  while (busy() && timer.elapsed() < 120'000) QTest::qWait(5);
  REQUIRE_FALSE(busy());
}

SizePlot* plotOf(Studio& studio) { return studio.window->comparePanel().sizePlot(); }

}  // namespace

TEST_CASE("A run on the GPU gives a record; without a driver the reason is said") {
  application();
  const Workplace w;
  LessonMeasures measures;
  measures.setLesson(smallLesson(w));
  qputenv("WARPMILL_CUDA_DRIVER", FAKE_DRIVER);
  measures.measure({});
  CHECK(measures.isMeasuring());
  waitWhile([&] { return measures.isMeasuring(); });
  INFO(measures.error().toStdString());
  REQUIRE(measures.record());
  CHECK(measures.record()->device == "Fake GPU");
  CHECK(measures.record()->results.size() == 1);
  qputenv("WARPMILL_CUDA_DRIVER", "/nowhere/libcuda.so");
  measures.measure({});
  waitWhile([&] { return measures.isMeasuring(); });
  qunsetenv("WARPMILL_CUDA_DRIVER");
  CHECK(measures.error().contains("no NVIDIA driver"));
}

TEST_CASE("The sizes are simulated by the program, once") {
  application();
  qputenv("XDG_CACHE_HOME", QByteArray::fromStdString(std::filesystem::temp_directory_path().string() + "/warpmill-size-test"));
  const Workplace w;
  LessonMeasures measures;
  measures.setLesson(smallLesson(w));
  measures.wantSizes();
  waitWhile([&] { return measures.isSimulating(); });
  INFO(measures.sizesError().toStdString());
  REQUIRE(measures.sizes().count("vec_add/n1000") == 1);
  CHECK(measures.sizes().at("vec_add/n1000").timeUs > 0.5);
  CHECK_FALSE(measures.sizes().at("vec_add/n1000").limit.empty());
  LessonMeasures again;
  again.setLesson(smallLesson(w));
  again.wantSizes();
  CHECK_FALSE(again.isSimulating());   // kept from before
  CHECK(again.sizes().size() == 1);
  std::filesystem::remove_all(std::filesystem::temp_directory_path() / "warpmill-size-test");
  qunsetenv("XDG_CACHE_HOME");
}

TEST_CASE("A record of one's own takes the place of the lesson's in the figures, and goes again") {
  Studio studio;
  studio.openLesson();
  const auto real = [&] { return studio.guide->runs().figures().get("real.after.time_us"); };
  QToolButton* source = studio.window->comparePanel().source();
  const auto before = real();
  REQUIRE(before);
  CHECK(source->text().startsWith("record: NVIDIA H200"));
  lesson::Measured mine;
  mine.device = "My GPU";
  mine.results.resize(1);
  mine.results[0].name = studio.guide->lesson().variant("after")->full.name;
  mine.results[0].counters["gpu__time_duration.sum"] = 123'000;
  studio.guide->useRecord(mine);
  studio.settle();
  REQUIRE(real());
  CHECK(*real() == Approx(123));
  CHECK_FALSE(studio.guide->runs().figures().get("real.before.time_us"));   // it has no such launch: nothing stays of the other record
  CHECK(source->text().startsWith("measured: My GPU"));
  studio.guide->useLessonRecord();
  studio.settle();
  CHECK(real() == before);
}

TEST_CASE("A record in a file is opened when it is of this lesson") {
  Studio studio;
  studio.openLesson();
  ComparePanel& panel = studio.window->comparePanel();
  const QString measured = QStringLiteral(WARPMILL_SOURCE_DIR) + "/assets/measured/h200/";
  CHECK_FALSE(panel.useRecordFile(measured + "02-vector-add-triton.json"));
  CHECK_FALSE(panel.useRecordFile("/nowhere.json"));
  CHECK(studio.guide->runs().isLessonRecord());
  CHECK(panel.useRecordFile(measured + "01-vector-add.json"));
  CHECK_FALSE(studio.guide->runs().isLessonRecord());
}

TEST_CASE("The curves over all sizes come after the answer, with every size of every variant") {
  Studio studio;
  studio.openLesson();
  studio.guide->goTo(0, true);   // the question
  studio.window->comparePanel().showSizes(true);
  studio.settle();
  CHECK(plotOf(studio)->curves().empty());
  studio.guide->setAnswer(0);
  studio.guide->check();
  studio.settle();
  const auto& curves = plotOf(studio)->curves();
  const std::size_t variants = studio.guide->lesson().variants.size();
  REQUIRE(curves.size() == variants + 1);
  CHECK(curves.back().name == "PyTorch");
  CHECK(curves.back().points.size() == 9);
  for (std::size_t v = 0; v < variants; ++v) {
    CHECK(curves[v].points.size() == studio.guide->lesson().variants[v].sweep.size());
    for (const SizePoint& p : curves[v].points) CHECK(p.measured);
    for (std::size_t i = 1; i < curves[v].points.size(); ++i) CHECK(curves[v].points[i - 1].size < curves[v].points[i].size);
  }
  CHECK(plotOf(studio)->describe().contains("after, 1024 elements"));
}

TEST_CASE("The plot over sizes draws rings, discs and what limits each size") {
  Studio studio;
  SizePlot plot;
  plot.resize(600, 260);
  SizeCurve curve;
  curve.name = "after";
  curve.focused = true;
  for (int e = 10; e <= 26; e += 2) curve.points.push_back({std::pow(2.0, e), 3000.0 * e / 26, 2900.0 * e / 26, e < 18 ? "overhead" : "memory"});
  plot.setCurves({curve}, 4800);
  const QImage filled = plot.grab().toImage();
  plot.setCurves({}, 4800);
  CHECK(filled != plot.grab().toImage());
  plot.setCurves({curve}, 4800);
  CHECK(filled == plot.grab().toImage());
  CHECK(plot.describe().contains("limited by launch overhead"));
}
