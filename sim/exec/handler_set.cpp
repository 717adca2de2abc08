#include "exec/handlers.h"

#include <cstdlib>
#include <string_view>

namespace warpmill::exec {

namespace {

#define WM_HANDLER_SET(isa)                                                                                                       \
  HandlerSet {                                                                                                                    \
    #isa,                                                                                                                         \
        {isa::integerHandler, isa::carryHandler, isa::bitHandler, isa::float32Handler, isa::float64Handler, isa::halfHandler,     \
         isa::approximateHandler, isa::compareHandler, isa::convertHandler, isa::moveHandler},                                    \
        isa::fusedHandler,                                                                                                        \
        isa::fastConvertHandler,                                                                                                  \
        isa::productHandler,                                                                                                      \
        isa::wgmmaHandler,                                                                                                        \
        isa::movmatrixHandler,                                                                                                    \
        isa::quickLoadHandler,                                                                                                    \
        isa::quickStoreHandler                                                                                                    \
  }

const HandlerSet portableSet = WM_HANDLER_SET(portable);
#ifdef WM_HAS_X86_64_V3
const HandlerSet v3Set = WM_HANDLER_SET(x86_64_v3);
#endif

const HandlerSet& choose() {
  const char* wanted = std::getenv("WARPMILL_ISA");
  if (wanted != nullptr && std::string_view(wanted) == "portable") return portableSet;
#ifdef WM_HAS_X86_64_V3
  if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") && __builtin_cpu_supports("bmi2")) return v3Set;
#endif
  return portableSet;
}

}  // namespace

const HandlerSet& portableHandlerSet() { return portableSet; }
const HandlerSet& handlerSet() {
  static const HandlerSet& chosen = choose();
  return chosen;
}

}  // namespace warpmill::exec
