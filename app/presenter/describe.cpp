#include "presenter/describe.h"

#include "presenter/words.h"

#include <algorithm>
#include <bit>

namespace warpmill::presenter {
namespace {

std::string placeText(const Frame& f, Language l) {
  const CrewView& c = f.crew;
  if (c.line != 0) return say(Word::Line, l, c.line);
  return c.instruction.empty() ? std::string("PTX") : c.instruction;
}

std::string crewText(const Frame& f, Language l) {
  const CrewView& c = f.crew;
  const std::string where = placeText(f, l);
  switch (c.status.group) {
    case StallGroup::Working: {
      const int lanes = std::popcount(c.executed);
      return lanes == 32 ? say(Word::SayIssuesAll, l, c.warp.warp, c.warp.block, where) : say(Word::SayIssues, l, c.warp.warp, c.warp.block, where, lanes);
    }
    case StallGroup::Ready: return say(Word::SayReady, l, c.warp.warp, c.warp.block, where);
    default: return say(Word::SayWaits, l, c.warp.warp, c.warp.block, where, stateWord(c.status.group, l));
  }
}

}  // namespace

std::string describe(const Frame& f, Language l) {
  std::string out = say(f.atEnd ? Word::SayEnd : f.atStart ? Word::SayStart : Word::SayCycle, l, f.cycle);
  if (f.focusSm < f.sms.size()) {
    const SmView& sm = f.sms[f.focusSm];
    if (sm.usedPlaces == 0) {
      out += " " + say(Word::SayIdle, l, sm.sm);
    } else {
      const auto most = static_cast<std::size_t>(sm.dominant);
      out += " " + say(static_cast<Word>(static_cast<std::size_t>(Word::SayW) + most), l, sm.sm, sm.counts[most], sm.usedPlaces);
    }
  }
  if (f.crew.any) out += " " + crewText(f, l);
  if (!f.timingHolds) out += " " + std::string(word(Word::SayFrozen, l));
  if (!f.faults.empty()) out += " " + say(Word::SayFault, l, l == Language::Russian ? f.faultsRu.front() : f.faults.front());
  return out;
}

}  // namespace warpmill::presenter
