// SHA-256 by the instructions that x86 processors have for it: several times as fast, the same digests.
// Source: Intel 64 and IA-32 Architectures Software Developer's Manual, SHA256RNDS2, SHA256MSG1, SHA256MSG2.
#include "base/assert.h"
#include "base/sha256.h"
#include "base/sha256_constants.h"

#if defined(__x86_64__)
#include <cpuid.h>
#include <immintrin.h>

namespace warpmill {

bool hasX86Sha() {
  unsigned a = 0, b = 0, c = 0, d = 0;
  const bool sse41 = __get_cpuid(1, &a, &b, &c, &d) != 0 && (c & bit_SSE4_1) != 0;
  return sse41 && __get_cpuid_count(7, 0, &a, &b, &c, &d) != 0 && (b & bit_SHA) != 0;
}

__attribute__((target("sha,sse4.1"))) void sha256BlocksX86(Sha256State& state, const std::uint8_t* data, std::size_t count) {
  const __m128i swapBytes = _mm_set_epi64x(0x0c0d0e0f08090a0b, 0x0405060700010203);
  // The instructions want the eight words as A B E F and C D G H, the first one highest.
  __m128i abef =
      _mm_set_epi32(static_cast<int>(state[0]), static_cast<int>(state[1]), static_cast<int>(state[4]), static_cast<int>(state[5]));
  __m128i cdgh =
      _mm_set_epi32(static_cast<int>(state[2]), static_cast<int>(state[3]), static_cast<int>(state[6]), static_cast<int>(state[7]));
  for (; count != 0; --count, data += 64) {
    const __m128i abefBefore = abef, cdghBefore = cdgh;
    __m128i words[4];  // the last sixteen words of the message schedule, four a register
    for (int group = 0; group < 16; ++group) {
      __m128i& w = words[group % 4];
      if (group < 4) {
        w = _mm_shuffle_epi8(_mm_loadu_si128(reinterpret_cast<const __m128i*>(data) + group), swapBytes);
      } else {
        const __m128i before = words[(group + 3) % 4];                                 // words t-4 .. t-1
        const __m128i sevenBack = _mm_alignr_epi8(before, words[(group + 2) % 4], 4);  // words t-7 .. t-4
        w = _mm_sha256msg2_epu32(_mm_add_epi32(_mm_sha256msg1_epu32(w, words[(group + 1) % 4]), sevenBack), before);
      }
      const __m128i constants = _mm_loadu_si128(reinterpret_cast<const __m128i*>(sha256RoundConstants.data()) + group);
      const __m128i sum = _mm_add_epi32(w, constants);
      cdgh = _mm_sha256rnds2_epu32(cdgh, abef, sum);  // two rounds each; the roles change in between
      abef = _mm_sha256rnds2_epu32(abef, cdgh, _mm_shuffle_epi32(sum, 0x0E));
    }
    abef = _mm_add_epi32(abef, abefBefore);
    cdgh = _mm_add_epi32(cdgh, cdghBefore);
  }
  const auto word = [](int value) { return static_cast<std::uint32_t>(value); };
  state = {word(_mm_extract_epi32(abef, 3)), word(_mm_extract_epi32(abef, 2)), word(_mm_extract_epi32(cdgh, 3)),
           word(_mm_extract_epi32(cdgh, 2)), word(_mm_extract_epi32(abef, 1)), word(_mm_extract_epi32(abef, 0)),
           word(_mm_extract_epi32(cdgh, 1)), word(_mm_extract_epi32(cdgh, 0))};
}

}  // namespace warpmill

#else

namespace warpmill {

bool hasX86Sha() {
  return false;
}
void sha256BlocksX86(Sha256State&, const std::uint8_t*, std::size_t) {
  WM_ASSERT(false, "this processor has no x86 instructions");
}

}  // namespace warpmill

#endif
