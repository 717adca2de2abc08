#include "lesson/figures.h"
#include "lesson/lesson.h"
#include "catch.h"

using namespace warpmill;
using namespace warpmill::lesson;

namespace {

const std::string nbsp = "\u00a0";

Figures someFigures() {
  Figures f;
  f.set("full.after.time_us", 59.2);
  f.set("real.before.time_us", 27210.688);
  f.set("scale.after.blocks", 4);
  f.set("scale.grid-stride.blocks", 1);
  f.set("device.peak_gbps", 4800);
  return f;
}

std::string filled(const std::string& text, const std::string& language = "en") {
  const Filled f = fillFigures(text, someFigures(), language);
  CHECK(f.missing.empty());
  return f.text;
}

}  // namespace

TEST_CASE("A placeholder takes the figure's value with three significant digits or as many decimals as it says") {
  CHECK(filled("{full.after.time_us} us") == "59.2 us");
  CHECK(filled("{full.after.time_us | 0}") == "59");
  CHECK(filled("{device.peak_gbps}") == "4800");
}

TEST_CASE("Figures and numbers are worked out from left to right") {
  CHECK(filled("{real.before.time_us / full.after.time_us | 0}") == "460");
  CHECK(filled("{1000 - scale.after.blocks * 2}") == "1992");
}

TEST_CASE("A counted word takes the form that goes with the number shown") {
  CHECK(filled("{scale.after.blocks | block blocks}") == "4" + nbsp + "blocks");
  CHECK(filled("{scale.grid-stride.blocks | block blocks}") == "1" + nbsp + "block");
  CHECK(filled("{scale.after.blocks | блок блока блоков}", "ru") == "4" + nbsp + "блока");
  CHECK(filled("{scale.after.blocks * 4 | блок блока блоков}", "ru") == "16" + nbsp + "блоков");
  CHECK(filled("{scale.after.blocks * 3 | блок блока блоков}", "ru") == "12" + nbsp + "блоков");
  CHECK(filled("{scale.grid-stride.blocks + 20 | блок блока блоков}", "ru") == "21" + nbsp + "блок");
  CHECK(filled("{real.before.time_us / full.after.time_us | 0 раз раза раз}", "ru") == "460" + nbsp + "раз");
}

TEST_CASE("Numbers are written as the language writes them") {
  CHECK(numberText(16777216, 0, "en") == "16,777,216");
  CHECK(numberText(16777216, 0, "ru") == "16" + nbsp + "777" + nbsp + "216");
  CHECK(numberText(0.0833333, 3, "ru") == "0,083");
  CHECK(numberText(1000, -1, "ru") == "1000");
  CHECK(numberText(3.90625, -1, "en") == "3.91");
  CHECK(numberText(-2.5, 1, "en") == "\u2212" "2.5");
}

TEST_CASE("Braces of code stay as they are") {
  CHECK(filled("for (...) { c[i] = x; } `{ %r1 }`") == "for (...) { c[i] = x; } `{ %r1 }`");
}

TEST_CASE("A figure that is not known is shown as such and named") {
  const Filled f = fillFigures("{full.after.tyme_us} {full.after.time_us}", someFigures(), "en");
  CHECK(f.text == "? 59.2");
  REQUIRE(f.missing.size() == 1);
  CHECK(f.missing[0] == "full.after.tyme_us");
}

TEST_CASE("A launch file gives bytes an element, operations a byte and what that allows") {
  device::Profile p;
  p.smCount = 132, p.schedulersPerSm = 4, p.fp32Interval = 1, p.clockMHz = 1980, p.dramBytesPerSecond = 4800;
  launch::Launch l;
  l.grid = {4, 1, 1}, l.block = {256, 1, 1};
  launch::Argument a;
  a.isBuffer = true, a.count = 1000;
  l.arguments = {a, a, a};
  l.workBytes = 12000, l.workFlops = 1000;
  Variant v;
  v.id = "after";
  Figures f;
  f.addLaunch("scale", v, l, p);
  CHECK(f.get("scale.after.warps") == 32.0);
  CHECK(f.get("scale.after.spare_threads") == 24.0);
  CHECK(f.get("scale.after.last_block_elements") == 232.0);
  CHECK(f.get("scale.after.bytes_per_element") == 12.0);
  CHECK(*f.get("scale.after.flop_per_byte") == Approx(1.0 / 12));
  CHECK(*f.get("scale.after.roof_tflops") == Approx(0.4));
  CHECK(*f.get("scale.after.roof_fp32_pct") == Approx(0.598).epsilon(0.01));
}

TEST_CASE("Units are written as the language writes them") {
  CHECK(unitText("us", "en") == "µs");
  CHECK(unitText("GB/s", "ru") == "ГБ/с");
  CHECK(unitText("%", "ru") == "%");
}
