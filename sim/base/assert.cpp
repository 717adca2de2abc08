#include "base/assert.h"

#include <cstdio>
#include <cstdlib>

namespace warpmill {

void assertionFailed(const char* condition, const char* message, const char* file, int line) {
  std::fprintf(stderr, "warpmill: internal error: %s (%s) at %s:%d. Please report it with the input that led here.\n", message,
               condition, file, line);
  std::abort();
}

}  // namespace warpmill
