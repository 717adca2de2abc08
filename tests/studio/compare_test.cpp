// The measured side of the compare panel: records, runs on a (stand-in) GPU, curves over all sizes.
#include "cli/program.h"
#include "studio/compare_panel.h"
#include "studio/harness.h"
#include "studio/launch_figures.h"
#include "studio/measures.h"
#include "studio/player.h"
#include "studio/roofline_plot.h"
#include "studio/size_plot.h"
#include "studio/why_view.h"

#include "catch.h"

#include <QElapsedTimer>
#include <QImage>
#include <QPushButton>
#include <QTest>
#include <QToolButton>

#include <filesystem>

using namespace warpmill;
using namespace warpmill::studio;
using warpmill::testing::Workplace;

namespace {

// A lesson's folder with one small launch, enough for the program `warpmill`.
MeasureSubject smallLesson(const Workplace& w) {
  std::filesystem::create_directories(w.path("lesson"));
  w.write("lesson/lesson.json", R"({"launches": {"scale": "s.json"}})");
  w.write("lesson/s.json", testing::vecAddLaunch);
  w.write("lesson/vec_add.ptx", testing::vecAddPtx);
  return {w.path("lesson"), "h200", {w.path("lesson/s.json"), w.path("lesson/vec_add.ptx")}};
}

// A cache of its own, for as long as this lives.
class OwnCache {
 public:
  explicit OwnCache(const Workplace& w) { qputenv("XDG_CACHE_HOME", QByteArray::fromStdString(w.path("cache"))); }
  ~OwnCache() { qunsetenv("XDG_CACHE_HOME"); }
  OwnCache(const OwnCache&) = delete;
  OwnCache& operator=(const OwnCache&) = delete;
};

// Two sizes of one kernel, with what they move; n is the fourth argument.
void writeTwoSizes(const Workplace& w) {
  std::string all = "[";
  for (const int n : {1000, 4000}) {
    const std::string count = std::to_string(n);
    all += std::string(n == 1000 ? "" : ",") + R"({"name": "add/n)" + count + R"(", "ptx": "vec_add", "kernel": "vec_add", "grid": [)" + std::to_string((n + 255) / 256) + R"(], "block": [256], "args": [)";
    for (int i = 0; i < 3; ++i) all += R"({"type": "buffer", "dtype": "f32", "count": )" + count + R"(, "init": "zeros"},)";
    all += R"({"type": "i32", "value": )" + count + R"(}], "work": {"bytes": )" + std::to_string(12 * n) + R"(, "flops": )" + count + "}}";
  }
  w.write("two.json", all + "]");
}

std::optional<double> cell(const ComparePanel& panel, const QString& name, int column) {
  for (const CompareRow& row : panel.model()->rows())
    if (row.name == name) return column == CompareModel::Simulated ? row.simulated : column == CompareModel::Measured ? row.measured : column == CompareModel::Peak ? row.peak : row.ratio();
  return std::nullopt;
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
  Measures measures;
  measures.setSubject(smallLesson(w));
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

TEST_CASE("Launches are simulated by the program, once") {
  application();
  const Workplace w;
  const OwnCache cache(w);
  Measures measures;
  measures.setSubject(smallLesson(w));
  measures.wantRuns({"vec_add/n1000", "vec_add/n1000"});
  waitWhile([&] { return measures.isSimulating(); });
  INFO(measures.runsError().toStdString());
  REQUIRE(measures.runs().count("vec_add/n1000") == 1);
  CHECK(*measures.runs().at("vec_add/n1000").timeUs > 0.5);
  CHECK_FALSE(measures.runs().at("vec_add/n1000").verdictOnTime.limit.empty());
  Measures again;
  again.setSubject(smallLesson(w));
  again.wantRuns({"vec_add/n1000"});
  CHECK_FALSE(again.isSimulating());   // kept from before
  CHECK(again.runs().size() == 1);
  again.wantRuns({"none"});
  waitWhile([&] { return again.isSimulating(); });
  CHECK(again.runsError().contains("none"));
  Measures other;
  other.setSubject(smallLesson(w));
  w.write("lesson/s.json", std::string(testing::vecAddLaunch) + "\n");
  other.wantRuns({"vec_add/n1000"});
  CHECK(other.isSimulating());          // the file is another
}

TEST_CASE("A launch of one's own is simulated at full size and measured, and both are laid beside the peak") {
  const Workplace w;
  const OwnCache cache(w);
  writeTwoSizes(w);
  Studio studio;
  studio.window->openLaunchFile(QString::fromStdString(w.path("two.json")), true, "add/n4000");
  studio.settle();
  ComparePanel& panel = studio.window->comparePanel();
  waitWhile([&] { return panel.measures()->isSimulating(); });
  REQUIRE(cell(panel, "time", CompareModel::Simulated));
  CHECK_FALSE(cell(panel, "time", CompareModel::Measured));
  CHECK(cell(panel, "useful bandwidth", CompareModel::Peak) == Approx(4800));
  CHECK(cell(panel, "time", CompareModel::Peak) == Approx(12.0 * 4000 / 4800e3));
  REQUIRE(cell(panel, "times as fast as add/n1000", CompareModel::Simulated));
  CHECK(panel.source()->text().contains("no record"));

  qputenv("WARPMILL_CUDA_DRIVER", FAKE_DRIVER);
  panel.runOnGpu({});
  waitWhile([&] { return panel.measures()->isMeasuring(); });
  qunsetenv("WARPMILL_CUDA_DRIVER");
  studio.settle();
  INFO(panel.measures()->error().toStdString());
  CHECK(panel.source()->text().startsWith("measured: Fake GPU"));
  REQUIRE(cell(panel, "time", CompareModel::Measured));
  CHECK(*cell(panel, "time", CompareModel::Measured) == Approx(1).epsilon(0.01));   // the fake clock's microsecond
  CHECK(*cell(panel, "useful bandwidth", CompareModel::Measured) == Approx(48).epsilon(0.01));
  CHECK(*cell(panel, "time", CompareModel::Ratio) == Approx(*cell(panel, "time", CompareModel::Simulated) / *cell(panel, "time", CompareModel::Measured)));
  CHECK(*cell(panel, "times as fast as add/n1000", CompareModel::Measured) == Approx(1).epsilon(0.01));
  CHECK(panel.roofline()->accessibleName().contains("add/n4000: 0.0833 FLOP per byte, simulated"));
  CHECK(panel.roofline()->accessibleName().contains("measured"));

  panel.showPage(ComparePanel::Sizes);
  waitWhile([&] { return panel.measures()->isSimulating(); });
  studio.settle();
  REQUIRE(panel.sizePlot()->curves().size() == 1);
  REQUIRE(panel.sizePlot()->curves()[0].points.size() == 2);
  for (const SizePoint& p : panel.sizePlot()->curves()[0].points) {
    CHECK(p.simulated);
    CHECK(p.measured);
  }
  panel.showPage(ComparePanel::Why);
  studio.settle();
  CHECK(panel.why()->describe().startsWith("bound by "));
  CHECK(panel.why()->describe().contains("how busy: "));
  CHECK(panel.why()->describe().contains("long_scoreboard"));
  CHECK_FALSE(panel.why()->describe().contains("less time with"));
  panel.why()->ask()->click();
  CHECK_FALSE(panel.why()->ask()->isEnabled());
  waitWhile([&] { return panel.measures()->isAsking(); });
  studio.settle();
  CHECK(panel.why()->describe().contains("less time with: no cost of starting"));
  const QString text = panel.describe();
  INFO(text.toStdString());
  CHECK(text.contains("useful bandwidth, GB/s: simulated"));
  CHECK(text.contains("peak 4"));
  CHECK(text.contains("add, number of elements 1000, simulated"));
  CHECK(panel.grab().toImage().width() > 100);
}

TEST_CASE("A record beside the file, or of the same program, is there from the start; another one is refused") {
  const Workplace w;
  const OwnCache cache(w);
  writeTwoSizes(w);
  lesson::Measured mine;
  mine.device = "My GPU", mine.date = "2026-11-30";
  mine.results.resize(1);
  mine.results[0].name = "add/n1000";
  mine.results[0].cold = {5, 5, 5, 5, 30};
  w.write("two.measured.json", lesson::measuredJson(mine));
  mine.results[0].name = "other";
  w.write("other.json", lesson::measuredJson(mine));
  mine.results[0].name = "add/n1000", mine.results[0].cold.median = 7, mine.device = "Opened GPU";
  w.write("opened.json", lesson::measuredJson(mine));
  Studio studio;
  studio.window->openLaunchFile(QString::fromStdString(w.path("two.json")), true);
  studio.settle();
  ComparePanel& panel = studio.window->comparePanel();
  CHECK(panel.source()->text().startsWith("record: My GPU, 2026-11-30"));
  CHECK(cell(panel, "time", CompareModel::Measured) == Approx(5));
  CHECK_FALSE(panel.useRecordFile(QString::fromStdString(w.path("other.json"))));
  CHECK(cell(panel, "time", CompareModel::Measured) == Approx(5));
  CHECK(panel.useRecordFile(QString::fromStdString(w.path("opened.json"))));
  CHECK(cell(panel, "time", CompareModel::Measured) == Approx(7));
  CHECK(panel.source()->text().startsWith("measured: Opened GPU"));
  waitWhile([&] { return panel.measures()->isSimulating(); });

  LaunchFigures examples;
  const OpenRequest request{nullptr, 0, std::string(WARPMILL_SOURCE_DIR) + "/assets/examples/calibration.json", {}, {}};
  Document document;
  document.request = request;
  document.machine = {"h200", 4};
  CHECK(examples.open(document));
  REQUIRE(examples.record() != nullptr);
  CHECK(examples.record()->device == "NVIDIA H200");
  CHECK(examples.isFound());
  CHECK_FALSE(examples.families().empty());
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
  studio.window->comparePanel().showPage(ComparePanel::Sizes);
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
  CHECK(plotOf(studio)->describe().contains("after, number of elements 1024"));
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
  CHECK(plot.describe().contains("simulated 1.15e+03 GB/s"));
  plot.setAxes("threads a block", "time, µs");
  CHECK(plot.describe().startsWith("time, µs by threads a block"));
}
