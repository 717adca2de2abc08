#include "machine/access_log.h"

#include <algorithm>
#include <bit>

namespace warpmill::machine {
namespace {

constexpr std::uint64_t lineBytes = 64, allBits = ~std::uint64_t{0};

// Bits [first, first + count) of a row of words.
void setBits(std::uint64_t* words, std::uint64_t first, std::uint64_t count) {
  while (count != 0) {
    const std::uint64_t bit = first % 64, n = std::min<std::uint64_t>(count, 64 - bit);
    words[first / 64] |= (n == 64 ? allBits : (std::uint64_t{1} << n) - 1) << bit;
    first += n, count -= n;
  }
}

}  // namespace

AccessLog::Page* AccessLog::find(std::size_t allocation, std::uint64_t page) const {
  return allocation < by_.size() && page < by_[allocation].size() ? by_[allocation][page].get() : nullptr;
}

AccessLog::Page& AccessLog::page(std::size_t allocation, std::uint64_t page) {
  if (Page* known = find(allocation, page)) return *known;
  if (allocation >= by_.size()) by_.resize(allocation + 1);
  if (page >= by_[allocation].size()) by_[allocation].resize(page + 1);
  auto made = std::make_unique<Page>();
  made->allocation = allocation;
  made->page = page;
  used_.push_back(made.get());
  by_[allocation][page] = std::move(made);
  return *used_.back();
}

void AccessLog::sawAny(std::size_t allocation) {
  if (allocation >= readAny_.size()) readAny_.resize(allocation + 1, 0);
  readAny_[allocation] = 1;
}

// An access to these lines: after a reduction that was put off it would see the old value.
void AccessLog::meets(const Page& page, std::uint64_t firstLine, std::uint64_t lastLine) {
  if (!page.reduces) return;
  for (std::uint64_t line = firstLine; line <= lastLine; ++line)
    if ((page.reduced[line / 64] >> line % 64 & 1) != 0) turnNeeded_ = true;
}

void AccessLog::putOff(std::size_t allocation, std::uint64_t offset, std::uint32_t count, const Reduction& reduction) {
  if (untouched(allocation)) {  // from here on its reads are noted by line
    if (allocation >= written_.size()) written_.resize(allocation + 1, false);
    written_[allocation] = true;
  }
  Page& p = page(allocation, offset / pageBytes);
  p.reduces = true;
  const std::uint64_t at = offset % pageBytes;
  setBits(p.reduced.data(), at / lineBytes, (at + count - 1) / lineBytes - at / lineBytes + 1);
  if (reductions_.size() < mostReductions) reductions_.push_back(reduction);
  else turnNeeded_ = true;
}

void AccessLog::read(std::size_t allocation, std::uint64_t offset, std::uint64_t count) {
  if (!withReads_ || count == 0) return;
  if (untouched(allocation)) return sawAny(allocation);
  while (count != 0) {
    const std::uint64_t at = offset % pageBytes, n = std::min(count, pageBytes - at);
    const std::uint64_t firstLine = at / lineBytes, lastLine = (at + n - 1) / lineBytes;
    Page& p = page(allocation, offset / pageBytes);
    meets(p, firstLine, lastLine);
    setBits(p.lines.data(), firstLine, lastLine - firstLine + 1);
    offset += n, count -= n;
  }
}

void AccessLog::wrote(std::size_t allocation, std::uint64_t offset, std::uint64_t count) {
  while (count != 0) {
    const std::uint64_t at = offset % pageBytes, n = std::min(count, pageBytes - at);
    Page& p = page(allocation, offset / pageBytes);
    p.wrote = true;
    meets(p, at / lineBytes, (at + n - 1) / lineBytes);
    setBits(p.bytes.data(), at, n);
    offset += n, count -= n;
  }
}

void AccessLog::readLanes(std::size_t allocation, std::uint64_t pageNumber, const std::uint32_t* offset, std::uint32_t count) {
  if (!withReads_) return;
  if (untouched(allocation)) return sawAny(allocation);
  Page& p = page(allocation, pageNumber);
  std::uint32_t low = offset[0], high = offset[0];
  for (unsigned i = 1; i < 32; ++i) {
    low = std::min(low, offset[i]);
    high = std::max(high, offset[i]);
  }
  high += count - 1;
  meets(p, low / lineBytes, high / lineBytes);
  constexpr std::uint32_t near = 16 * lineBytes;
  if (high - low < near) return setBits(p.lines.data(), low / lineBytes, high / lineBytes - low / lineBytes + 1);
  for (unsigned i = 0; i < 32; ++i) {  // an access is aligned, so it lies in one line
    const std::uint64_t line = offset[i] / lineBytes;
    p.lines[line / 64] |= std::uint64_t{1} << line % 64;
  }
}

void AccessLog::wroteLanes(std::size_t allocation, std::uint64_t pageNumber, const std::uint32_t* offset, std::uint32_t count) {
  Page& p = page(allocation, pageNumber);
  p.wrote = true;
  if (p.reduces)
    for (unsigned i = 0; i < 32; ++i) meets(p, offset[i] / lineBytes, offset[i] / lineBytes);
  std::uint32_t differ = 0;
  for (unsigned i = 0; i < 32; ++i) differ |= offset[i] ^ (offset[0] + i * count);
  if (differ == 0) return setBits(p.bytes.data(), offset[0], 32 * std::uint64_t{count});
  const std::uint64_t bits = count == 64 ? allBits : (std::uint64_t{1} << count) - 1;
  for (unsigned i = 0; i < 32; ++i) p.bytes[offset[i] / 64] |= bits << offset[i] % 64;
}

bool AccessLog::readWhat(const AccessLog& other) const {
  for (const Page* theirs : other.used_) {
    if (!theirs->wrote && !theirs->reduces) continue;
    if (theirs->allocation < readAny_.size() && readAny_[theirs->allocation] != 0) return true;
    const Page* mine = find(theirs->allocation, theirs->page);
    if (mine == nullptr) continue;
    for (std::size_t w = 0; w < mine->lines.size(); ++w) {
      if ((mine->lines[w] & theirs->reduced[w]) != 0) return true;
      for (std::uint64_t lines = mine->lines[w]; lines != 0; lines &= lines - 1)
        if (theirs->bytes[w * 64 + static_cast<std::size_t>(std::countr_zero(lines))] != 0) return true;
    }
  }
  return false;
}

}  // namespace warpmill::machine
