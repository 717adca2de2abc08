#include "ptx/scope.h"

#include <algorithm>

namespace warpmill::ptx {
namespace {

constexpr std::uint64_t noNumber = ~std::uint64_t{0};

// "%rd12" is "%rd" and 12; a name of a range has no leading zero.
std::pair<std::string_view, std::uint64_t> split(std::string_view name) {
  std::size_t digits = name.size();
  while (digits > 0 && name[digits - 1] >= '0' && name[digits - 1] <= '9') --digits;
  const std::size_t count = name.size() - digits;
  if (count == 0 || count > 9 || (count > 1 && name[digits] == '0')) return {name, noNumber};
  std::uint64_t number = 0;
  for (char c : name.substr(digits)) number = number * 10 + static_cast<std::uint64_t>(c - '0');
  return {name.substr(0, digits), number};
}

}  // namespace

void Scopes::open() {
  scopes_.emplace_back();
  scopes_.back().parent = current_;
  current_ = static_cast<std::uint32_t>(scopes_.size() - 1);
  ++depth_;
}

bool Scopes::close() {
  if (scopes_[current_].parent == none) return false;
  current_ = scopes_[current_].parent;
  --depth_;
  return true;
}

bool Scopes::addName(std::string_view name, Symbol symbol) {
  const auto [prefix, number] = split(name);
  for (const Range& range : scopes_[current_].ranges)
    if (range.prefix == prefix && number < range.count) return false;
  return scopes_[current_].names.emplace(name, symbol).second;
}

bool Scopes::addRange(std::string_view prefix, std::uint32_t count, std::uint32_t firstRegister, std::uint8_t width) {
  for (const Range& range : scopes_[current_].ranges)
    if (range.prefix == prefix) return false;
  scopes_[current_].ranges.push_back({prefix, count, firstRegister, width});
  return true;
}

bool Scopes::addLabel(std::string_view name, std::uint32_t instruction) {
  Scope& scope = scopes_[current_];
  if (!scope.labels.emplace(name, instruction).second) return false;
  scope.labelOrder.push_back(name);
  return true;
}

bool Scopes::addTable(std::string_view name, std::vector<LabelUse> targets) {
  return scopes_[current_].tables.emplace(name, std::move(targets)).second;
}

std::optional<Symbol> Scopes::findIn(const Scope& scope, std::string_view name, std::string_view prefix, std::uint64_t number) {
  if (number != noNumber)
    for (const Range& range : scope.ranges)
      if (number < range.count && range.prefix == prefix)
        return Symbol{range.width > 1 ? Symbol::Kind::VectorRegister : Symbol::Kind::Register,
                      range.first + static_cast<std::uint32_t>(number) * range.width, range.width};
  if (scope.names.empty()) return std::nullopt;
  const auto found = scope.names.find(name);
  if (found == scope.names.end()) return std::nullopt;
  return found->second;
}

std::optional<Symbol> Scopes::find(std::string_view name) const {
  const auto [prefix, number] = split(name);
  for (std::uint32_t at = current_; at != none; at = scopes_[at].parent)
    if (auto found = findIn(scopes_[at], name, prefix, number)) return found;
  return std::nullopt;
}

std::string Scopes::rangeHint(std::string_view name) const {
  const auto [prefix, number] = split(name);
  if (number == noNumber) return {};
  for (std::uint32_t at = current_; at != none; at = scopes_[at].parent)
    for (const Range& range : scopes_[at].ranges)
      if (range.prefix == prefix && range.count != 0)
        return "only " + std::string(prefix) + "0 to " + std::string(prefix) + std::to_string(range.count - 1) + " are declared";
  return {};
}

std::uint32_t Scopes::findLabel(std::string_view name, std::uint32_t scope) const {
  for (std::uint32_t at = scope; at != none; at = scopes_[at].parent) {
    const auto found = scopes_[at].labels.find(name);
    if (found != scopes_[at].labels.end()) return found->second;
  }
  return none;
}

const std::vector<LabelUse>* Scopes::findTable(std::string_view name, std::uint32_t scope) const {
  for (std::uint32_t at = scope; at != none; at = scopes_[at].parent) {
    const auto found = scopes_[at].tables.find(name);
    if (found != scopes_[at].tables.end()) return &found->second;
  }
  return nullptr;
}

}  // namespace warpmill::ptx
