// Why the scene cannot be drawn here, and what helps.
#pragma once

#include "base/diagnostic.h"

#include <string>
#include <utility>

namespace warpmill::scene {

inline Diagnostic problemOf(std::string message, std::string hint) {
  Diagnostic d;
  d.message = std::move(message);
  d.hint = std::move(hint);
  return d;
}

}  // namespace warpmill::scene
