#include "machine/fault.h"

#include "base/texts.h"

#include <fmt/format.h>

namespace warpmill::machine {

std::string_view faultName(FaultKind kind) {
  switch (kind) {
    case FaultKind::None: return "ok";
    case FaultKind::OutOfBounds: return "out_of_bounds";
    case FaultKind::Misaligned: return "misaligned";
    case FaultKind::NullAccess: return "null_access";
    case FaultKind::WriteToConstant: return "write_to_constant";
    case FaultKind::SharedRace: return "shared_race";
    case FaultKind::GlobalRace: return "global_race";
    case FaultKind::Uninitialized: return "uninitialized";
    case FaultKind::DivergentBarrier: return "divergent_barrier";
    case FaultKind::Hang: return "hang";
    case FaultKind::InvalidShuffle: return "invalid_shuffle";
    case FaultKind::IndexOverflow: return "index_overflow";
    case FaultKind::Nan: return "nan";
    case FaultKind::Trap: return "trap";
    case FaultKind::Assert: return "assert";
    case FaultKind::LaunchError: return "launch_error";
    case FaultKind::Unsupported: return "unsupported";
    case FaultKind::ParseError: return "parse_error";
  }
  return "ok";
}

namespace {

std::string triple(const std::array<std::uint32_t, 3>& t) { return fmt::format("({},{},{})", t[0], t[1], t[2]); }

// What every text may name.
std::vector<Gap> commonGaps(const Fault& f) {
  return {{"block", triple(f.block)}, {"thread", triple(f.thread)}, {"warp", f.warp}, {"lane", f.lane}, {"bytes", f.bytes}, {"offset", f.offset},
          {"address", f.address}, {"count", f.count}, {"ptx_line", f.ptxLine}};
}

void putIntoWords(OtherParty& o, std::vector<Gap> common) {
  if (o.says.text == Text::None) return;
  common.emplace_back("other_block", triple(o.block));
  common.emplace_back("other_thread", triple(o.thread));
  common.emplace_back("other_warp", o.warp);
  o.note = inWords(o.says, Language::English, common);
  o.noteRu = inWords(o.says, Language::Russian, common);
}

const std::string& either(const std::string& english, const std::string& russian, Language language) {
  return language == Language::Russian && !russian.empty() ? russian : english;
}

}  // namespace

void putIntoWords(Fault& f) {
  std::vector<Gap> common = commonGaps(f);
  if (f.other) putIntoWords(*f.other, common);
  for (OtherParty& o : f.parties) putIntoWords(o, common);
  if (f.says.text == Text::None) return;
  if (f.other) {
    common.emplace_back("other_block", triple(f.other->block));
    common.emplace_back("other_thread", triple(f.other->thread));
  }
  f.message = inWords(f.says, Language::English, common);
  f.remedy = inWords(f.says, Language::English, common, true);
  f.messageRu = inWords(f.says, Language::Russian, common);
  f.remedyRu = inWords(f.says, Language::Russian, common, true);
}

const std::string& messageOf(const Fault& f, Language language) { return either(f.message, f.messageRu, language); }
const std::string& remedyOf(const Fault& f, Language language) { return either(f.remedy, f.remedyRu, language); }
const std::string& noteOf(const OtherParty& o, Language language) { return either(o.note, o.noteRu, language); }

Said accessPhrase(std::string_view access) {
  if (access == "load") return Text::AccessLoad;
  if (access == "store") return Text::AccessStore;
  if (access == "atomic") return Text::AccessAtomic;
  if (access == "asynchronous copy") return Text::AccessCopy;
  return {Text::AccessOther, {{"name", access}}};
}

Said accessName(std::string_view access) {
  if (access == "load") return Text::NameLoad;
  if (access == "store") return Text::NameStore;
  if (access == "atomic") return Text::NameAtomic;
  if (access == "asynchronous copy") return Text::NameCopy;
  return Text::NameAccess;
}

bool countFault(std::vector<Fault>& faults, const Fault& fault) {
  for (Fault& have : faults) {
    if (have.kind != fault.kind || have.pc != fault.pc) continue;
    have.count += fault.count;
    return true;
  }
  return false;
}

}  // namespace warpmill::machine
