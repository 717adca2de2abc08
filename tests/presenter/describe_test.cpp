#include "catch.h"

#include "presenter/describe.h"

using namespace warpmill;
using namespace warpmill::presenter;

namespace {

Frame moment() {
  Frame f;
  f.cycle = 812;
  f.sms.resize(1);
  SmView& sm = f.sms[0];
  sm.usedPlaces = 8;
  sm.counts[static_cast<std::size_t>(StallGroup::Global)] = 6;
  sm.counts[static_cast<std::size_t>(StallGroup::Working)] = 2;
  sm.dominant = StallGroup::Global;
  f.crew.any = true;
  f.crew.warp = {7, 2};
  f.crew.line = 12;
  f.crew.lanes = f.crew.executed = ~0u;
  f.crew.status.group = StallGroup::Working;
  return f;
}

}  // namespace

TEST_CASE("the moment is told in two sentences") {
  CHECK(describe(moment(), Language::English) == "Cycle 812. SM 0: 6 of 8 warps wait for the warehouse. Warp 2 of block 7 issues line 12, all 32 lanes active.");
  CHECK(describe(moment(), Language::Russian) == "Такт 812. SM 0: дальний склад ждут 6 из 8 варпов. Варп 2 блока 7 выдаёт: строка 12, активны все 32 дорожки.");
}

TEST_CASE("a crew with few active lanes, without a source line, is told by its instruction") {
  Frame f = moment();
  f.crew.line = 0;
  f.crew.instruction = "add.f32 %f3, %f2, %f1";
  f.crew.executed = 0x0000FFFFu;
  CHECK(describe(f, Language::English).find("issues add.f32 %f3, %f2, %f1, 16 of 32 lanes active.") != std::string::npos);
}

TEST_CASE("a waiting crew says what it waits for") {
  Frame f = moment();
  f.crew.status.group = StallGroup::Barrier;
  CHECK(describe(f, Language::English).find("Warp 2 of block 7 is at line 12 and waits: waiting at the gate.") != std::string::npos);
}

TEST_CASE("held warps and problems are told") {
  Frame f = moment();
  f.timingHolds = false;
  f.faults.push_back("thread 31 stores outside of buffer z");
  const std::string text = describe(f, Language::English);
  CHECK(text.find("cycles do not count as time") != std::string::npos);
  CHECK(text.find("Problem: thread 31 stores outside of buffer z") != std::string::npos);
}

TEST_CASE("a lane's place in memory is told as an element, a range or an address") {
  RequestView r;
  r.any = true;
  r.buffer = "b";
  r.bufferBase = 0x1000;
  r.elementBytes = 4;
  r.bytesPerLane = 4;
  r.lanes = 3;
  r.address[0] = 0x1000;
  r.address[1] = 0x1010;
  CHECK(elementText(r, 1) == "b[4]");
  CHECK(elementText(r, 2).empty());
  r.bytesPerLane = 16;
  CHECK(elementText(r, 1) == "b[4..7]");
  r.address[1] = 0x1012;
  CHECK(elementText(r, 1) == "0x1012");
}

TEST_CASE("registers read as a person expects") {
  RegisterView r;
  r.type = ptx::Type::F32;
  r.bits[3] = 0x3E800000;
  CHECK(valueText(r, 3) == "0.25");
  r.type = ptx::Type::S32;
  r.bits[0] = 0xFFFFFFFD;
  CHECK(valueText(r, 0) == "-3");
  r.type = ptx::Type::U64;
  r.bits[1] = 0x7f0000000400ull;
  CHECK(valueText(r, 1) == "0x7f0000000400");
  r.isPredicate = true;
  r.bits[2] = 1;
  CHECK(valueText(r, 2) == "true");
}
