// What the checks found, as records of faults: counted by instruction, worded once.
#pragma once

#include "exec/op.h"
#include "faults/epoch.h"

#include <array>
#include <map>
#include <string>
#include <vector>

namespace warpmill::faults {

// Bytes of one thread's access; shared and local: offset in their space.
struct Place {
  ptx::Space space = ptx::Space::None;
  std::uint64_t address = 0;
  std::uint32_t bytes = 0;
  bool wasStored = false;  // of an undefined value: it was stored there, rather than nothing at all
};

// A sum or product that wrapped: its operands, what it should be and what it became.
struct Wrap {
  std::array<std::int64_t, 3> operands{};
  std::int64_t exact = 0, became = 0;
  std::uint8_t width = 0;
  bool isUnsigned = false;
};

// The first NaN or infinity that an instruction gave.
struct NumberOrigin {
  std::uint32_t pc = ptx::none;
  machine::Fault at;              // where and whose; the rest of it is empty
  double result = 0;
  std::vector<double> operands;   // what it was made from; empty: of a load, or too many
  bool isLoad = false;
  Place place;                    // of the load, where known
  std::uint64_t count = 0;
};

class Reports {
 public:
  void begin(const exec::Code& code, std::vector<machine::Fault>& faults, std::size_t mostFaults) {
    code_ = &code;
    faults_ = &faults;
    mostFaults_ = mostFaults;
    racing_.assign(code.function().instructions.size(), false);
  }

  // One thread's race with what `other` did to the place. `sameInstruction`: both are lanes of this instruction.
  void race(const exec::Exec& x, const exec::Op& op, unsigned lane, const Place& place, Epoch other, bool sameInstruction);
  // A value that nobody has written matters: `use` says for what (Text::UseBranch ...). origin: the instruction that loaded it, or none;
  // `registerName`: one that was read before anything was written to it.
  struct Origin {
    std::uint32_t pc = ptx::none;      // the load; none: a register that nothing was written to
    Place place;                       // of the load
    std::uint32_t registerNumber = ptx::none;
    bool isMaskedOut = false;          // `pc` is a load that a mask kept from giving it a value
  };
  // Told of when the block has ended (see settle): a load that races with the store that it should have waited for is told of as the race.
  void uninitialized(const exec::Exec& x, const exec::Op& op, exec::LaneMask lanes, Text use, const Place* target, const Origin& origin);
  void settle();
  // The same of a value that a shuffle took from a lane that has no part in it.
  void invalidShuffle(const exec::Exec& x, const exec::Op& use, exec::LaneMask lanes, Said what, std::uint32_t shuffle);
  // An access that was to be to `array`, which lies at `begin`, and goes to another place of shared memory.
  void otherArray(const exec::Exec& x, const exec::Op& op, exec::LaneMask lanes, const Place& place, const ptx::Variable& array, std::uint64_t begin, std::uint64_t size);
  // A NaN or infinity comes out at `op`: into memory at `target`, or as an integer.
  void notANumber(const exec::Exec& x, const exec::Op& op, unsigned lane, const NumberOrigin& origin, const Place* target);
  // An access to `address` by `lanes`, computed from what wrapped at instruction `origin`.
  void overflow(const exec::Exec& x, const exec::Op& op, exec::LaneMask lanes, std::uint64_t address, std::uint32_t origin, const Wrap& wrap);

  // Faults that follow are of the warp's instruction of this number, from 1.
  void at(std::uint64_t issue) { issue_ = issue; }

 private:
  struct Pending {
    machine::Fault fault;
    std::uint32_t origin;
  };
  // The fault of this kind at this instruction when there is one already, counted; nullptr: it is new.
  bool counted(machine::FaultKind kind, std::uint32_t pc, std::uint64_t count);
  void add(machine::Fault fault);
  void races(std::uint32_t pc) {
    if (pc < racing_.size()) racing_[pc] = true;
  }
  void add(const exec::Exec& x, machine::Fault fault);  // with its registers and words
  [[nodiscard]] Said nameOf(const exec::Exec& x, const Place& place, machine::Fault& fault) const;
  [[nodiscard]] machine::OtherParty partyOf(std::uint32_t pc) const;

  const exec::Code* code_ = nullptr;
  std::vector<machine::Fault>* faults_ = nullptr;
  std::size_t mostFaults_ = 0;
  std::uint64_t issue_ = 0;
  std::map<std::uint32_t, Pending> pending_;  // undefined values, by pc
  std::vector<bool> racing_;                  // by pc: was a party of a race
  std::map<std::pair<machine::FaultKind, std::uint32_t>, std::size_t> known_;  // by kind and pc: number in *faults_, or none
};

}  // namespace warpmill::faults
