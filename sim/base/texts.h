// The names of the texts in fault_texts.def.
#pragma once

#include "base/sentence.h"

namespace warpmill {

enum class Text : std::uint16_t {
  None,
#define WM_FAULT(id, en, enRemedy, ru, ruRemedy) id,
#define WM_PHRASE(id, en, ru) id,
#include "base/fault_texts.def"
#undef WM_FAULT
#undef WM_PHRASE
  Count
};

}  // namespace warpmill
