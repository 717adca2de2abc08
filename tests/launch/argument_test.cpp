#include "catch.h"
#include "launch/launch.h"

using namespace warpmill;
using namespace warpmill::launch;

namespace {

std::string errorOf(const std::string& text) {
  const auto argument = parseArgument(text);
  if (argument.ok()) return {};
  const Diagnostic& d = argument.diagnostics()[0];
  return d.message + (d.hint.empty() ? "" : " (" + d.hint + ")");
}

}  // namespace

TEST_CASE("Arguments of the command line are scalars or buffers") {
  const Argument buffer = *parseArgument("buffer:f32:1024:random:1");
  REQUIRE(buffer.isBuffer);
  REQUIRE(buffer.type == DType::F32);
  REQUIRE(buffer.count == 1024);
  REQUIRE(buffer.init.kind == Init::Kind::Random);
  REQUIRE(buffer.init.a == 1);
  REQUIRE(buffer.sizeBytes() == 4096);
  REQUIRE(parseArgument("buffer:i32:4").value().init.kind == Init::Kind::Zeros);
  REQUIRE(parseArgument("buffer:u8:4:file:/a:b").value().init.path == "/a:b");
  REQUIRE(parseArgument("buffer:i32:4:[1,2]").value().init.integers == std::vector<std::int64_t>{1, 2});
  REQUIRE(parseArgument("i32:-1").value().bits == 0xFFFFFFFFu);
  REQUIRE(parseArgument("u64:18446744073709551615").value().bits == ~0ull);
  REQUIRE(parseArgument("f32:2.5").value().bits == 0x40200000u);
  REQUIRE(parseArgument("f16:0.1").value().bits == 0x2E66u);
  REQUIRE(parseArgument("bf16:-inf").value().bits == 0xFF80u);
  REQUIRE(parseArgument("f64:1e300").value().sizeBytes() == 8);
}

TEST_CASE("A wrong argument of the command line is an error with the right form") {
  REQUIRE(errorOf("i23:4") == "--arg i23:4: unknown type 'i23' (did you mean 'i32'?)");
  REQUIRE(errorOf("").find("unknown type ''") != std::string::npos);
  REQUIRE(errorOf("i32") == "--arg i32: the value is missing (the form is i32:VALUE)");
  REQUIRE(errorOf("i32:x") == "--arg i32:x: 'x' is no number (the form is i32:VALUE)");
  REQUIRE(errorOf("i32:3000000000").find("does not fit i32") != std::string::npos);
  REQUIRE(errorOf("u32:-1").find("does not fit u32") != std::string::npos);
  REQUIRE(errorOf("f32:1e39").find("too large for f32") != std::string::npos);
  REQUIRE(errorOf("buffer:f23:4").find("did you mean 'f32'?") != std::string::npos);
  REQUIRE(errorOf("buffer:f32").find("the count '' is no whole number") != std::string::npos);
  REQUIRE(errorOf("buffer:f32:0").find("at least one element") != std::string::npos);
  REQUIRE(errorOf("buffer:f32:99999999999999").find("too large") != std::string::npos);
  REQUIRE(errorOf("buffer:f32:4:rando:1").find("did you mean 'random'?") != std::string::npos);
}
