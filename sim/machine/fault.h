// A fault of the kernel: what happened, where, to whom. The names are the interface's verdicts.
#pragma once

#include "base/sentence.h"
#include "ptx/module.h"

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace warpmill::machine {

enum class FaultKind : std::uint8_t {
  None, OutOfBounds, Misaligned, NullAccess, WriteToConstant, SharedRace, GlobalRace, Uninitialized, DivergentBarrier, Hang,
  InvalidShuffle, IndexOverflow, Nan, Trap, Assert, LaunchError, Unsupported, ParseError
};
std::string_view faultName(FaultKind kind);  // "out_of_bounds"

// Another one that a fault takes: of a race the other access, of an uninitialised value the load that it came from, of a hang those who
// wait and those who are waited for.
struct OtherParty {
  std::uint32_t pc = ptx::none;        // none: not known
  std::string_view access;             // as in Fault
  ptx::SourceLocation location;
  std::string file;
  std::uint32_t ptxLine = 0;
  std::array<std::uint32_t, 3> block{0, 0, 0}, thread{0, 0, 0};
  std::uint32_t warp = 0, lane = 0;
  std::uint64_t issue = 0;             // as in Fault
  Said says;                           // what `note` is made of
  std::string note, noteRu;            // what it is, in a few words
};

// What the fault's expression is, for which exec looks up registers when it keeps the fault.
enum class About : std::uint8_t {
  Nothing,
  Address,    // of the memory instruction
  Guard,      // the predicate of the instruction
  Value,      // that it stores
  Operands,   // all that it reads
  Decision    // the branch that decides who comes here
};

// A register of the expression, with the value of the thread that is named. The first one is what it is about, the others are what that
// was made of.
struct ExpressionStep {
  std::string name;                    // "%rd7", "[%rd7+4]"
  std::string definition;              // "%rd1 + %rd6"; empty: not followed further
  std::string value;                   // "-1", "0x7f0000001004", "true"
  std::uint32_t ptxLine = 0, line = 0; // of the definition
};

struct Fault {
  FaultKind kind = FaultKind::None;
  Said says;                           // what the next four are made of (`putIntoWords`), when the fault is kept
  std::string message, messageRu;      // one sentence: what happened
  std::string remedy, remedyRu;        // one sentence: why it matters or what to do
  std::uint32_t pc = ptx::none;        // instruction of the entry function
  ptx::SourceLocation location;
  std::string file;                    // name of the kernel's source; empty when not known
  std::uint32_t ptxLine = 0;
  std::array<std::uint32_t, 3> block{0, 0, 0}, thread{0, 0, 0};
  std::uint32_t warp = 0, lane = 0;
  std::uint64_t issue = 0;             // which of the warp's instructions it was, from 1; 0: not known
  std::int32_t buffer = -1;            // argument index; -1: none
  std::int64_t offset = 0;             // bytes from the buffer's start (may be negative)
  std::uint64_t address = 0;
  std::uint32_t bytes = 0;
  std::string_view access;             // "load", "store", "atomic" or empty
  About about = About::Nothing;
  std::vector<ExpressionStep> expression;
  std::uint64_t cycle = 0;             // 0 in the functional run
  std::optional<OtherParty> other;
  std::vector<OtherParty> parties;     // further ones
  std::uint64_t count = 1;             // how many threads and times at this instruction
};

// Makes the texts of a fault that has `says`, and of its parties.
void putIntoWords(Fault& fault);

// The text in a language, the English one where there is no Russian.
[[nodiscard]] const std::string& messageOf(const Fault& fault, Language language);
[[nodiscard]] const std::string& remedyOf(const Fault& fault, Language language);
[[nodiscard]] const std::string& noteOf(const OtherParty& party, Language language);

// "load of 4 bytes", with its gap; "load" alone.
[[nodiscard]] Said accessPhrase(std::string_view access);
[[nodiscard]] Said accessName(std::string_view access);

// Adds to the count of the fault of the same kind and instruction; false: there is none yet.
bool countFault(std::vector<Fault>& faults, const Fault& fault);

}  // namespace warpmill::machine
