#include "base/sha256.h"

#include "catch.h"

#include <vector>

using namespace warpmill;

namespace {
std::string hexOf(const std::string& text) {
  return sha256Hex(std::span(reinterpret_cast<const std::uint8_t*>(text.data()), text.size()));
}
}  // namespace

TEST_CASE("SHA-256 gives the standard's digests") {
  REQUIRE(hexOf("") == "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
  REQUIRE(hexOf("abc") == "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
  REQUIRE(hexOf("abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq") ==
          "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1");
  REQUIRE(hexOf(std::string(1000000, 'a')) == "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0");
}

TEST_CASE("A digest does not depend on the pieces in which the bytes come") {
  std::vector<std::uint8_t> bytes(1000);
  for (std::size_t i = 0; i < bytes.size(); ++i) bytes[i] = static_cast<std::uint8_t>(i * 7);
  for (std::size_t piece : {1u, 3u, 55u, 56u, 63u, 64u, 65u, 999u}) {
    Sha256 hash;
    for (std::size_t i = 0; i < bytes.size(); i += piece) hash.update(std::span(bytes).subspan(i, std::min(piece, bytes.size() - i)));
    REQUIRE(hash.hex() == sha256Hex(bytes));
  }
}

TEST_CASE("The processor's own SHA instructions give what the portable code gives") {
  if (!hasX86Sha()) return;  // nothing to compare on this machine
  std::vector<std::uint8_t> bytes(64 * 9);
  for (std::size_t i = 0; i < bytes.size(); ++i) bytes[i] = static_cast<std::uint8_t>(i * i + 3 * i);
  for (std::size_t count = 0; count <= 9; ++count) {
    Sha256State portable{1, 2, 3, 4, 5, 6, 7, 0xFFFFFFFFu}, fast = portable;
    sha256BlocksPortable(portable, bytes.data(), count);
    sha256BlocksX86(fast, bytes.data(), count);
    REQUIRE(portable == fast);
  }
}
