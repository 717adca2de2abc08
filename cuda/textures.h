// Textures of a launch on the real GPU: an array (or linear memory) with the launch's texels, and a handle with the sampler's state for a
// kernel's argument; for a .texref of the module the array is bound to the module's own name.
#pragma once

#include "cuda/driver.h"
#include "launch/launch.h"
#include "lesson/measured.h"

#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace warpmill::cuda {

class Textures {
 public:
  // `check` says whether a status is good, and keeps the error when it is not.
  using Check = std::function<bool(Status, const std::string& doing)>;
  Textures(const Driver& driver, Check check) : driver_(driver), check_(std::move(check)) {}

  // `gathers`: the module has tld4, for which an array of two dimensions is made ready. False: `check` has the error, or `error` has.
  bool makeHandle(const launch::Argument& argument, bool gathers, Address& handle, std::optional<lesson::MeasuredError>& error);
  bool bindReference(const launch::Argument& argument, bool gathers, Module module, std::optional<lesson::MeasuredError>& error);
  void release();

 private:
  struct Texels { Array array = nullptr; Address linear = 0; };
  bool makeTexels(const launch::Argument& argument, bool gathers, Texels& texels, std::optional<lesson::MeasuredError>& error);
  [[nodiscard]] bool isHere(std::optional<lesson::MeasuredError>& error) const;
  const Driver& driver_;
  Check check_;
  std::vector<Texels> texels_;
  std::vector<Address> handles_;
};

}  // namespace warpmill::cuda
