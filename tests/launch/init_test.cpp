#include "base/text_file.h"
#include "catch.h"
#include "launch/launch.h"

#include <stdlib.h>
#include <unistd.h>

#include <cstdio>
#include <cstring>
#include <filesystem>

using namespace warpmill;
using namespace warpmill::launch;

namespace {

template <class T>
std::vector<T> elements(DType type, std::uint64_t count, const std::string& init) {
  Argument a;
  a.isBuffer = true;
  a.type = type;
  a.count = count;
  const auto error = parseInit(init, "", a);
  INFO(init << ": " << (error ? error->message : ""));
  REQUIRE_FALSE(error);
  const auto bytes = initialBytes(a);
  REQUIRE(bytes.ok());
  REQUIRE(bytes->size() == count * sizeof(T));
  std::vector<T> values(count);
  std::memcpy(values.data(), bytes->data(), bytes->size());
  return values;
}

std::string errorOf(const std::string& init) {
  Argument a;
  a.isBuffer = true;
  a.type = DType::I32;
  a.count = 4;
  const auto error = parseInit(init, "", a);
  return error ? error->message + (error->hint.empty() ? "" : " (" + error->hint + ")") : "";
}

}  // namespace

TEST_CASE("mix is the murmur3 finaliser of i + S * 0x9E3779B9") {
  // By hand from the definition, in Python: see the launch-file format.
  REQUIRE(mix(0, 0) == 0u);
  REQUIRE(mix(1, 0) == 0x514e28b7u);
  REQUIRE(mix(0, 1) == 0x92ca2f0eu);
  REQUIRE(mix(0xFFFFFFFFu, 7) == 0x49eab86cu);
}

TEST_CASE("Each init fills the buffer as the format says") {
  REQUIRE(elements<float>(DType::F32, 3, "zeros") == std::vector<float>{0, 0, 0});
  REQUIRE(elements<double>(DType::F64, 2, "ones") == std::vector<double>{1, 1});
  REQUIRE(elements<std::uint16_t>(DType::BF16, 2, "ones") == std::vector<std::uint16_t>{0x3F80, 0x3F80});
  REQUIRE(elements<std::int32_t>(DType::I32, 4, "iota") == std::vector<std::int32_t>{0, 1, 2, 3});
  REQUIRE(elements<std::uint16_t>(DType::F16, 3, "iota") == std::vector<std::uint16_t>{0, 0x3C00, 0x4000});
  REQUIRE(elements<std::uint32_t>(DType::U32, 5, "chase:2") == std::vector<std::uint32_t>{2, 3, 4, 0, 1});
  REQUIRE(elements<std::uint32_t>(DType::U32, 3, "chase:7") == std::vector<std::uint32_t>{1, 2, 0});
  REQUIRE(elements<std::int64_t>(DType::I64, 3, "step:5000000000") == std::vector<std::int64_t>{0, 5000000000, 10000000000});
  REQUIRE(elements<std::uint8_t>(DType::U8, 3, "step:200") == std::vector<std::uint8_t>{0, 200, 144});
  REQUIRE(elements<std::int32_t>(DType::I32, 4, "[3, -1]") == std::vector<std::int32_t>{3, -1, 0, 0});
  REQUIRE(elements<std::uint64_t>(DType::U64, 2, "[18446744073709551615]") == std::vector<std::uint64_t>{~0ull, 0});
  REQUIRE(elements<float>(DType::F32, 2, "uninitialized") == std::vector<float>{0, 0});
  const auto random = elements<float>(DType::F32, 100, "random:3");
  for (std::uint32_t i = 0; i < 100; ++i) {
    REQUIRE(random[i] == static_cast<float>(mix(i, 3) >> 8) * 0x1p-24f);
    REQUIRE(random[i] < 1);
  }
  const auto drawn = elements<std::int32_t>(DType::I32, 100, "randint:3:10");
  for (std::uint32_t i = 0; i < 100; ++i) REQUIRE(drawn[i] == static_cast<std::int32_t>(mix(i, 3) % 10));
  const auto halves = elements<std::uint16_t>(DType::F16, 50, "random:9");
  for (std::uint32_t i = 0; i < 50; ++i) REQUIRE(halves[i] == bitsOf(DType::F16, static_cast<double>(mix(i, 9) >> 8) * 0x1p-24));
}

TEST_CASE("A part of a buffer has the bytes that it has in the whole") {
  Argument a;
  a.isBuffer = true;
  a.type = DType::F64;
  a.count = 1000;
  for (const char* init : {"random:5", "randint:5:77", "chase:33", "step:3", "iota", "[1, 2, 3]"}) {
    REQUIRE_FALSE(parseInit(init, "", a));
    const auto whole = initialBytes(a);
    std::vector<std::uint8_t> part(400);
    fillElements(a, 123, part);
    REQUIRE(std::memcmp(part.data(), whole->data() + 123 * 8, part.size()) == 0);
  }
}

TEST_CASE("The quick ways of filling give what the format says, whatever the type and the place to start") {
  for (const DType type : {DType::F32, DType::I32, DType::U32, DType::U64, DType::F16, DType::I8}) {
    for (const char* init : {"random:5", "randint:5:77", "chase:33", "step:70000", "iota", "ones"}) {
      Argument a;
      a.isBuffer = true;
      a.type = type;
      a.count = 500;
      REQUIRE_FALSE(parseInit(init, "", a));
      const std::uint32_t bytes = dtypeBytes(type);
      std::vector<std::uint8_t> filled(100 * bytes);
      fillElements(a, 300, filled);
      for (std::uint64_t k = 0; k < 100; ++k) {
        const std::uint64_t i = 300 + k;
        const std::uint32_t m = mix(static_cast<std::uint32_t>(i), 5);
        const std::string kind(init);
        const std::uint64_t wanted = kind == "random:5"       ? bitsOf(type, static_cast<double>(m >> 8) * 0x1p-24)
                                     : kind == "randint:5:77" ? bitsOfUnsigned(type, m % 77)
                                     : kind == "chase:33"     ? bitsOfUnsigned(type, (i + 33) % 500)
                                     : kind == "step:70000"   ? bitsOfUnsigned(type, i * 70000)
                                     : kind == "iota"         ? bitsOfUnsigned(type, i)
                                                              : bitsOfUnsigned(type, 1);
        std::uint64_t got = 0;
        std::memcpy(&got, filled.data() + k * bytes, bytes);
        if (got != wanted) {
          INFO(dtypeName(type) << " " << init << " element " << i);
          REQUIRE(got == wanted);
        }
      }
    }
  }
}

TEST_CASE("A file gives the buffer's bytes; one that is too short or missing is an error") {
  std::string path = (std::filesystem::temp_directory_path() / "warpmill-init-XXXXXX").string();
  const int descriptor = ::mkstemp(path.data());
  REQUIRE(descriptor >= 0);
  ::close(descriptor);
  REQUIRE_FALSE(writeFile(path, std::string_view("\x01\0\0\0\x02\0\0\0\x03", 9)));
  Argument a;
  a.isBuffer = true;
  a.type = DType::U32;
  a.count = 2;
  REQUIRE_FALSE(parseInit("file:" + path, "", a));
  REQUIRE(initialBytes(a).value() == std::vector<std::uint8_t>{1, 0, 0, 0, 2, 0, 0, 0});
  a.count = 3;
  const auto tooShort = initialBytes(a);
  REQUIRE_FALSE(tooShort.ok());
  REQUIRE(tooShort.diagnostics()[0].message == "this file is too short for the buffer: it has 9 bytes, 3 elements of u32 want 12");
  std::remove(path.c_str());
  REQUIRE_FALSE(initialBytes(a).ok());
}

TEST_CASE("Relative paths of files start at the launch file's folder") {
  Argument a;
  REQUIRE_FALSE(parseInit("file:data/x.bin", "some/folder", a));
  REQUIRE(a.init.path == "some/folder/data/x.bin");
}

TEST_CASE("A wrong init is an error that says the right form") {
  REQUIRE(errorOf("zeroes") == "unknown init 'zeroes' (did you mean 'zeros'?)");
  REQUIRE(errorOf("rand:1") == "unknown init 'rand' (did you mean 'random'?)");
  REQUIRE(errorOf("42").find("unknown init '42' (one of: zeros, ones,") == 0);
  REQUIRE(errorOf("random") == "'random' takes 1 number, 0 given (the form is random:SEED)");
  REQUIRE(errorOf("random:1:2") == "'random' takes 1 number, 2 given (the form is random:SEED)");
  REQUIRE(errorOf("random:x") == "'x' is no whole number (the form is random:SEED)");
  REQUIRE(errorOf("random:-1") == "'-1' is no whole number (the form is random:SEED)");
  REQUIRE(errorOf("random:") == "'' is no whole number (the form is random:SEED)");
  REQUIRE(errorOf("zeros:1") == "'zeros' takes no number, 1 given (the form is zeros)");
  REQUIRE(errorOf("randint:1:0").find("K of 'randint' is 0") == 0);
  REQUIRE(errorOf("chase:99999999999999999999").find("is no whole number") != std::string::npos);
  REQUIRE(errorOf("file:") == "'file' names no file (the form is file:PATH)");
  REQUIRE(errorOf("[1, 2").find("the values are no JSON array") == 0);
  REQUIRE(errorOf("[1, 2, 3, 4, 5]").find("there are 5 values for a buffer of 4 elements") == 0);
  REQUIRE(errorOf("[1.5]") == "a value of type i32 is a whole number, not 1.5 (for fractions use f32 or f64)");
  REQUIRE(errorOf("[3000000000]") == "3000000000 does not fit i32 (i32 goes from -2147483648 to 2147483647)");
}
