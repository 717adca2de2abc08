#include "machine/access_log.h"

#include "catch.h"
#include "machine/memory.h"

using namespace warpmill::machine;

TEST_CASE("A read of a line conflicts with a write of any byte of it, and with no other") {
  AccessLog writer, reader({true});
  writer.wrote(0, 130, 1);  // in line 2
  reader.read(0, 64, 64);
  reader.read(0, 192, 4);
  CHECK_FALSE(reader.readWhat(writer));
  reader.read(0, 191, 1);
  CHECK(reader.readWhat(writer));
}

TEST_CASE("Any read of an allocation that nobody had written conflicts with every later write to it") {
  AccessLog writer, reader({false, false});
  reader.read(1, 0, 4);
  writer.wrote(0, 0, 100);
  CHECK_FALSE(reader.readWhat(writer));
  writer.wrote(1, 70000, 1);
  CHECK(reader.readWhat(writer));
}

TEST_CASE("Lanes far apart are marked one by one, near ones as a stretch") {
  std::uint32_t apart[32], near[32];
  for (unsigned i = 0; i < 32; ++i) apart[i] = i * 2048, near[i] = 640 + 4 * i;
  AccessLog reader({true});
  reader.readLanes(0, 3, apart, 4);
  AccessLog between, hit;
  between.wrote(0, 3 * pageBytes + 64, 1900);
  CHECK_FALSE(reader.readWhat(between));
  hit.wrote(0, 3 * pageBytes + 2048, 1);
  CHECK(reader.readWhat(hit));
  AccessLog rows;
  rows.wroteLanes(0, 0, near, 4);
  REQUIRE(rows.pages().size() == 1);
  CHECK(rows.pages()[0]->bytes[10] == ~std::uint64_t{0});
  CHECK(rows.pages()[0]->bytes[11] == ~std::uint64_t{0});
  CHECK(rows.pages()[0]->bytes[9] == 0);
  CHECK(rows.pages()[0]->bytes[12] == 0);
  AccessLog spread;
  spread.wroteLanes(0, 0, apart, 4);
  CHECK(spread.pages()[0]->bytes[32] == 0xF);
  CHECK(spread.pages()[0]->bytes[1] == 0);
}

TEST_CASE("Taking the bytes that a copy wrote leaves all others as they are") {
  Memory m;
  const std::uint32_t a = m.allocate("a", 1000, 0);
  const std::uint64_t base = m.allocations()[a].base;
  Memory copy = m;
  AccessLog log;
  copy.setLog(&log);
  const std::vector<std::uint8_t> ones(70, 1);
  REQUIRE(copy.write(base + 100, ones.data(), 70));
  copy.setLog(nullptr);
  const std::uint8_t nine = 9;
  REQUIRE(m.write(base + 99, &nine, 1));
  REQUIRE(m.write(base + 120, &nine, 1));
  REQUIRE(log.pages().size() == 1);
  m.takeBytes(copy, *log.pages()[0], false);
  std::vector<std::uint8_t> got(1000);
  m.copyOut(a, 0, got);
  for (std::size_t i = 0; i < got.size(); ++i) REQUIRE(int{got[i]} == (i == 99 ? 9 : i >= 100 && i < 170 ? 1 : 0));
}

TEST_CASE("Who touches the line of a reduction that was put off needs his turn, who touches another one does not") {
  AccessLog log;
  log.putOff(0, 200, 4, {7, 1000, 3});
  log.read(0, 128, 64);
  log.wrote(0, 256, 4);
  CHECK_FALSE(log.turnNeeded());
  REQUIRE(log.reductions().size() == 1);
  CHECK(log.reductions()[0].value == 3);
  AccessLog reader = AccessLog({true});
  reader.read(0, 250, 1);
  CHECK(reader.readWhat(log));
  log.read(0, 192, 1);
  CHECK(log.turnNeeded());
  AccessLog writer;
  writer.putOff(0, 200, 4, {7, 1000, 3});
  writer.wrote(0, 255, 1);
  CHECK(writer.turnNeeded());
}
