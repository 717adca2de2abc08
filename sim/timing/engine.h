// Moves a MachineState from issue to issue: block dispatch, schedulers, scoreboard, pipes. Internal to the room.
#pragma once

#include "exec/issuer.h"
#include "timing/guard.h"
#include "timing/memory_system.h"

#include <functional>
#include <memory>

namespace warpmill::timing {

class Engine {
 public:
  Engine(const Machine& machine, const MemoryRates& rates, MachineState& state, Trace* trace);
  Advance step(const Filter& filter);
  // Issues on and on: to the end, until nothing can issue any more, or until so many PTX instructions have been issued in all (0: no
  // limit), or a few more unless `exactly`. The state must not be copied meanwhile.
  // SMs run on so many threads where that changes nothing of the result.
  Advance run(std::uint64_t maxInstructions, bool exactly, unsigned jobs = 1);

 private:
  class Crew;
  // What an engine that helps another one adds up on its own.
  struct Tally { Counters counters; std::uint64_t endCycle = 0, blocksDone = 0; std::uint32_t requests = 0; };
  void help(Engine& chief);
  void takeTally(Engine& helper);
  void makeCrew();
  void eachSm(void (Engine::*work)(std::uint32_t sm, std::uint32_t next));
  void runOne(std::uint32_t sm, std::uint32_t next);
  void settleOne(std::uint32_t sm, std::uint32_t next);

  struct Place { std::uint32_t sm, part, place; };  // place 0..15 in the sub-partition; warp slot = place * 4 + part

  // A resident warp and its block, which nobody shares as long as `run` runs.
  struct Seat { machine::Block* block = nullptr; machine::Warp* warp = nullptr; };
  [[nodiscard]] Seat seatOf(const Place& at);
  void bringAheadOfCycle(std::uint32_t sm, std::uint32_t first);
  bool runCycle(std::uint64_t maxInstructions);

  // See quantum.h and engine_quantum.cpp.
  [[nodiscard]] bool mayRunQuanta(std::uint64_t maxInstructions, bool exactly) const;
  bool runQuanta(std::uint64_t maxInstructions, bool exactly);
  bool runQuantum(std::uint64_t begin, std::uint64_t end);
  void runSm(std::uint32_t sm, std::uint64_t begin, std::uint64_t end);
  void finishSent(std::uint64_t begin, std::uint64_t issuedBefore);
  void settle(std::uint32_t sm);
  void lookAhead(std::uint32_t sm, std::uint64_t end);
  void bringAhead();
  bool issueOfPart(std::uint32_t sm, std::uint32_t part, bool& issued);
  void takeLastIssue();
  void findPlain();
  Scoreboard latestOf(Scoreboard start, const std::vector<std::uint32_t>& registers, const WarpSlot& slot);
  Scoreboard latestOfTwo(const Scoreboard& first, const Scoreboard& second);
  std::uint64_t afterwards(const Scoreboard& s, std::uint32_t latency);
  std::uint64_t laterOf(std::uint64_t a, std::uint64_t b);
  Scoreboard noted(const Place& at, std::uint16_t entry, const Scoreboard& open);

  // Blocks that may start by the present cycle.
  void dispatch();
  void startBlock(std::uint32_t sm, std::uint32_t blockSlot);
  void beginBlock(std::uint32_t sm, std::uint32_t blockSlot, std::uint64_t linear);
  void finishBlock(std::uint32_t sm, std::uint32_t blockSlot);
  [[nodiscard]] std::uint32_t freePlace(const SmState& sm) const;
  void updatePlace(std::uint32_t sm);
  void planDispatch();
  // Clusters: all blocks of one start together; dispatch positions count them one after the other.
  [[nodiscard]] std::uint64_t linearOf(std::uint64_t position) const;
  bool dispatchCluster();
  // The blocks of a resident block's cluster by rank, its own to be written to; empty for a block alone.
  std::vector<machine::Block*> clusterOf(const ResidentBlock& resident);
  // Calls f with each resident block of the cluster, and its SM; with the block itself when it is alone.
  void eachOfCluster(std::uint32_t sm, const ResidentBlock& resident, const std::function<void(std::uint32_t, const ResidentBlock&)>& f);

  // The place that issues now, or none. `folded` asks for instructions that cost nothing.
  [[nodiscard]] bool pick(std::uint32_t sm, std::uint32_t part, const Filter& filter, bool foldedOnly, std::uint32_t& place) const;
  void issue(const Place& at);
  void issuePlainly(const Place& at, const lowering::TimedOp& op, std::uint32_t pc, machine::Block& block, machine::Warp& warp);
  void takeScheduler(const Place& at, const lowering::TimedOp& op, std::uint32_t pc);
  Scoreboard resultOf(const Place& at, const lowering::TimedOp& op, WarpSlot& slot);
  const exec::Clock& clockNow();
  // What the warp's instruction costs in this round of its loop.
  [[nodiscard]] const lowering::TimedOp& opOf(const WarpSlot& slot, std::uint32_t pc) const {
    const lowering::TimedOp& op = lowered_.ops[pc];
    return op.loop != lowering::noLoop && slot.rounds[op.loop] + 1 < op.every ? lowered_.between[pc] : op;
  }
  void accountWait(const Place& at, const lowering::TimedOp& op, std::uint32_t pc);
  void finishScoreboard(const Place& at, const lowering::TimedOp& op, std::uint32_t pc, const exec::StepOutcome& outcome, std::uint32_t& requestId);
  void finishIssue(const Place& at, const lowering::TimedOp& op, const exec::StepOutcome& outcome, bool folded);
  void goRound(const Place& at, const MemoryTiming& t);
  static constexpr std::uint64_t queueCycles = 64;  // of work that the queue before a unit of the whole SM holds
  static void holdBack(const SmState& sm, SubPartition& part);
  std::uint64_t takeTurn(SmState& sm, const lowering::TimedOp& op);
  std::uint64_t arriveAtBarrier(SmState& sm);
  void retireWarp(const Place& at);
  // Asynchronous work: what an issue starts, commits or has waited for; when what is on its way to mbarriers arrives.
  void trackAsync(const Place& at, const lowering::TimedOp& op, std::uint64_t doneAt);
  [[nodiscard]] std::uint64_t asyncReadyAt(const WarpSlot& slot, const lowering::TimedOp& op) const;
  void stampArrivals(const Place& at, std::uint64_t doneAt);
  [[nodiscard]] std::uint64_t resumeAtArrival(const Place& at);
  void replanBlock(std::uint32_t sm, const ResidentBlock& resident, std::uint64_t earliest, std::uint32_t exceptWarp);
  bool expireWaits();
  // Sets readyAt, reason and pipe of the warp's next instruction.
  void plan(const Place& at, std::uint64_t earliest, Stall earliestReason);
  struct Backlog { Ticks lsuFreeAt = 0, mioFreeAt = 0; };  // of the SM's units, when it was planned first
  void plan(const Place& at, std::uint64_t earliest, Stall earliestReason, const Backlog& backlog);
  void refresh(std::uint32_t sm, std::uint32_t part);
  // The warp at this place can issue at `ready` at the earliest.
  void readyAt(const Place& at, std::uint64_t ready);
  void countResidency(std::uint32_t sm);
  void countFlops(FloatArithmetic kind, std::uint32_t lanes);
  void addFaults(const machine::Block& block, const machine::Warp& warp);
  [[nodiscard]] bool allowed(const Filter& filter, std::uint32_t sm, std::uint32_t part, std::uint32_t place) const;
  [[nodiscard]] std::uint64_t earliestIssue(const SubPartition& part, std::uint32_t place) const;
  [[nodiscard]] std::uint64_t nextAllowed(const Filter& filter) const;
  machine::Block& own(ResidentBlock& resident);
  std::uint64_t fetch(SmState& sm, std::uint32_t pc, std::uint64_t now);

  const Machine& machine_;
  const lowering::Lowered& lowered_;
  const device::Profile& profile_;
  const MemoryRates& rates_;
  MachineState& state_;
  Trace* trace_;
  MemorySystem memory_;
  std::uint64_t now_ = 0;         // the cycle that issues
  // What an issue adds to, of the state.
  Counters* counters_;
  std::uint64_t *endCycle_, *blocksDone_;
  std::uint32_t* nextRequest_;
  std::uint64_t loopEndsAt_ = 0;  // of the instruction that issues now
  std::uint32_t parts_;
  exec::StepOutcome outcome_;
  exec::Issuer issuer_;
  double nsPerCycle_;
  Ticks mioInterval_, barrierInterval_;
  struct Moment { Position at; std::uint32_t cursor = 0; bool partIssued = false; };
  ProgressGuard guard_;                                // of `run`
  Moment lastIssue_;                                   // of `run`: right after it
  static constexpr std::uint32_t lookAheadSms = 6;
  struct AheadOfCycle { std::uint32_t count = 0; std::array<std::pair<const machine::Warp*, const WarpSlot*>, 4> warps{}; };
  std::array<AheadOfCycle, 8> aheadOfCycle_;
  struct Ahead { std::uint32_t count = 0; std::array<std::uint32_t, 3> done{}; std::array<std::pair<const machine::Warp*, const WarpSlot*>, 64> warps{}; };
  Ahead ahead_;                                        // warps of the next SM; how many are done with each step
  bool runs_ = false;                                  // in `run`: seats and spare blocks are kept
  std::vector<std::shared_ptr<machine::Block>> spare_; // that have ended
  struct Common {                                      // of the engines that run SMs side by side
    std::vector<Seat> seats;                           // by SM and warp slot
    std::vector<SmQuantum> quanta;                     // while SMs run in quanta: by SM
  };
  Common own_;
  Common* common_ = &own_;
  std::shared_ptr<Crew> crew_;
  unsigned jobs_ = 1;
  // That of the SM that runs.
  SmQuantum* quantum_ = nullptr;
  std::vector<std::uint8_t> plain_;                    // by instruction: nothing but execution and a result later
  exec::Clock clock_;
  WakeUps wakeUps_;                                    // of the SM that runs
  bool refreshesLater_ = false;
  std::uint64_t quantumBegin_ = 0, quantumEnd_ = 0;
  Tally tally_;
  bool meets_ = false;                                 // or has a fault: to be run cycle by cycle
  bool looksForMeetings_ = true;
  Meetings meetings_;
  std::vector<std::uint32_t> issuedIn_;                // by cycle of the quantum
  struct Turn { std::uint32_t sm = 0, index = 0; };
  std::vector<std::uint32_t> firstTurn_;
  std::vector<Turn> turns_;                            // of what was sent, in order
};

}  // namespace warpmill::timing
