#include "machine/memory.h"

#include "catch.h"
#include "machine/fault.h"

#include <cstring>
#include <numeric>
#include <set>

using namespace warpmill;
using namespace warpmill::machine;

namespace {

std::vector<std::uint8_t> counting(std::size_t n) {
  std::vector<std::uint8_t> bytes(n);
  std::iota(bytes.begin(), bytes.end(), std::uint8_t{1});
  return bytes;
}

}  // namespace

TEST_CASE("Allocations start at multiples of 512 bytes, at least 64 KiB after the end of the one before") {
  Memory m;
  for (std::uint64_t size : {4096ull, 1ull, 0ull, 100000ull, 512ull}) m.allocate("x", size, 0);
  const auto& all = m.allocations();
  REQUIRE(all[0].base == globalBase);
  for (std::size_t i = 0; i < all.size(); ++i) {
    REQUIRE(all[i].base % 512 == 0);
    if (i > 0) REQUIRE(all[i].base - (all[i - 1].base + all[i - 1].sizeBytes) >= 64 * 1024);
  }
}

TEST_CASE("The bounds of a buffer are exact to the byte") {
  Memory m;
  const std::uint32_t a = m.allocate("a", 4000, 0);
  m.allocate("b", 16, 1);
  const std::uint64_t base = m.allocations()[a].base;
  REQUIRE(m.find(base, 4000) == &m.allocations()[a]);
  REQUIRE(m.find(base + 3996, 4) == &m.allocations()[a]);
  REQUIRE(m.find(base + 3997, 4) == nullptr);
  REQUIRE(m.find(base + 4000, 1) == nullptr);
  REQUIRE(m.find(base - 1, 1) == nullptr);
  REQUIRE(m.find(base, 4001) == nullptr);
  REQUIRE(m.find(base + 8, ~0ull) == nullptr);  // a size that would wrap round
  REQUIRE(m.find(~0ull, 4) == nullptr);
  REQUIRE(m.find(0, 4) == nullptr);
}

TEST_CASE("A read sees what was written, across the border of two pages too") {
  Memory m;
  const std::uint32_t a = m.allocate("a", 3 * 65536, 0);
  const std::uint64_t base = m.allocations()[a].base;
  const std::vector<std::uint8_t> sixteen = counting(16);
  REQUIRE(m.write(base + 65528, sixteen.data(), 16));
  std::vector<std::uint8_t> back(16);
  REQUIRE(m.read(base + 65528, back.data(), 16));
  REQUIRE(back == sixteen);
  REQUIRE(m.contiguous(base + 65528, 16) == nullptr);
  REQUIRE(m.contiguous(base + 65528, 8) != nullptr);
  REQUIRE(std::memcmp(m.contiguous(base + 65536, 8), sixteen.data() + 8, 8) == 0);

  const std::vector<std::uint8_t> big = counting(150000);
  m.copyIn(a, 1000, big);
  std::vector<std::uint8_t> copied(150000);
  m.copyOut(a, 1000, copied);
  REQUIRE(copied == big);
}

TEST_CASE("Nothing is written outside a buffer or into a read-only one") {
  Memory m;
  const std::uint32_t constant = m.allocate("table", 64, 0xFFFFFFFFu, true);
  m.copyIn(constant, 0, counting(64));
  const std::uint64_t base = m.allocations()[constant].base;
  const std::uint32_t value = 7;
  REQUIRE_FALSE(m.write(base, &value, 4));
  REQUIRE(m.contiguousForWrite(base, 4) == nullptr);
  REQUIRE_FALSE(m.write(base + 64, &value, 4));
  std::uint32_t first = 0;
  REQUIRE(m.read(base, &first, 4));
  REQUIRE(first == 0x04030201u);
}

TEST_CASE("A copy of the memory is a snapshot: later writes do not show in it") {
  Memory m;
  const std::uint32_t a = m.allocate("a", 200000, 0);
  const std::uint64_t base = m.allocations()[a].base;
  const Memory before = m;
  REQUIRE(before == m);
  *m.contiguousForWrite(base + 70000, 1) = 9;
  std::uint8_t old = 1, now = 0;
  REQUIRE(before.read(base + 70000, &old, 1));
  REQUIRE(m.read(base + 70000, &now, 1));
  REQUIRE(old == 0);
  REQUIRE(now == 9);
  REQUIRE_FALSE(before == m);
  *m.contiguousForWrite(base + 70000, 1) = 0;
  REQUIRE(before == m);  // equal again by value
}

TEST_CASE("The nearest buffer of a stray address is the one it ran out of") {
  Memory m;
  REQUIRE(m.nearest(globalBase) == nullptr);
  const std::uint32_t a = m.allocate("a", 4096, 0), b = m.allocate("b", 4096, 1);
  REQUIRE(m.nearest(m.allocations()[a].base + 4096) == &m.allocations()[a]);
  REQUIRE(m.nearest(m.allocations()[b].base + 5000000) == &m.allocations()[b]);
  REQUIRE(m.nearest(m.allocations()[a].base - 4) == &m.allocations()[a]);
  REQUIRE(m.nearest(16) == nullptr);
}

TEST_CASE("Every fault has a name of its own, as reports spell it") {
  REQUIRE(faultName(FaultKind::OutOfBounds) == "out_of_bounds");
  REQUIRE(faultName(FaultKind::ParseError) == "parse_error");
  std::set<std::string_view> names;
  for (int k = 0; k <= static_cast<int>(FaultKind::ParseError); ++k) names.insert(faultName(static_cast<FaultKind>(k)));
  REQUIRE(names.size() == static_cast<std::size_t>(FaultKind::ParseError) + 1);
}

TEST_CASE("A region shows what its memory holds, and a page it may write is the memory's own") {
  Memory m;
  const std::uint32_t a = m.allocate("a", 2 * pageBytes + 100, 0);
  const std::uint64_t base = m.allocations()[a].base;
  PageTable::Region* r = m.region(base + pageBytes);
  REQUIRE(r != nullptr);
  REQUIRE(r->base == base);
  REQUIRE(r->sizeBytes == 2 * pageBytes + 100);
  REQUIRE(m.region(base + 2 * pageBytes + 100) == nullptr);
  REQUIRE(r->write[1] == nullptr);
  m.writablePage(*r, 1)[5] = 77;
  REQUIRE(r->read[1][5] == 77);
  REQUIRE(r->read[0][5] == 0);
  const std::uint8_t nine = 9;
  REQUIRE(m.write(base + 7, &nine, 1));  // the other way to a page of its own
  REQUIRE(r->read[0][7] == 9);
  REQUIRE(r->write[0] == r->read[0]);
}

TEST_CASE("Copying a memory makes its pages shared again: what either writes later the other does not see") {
  Memory m;
  const std::uint32_t a = m.allocate("a", 100, 0);
  const std::uint64_t base = m.allocations()[a].base;
  m.writablePage(*m.region(base), 0)[3] = 1;
  const std::uint64_t before = m.tableGeneration();
  Memory copy = m;
  REQUIRE(m.tableGeneration() != before);
  m.writablePage(*m.region(base), 0)[3] = 2;
  copy.writablePage(*copy.region(base), 0)[4] = 5;
  std::vector<std::uint8_t> of(100), ofCopy(100);
  m.copyOut(a, 0, of);
  copy.copyOut(a, 0, ofCopy);
  REQUIRE(int{of[3]} == 2);
  REQUIRE(int{of[4]} == 0);
  REQUIRE(int{ofCopy[3]} == 1);
  REQUIRE(int{ofCopy[4]} == 5);
}
