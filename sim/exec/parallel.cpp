#include "exec/parallel.h"

#include "exec/handlers.h"
#include "exec/scheduler.h"

#include <algorithm>
#include <condition_variable>
#include <limits>
#include <map>
#include <mutex>
#include <thread>

namespace warpmill::exec {
namespace {

using machine::AccessLog;

constexpr std::uint64_t stretchInstructions = 1'500'000;  // of a stretch: some ten milliseconds
constexpr unsigned mostConflicts = 3;                     // in a row: then in turn for a while

// Some blocks, run ahead of their turn.
struct Stretch {
  std::uint64_t first = 0, last = 0;
  std::uint64_t began = 0;   // commits that its copy of the memory has seen
  bool ended = false, good = false;
  machine::Memory memory;
  AccessLog log;
  FunctionalRun result;
};

class Parallel {
 public:
  Parallel(const Code& code, machine::Memory& memory, const FunctionalLimits& limits, FunctionalRun& result)
      : code_(code), memory_(memory), limits_(limits), result_(result), inTurn_(code, memory, limits, result), blocks_(blockCount(code)),
        written_(memory.allocations().size(), false) {}

  void run() {
    std::vector<std::thread> threads;
    for (unsigned t = 1; t < limits_.jobs; ++t) threads.emplace_back([this] { work(); });
    work();
    for (std::thread& thread : threads) thread.join();
    memory_.setLog(nullptr);
  }

 private:
  void work() {
    std::unique_lock lock(mutex_);
    while (!over_) {
      if (!ahead_.empty() && ahead_.front()->ended) {
        commitFirst();
        changed_.notify_all();
      } else if (ahead_.empty() && inTurn_.position() >= blocks_) {
        over_ = true;
        changed_.notify_all();
      } else if (ahead_.empty() && inTurnUntil_ > inTurn_.position()) {
        rerun(std::min(inTurnUntil_, blocks_));
        handed_ = inTurn_.position();
        changed_.notify_all();
      } else if (handed_ < blocks_ && inTurnUntil_ <= handed_ && ahead_.size() < 2 * std::size_t{limits_.jobs}) {
        Stretch& stretch = handOut();
        lock.unlock();
        execute(stretch);
        lock.lock();
        stretch.ended = true;
        std::erase_if(dropped_, [](const auto& s) { return s->ended; });
        changed_.notify_all();
      } else {
        changed_.wait(lock);
      }
    }
  }

  // ---- A stretch, without the lock ----

  Stretch& handOut() {
    auto s = std::make_unique<Stretch>();
    s->first = handed_;
    s->last = std::min(blocks_, handed_ + stretchBlocks_);
    s->began = commits_;
    s->memory = memory_;
    s->memory.output = {};
    s->log = AccessLog(written_);
    handed_ = s->last;
    ahead_.push_back(std::move(s));
    return *ahead_.back();
  }

  void execute(Stretch& s) const {
    s.memory.setLog(&s.log);
    FunctionalLimits limits = limits_;
    limits.maxFaults = std::numeric_limits<std::uint32_t>::max();  // which ones are kept is decided when they are put together
    Scheduler scheduler(code_, s.memory, limits, s.result);
    s.good = scheduler.runAlone(s.first, s.last);
    s.memory.setLog(nullptr);
  }

  // ---- In turn, under the lock ----

  void commitFirst() {
    const std::unique_ptr<Stretch> s = std::move(ahead_.front());
    ahead_.pop_front();
    if (s->last <= inTurn_.position()) return;  // blocks that ran beside one that waited for them
    if (s->good && s->first == inTurn_.position() && withinLimits(*s) && !conflicts(*s)) {
      // Putting off and making up for a reduction costs more than making it.
      const bool reduces = s->log.reductions().size() > s->result.warpInstructions / 8;
      accept(*s);
      if (reduces) return runInTurn();
      conflicts_ = 0;
      if (pause_ > 1) pause_ /= 2;
      return;
    }
    rerun(s->last);
    if (++conflicts_ == mostConflicts) runInTurn();
  }

  // Running ahead is not worth it for now: those ahead are dropped, and some of what comes runs in turn.
  void runInTurn() {
    conflicts_ = 0;
    for (auto& other : ahead_) dropped_.push_back(std::move(other));
    ahead_.clear();
    handed_ = inTurn_.position();
    inTurnUntil_ = inTurn_.position() + pause_ * stretchBlocks_;
    if (pause_ < 256) pause_ *= 4;
  }

  [[nodiscard]] bool withinLimits(const Stretch& s) const {
    if (limits_.stopAtFirstFault && !s.result.faults.empty()) return false;
    return limits_.maxInstructions == 0 || result_.warpInstructions + s.result.warpInstructions < limits_.maxInstructions;
  }

  [[nodiscard]] bool conflicts(const Stretch& s) const {
    for (auto w = writes_.upper_bound(s.began); w != writes_.end(); ++w)
      if (s.log.readWhat(*w->second)) return true;
    return false;
  }

  void accept(Stretch& s) {
    ++commits_;
    for (const AccessLog::Page* page : s.log.pages()) {
      if (!page->wrote && !page->reduces) continue;
      std::uint64_t& changedAt = changedAt_[{page->allocation, page->page}];
      if (page->wrote) memory_.takeBytes(s.memory, *page, changedAt <= s.began);
      changedAt = commits_;
      written_[page->allocation] = true;
    }
    for (const AccessLog::Reduction& r : s.log.reductions()) {
      const Op& op = code_.ops()[r.pc];
      applyReduction(op, memory_.contiguousForWrite(r.address, reductionBytes(op)), r.value);
    }
    memory_.output.append(s.memory.output);
    append(result_, s.result, limits_.maxFaults);
    inTurn_.setPosition(s.last);
    stretchReductions_ = s.log.reductions().size() / (s.last - s.first);
    planStretch(s.result.warpInstructions, s.last - s.first, s.log.reductions().size());
    keepWrites(std::make_unique<AccessLog>(std::move(s.log)));
  }

  void planStretch(std::uint64_t instructions, std::uint64_t blocks, std::uint64_t reductions) {
    if (blocks == 0) return;
    const auto fitting = [blocks](std::uint64_t most, std::uint64_t used) { return most / std::max<std::uint64_t>(1, used / blocks); };
    const std::uint64_t wanted = std::min(fitting(stretchInstructions, instructions), fitting(AccessLog::mostReductions / 2, reductions));
    stretchBlocks_ = std::clamp<std::uint64_t>(wanted, 1, std::max<std::uint64_t>(1, blocks_ / (4 * limits_.jobs)));
  }

  // Blocks up to `last` in turn, on the memory itself. What they write is noted while others are ahead.
  void rerun(std::uint64_t last) {
    const std::uint64_t from = inTurn_.position(), issued = result_.warpInstructions;
    ++commits_;
    auto log = std::make_unique<AccessLog>(std::vector<bool>{}, false);
    if (!ahead_.empty()) memory_.setLog(log.get());
    if (!inTurn_.runTo(last)) over_ = true;
    memory_.setLog(nullptr);
    planStretch(result_.warpInstructions - issued, inTurn_.position() - from, stretchReductions_ * (inTurn_.position() - from));
    for (const AccessLog::Page* page : log->pages()) {
      changedAt_[{page->allocation, page->page}] = commits_;
      written_[page->allocation] = true;
    }
    keepWrites(std::move(log));
  }

  // As long as a stretch is ahead that began before.
  void keepWrites(std::unique_ptr<AccessLog> log) {
    writes_[commits_] = std::move(log);
    std::uint64_t oldest = commits_;
    for (const auto& s : ahead_) oldest = std::min(oldest, s->began);
    writes_.erase(writes_.begin(), writes_.upper_bound(oldest));
  }

  const Code& code_;
  machine::Memory& memory_;
  const FunctionalLimits& limits_;
  FunctionalRun& result_;

  std::mutex mutex_;
  std::condition_variable changed_;
  Scheduler inTurn_;
  const std::uint64_t blocks_;
  std::uint64_t handed_ = 0, stretchBlocks_ = 1, commits_ = 0;
  std::uint64_t inTurnUntil_ = 0, pause_ = 1;
  std::uint64_t stretchReductions_ = 0;                     // a block, in the last stretch that was good
  unsigned conflicts_ = 0;
  bool over_ = false;
  std::deque<std::unique_ptr<Stretch>> ahead_;              // in the order of their blocks
  std::vector<std::unique_ptr<Stretch>> dropped_;           // still executing, for nothing
  std::map<std::uint64_t, std::unique_ptr<AccessLog>> writes_;  // by commit
  std::map<std::pair<std::size_t, std::uint64_t>, std::uint64_t> changedAt_;  // by page: the last commit that wrote it
  std::vector<bool> written_;                               // by allocation
};

}  // namespace

void runParallel(const Code& code, machine::Memory& memory, const FunctionalLimits& limits, FunctionalRun& result) {
  Parallel(code, memory, limits, result).run();
}

}  // namespace warpmill::exec
