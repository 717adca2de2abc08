// What kernels printed, in order.
// Simplified: hardware keeps a ring of 1 MiB unless the host asks for more, and loses the oldest output; here the first 16 MiB stay.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace warpmill::machine {

class PrintOutput {
 public:
  void append(std::string_view text);
  void append(const PrintOutput& more);
  [[nodiscard]] std::string text() const;   // and how much was lost, if any was
  [[nodiscard]] bool empty() const { return full_.empty() && last_.empty(); }
  bool operator==(const PrintOutput& o) const;

 private:
  std::vector<std::shared_ptr<const std::string>> full_;  // pieces that copies of a state share
  std::string last_;
  std::uint64_t lostBytes_ = 0;
};

}  // namespace warpmill::machine
