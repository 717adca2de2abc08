#include "machine/print_output.h"

#include <fmt/format.h>

namespace warpmill::machine {
namespace {

constexpr std::size_t pieceBytes = 4096, mostPieces = (16u << 20) / pieceBytes;

}  // namespace

void PrintOutput::append(std::string_view text) {
  if (full_.size() >= mostPieces) {
    lostBytes_ += text.size();
    return;
  }
  last_ += text;
  if (last_.size() < pieceBytes) return;
  full_.push_back(std::make_shared<const std::string>(std::move(last_)));
  last_.clear();
}

void PrintOutput::append(const PrintOutput& more) {
  for (const auto& piece : more.full_) append(*piece);
  append(more.last_);
  lostBytes_ += more.lostBytes_;
}

std::string PrintOutput::text() const {
  std::string all;
  for (const auto& piece : full_) all += *piece;
  all += last_;
  if (lostBytes_ != 0) all += fmt::format("\n[{} more bytes were printed and are not kept]\n", lostBytes_);
  return all;
}

bool PrintOutput::operator==(const PrintOutput& o) const {
  if (lostBytes_ != o.lostBytes_) return false;
  if (full_ == o.full_) return last_ == o.last_;  // the same pieces
  return text() == o.text();                      // which may be cut elsewhere
}

}  // namespace warpmill::machine
