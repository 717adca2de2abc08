// Initial values of buffers: their text forms and their bytes.
#include "base/json.h"
#include "base/suggest.h"
#include "base/text_file.h"
#include "launch/argument_values.h"
#include "launch/launch.h"

#include <algorithm>
#include <array>
#include <bit>
#include <charconv>
#include <cstring>
#include <filesystem>

namespace warpmill::launch {
namespace {

constexpr std::array<std::string_view, 9> initNames{"zeros",      "ones",   "iota",      "random:SEED",  "randint:SEED:K",
                                                    "chase:STEP", "step:K", "file:PATH", "uninitialized"};

Diagnostic plainError(std::string message, std::string hint = {}) {
  Diagnostic d;
  d.message = std::move(message);
  d.hint = std::move(hint);
  return d;
}

std::optional<std::uint64_t> whole(std::string_view text) {
  std::uint64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc{} || end != text.data() + text.size() || text.empty()) return std::nullopt;
  return value;
}

struct Form {
  std::string_view word, usage;
  Init::Kind kind;
  int numbers;
};
constexpr std::array<Form, 8> forms{{{"zeros", "zeros", Init::Kind::Zeros, 0},
                                     {"ones", "ones", Init::Kind::Ones, 0},
                                     {"iota", "iota", Init::Kind::Iota, 0},
                                     {"uninitialized", "uninitialized", Init::Kind::Uninitialized, 0},
                                     {"random", "random:SEED", Init::Kind::Random, 1},
                                     {"randint", "randint:SEED:K", Init::Kind::RandInt, 2},
                                     {"chase", "chase:STEP", Init::Kind::Chase, 1},
                                     {"step", "step:K", Init::Kind::Step, 1}}};

std::optional<Diagnostic> parseForm(const Form& form, std::string_view rest, Init& init) {
  init.kind = form.kind;
  std::array<std::uint64_t, 2> numbers{};
  int found = 0;
  while (!rest.empty()) {  // each begins with its colon
    rest.remove_prefix(1);
    const std::string_view part = rest.substr(0, rest.find(':'));
    rest.remove_prefix(part.size());
    const auto number = whole(part);
    if (!number) return plainError("'" + std::string(part) + "' is no whole number", "the form is " + std::string(form.usage));
    if (found < 2) numbers[static_cast<std::size_t>(found)] = *number;
    ++found;
  }
  if (found != form.numbers)
    return plainError("'" + std::string(form.word) + "' takes " +
                          (form.numbers == 0 ? "no number" : std::to_string(form.numbers) + (form.numbers == 1 ? " number" : " numbers")) +
                          ", " + std::to_string(found) + " given",
                      "the form is " + std::string(form.usage));
  init.a = numbers[0];
  init.b = numbers[1];
  if (form.kind == Init::Kind::RandInt && (init.b == 0 || init.b > 0xFFFFFFFFull))
    return plainError("K of 'randint' is " + std::to_string(init.b), "numbers from 0 to K-1 are drawn: K is from 1 to 4294967295");
  return std::nullopt;
}

std::uint64_t elementBits(const Argument& a, std::uint64_t i) {
  const Init& init = a.init;
  switch (init.kind) {
    case Init::Kind::Ones:
      return bitsOfUnsigned(a.type, 1);
    case Init::Kind::Iota:
      return bitsOfUnsigned(a.type, i);
    case Init::Kind::Random:
      return bitsOf(a.type, static_cast<double>(mix(static_cast<std::uint32_t>(i), static_cast<std::uint32_t>(init.a)) >> 8) * 0x1p-24);
    case Init::Kind::RandInt:
      return bitsOfUnsigned(a.type,
                            mix(static_cast<std::uint32_t>(i), static_cast<std::uint32_t>(init.a)) % static_cast<std::uint32_t>(init.b));
    case Init::Kind::Chase:
      return bitsOfUnsigned(a.type, (i + init.a % a.count) % a.count);
    case Init::Kind::Step:
      return bitsOfUnsigned(a.type, i * init.a);
    case Init::Kind::Values:
      if (isFloat(a.type)) return i < init.values.size() ? bitsOf(a.type, init.values[i]) : 0;
      return i < init.integers.size() ? bitsOfUnsigned(a.type, static_cast<std::uint64_t>(init.integers[i])) : 0;
    case Init::Kind::Zeros:
    case Init::Kind::Uninitialized:
      return 0;
    case Init::Kind::File:
      break;
  }
  WM_ASSERT(false, "elements of a file are not computed");
}

template <class Value>
void fill32(std::uint64_t first, std::span<std::uint8_t> into, Value value) {
  for (std::size_t at = 0; at < into.size(); at += 4) {
    const std::uint32_t bits = value(first++);
    std::memcpy(into.data() + at, &bits, 4);
  }
}

// The commonest buffers, of which there are hundreds of megabytes: the same bits as elementBits, without a decision an element.
bool fillQuickly(const Argument& a, std::uint64_t first, std::span<std::uint8_t> into) {
  if constexpr (std::endian::native != std::endian::little) return false;
  const Init& init = a.init;
  const auto seed = static_cast<std::uint32_t>(init.a), most = static_cast<std::uint32_t>(init.b);
  if (a.type == DType::F32 && init.kind == Init::Kind::Random) {
    fill32(first, into, [=](std::uint64_t i) {
      return std::bit_cast<std::uint32_t>(static_cast<float>(mix(static_cast<std::uint32_t>(i), seed) >> 8) * 0x1p-24f);
    });
    return true;
  }
  if (a.type != DType::I32 && a.type != DType::U32) return false;
  switch (init.kind) {
    case Init::Kind::Iota:
      fill32(first, into, [](std::uint64_t i) { return static_cast<std::uint32_t>(i); });
      return true;
    case Init::Kind::RandInt:
      fill32(first, into, [=](std::uint64_t i) { return mix(static_cast<std::uint32_t>(i), seed) % most; });
      return true;
    case Init::Kind::Step:
      fill32(first, into, [=](std::uint64_t i) { return static_cast<std::uint32_t>(i * init.a); });
      return true;
    case Init::Kind::Chase:
      fill32(first, into, [&, step = init.a % a.count](std::uint64_t i) { return static_cast<std::uint32_t>((i + step) % a.count); });
      return true;
    default:
      return false;
  }
}

}  // namespace

std::uint32_t mix(std::uint32_t i, std::uint32_t seed) {
  std::uint32_t x = i + seed * 0x9E3779B9u;
  x ^= x >> 16;
  x *= 0x85ebca6bu;
  x ^= x >> 13;
  x *= 0xc2b2ae35u;
  x ^= x >> 16;
  return x;
}

std::optional<Diagnostic> parseInit(std::string_view text, const std::string& folder, Argument& buffer) {
  buffer.init = Init{};
  const std::string_view word = text.substr(0, std::min(text.find(':'), text.size()));
  const std::string_view rest = text.substr(word.size());
  if (text.starts_with("[")) {
    const auto document = JsonDocument::parse(std::string(text), "");
    if (!document) return plainError("the values are no JSON array: " + document.diagnostics()[0].message, document.diagnostics()[0].hint);
    return readValues((*document)->root(), buffer);
  }
  if (word == "file") {
    if (rest.size() < 2) return plainError("'file' names no file", "the form is file:PATH");
    buffer.init.kind = Init::Kind::File;
    buffer.init.path = (std::filesystem::path(folder) / rest.substr(1)).string();
    return std::nullopt;
  }
  for (const Form& form : forms)
    if (form.word == word) return parseForm(form, rest, buffer.init);
  std::vector<std::string_view> words{"file"};
  for (const Form& form : forms) words.push_back(form.word);
  const std::string_view near = closest(word, words);
  return plainError(
      "unknown init '" + std::string(word) + "'",
      near.empty() ? didYouMean(std::string(80, '?'), initNames) + ", or an array of values" : "did you mean '" + std::string(near) + "'?");
}

void fillElements(const Argument& buffer, std::uint64_t first, std::span<std::uint8_t> into) {
  const std::uint32_t bytes = dtypeBytes(buffer.type);
  WM_ASSERT(into.size() % bytes == 0, "whole elements only");
  if (buffer.init.kind == Init::Kind::Zeros || buffer.init.kind == Init::Kind::Uninitialized) {
    std::fill(into.begin(), into.end(), std::uint8_t{0});
    return;
  }
  if (fillQuickly(buffer, first, into)) return;
  for (std::size_t at = 0; at < into.size(); at += bytes) {
    const std::uint64_t bits = elementBits(buffer, first++);
    for (std::uint32_t b = 0; b < bytes; ++b) into[at + b] = static_cast<std::uint8_t>(bits >> (8 * b));
  }
}

Result<std::vector<std::uint8_t>> initialBytes(const Argument& argument) {
  const std::uint64_t size = argument.sizeBytes();
  if (argument.init.kind == Init::Kind::File) {
    auto bytes = readBinaryFile(argument.init.path, largestBuffer);
    if (!bytes) return bytes.diagnostics();
    if (bytes->size() < size) {
      Diagnostic d = plainError("this file is too short for the buffer: it has " + std::to_string(bytes->size()) + " bytes, " +
                                std::to_string(argument.count) + " elements of " + std::string(dtypeName(argument.type)) + " want " +
                                std::to_string(size));
      d.file = argument.init.path;
      return d;
    }
    bytes->resize(size);
    return bytes;
  }
  std::vector<std::uint8_t> bytes(size);
  fillElements(argument, 0, bytes);
  return bytes;
}

}  // namespace warpmill::launch
