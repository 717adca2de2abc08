// An error that stands in no file: a command line, a machine, a program that was started.
#pragma once

#include "base/diagnostic.h"

#include <string>
#include <utility>

namespace warpmill {

inline Diagnostic errorWith(std::string message, std::string hint = {}) {
  Diagnostic d;
  d.message = std::move(message);
  d.hint = std::move(hint);
  return d;
}

}  // namespace warpmill
