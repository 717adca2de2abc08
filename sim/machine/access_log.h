// What a stretch of execution read and wrote in global memory: reads by 64-byte line, writes by byte. With it blocks can run side by
// side, each on its own copy of the memory, and whoever commits them in order can tell whether one has read what an earlier one wrote.
// A Memory that has a log keeps it in all its functions; code that gets pages (Memory::region) marks what it does itself.
// Reads may be marked too generously (that costs a second execution, never a result); writes must be exact.
#pragma once

#include "machine/page_table.h"

#include <array>
#include <cstdint>
#include <memory>
#include <vector>

namespace warpmill::machine {

class AccessLog {
 public:
  struct Page {
    std::size_t allocation = 0;
    std::uint64_t page = 0;
    bool wrote = false, reduces = false;
    std::array<std::uint64_t, 16> lines{};      // read: a bit a line
    std::array<std::uint64_t, 16> reduced{};    // with a reduction put off
    std::array<std::uint64_t, 1024> bytes{};    // written: a bit a byte, so a word a line
  };

  // Reads of allocations that nobody has written so far need no lines: one flag does. `written` says which these are.
  explicit AccessLog(std::vector<bool> written = {}, bool withReads = true) : written_(std::move(written)), withReads_(withReads) {}

  // Bytes [offset, offset + count) of an allocation.
  void read(std::size_t allocation, std::uint64_t offset, std::uint64_t count);
  void wrote(std::size_t allocation, std::uint64_t offset, std::uint64_t count);
  // `count` bytes at each of 32 offsets in one page.
  void readLanes(std::size_t allocation, std::uint64_t page, const std::uint32_t* offset, std::uint32_t count);
  void wroteLanes(std::size_t allocation, std::uint64_t page, const std::uint32_t* offset, std::uint32_t count);

  // A reduction whose result nobody asks for need not wait for its turn: it is kept, and made when all before it is there. Who reads or
  // writes its line after it needs his turn.
  struct Reduction { std::uint32_t pc; std::uint64_t address, value; };
  static constexpr std::size_t mostReductions = 1u << 18;  // of one log: 6 MiB
  void putOff(std::size_t allocation, std::uint64_t offset, std::uint32_t count, const Reduction& reduction);
  [[nodiscard]] bool ahead() const { return withReads_; }  // of its turn; else it only notes what is written
  [[nodiscard]] const std::vector<Reduction>& reductions() const { return reductions_; }

  // Says that this execution must happen in its turn, since others could tell the difference (malloc, a lock that is waited for): what it
  // does from here on is thrown away. Handlers of such effects call it where Memory::log() is not nullptr, and return.
  void needTurn() { turnNeeded_ = true; }
  [[nodiscard]] bool turnNeeded() const { return turnNeeded_; }

  [[nodiscard]] bool readWhat(const AccessLog& other) const;  // read anything that `other` wrote?
  [[nodiscard]] const std::vector<Page*>& pages() const { return used_; }

 private:
  Page& page(std::size_t allocation, std::uint64_t page);
  [[nodiscard]] Page* find(std::size_t allocation, std::uint64_t page) const;
  [[nodiscard]] bool untouched(std::size_t allocation) const { return allocation >= written_.size() || !written_[allocation]; }
  void sawAny(std::size_t allocation);
  void meets(const Page& page, std::uint64_t firstLine, std::uint64_t lastLine);

  std::vector<bool> written_;
  bool withReads_;
  bool turnNeeded_ = false;
  std::vector<std::uint8_t> readAny_;                  // by allocation: something of one that nobody had written
  std::vector<std::vector<std::unique_ptr<Page>>> by_; // by allocation and page
  std::vector<Page*> used_;
  std::vector<Reduction> reductions_;
};

}  // namespace warpmill::machine
