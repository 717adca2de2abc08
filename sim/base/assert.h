// Assertions for our own mistakes: on in release builds too, since a wrong picture is worse than a stopped program.
#pragma once

namespace warpmill {
[[noreturn]] void assertionFailed(const char* condition, const char* message, const char* file, int line);
}

#define WM_ASSERT(condition, message) \
  ((condition) ? static_cast<void>(0) : ::warpmill::assertionFailed(#condition, message, __FILE__, __LINE__))
