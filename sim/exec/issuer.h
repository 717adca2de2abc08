// The loop body of execution: like `step`, with what does not change from issue to issue set up once.
// `run` is the way of the functional run: it executes straight stretches of one path with nothing between the handlers, and leaves to
// `issue` what moves paths (divergence, barriers, exits). Both call the same handlers, so there is one semantics.
// `issue` fills StepOutcome with the lanes that executed and, by the general handlers, with every address; `run` fills nothing but faults,
// except of instructions that an observer (see observer.h) asks to see.
#pragma once

#include "exec/observer.h"

namespace warpmill::exec {

class Issuer {
 public:
  Issuer(const Code& code, machine::Memory& memory, StepOutcome& outcome);
  Issuer(const Issuer&) = delete;
  Issuer& operator=(const Issuer&) = delete;

  void bind(machine::Block& block, machine::Warp& warp, ClusterView cluster = {});  // until vectors of either are resized or moved
  void issue(const Clock& clock);                         // see `step`
  // The same with quick loads and stores. Memory must not be copied between calls without a new Issuer.
  void issueQuickly(const Clock& clock);

  // Is the instruction one that only executes and goes on? Then this issues it, fills nothing of the outcome but faults, and gives the
  // lanes that executed.
  [[nodiscard]] static bool isPlain(const Op& op);
  LaneMask issuePlainly(const Clock& clock);

  struct Count {
    std::uint64_t instructions = 0, threads = 0;          // issued, and the sum of their executing lanes
    std::uint64_t polls = 0;                              // rounds of loops that wait for memory
  };
  // Issues at most `most` instructions of the warp, fewer when it waits, ends, has made that many rounds of polling or has a fault (in the
  // outcome, which is not to be looked at otherwise).
  // %clock counts the instructions of the block. Memory must not be copied between calls without a new Issuer.
  Count run(std::uint64_t most, std::uint64_t mostPolls);
  [[nodiscard]] const Code& code() const { return *x_.code; }
  [[nodiscard]] const machine::Block& block() const { return *x_.block; }
  // A fault of the instruction that was issued last.
  [[nodiscard]] machine::Fault atLast(machine::Fault f) const { return f.issue = x_.warp->instructionsIssued, f; }
  void observe(Observer* observer) { observer_ = observer; }  // nullptr: nobody looks

 private:
  void issueOne();
  void followPages();
  void recordQuickAccess(const Op& op, LaneMask executed);
  template <bool observed> Count runTurn(std::uint64_t most, std::uint64_t mostPolls);
  template <bool observed> bool runStraight(std::uint64_t most, Count& count, const std::uint8_t*& watched);
  void issueWatched(std::uint8_t watch);

  const Op* ops_;
  std::uint32_t end_;
  Exec x_;
  std::vector<LastAccess> last_;
  std::uint64_t generation_ = ~std::uint64_t{0};
  Observer* observer_ = nullptr;
  bool records_ = false;   // addresses of quick loads and stores
  // Special registers, then what "_" receives. Left uninitialised: each is written before it is read.
  alignas(64) std::uint32_t scratch_[4 * 64 + 128];
};

}  // namespace warpmill::exec
