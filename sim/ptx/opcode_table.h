// What the checker knows of each opcode: how many operands, which are written, what fits each place.
// Source: PTX ISA 9.0, chapter 9.7.
#pragma once

#include "ptx/module.h"

#include <optional>
#include <string_view>

namespace warpmill::ptx {

// `pattern` lists operands before '=' (written) and after it (read); '?' after a letter: it may be left out; '*': any number more.
//   T  value of Modifiers::type      S  of Modifiers::sourceType     W  of twice the type's size where `.wide` stands
//   U  32-bit value                  I  32-bit integer               P  predicate                    A  address in brackets
//   V  value of a memory access or conversion: a register may be wider than the type; Y  the same with Modifiers::sourceType
//   X  anything
// A pattern that starts with '!': an instruction with a result has it unless the first operand is an address (mbarrier, wmma).
struct OpcodeInfo {
  Opcode opcode;
  std::string_view pattern;
  std::string_view kinds;  // types it takes: b, u, s, f, p for .pred; empty: not checked
  bool strict;             // words between the dots that are unknown are errors; loose: kept as text
  bool needsType;
};

const OpcodeInfo& infoOf(Opcode opcode);
// Words beside types that the opcode takes between its dots, a space around each; empty: not checked.
std::string_view wordsOf(Opcode opcode);

struct OpcodeMatch {
  Opcode opcode;
  std::size_t length;
};  // characters of `text` that the opcode's name takes
bool isVideo(Opcode opcode);  // vadd, vset4 ...: their operands may name a byte or half (%r1.b0)

// Longest opcode that `text` ("cp.async.bulk.shared...") starts with; Unknown with length of the first word if there is none.
OpcodeMatch matchOpcode(std::string_view text);

}  // namespace warpmill::ptx
