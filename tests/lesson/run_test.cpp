#include "base/text_file.h"
#include "exec/functional.h"
#include "lesson/describe.h"
#include "lesson/run.h"
#include "catch.h"

#include <filesystem>

using namespace warpmill;
using namespace warpmill::lesson;

namespace {

const std::string root = WARPMILL_SOURCE_DIR;

std::vector<Lesson> theLessons() {
  auto lessons = readLessons(root + "/lessons");
  REQUIRE(lessons.ok());
  return std::move(*lessons);
}

const device::Profile& h200() {
  static const device::Profile profile = [] {
    setenv("WARPMILL_ASSETS", (root + "/assets").c_str(), 1);
    return *device::loadProfile("h200");
  }();
  return profile;
}

Lesson theLesson(std::size_t order) { return theLessons()[order - 1]; }

// The kernel of lesson 1 with a piece of its PTX changed, run for its results; and what the check says of it.
struct Spoiled {
  exec::FunctionalRun run;
  CheckResult check;
};
Spoiled runSpoiled(const std::string& from, const std::string& to) {
  const Lesson lesson = theLesson(1);
  const Variant& after = *lesson.variant("after");
  std::string text = *readTextFile(after.scale.ptxPath);
  const std::size_t at = text.find(from);
  REQUIRE(at != std::string::npos);
  text.replace(at, from.size(), to);
  auto module = ptx::parse(text, "spoiled.ptx");
  REQUIRE(module.ok());
  auto prepared = exec::prepare(after.scale, std::make_shared<const ptx::Module>(std::move(*module)), h200());
  REQUIRE(prepared.ok());
  Spoiled spoiled;
  machine::Memory memory = prepared->memory;
  spoiled.run = exec::runFunctional(*prepared->code, memory, {});
  auto check = checkResult(lesson.check, *prepared, memory);
  REQUIRE(check.ok());
  spoiled.check = std::move(*check);
  return spoiled;
}

}  // namespace

TEST_CASE("Every scale model runs without a fault and gives the reference's result") {
  for (const Lesson& lesson : theLessons())
    for (const Variant& v : lesson.variants) {
      INFO(v.scale.name);
      const auto run = runScale(lesson, v, h200());
      REQUIRE(run.ok());
      CHECK(run->report.verdict == "ok");
      CHECK(run->check.ok);
      CHECK(run->check.compared == v.scale.arguments[lesson.check.output].count);
      CHECK(run->check.worstRelativeError > 0);   // fp32 rounds: a reference that rounded the same way would prove little
    }
}

TEST_CASE("A scale model writes the bytes and makes the requests that the real H200 did") {
  for (const Lesson& lesson : theLessons()) {
    setenv("WARPMILL_ASSETS", (root + "/assets").c_str(), 1);
    const auto record = lessonRecord(lesson);
    REQUIRE(record.ok());
    for (const Variant& v : lesson.variants) {
      INFO(v.scale.name);
      const auto run = runScale(lesson, v, h200());
      const MeasuredResult* real = record->result(v.scale.name);
      REQUIRE(real);
      REQUIRE(run->report.buffers.size() == real->sha256.size());
      for (std::size_t b = 0; b < real->sha256.size(); ++b) CHECK(run->report.buffers[b].sha256 == real->sha256[b]);
      for (const char* op : {"ld", "st"})
        for (const char* what : {"requests", "sectors"}) {
          const std::string name = std::string("l1tex__t_") + what + "_pipe_lsu_mem_global_op_" + op + ".sum";
          INFO(name);
          CHECK(run->report.counters.at(name) == real->counters.at(name));
        }
    }
  }
}

TEST_CASE("Every moment that a lesson points at is found, and its warp, lane and access are those the text speaks of") {
  for (const Lesson& lesson : theLessons())
    for (const Step& step : lesson.steps) {
      if (!step.moment) continue;
      INFO(lesson.id << " " << step.id);
      auto run = runScale(lesson, lesson.variants[step.variants[0]], h200());
      const session::Session& session = *run->session;
      const auto found = findMoment(*step.moment, session.machine(), session.trace());
      REQUIRE(found);
      const timing::Request& request = session.trace().requests.at(found->request);
      CHECK(request.warp == found->warp);
      CHECK(request.isStore == (step.moment->access == AccessKind::Store));
      for (const char* language : {"en", "ru"}) {
        const auto lines = describeMoment(lesson.variants[step.variants[0]], *step.moment, *run->session, language);
        REQUIRE(lines.size() > 4);
        CHECK(lines[0].find(std::to_string(run->session->position().cycle)) != std::string::npos);
      }
    }
}

TEST_CASE("At an issue the state is that right after it: the warp's load is on the road") {
  const Lesson lesson = theLesson(1);
  const Step& step = *lesson.step("index");
  auto run = runScale(lesson, *lesson.variant("after"), h200());
  const auto found = findMoment(*step.moment, run->session->machine(), run->session->trace());
  REQUIRE(found);
  run->session->seek(found->at);
  REQUIRE(run->session->lastIssue());
  CHECK(run->session->lastIssue()->request == found->request);
  CHECK(run->session->lastIssue()->warp == found->warp);
  const auto lines = describeMoment(*lesson.variant("after"), *step.moment, *run->session, "en");
  bool named = false;
  for (const std::string& line : lines) named = named || line == "Lane 5 wants a[613].";
  CHECK(named);
}

TEST_CASE("The guard of lesson 1 leaves eight lanes and one sector in the last warp") {
  const Lesson lesson = theLesson(1);
  auto run = runScale(lesson, *lesson.variant("after"), h200());
  const auto found = findMoment(*lesson.step("guard")->moment, run->session->machine(), run->session->trace());
  REQUIRE(found);
  CHECK(found->warp == timing::WarpId{3, 7});
  const timing::Request& request = run->session->trace().requests[found->request];
  CHECK(request.lanes == 0xFFu);
  CHECK(request.sectorCount == 1);
}

TEST_CASE("A Triton program's threads access the elements that its layout says") {
  const Lesson lesson = theLesson(2);
  for (const Variant& v : lesson.variants) {
    INFO(v.id);
    REQUIRE(v.layout);
    const auto run = runScale(lesson, v, h200());
    const session::Session& session = *run->session;
    const std::uint64_t base = session.state().memory.allocations()[session.machine().launch().argumentAllocation[0]].base;
    const std::uint64_t bytes = v.scale.arguments[0].count * 4;
    std::vector<std::uint32_t> slot(v.layout->warps, 0);   // by warp of program 0: elements of `a` loaded so far
    for (const timing::Request& r : session.trace().requests) {
      if (r.warp.block != 0 || r.isStore || r.address[0] < base || r.address[0] >= base + bytes) continue;
      for (std::uint32_t lane = 0; lane < 32; ++lane)
        REQUIRE((r.address[lane] - base) / 4 == v.layout->elementAt({r.warp.warp, lane, slot[r.warp.warp]}));
      slot[r.warp.warp] += r.bytesPerLane / 4;
    }
    for (const std::uint32_t elements : slot) CHECK(elements == v.layout->elementsPerThread());
  }
}

TEST_CASE("A guard that is off by one is a fault at the kernel's line") {
  const Spoiled spoiled = runSpoiled("setp.ge.s32", "setp.gt.s32");
  REQUIRE_FALSE(spoiled.run.faults.empty());
  const machine::Fault& fault = spoiled.run.faults.front();
  CHECK(fault.kind == machine::FaultKind::OutOfBounds);
  CHECK(fault.location.line == 5);
  CHECK(fault.file == "vec_add.cu");
  CHECK(fault.block == std::array<std::uint32_t, 3>{3, 0, 0});
  CHECK(fault.thread == std::array<std::uint32_t, 3>{232, 0, 0});
}

TEST_CASE("A kernel that forgets the last element fails the check there") {
  const Spoiled spoiled = runSpoiled("[vec_add_param_3];", "[vec_add_param_3];\n\tadd.s32 %r1, %r1, -1;");
  CHECK(spoiled.run.faults.empty());
  CHECK_FALSE(spoiled.check.ok);
  CHECK(spoiled.check.wrong == 1);
  REQUIRE(spoiled.check.first);
  CHECK(spoiled.check.first->index == 999);
  CHECK(spoiled.check.first->got == 0);
  CHECK(checkText(spoiled.check, "en").find("c[999] = 0, it should be ") != std::string::npos);
  CHECK(checkText(spoiled.check, "ru").find("c[999] = 0, а должно быть") != std::string::npos);
}

TEST_CASE("A kernel that subtracts fails the check from the first element on") {
  const Spoiled spoiled = runSpoiled("add.f32", "sub.f32");
  CHECK(spoiled.check.wrong == 1000);
  CHECK(spoiled.check.first->index == 0);
}

TEST_CASE("The table lays simulated beside measured, with the difference in per cent or in points") {
  const Lesson lesson = theLesson(1);
  Figures figures;
  figures.set("full.after.time_us", 66);
  figures.set("real.after.time_us", 60);
  figures.set("full.after.occupancy_pct", 80);
  figures.set("real.after.occupancy_pct", 74);
  const auto rows = compareRows(lesson, *lesson.step("compare"), figures);
  const auto row = [&](std::string_view name, std::size_t variant) {
    for (const CompareRow& r : rows)
      if (r.figure->name == name && r.variant == variant) return r;
    return CompareRow{};
  };
  CHECK(*row("time_us", 1).difference == Approx(10));
  CHECK(*row("occupancy_pct", 1).difference == Approx(6));
  CHECK_FALSE(row("time_us", 0).difference);
}
