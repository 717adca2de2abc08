// printf's formats, as the host's C library prints them for a kernel.
// Values lie one behind the other, each at a multiple of its size: 4 bytes for int and smaller, 8 for long, long long, double and pointers.
// Source: CUDA C++ Programming Guide, "Formatted Output"; ISO C 7.21.6.1.
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
