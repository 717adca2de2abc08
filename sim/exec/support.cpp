#include "exec/support.h"

#include "exec/handlers.h"

namespace warpmill::exec {

std::vector<std::uint32_t> unsupportedInstructions(const Code& code) {
  std::vector<std::uint32_t> found;
  for (const Op& op : code.ops())
    if (op.handler == &executeUnsupported) found.push_back(op.pc);
  return found;
}

}  // namespace warpmill::exec
