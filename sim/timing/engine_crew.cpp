// SMs side by side on threads: within a quantum no SM sees what another one does (see quantum.h), so it does not matter which thread runs
// which, nor when. What is added up is a sum or a maximum, and what goes to L2 is done by one thread.
#include "timing/engine.h"

#include <algorithm>
#include <atomic>
#include <barrier>
#include <bit>
#include <thread>

namespace warpmill::timing {

// Threads that wait for work, each with an engine of its own on the same state.
class Engine::Crew {
 public:
  using Work = void (Engine::*)(std::uint32_t sm, std::uint32_t next);
  Crew(Engine& chief, unsigned helpers) : sms_(static_cast<std::uint32_t>(chief.state_.sms.size())), gate_(helpers + 1) {
    for (unsigned k = 0; k < helpers; ++k) {
      engines_.push_back(std::make_unique<Engine>(chief.machine_, chief.rates_, chief.state_, nullptr));
      engines_.back()->help(chief);
    }
    for (const auto& e : engines_) threads_.emplace_back([this, helper = e.get()] { serve(*helper); });
  }
  Crew(const Crew&) = delete;
  Crew& operator=(const Crew&) = delete;
  ~Crew() {
    work_ = nullptr;
    gate_.arrive_and_wait();
    for (std::thread& t : threads_) t.join();
  }
  void run(Engine& chief, Work work) {
    work_ = work;
    next_ = 0;
    for (const auto& e : engines_) {
      e->quantumBegin_ = chief.quantumBegin_;
      e->quantumEnd_ = chief.quantumEnd_;
      e->issuedIn_.assign(chief.issuedIn_.size(), 0);
    }
    gate_.arrive_and_wait();
    share(chief);
    gate_.arrive_and_wait();
    for (const auto& e : engines_) chief.takeTally(*e);
  }

 private:
  void serve(Engine& helper) {
    for (;;) {
      gate_.arrive_and_wait();
      if (work_ == nullptr) return;
      share(helper);
      gate_.arrive_and_wait();
    }
  }
  void share(Engine& engine) {
    for (std::uint32_t sm = next_++, next = 0; sm < sms_; sm = next) {
      next = next_++;
      (engine.*work_)(sm, next);
    }
  }
  std::uint32_t sms_;
  Work work_ = nullptr;
  std::atomic<std::uint32_t> next_ = 0;
  std::barrier<> gate_;
  std::vector<std::unique_ptr<Engine>> engines_;
  std::vector<std::thread> threads_;
};

void Engine::help(Engine& chief) {
  common_ = &chief.own_;
  runs_ = true;
  plain_ = chief.plain_;
  looksForMeetings_ = chief.looksForMeetings_;
  counters_ = &tally_.counters;
  endCycle_ = &tally_.endCycle;
  blocksDone_ = &tally_.blocksDone;
  nextRequest_ = &tally_.requests;
  memory_.countIn(counters_);
}

void Engine::takeTally(Engine& helper) {
  constexpr std::size_t words = sizeof(Counters) / sizeof(std::uint64_t);
  static_assert(sizeof(Counters) == words * sizeof(std::uint64_t), "nothing but numbers to add up");
  using Words = std::array<std::uint64_t, words>;
  Words sum = std::bit_cast<Words>(*counters_);
  const Words more = std::bit_cast<Words>(helper.tally_.counters);
  for (std::size_t k = 0; k < words; ++k) sum[k] += more[k];
  *counters_ = std::bit_cast<Counters>(sum);
  *endCycle_ = std::max(*endCycle_, helper.tally_.endCycle);
  *blocksDone_ += helper.tally_.blocksDone;
  *nextRequest_ += helper.tally_.requests;
  helper.tally_ = {};
  for (std::size_t k = 0; k < issuedIn_.size(); ++k) issuedIn_[k] += helper.issuedIn_[k];
  meets_ |= helper.meets_;
  helper.meets_ = false;
}

void Engine::makeCrew() {
  const auto helpers = static_cast<unsigned>(std::min<std::size_t>(jobs_, state_.sms.size())) - 1;
  if (helpers == 0 || !looksForMeetings_) return;  // blocks of a sample may race
  // Pages that threads would else make their own while others read.
  for (const machine::Allocation& a : state_.memory.allocations()) {
    machine::PageTable::Region* region = state_.memory.region(a.base);
    if (region == nullptr || a.readOnly) continue;
    for (std::uint64_t page = 0; page < a.bytes.chunkCount(); ++page) state_.memory.writablePage(*region, page);
  }
  crew_ = std::make_shared<Crew>(*this, helpers);
}

// Does it for all SMs; which engine does it for which makes no difference.
void Engine::eachSm(void (Engine::*work)(std::uint32_t sm, std::uint32_t next)) {
  if (crew_) return crew_->run(*this, work);
  for (std::uint32_t sm = 0; sm < state_.sms.size(); ++sm) (this->*work)(sm, sm + 1);
}

}  // namespace warpmill::timing
