// printf's formats, as the host's C library prints them for a kernel.
// Values lie one behind the other, each at a multiple of its size: 4 bytes for int and smaller, 8 for long, long long, double and pointers.
// What the guide does not name (a precision of *, sizes j, z, t, L) is no conversion: it is printed as it stands, as on an H200.
// Simplified: an H200 reads wrong values behind %hd and %hhd, which take less room in its list than the compiler gives them; not here.
// Source: CUDA C++ Programming Guide, "Formatted Output"; ISO C 7.21.6.1; an H200 (tests/data/calls/h200.txt).
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

namespace warpmill::exec {

struct PrintArguments {
  std::function<std::uint64_t(unsigned bytes)> next;          // the next value
  std::function<std::string(std::uint64_t address)> text;     // of a %s
};

// `count` becomes the number of values taken. What is no conversion is printed as it stands.
std::string formatPrint(std::string_view format, const PrintArguments& arguments, std::uint32_t& count);

}  // namespace warpmill::exec
