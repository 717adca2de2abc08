#include "device/profile.h"

#include <cmath>

namespace warpmill::device {

const std::vector<NumberInfo>& numbers() {
  static const std::vector<NumberInfo> all{
#define WM_NUMBER(field, path, unit, meaning) {path, unit, meaning},
#include "device/numbers.def"
#undef WM_NUMBER
  };
  return all;
}

double numberOf(const Profile& profile, std::size_t index) {
  static constexpr double Profile::*fields[] = {
#define WM_NUMBER(field, path, unit, meaning) &Profile::field,
#include "device/numbers.def"
#undef WM_NUMBER
  };
  WM_ASSERT(index < std::size(fields), "no such number");
  return profile.*fields[index];
}

}  // namespace warpmill::device
