// A value, or the diagnostics that say why there is none. No exception crosses a room's border.
#pragma once

#include "base/assert.h"
#include "base/diagnostic.h"

#include <optional>
#include <utility>

namespace warpmill {

template <class T>
class [[nodiscard]] Result {
 public:
  Result(T value) : value_(std::move(value)) {}  // NOLINT(google-explicit-constructor): `return value;` is the point
  Result(T value, Diagnostics warnings) : value_(std::move(value)), diagnostics_(std::move(warnings)) {}
  Result(Diagnostic error) : diagnostics_{std::move(error)} {}          // NOLINT(google-explicit-constructor)
  Result(Diagnostics errors) : diagnostics_(std::move(errors)) {}       // NOLINT(google-explicit-constructor)

  [[nodiscard]] bool ok() const { return value_.has_value(); }
  explicit operator bool() const { return ok(); }
  T& value() { WM_ASSERT(value_.has_value(), "value() of a failed Result"); return *value_; }
  const T& value() const { WM_ASSERT(value_.has_value(), "value() of a failed Result"); return *value_; }
  T* operator->() { return &value(); }
  const T* operator->() const { return &value(); }
  T& operator*() { return value(); }
  const T& operator*() const { return value(); }

  // Errors of a failure, or the warnings that came with a value.
  [[nodiscard]] const Diagnostics& diagnostics() const { return diagnostics_; }

 private:
  std::optional<T> value_;
  Diagnostics diagnostics_;
};

}  // namespace warpmill
