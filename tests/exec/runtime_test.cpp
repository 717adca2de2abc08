// The device's runtime: faults of malloc and free, failed assertions, printf that goes wrong, copies of a state.
#include "exec/launcher.h"

#include "base/text_file.h"
#include "exec/print_format.h"

using namespace warpmill;
using namespace warpmill::exec;
using warpmill::exec::test::Launcher;

namespace {

std::string runtimeText(const std::string& compiler) {
  auto text = readTextFile(std::string(WARPMILL_SOURCE_DIR) + "/tests/data/calls/runtime_" + compiler + ".ptx");
  REQUIRE(text.ok());
  return *text;
}

std::string formatted(std::string_view format, std::vector<std::uint64_t> values, std::uint32_t* countOut = nullptr) {
  std::size_t next = 0;
  PrintArguments arguments{[&](unsigned) { return next < values.size() ? values[next++] : 0; }, [](std::uint64_t) { return std::string("text"); }};
  std::uint32_t count = 0;
  std::string out = formatPrint(format, arguments, count);
  if (countOut != nullptr) *countOut = count;
  return out;
}

}  // namespace

TEST_CASE("blocks from malloc have exact bounds, and misuse of them is named") {
  const std::vector<std::pair<std::int32_t, std::string>> cases = {
      {1, "store of 4 bytes at offset 40 of a block of 40 bytes from malloc"},
      {2, "load of 4 bytes at offset 0 of a block of 40 bytes from malloc, which has been freed"},
      {3, "free of a block of 40 bytes that has been freed already"},
      {4, "free of a pointer into the middle of a block of 40 bytes"},
      {5, "free of the pointer 0x7f"}};
  for (const auto& [k, message] : cases) {
    Launcher l(runtimeText("nvcc"), "bad");
    l.buffer(std::vector<std::int32_t>(4));
    l.scalar(k);
    const FunctionalRun run = l.run({1, 1, 1}, {1, 1, 1});
    INFO(k << " " << test::describe(run));
    REQUIRE(run.faults.size() == 1);
    CHECK(run.faults[0].kind == machine::FaultKind::OutOfBounds);
    CHECK(run.faults[0].message.find(message) == 0);
  }
}

TEST_CASE("a failed assertion ends its threads and says what failed where") {
  for (const std::string compiler : {"nvcc", "clang19"}) {
    Launcher l(runtimeText(compiler), "asserts");
    std::vector<std::int32_t> in(32);
    for (int i = 0; i < 32; ++i) in[static_cast<std::size_t>(i)] = i;
    l.buffer(in);
    l.scalar(std::int32_t{30});
    const FunctionalRun run = l.run({1, 1, 1}, {32, 1, 1});
    INFO(compiler << " " << test::describe(run));
    REQUIRE(run.faults.size() == 1);
    const machine::Fault& f = run.faults[0];
    CHECK(f.kind == machine::FaultKind::Assert);
    CHECK(f.lane == 30);
    CHECK(f.count == 2);
    CHECK(f.file == "runtime.cu");
    CHECK(f.message.find("the assertion 'in[t] < n && \"values are below n\"' failed in ") == 0);
    CHECK(f.message.find("runtime.cu:") != std::string::npos);
    CHECK(f.message.find("thread (30,0,0)") != std::string::npos);
  }
}

TEST_CASE("widths, precisions and odd formats of printf are taken as the guide says") {
  std::uint32_t count = 0;
  CHECK(formatted("%*d|%-*d|", {5, 42, 6, 7}, &count) == "   42|7     |");
  CHECK(count == 4);
  CHECK(formatted("%*d", {static_cast<std::uint64_t>(-4), 1}) == "1   ");
  CHECK(formatted("%.*f %zu %q %", {3, 1}, &count) == "%.*f %zu %q %");
  CHECK(count == 0);
  CHECK(formatted("%s %-6s| %.2s", {1, 1, 1}) == "text text  | te");
  CHECK(formatted("%s", {0}) == "(null)");
  CHECK(formatted("%99999999999d", {1}).size() == 4096);
}

TEST_CASE("the heap uses freed places again when the rest is used up, and copies of it are independent") {
  machine::Heap heap(256);
  const auto a = heap.allocate(100), b = heap.allocate(60);
  CHECK(a == 0);
  CHECK(b == 128);
  CHECK(heap.allocate(100) == machine::Heap::none);
  machine::Heap copy = heap;
  CHECK(copy == heap);
  CHECK(heap.free(a) == machine::Heap::Freed::Done);
  CHECK_FALSE(copy == heap);
  CHECK(heap.free(a) == machine::Heap::Freed::Twice);
  CHECK(heap.free(b + 4) == machine::Heap::Freed::InsideBlock);
  CHECK(heap.allocate(90) == 0);
  CHECK(heap.blocks().size() == 2);
  CHECK(copy.blockAt(50)->bytes == 100);
  CHECK(copy.allocate(1000) == machine::Heap::none);
}

TEST_CASE("printed text is kept in order and compared with the rest of the memory") {
  machine::Memory a, b;
  for (int i = 0; i < 2000; ++i) a.output.append("line " + std::to_string(i) + "\n");
  b = a;
  CHECK(a == b);
  b.output.append("more");
  CHECK_FALSE(a == b);
  CHECK(a.output.text().find("line 0\nline 1\n") == 0);
  CHECK(b.output.text().ends_with("line 1999\nmore"));
}

TEST_CASE("Blocks that run on several threads print and allocate as they do one after the other") {
  for (const std::string kernel : {"prints", "lists"}) {
    std::string text;
    machine::Memory memory;
    for (const unsigned jobs : {1u, 4u}) {
      Launcher l(runtimeText("nvcc"), kernel);
      l.buffer(std::vector<std::uint64_t>(64));
      l.buffer(std::vector<std::int32_t>(64));
      if (kernel == "lists") l.scalar(std::int32_t{0});
      FunctionalLimits limits{1'000'000, 64, false};
      limits.jobs = jobs;
      const FunctionalRun run = l.run({24, 1, 1}, {40, 1, 1}, 0, limits);
      INFO(test::describe(run));
      CHECK(run.faults.empty());
      if (jobs == 1) text = l.memory().output.text(), memory = l.memory();
      else CHECK(l.memory() == memory);
      CHECK(l.memory().output.text() == text);
    }
    CHECK(text.empty() == (kernel == "lists"));
  }
}
