#include "cli/calibrate.h"

#include "base/error_with.h"
#include "base/text_file.h"
#include "cli/inputs.h"
#include "cli/simulate.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <array>
#include <cctype>
#include <cmath>
#include <cstdlib>
#include <optional>

namespace warpmill::cli {
namespace {

using Json = nlohmann::ordered_json;

// How a benchmark tells a number. Cycles: what the kernel counted itself (its first output), a step; the number grows by the difference.
// Time: the number is in proportion to the benchmark's time without the launch's overhead. Rate: in inverse proportion.
enum class How : std::uint8_t { Cycles, Time, Rate };
struct Rule {
  const char* path;
  const char* launch;
  How how;
  double steps;   // of the chain, for Cycles
};
// In an order in which later ones may rely on earlier ones: far memory before near, arithmetic before what contains it.
constexpr std::array<Rule, 19> rules{{{"latency.alu", "chain_fma/w1", How::Cycles, 2048},
                                      {"latency.imad", "chain_imad/w1", How::Cycles, 2048},
                                      {"latency.fp64", "chain_dfma/w1", How::Cycles, 2048},
                                      {"latency.sfu", "chain_ex2/w1", How::Cycles, 2048},
                                      {"latency.shuffle", "chain_shfl/w1", How::Cycles, 1024},
                                      {"latency.shared", "chase_shared/s1", How::Cycles, 1024},
                                      {"latency.barrier", "chain_barrier/t32", How::Cycles, 512},
                                      {"latency.dram_extra", "chase_global_cg/524288KB", How::Cycles, 1024},
                                      {"issue.fp32_interval", "rate_fma/full", How::Time, 0},
                                      {"issue.imad_interval", "rate_imad/full", How::Time, 0},
                                      {"issue.int_interval", "rate_logic/full", How::Time, 0},
                                      {"issue.fp64_interval", "rate_dfma/full", How::Time, 0},
                                      {"issue.sfu_interval", "rate_ex2/full", How::Time, 0},
                                      {"issue.lsu_interval", "rate_shared_stride/s1", How::Time, 0},
                                      {"launch.block_interval", "empty_kernel/grid131072", How::Time, 0},
                                      {"memory.sm_read", "l2_sweep/4MB", How::Rate, 0},
                                      {"memory.l2_atomics_per_cycle", "atomic_same/4M", How::Rate, 0},
                                      {"memory.dram_read_efficiency", "vec_add/n2^26", How::Rate, 0},
                                      {"memory.dram_mix_penalty", "copy1/n2^26", How::Time, 0}}};

std::optional<std::size_t> numberIndex(std::string_view path) {
  const auto& all = device::numbers();
  for (std::size_t i = 0; i < all.size(); ++i)
    if (all[i].path == path) return i;
  return std::nullopt;
}

Json* memberAt(Json& json, std::string_view path) {
  Json* at = &json;
  while (true) {
    const auto dot = path.find('.');
    const std::string key(path.substr(0, dot));
    if (!at->is_object() || !at->contains(key)) return nullptr;
    at = &(*at)[key];
    if (dot == std::string_view::npos) return at;
    path.remove_prefix(dot + 1);
  }
}

// The profile as it stands, as text and read again: what is written is what was tried.
class Draft {
 public:
  static Result<Draft> read(const std::string& text, const std::string& name) {
    Draft d;
    d.json_ = Json::parse(text, nullptr, false);
    if (d.json_.is_discarded() || !d.json_.is_object()) return errorWith("the base profile is no JSON object");
    d.json_["name"] = name;
    auto profile = d.again();
    if (!profile) return profile.diagnostics();
    return d;
  }
  Result<device::Profile> again() {
    auto profile = device::parseProfile(json_.dump(1), "the calibrated profile");
    if (profile) profile_ = *profile;
    return profile;
  }
  // False where the profile has no such number, or would not be one any more with this value.
  bool set(std::string_view path, double value, const std::string& kind, const std::string& source) {
    Json* at = memberAt(json_, path);
    if (at == nullptr || !at->is_object()) return false;
    const Json before = *at;
    const bool isWhole = before["value"].is_number_integer();
    if (isWhole) (*at)["value"] = static_cast<std::int64_t>(std::llround(value));
    else (*at)["value"] = std::round(value * 10000) / 10000;
    (*at)["kind"] = kind;
    (*at)["source"] = source;
    if (again()) return true;
    *at = before;
    (void)again();
    return false;
  }
  [[nodiscard]] Json& json() { return json_; }
  [[nodiscard]] const device::Profile& profile() const { return profile_; }
  [[nodiscard]] double number(std::string_view path) const {
    const auto i = numberIndex(path);
    return i ? device::numberOf(profile_, *i) : 0;
  }

 private:
  Json json_;
  device::Profile profile_;
};

struct Figures {
  double us = 0;       // without the launch's overhead
  double cycles = 0;   // what the kernel counted
};

// The benchmark in the simulator.
std::optional<Figures> simulated(const launch::Launch& launch, const device::Profile& profile, Modules& modules, How how) {
  SimulateOptions options;
  options.checks = faults::Checks{};
  options.checks.races = options.checks.uninitialized = false;
  options.mode = how == How::Cycles ? Mode::Detailed : Mode::Auto;   // a kernel's own clock needs every cycle
  options.results = how == How::Cycles;
  const Outcome o = simulate(launch, profile, modules, options);
  if (o.report.verdict != "ok" || !o.report.timeUs) return std::nullopt;
  Figures f;
  f.us = *o.report.timeUs - profile.launchOverheadNs / 1000;
  if (how != How::Cycles) return f;
  for (std::size_t i = 0; i < launch.arguments.size(); ++i) {   // the last buffer is where it wrote
    if (!launch.arguments[i].isBuffer) continue;
    std::uint64_t bits = 0;
    const std::uint32_t bytes = launch::dtypeBytes(launch.arguments[i].type);
    o.memory.copyOut(o.prepared->argumentAllocation[i], 0, {reinterpret_cast<std::uint8_t*>(&bits), bytes});
    f.cycles = launch::valueOf(launch.arguments[i].type, bits);
  }
  return f;
}

class Calibrator {
 public:
  Calibrator(Draft draft, const lesson::Measured& measured, const std::vector<launch::Launch>& launches, const std::function<void(const CalibrationStep&)>& tell)
      : draft_(std::move(draft)), measured_(measured), launches_(launches), tell_(tell) {}

  Result<Calibration> run(const std::string& baseName) {
    source_ = fmt::format("warpmill calibrate on {} ({})", measured_.device, measured_.date.empty() ? "no date" : measured_.date);
    takeFacts();
    takeOverhead();
    std::size_t told = 0;
    for (const Rule& rule : rules) told += apply(rule) ? 1 : 0;
    if (told == 0) return errorWith("the record has none of the benchmarks", "'warpmill measure assets/examples/calibration.json --json FILE' makes one that has them");
    draft_.json()["about"] = fmt::format("Calibrated from {}: numbers of kind \"measured\" whose source is 'warpmill calibrate' are this GPU's, the others are {}'s.", baseName, baseName);
    out_.profile = draft_.profile();
    out_.json = draft_.json().dump(2) + "\n";
    return std::move(out_);
  }

 private:
  void record(CalibrationStep step) {
    out_.steps.push_back(std::move(step));
    if (tell_) tell_(out_.steps.back());
  }
  void fact(const char* path, double value, const char* what, const char* kind = "measured") {
    if (!(value > 0)) return;
    CalibrationStep s;
    s.path = path, s.before = draft_.number(path);
    s.kept = draft_.set(path, value, kind, source_ + ": " + what);
    s.after = draft_.number(path);
    if (!s.kept) s.why = "a profile cannot hold it";
    record(std::move(s));
  }
  void takeFacts() {
    Json& json = draft_.json();
    if (!measured_.device.empty()) json["title"] = measured_.device;
    if (!measured_.computeCapability.empty()) json["compute_capability"] = measured_.computeCapability;
    takeSmCount();
    const double base = draft_.number("clock");
    const double running = measured_.after ? measured_.after->smMhz : 0;
    if (running > 0) fact("clock", running, "SM clock right after the benchmarks");
    else fact("clock", measured_.clockMhz, "the driver's highest SM clock");
    // Kernels with matrix instructions are not among the benchmarks.
    if (base > 0) fact("clock_tensor", draft_.number("clock_tensor") * draft_.number("clock") / base, "in the ratio to the clock that the base profile has", "estimated");
    fact("memory.l2_size", static_cast<double>(measured_.l2Bytes), "as the driver says");
    fact("sm.max_shared_per_block", static_cast<double>(measured_.sharedPerBlock), "as the driver says");
    fact("memory.dram_bandwidth", measured_.memoryMhz * 1e6 * 2 * measured_.memoryBusBits / 8 / 1e9, "memory clock and bus width as the driver says, two transfers a clock");
  }
  // The picture's storeys follow the number of SMs.
  void takeSmCount() {
    if (measured_.sms == 0) return;
    Json* storeys = memberAt(draft_.json(), "storeys");
    if (storeys != nullptr && (*storeys)["value"].is_array()) {
      const std::size_t n = std::min<std::size_t>((*storeys)["value"].size(), measured_.sms);
      Json value = Json::array();
      for (std::size_t i = 0; i < n; ++i) value.push_back(measured_.sms / n + (i < measured_.sms % n ? 1 : 0));
      (*storeys)["value"] = value;
      Json* count = memberAt(draft_.json(), "sm.count");
      if (count != nullptr) (*count)["value"] = measured_.sms;
    }
    fact("sm.count", measured_.sms, "as the driver says");
  }
  // An empty kernel by the hardware's own counter, where it was read; by events a kernel takes longer, so that says less.
  void takeOverhead() {
    const lesson::MeasuredResult* r = measured_.result("empty_kernel/grid1");
    if (r == nullptr || r->error) return;
    if (const auto time = r->counters.find("gpu__time_duration.sum"); time != r->counters.end()) fact("launch.overhead", time->second, "empty_kernel/grid1, gpu__time_duration.sum");
    eventsUs_ = r->cold.median;
  }
  // Microseconds of a launch without its overhead.
  [[nodiscard]] double measuredUs(const lesson::MeasuredResult& r) const {
    if (const auto time = r.counters.find("gpu__time_duration.sum"); time != r.counters.end()) return time->second / 1000 - draft_.profile().launchOverheadNs / 1000;
    return r.cold.median - eventsUs_;
  }
  // False: the record does not have it.
  bool apply(const Rule& rule) {
    const lesson::MeasuredResult* r = measured_.result(rule.launch);
    const auto launch = std::find_if(launches_.begin(), launches_.end(), [&](const launch::Launch& l) { return l.name == rule.launch; });
    if (r == nullptr || r->error || launch == launches_.end()) return false;
    const bool counts = rule.how == How::Cycles;
    if (counts ? r->head.empty() : !(measuredUs(*r) > 0)) return false;
    CalibrationStep s;
    s.path = rule.path, s.launch = rule.launch, s.before = s.after = draft_.number(rule.path);
    const double wanted = counts ? r->head.front() : measuredUs(*r);
    const double unit = counts ? rule.steps : 1;
    s.measured = wanted / unit;
    const auto before = simulated(*launch, draft_.profile(), modules_, rule.how);
    if (!before) {
      s.why = "the simulator does not run it";
      return record(std::move(s)), true;
    }
    const double had = counts ? before->cycles : before->us;
    s.simulatedBefore = s.simulatedAfter = had / unit;
    double value = s.before;
    if (counts) value += (wanted - had) / rule.steps;
    else if (had > 0) value *= rule.how == How::Time ? wanted / had : had / wanted;
    const double old = s.before;
    Json* at = memberAt(draft_.json(), rule.path);
    const Json kept = at != nullptr ? *at : Json();
    if (at == nullptr || !(value > 0) || !draft_.set(rule.path, value, "measured", fmt::format("{}: {}", source_, rule.launch))) {
      s.why = "a profile cannot hold it";
      return record(std::move(s)), true;
    }
    const auto after = draft_.number(rule.path) == old ? before : simulated(*launch, draft_.profile(), modules_, rule.how);
    const double has = !after ? HUGE_VAL : counts ? after->cycles : after->us;
    s.kept = draft_.number(rule.path) == old || std::fabs(has - wanted) < std::fabs(had - wanted);
    if (s.kept) {
      s.simulatedAfter = has / unit;
    } else {
      *memberAt(draft_.json(), rule.path) = kept;
      (void)draft_.again();
      s.why = "the benchmark does not hang on it";
    }
    s.after = draft_.number(rule.path);
    return record(std::move(s)), true;
  }

  Draft draft_;
  const lesson::Measured& measured_;
  const std::vector<launch::Launch>& launches_;
  const std::function<void(const CalibrationStep&)>& tell_;
  Modules modules_;
  Calibration out_;
  std::string source_;
  double eventsUs_ = 0;
};

}  // namespace

std::vector<std::string> calibrationLaunches() {
  std::vector<std::string> names{"empty_kernel/grid1"};
  for (const Rule& r : rules)
    if (std::find(names.begin(), names.end(), r.launch) == names.end()) names.emplace_back(r.launch);
  return names;
}

std::string baseProfileFor(const std::string& computeCapability, const std::string& device) {
  std::string plainName;   // "NVIDIA GeForce RTX 4090": "nvidiageforcertx4090"
  for (const char c : device)
    if (std::isalnum(static_cast<unsigned char>(c)) != 0) plainName += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  const double wanted = std::strtod(computeCapability.c_str(), nullptr);
  std::string best;
  double bestCapability = -1;
  for (const std::string& name : device::profileNames()) {
    const auto profile = device::loadProfile(name);
    if (!profile || name == "teaching") continue;   // a machine for lessons, none that was built
    if (plainName.find(name) != std::string::npos) return name;
    const double capability = std::strtod(profile->computeCapability.c_str(), nullptr);
    const bool fits = capability <= wanted;
    const bool isBetter = best.empty() || (fits && (capability > bestCapability || bestCapability > wanted)) || (!fits && bestCapability > wanted && capability < bestCapability);
    if (isBetter) best = name, bestCapability = capability;
  }
  return best;
}

Result<Calibration> calibrate(const std::string& baseJson, const std::string& baseName, const std::string& name, const lesson::Measured& measured,
                              const std::vector<launch::Launch>& launches, const std::function<void(const CalibrationStep&)>& tell) {
  auto draft = Draft::read(baseJson, name);
  if (!draft) return draft.diagnostics();
  return Calibrator(std::move(*draft), measured, launches, tell).run(baseName);
}

}  // namespace warpmill::cli
