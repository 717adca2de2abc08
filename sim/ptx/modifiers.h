// What stands between an opcode's dots, read into the fields of Modifiers.
#pragma once

#include "ptx/module.h"

#include <string>
#include <string_view>

namespace warpmill::ptx {

struct ModifierProblem {
  std::size_t begin = 0, length = 0;  // in the text that was given
  std::string message;                // empty: no problem
  std::string hint;
  bool isNew = false;                 // the word is like none that is known: perhaps of a newer PTX
};

// `text` is ".global.nc.v4.f32" (may be empty). Modifiers::text is left for the caller.
Modifiers readModifiers(Opcode opcode, std::string_view text, ModifierProblem& problem);

}  // namespace warpmill::ptx
