// Collects the parser's messages: at most 20 errors, each with its place, the line and a hint.
#pragma once

#include "base/diagnostic.h"

#include <string>
#include <string_view>

namespace warpmill::ptx {

class Reporter {
 public:
  static constexpr std::size_t maxErrors = 20;

  Reporter(const std::string& text, std::string fileName) : text_(text), fileName_(std::move(fileName)) {}

  void error(SourcePosition position, std::uint32_t length, std::string message, std::string hint = {});
  void warning(SourcePosition position, std::uint32_t length, std::string message, std::string hint = {});
  [[nodiscard]] bool full() const { return errors_ >= maxErrors; }
  [[nodiscard]] bool failed() const { return errors_ != 0; }
  [[nodiscard]] Diagnostics take();  // in the order of the text

 private:
  void add(Severity severity, SourcePosition position, std::uint32_t length, std::string message, std::string hint);

  const std::string& text_;
  std::string fileName_;
  Diagnostics diagnostics_;
  std::size_t errors_ = 0;
};

}  // namespace warpmill::ptx
