#include "presenter/stall_group.h"

namespace warpmill::presenter {

char letterOf(StallGroup group) { return "WRGSQBMI"[static_cast<std::size_t>(group)]; }

StallGroup groupOf(timing::Stall stall) {
  using timing::Stall;
  switch (stall) {
    case Stall::Selected: return StallGroup::Working;
    case Stall::NotSelected: return StallGroup::Ready;
    case Stall::LongScoreboard: return StallGroup::Global;
    case Stall::ShortScoreboard: return StallGroup::Short;
    case Stall::MioThrottle:
    case Stall::LgThrottle: return StallGroup::Queue;
    case Stall::Barrier:
    case Stall::Membar:
    case Stall::Sleeping:
    case Stall::Drain: return StallGroup::Barrier;
    case Stall::Wait:
    case Stall::MathPipeThrottle:
    case Stall::DispatchStall: return StallGroup::Machine;
    case Stall::BranchResolving:
    case Stall::NoInstruction:
    case Stall::Count: break;
  }
  return StallGroup::Instruction;
}

}  // namespace warpmill::presenter
