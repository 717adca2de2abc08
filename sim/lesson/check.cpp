#include "lesson/check.h"

#include "lesson/figures.h"

#include <cmath>
#include <cstring>
#include <fmt/format.h>

namespace warpmill::lesson {

namespace {

Diagnostic plainError(const launch::Launch& launch, SourcePosition position, std::string message, std::string hint) {
  Diagnostic d;
  d.file = launch.file;
  d.position = position;
  d.message = std::move(message);
  d.hint = std::move(hint);
  return d;
}

template <class T>
void widen(const std::vector<std::uint8_t>& bytes, std::vector<double>& into) {
  into.resize(bytes.size() / sizeof(T));
  for (std::size_t i = 0; i < into.size(); ++i) {
    T value;
    std::memcpy(&value, bytes.data() + i * sizeof(T), sizeof(T));
    into[i] = static_cast<double>(value);
  }
}

bool widen(launch::DType type, const std::vector<std::uint8_t>& bytes, std::vector<double>& into) {
  using launch::DType;
  switch (type) {
    case DType::F32: widen<float>(bytes, into); return true;
    case DType::F64: widen<double>(bytes, into); return true;
    case DType::I32: widen<std::int32_t>(bytes, into); return true;
    case DType::U32: widen<std::uint32_t>(bytes, into); return true;
    case DType::U8: widen<std::uint8_t>(bytes, into); return true;
    default: return false;
  }
}

std::vector<double> scalarValue(const launch::Argument& argument) {
  std::vector<std::uint8_t> bytes(launch::dtypeBytes(argument.type));
  std::memcpy(bytes.data(), &argument.bits, bytes.size());
  std::vector<double> value;
  widen(argument.type, bytes, value);
  return value;
}

// The buffer as `memory` has it, as doubles; an error for types that no reference works on.
Result<std::vector<double>> bufferValues(const exec::PreparedLaunch& launch, std::size_t argument, const machine::Memory& memory) {
  const launch::Argument& a = launch.launch.arguments[argument];
  std::vector<double> values;
  if (!a.isBuffer) {
    values = scalarValue(a);
    if (values.empty()) return plainError(launch.launch, a.position, "no reference takes a scalar of this type", "f32, f64, i32 and u32 are known");
    return values;
  }
  std::vector<std::uint8_t> bytes(a.count * launch::dtypeBytes(a.type));
  memory.copyOut(launch.argumentAllocation[argument], 0, bytes);
  if (!widen(a.type, bytes, values)) return plainError(launch.launch, a.position, "no reference takes a buffer of this type", "f32, f64, i32, u32 and u8 are known");
  return values;
}

// "5.9e-8".
std::string powerText(double value, std::string_view language) {
  const int exponent = static_cast<int>(std::floor(std::log10(value)));
  return numberText(value / std::pow(10.0, exponent), 1, language) + "e" + std::to_string(exponent);
}

bool same(double a, double b) { return a == b || (std::isnan(a) && std::isnan(b)); }

}  // namespace

const std::vector<Reference>& references() {
  static const std::vector<Reference> list{
      {"vec_add", "c[i] = a[i] + b[i]", 2,
       [](const ReferenceInput& in) {
         std::vector<double> c = in.output;
         for (std::size_t i = 0; i < in.count && i < c.size(); ++i) c[i] = in.inputs[0][i] + in.inputs[1][i];
         return c;
       }},
      {"saxpy", "y[i] = s * x[i] + y[i]", 2,
       [](const ReferenceInput& in) {
         std::vector<double> y = in.output;
         for (std::size_t i = 0; i < in.count && i < y.size(); ++i) y[i] = in.inputs[0][0] * in.inputs[1][i] + y[i];
         return y;
       }},
  };
  return list;
}

const Reference* reference(std::string_view name) {
  for (const Reference& r : references())
    if (r.name == name) return &r;
  return nullptr;
}

Result<CheckResult> checkResult(const Check& check, const exec::PreparedLaunch& launch, const machine::Memory& memory) {
  const Reference* ref = reference(check.reference);
  WM_ASSERT(ref, "a check with an unknown reference");
  const auto& arguments = launch.launch.arguments;
  WM_ASSERT(check.output < arguments.size() && check.count < arguments.size(), "a check of arguments that the launch does not have");
  ReferenceInput in;
  for (const std::size_t input : check.inputs) {
    auto values = bufferValues(launch, input, launch.memory);
    if (!values) return values.diagnostics();
    in.inputs.push_back(std::move(*values));
  }
  auto before = bufferValues(launch, check.output, launch.memory);
  auto after = bufferValues(launch, check.output, memory);
  if (!before) return before.diagnostics();
  if (!after) return after.diagnostics();
  in.output = std::move(*before);
  const std::vector<double> count = scalarValue(arguments[check.count]);
  in.count = count.empty() || count[0] < 0 ? 0 : static_cast<std::uint64_t>(count[0]);
  for (std::size_t i = 0; i < in.inputs.size(); ++i)
    if (arguments[check.inputs[i]].isBuffer && in.inputs[i].size() < std::min<std::uint64_t>(in.count, in.output.size()))
      return plainError(launch.launch, arguments[check.inputs[i]].position, "the buffer has fewer elements than the output needs", "give both the same count");

  const std::vector<double> expected = ref->expected(in);
  CheckResult result;
  result.reference = ref->name;
  result.formula = ref->formula;
  result.output = arguments[check.output].name.empty() ? fmt::format("argument {}", check.output) : arguments[check.output].name;
  result.tolerance = check.relativeTolerance;
  result.compared = expected.size();
  for (std::size_t i = 0; i < expected.size(); ++i) {
    const double got = (*after)[i];
    const double error = same(got, expected[i]) ? 0 : std::abs(got - expected[i]) / std::abs(expected[i]);   // NaN and infinity are wrong too
    if (error <= check.relativeTolerance) {
      result.worstRelativeError = std::max(result.worstRelativeError, error);
      continue;
    }
    if (result.wrong++ == 0) result.first = Mismatch{i, expected[i], got};
  }
  result.ok = result.wrong == 0 && result.compared > 0;
  return result;
}

std::string checkText(const CheckResult& r, std::string_view language) {
  const bool russian = language == "ru";
  if (r.ok) {
    const std::string error = r.worstRelativeError == 0 ? (russian ? "точно" : "exactly") :
                              fmt::format(fmt::runtime(russian ? "с относительной погрешностью не больше {}" : "to a relative error of at most {}"),
                                          powerText(r.worstRelativeError, language));
    return fmt::format(fmt::runtime(russian ? "Результат верен: {} выполняется для всех элементов ({}), {}; эталон вычислен в FP64." :
                                              "The result is right: {} holds for all {} elements, {}; the reference is computed in FP64."),
                       r.formula, numberText(double(r.compared), 0, language), error);
  }
  if (!r.first) return russian ? "Результат не проверен: сравнивать нечего." : "The result was not checked: there is nothing to compare.";
  return fmt::format(fmt::runtime(russian ? "Результат неверен: не совпало элементов: {} из {}. Первый: {}[{}] = {:.9g}, а должно быть {:.9g} ({})." :
                                            "The result is wrong: {} of {} elements differ. The first: {}[{}] = {:.9g}, it should be {:.9g} ({})."),
                     numberText(double(r.wrong), 0, language), numberText(double(r.compared), 0, language), r.output, r.first->index, r.first->got,
                     r.first->expected, r.formula);
}

}  // namespace warpmill::lesson
