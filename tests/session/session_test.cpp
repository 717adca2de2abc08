#include "session/session.h"
#include "support/machine_fixture.h"

using namespace warpmill;
using namespace warpmill::testing;
using session::Scope;
using session::Session;
using session::Stop;
using session::Unit;

namespace {

std::unique_ptr<Session> open(std::shared_ptr<const timing::Machine> machine, session::Options options = {}) {
  auto s = Session::open(std::move(machine), options);
  REQUIRE(s.ok());
  return std::move(*s);
}

const timing::WarpId first{0, 0};

}  // namespace

TEST_CASE("A thousand steps forward and a thousand back end in the state of the start, byte for byte") {
  auto s = open(vectorAddMachine(16384, 256));
  const timing::MachineState start = s->state();
  for (int i = 0; i < 1000; ++i) REQUIRE(s->step(Unit::Instruction, Scope::Everything, first) == Stop::Done);
  REQUIRE(s->stepIndex() == 1000);
  REQUIRE_FALSE(s->state() == start);
  for (int i = 0; i < 1000; ++i) REQUIRE(s->stepBack(Unit::Instruction, Scope::Everything, first) == Stop::Done);
  REQUIRE(s->stepIndex() == 0);
  REQUIRE(s->state() == start);
  REQUIRE(s->position() == timing::Position{});
}

TEST_CASE("A state is the same however it was reached: stepping, seeking, or coming back") {
  auto a = open(vectorAddMachine(8192, 128)), b = open(vectorAddMachine(8192, 128));
  for (int i = 0; i < 777; ++i) a->step(Unit::Instruction, Scope::Everything, first);
  b->runToEnd();
  b->seekStep(777);
  REQUIRE(a->state() == b->state());
  REQUIRE(a->position() == b->position());
  const timing::Position here = a->position();
  a->runToEnd();
  a->seek(here);
  REQUIRE(a->stepIndex() == 777);
  REQUIRE(a->state() == b->state());
}

TEST_CASE("Snapshots are thinned when they take too much memory, and every state can still be reached") {
  session::Options small;
  small.snapshotBytes = 1 << 20;
  auto s = open(vectorAddMachine(65536, 256), small);
  auto big = open(vectorAddMachine(65536, 256));
  REQUIRE(s->snapshotCount() < big->snapshotCount());
  for (std::uint64_t at : {5000ull, 123ull, 20000ull, 19999ull}) {
    s->seekStep(at);
    big->seekStep(at);
    REQUIRE(s->state() == big->state());
  }
}

TEST_CASE("A step of one warp moves that warp by one instruction and no other") {
  auto s = open(vectorAddMachine(2048, 256));
  const timing::WarpId warp{0, 3};
  s->seek({40, ~0u});
  const auto before = s->stepIndex();
  REQUIRE(s->step(Unit::Instruction, Scope::Warp, warp) == Stop::Done);
  REQUIRE(s->stepIndex() == before + 1);
  REQUIRE(s->lastIssue()->warp == warp);
  REQUIRE_FALSE(s->timingHolds());
  REQUIRE(s->stepBack(Unit::Instruction, Scope::Warp, warp) == Stop::Done);
  REQUIRE(s->stepIndex() == before);
}

TEST_CASE("Frozen warps go on when the scope is widened, and the sums are still right") {
  auto s = open(vectorAddMachine(1024, 256));
  for (int i = 0; i < 200; ++i) s->step(Unit::Instruction, Scope::Warp, {0, 2});
  s->runToEnd();
  const auto& m = s->machine();
  REQUIRE(m.finished(s->state()));
  std::vector<float> v[3] = {std::vector<float>(1024), std::vector<float>(1024), std::vector<float>(1024)};
  for (int a = 0; a < 3; ++a)
    s->state().memory.copyOut(m.launch().argumentAllocation[static_cast<std::size_t>(a)], 0, {reinterpret_cast<std::uint8_t*>(v[a].data()), 4096});
  for (int i = 0; i < 1024; ++i) REQUIRE(v[2][static_cast<std::size_t>(i)] == v[0][static_cast<std::size_t>(i)] + v[1][static_cast<std::size_t>(i)]);
}

TEST_CASE("A warp alone is let past a barrier by the others") {
  auto s = open(machineOf(kernel("mov.u32 %r1, %tid.x;\nbar.sync 0;\nadd.s32 %r2, %r1, 1;\nadd.s32 %r3, %r2, 1;\n", 0), 1, 128, {intOf(0)}));
  int mine = 0;
  for (int i = 0; i < 5; ++i) {
    REQUIRE(s->step(Unit::Instruction, Scope::Warp, {0, 1}) == Stop::Done);
    REQUIRE(s->lastIssue()->warp == timing::WarpId{0, 1});
    ++mine;
  }
  REQUIRE(mine == 5);
}

TEST_CASE("A cycle forward and back is exact, also where nothing issues") {
  auto s = open(vectorAddMachine(512, 256));
  for (int i = 0; i < 300; ++i) s->step(Unit::Cycle, Scope::Everything, first);
  REQUIRE(s->position().cycle == 300);
  const timing::MachineState there = s->state();
  s->step(Unit::Cycle, Scope::Everything, first);
  REQUIRE(s->position().cycle == 301);
  s->stepBack(Unit::Cycle, Scope::Everything, first);
  REQUIRE(s->position().cycle == 300);
  REQUIRE(s->state() == there);
}

TEST_CASE("Steps stop at the start and at the end") {
  auto s = open(vectorAddMachine(256, 256));
  REQUIRE(s->stepBack(Unit::Instruction, Scope::Everything, first) == Stop::AtStart);
  s->runToEnd();
  const auto count = s->stepIndex();
  REQUIRE(s->step(Unit::Instruction, Scope::Everything, first) == Stop::AtEnd);
  REQUIRE(s->step(Unit::Instruction, Scope::Warp, first) == Stop::AtEnd);
  REQUIRE(s->step(Unit::Cycle, Scope::Everything, first) == Stop::AtEnd);
  REQUIRE(s->stepIndex() == count);
  REQUIRE(count == s->stepCount());
}

TEST_CASE("The next memory request, forwards and back") {
  auto s = open(vectorAddMachine(512, 256));
  REQUIRE(s->step(Unit::MemoryRequest, Scope::Everything, first) == Stop::Done);
  REQUIRE(s->lastIssue()->request == 0);
  const auto here = s->stepIndex();
  s->step(Unit::MemoryRequest, Scope::Everything, first);
  REQUIRE(s->lastIssue()->request == 1);
  s->stepBack(Unit::MemoryRequest, Scope::Everything, first);
  s->stepBack(Unit::MemoryRequest, Scope::Everything, first);
  REQUIRE(s->stepIndex() == here - 1);
}

TEST_CASE("Who last wrote a cell: the store of the warp that owns it, and nobody before it") {
  auto s = open(vectorAddMachine(512, 256));
  const auto& z = s->state().memory.allocations()[s->machine().launch().argumentAllocation[2]];
  const std::uint64_t cell = z.base + 4 * 300;  // block 1, thread 44: warp 1
  REQUIRE(s->lastWriter(cell, 4) == nullptr);
  s->runToEnd();
  const timing::IssueEvent* e = s->lastWriter(cell, 4);
  REQUIRE(e != nullptr);
  REQUIRE(e->warp == timing::WarpId{1, 1});
}

TEST_CASE("Going another way from the middle forgets the old future and makes a new one") {
  auto s = open(vectorAddMachine(2048, 256));
  const auto whole = s->stepCount();
  s->seekStep(100);
  s->step(Unit::Instruction, Scope::Warp, {0, 5});
  REQUIRE(s->stepCount() == 101);
  s->runToEnd();
  REQUIRE(s->stepCount() == whole);  // the same work, in another order
  s->seekStep(50);
  s->seekStep(101);
  REQUIRE(s->lastIssue()->warp == timing::WarpId{0, 5});
}

namespace {

std::shared_ptr<const timing::Machine> machineOfData(const std::string& file, const std::string& kernel, std::uint32_t block) {
  auto module = ptx::parseFile(std::string(WARPMILL_SOURCE_DIR) + "/tests/data/calls/" + file);
  REQUIRE(module.ok());
  launch::Launch l;
  l.kernel = kernel;
  l.block = {block, 1, 1};
  const auto shared = std::make_shared<const ptx::Module>(std::move(*module));
  for (const ptx::Variable& p : shared->entry(kernel)->params) l.arguments.push_back(p.sizeBytes == 8 ? bufferOf(128) : intOf(3));
  auto prepared = exec::prepare(l, shared, testProfile());
  INFO(formatDiagnostics(prepared.diagnostics()));
  REQUIRE(prepared.ok());
  auto machine = timing::Machine::create(std::move(*prepared), testProfile());
  REQUIRE(machine.ok());
  return *machine;
}

}  // namespace

TEST_CASE("Time goes back through recursion, printf and malloc: stacks, text and heap are part of the state") {
  for (const auto& [file, kernel] : std::vector<std::pair<std::string, std::string>>{
           {"calls_nvcc.ptx", "recursion"}, {"calls_nvcc.ptx", "early"}, {"calls_nvcc.ptx", "frames"}, {"runtime_nvcc.ptx", "prints"}, {"runtime_nvcc.ptx", "lists"}}) {
    INFO(kernel);
    const auto machine = machineOfData(file, kernel, 64);
    auto a = open(machine), b = open(machine);
    a->runToEnd();
    const timing::MachineState end = a->state();
    const std::uint64_t count = a->stepCount();
    REQUIRE(count > 50);
    for (const std::uint64_t at : {count / 7, count / 2, count - 3, count / 3}) {
      a->seekStep(at);
      b->seekStep(0);
      for (std::uint64_t k = 0; k < at; ++k) b->step(Unit::Instruction, Scope::Everything, first);
      REQUIRE(a->state() == b->state());
    }
    a->runToEnd();
    REQUIRE(a->state() == end);
    a->runToStart();
    CHECK(a->state().memory.output.empty());
  }
}
