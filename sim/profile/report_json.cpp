#include "profile/report.h"

#include <nlohmann/json.hpp>

#include <algorithm>

namespace warpmill::profile {

using nlohmann::json;

namespace {

json toJson(const machine::OtherParty& o) {
  return {{"note", o.note},   {"note_ru", o.noteRu}, {"access", std::string(o.access)}, {"file", o.file}, {"line", o.location.line}, {"ptx_line", o.ptxLine},
          {"block", o.block}, {"thread", o.thread},              {"warp", o.warp}, {"lane", o.lane}};
}

json toJson(const machine::Fault& f) {
  json out = {{"kind", machine::faultName(f.kind)},
          {"message", f.message},
          {"remedy", f.remedy},
          {"file", f.file},
          {"line", f.location.line},
          {"ptx_line", f.ptxLine},
          {"block", f.block},
          {"thread", f.thread},
          {"warp", f.warp},
          {"lane", f.lane},
          {"buffer", f.buffer},
          {"offset", f.offset},
          {"bytes", f.bytes},
          {"access", std::string(f.access)},
          {"cycle", f.cycle},
          {"count", f.count}};
  out["message_ru"] = f.messageRu;
  out["remedy_ru"] = f.remedyRu;
  if (f.issue != 0) out["warp_instruction"] = f.issue;
  if (!f.expression.empty()) {
    out["registers"] = json::array();
    std::string text;
    for (const machine::ExpressionStep& s : f.expression) {
      out["registers"].push_back({{"name", s.name}, {"value", s.value}, {"definition", s.definition}, {"ptx_line", s.ptxLine}, {"line", s.line}});
      text += (text.empty() ? "" : "; ") + s.name + (s.definition.empty() ? "" : " = " + s.definition) + (s.value.empty() ? "" : " = " + s.value);
    }
    out["expression"] = text;
  }
  if (f.other) out["other"] = toJson(*f.other);
  for (const machine::OtherParty& o : f.parties) out["parties"].push_back(toJson(o));
  return out;
}

}  // namespace

json toJson(const Report& r) {
  json out = {{"name", r.name}, {"verdict", r.verdict}, {"faults", json::array()}};
  for (const machine::Fault& f : r.faults) out["faults"].push_back(toJson(f));
  out["timing"] = {{"mode", r.timingMode}, {"simulated_blocks", r.simulatedBlocks}, {"of_blocks", r.ofBlocks}};
  if (r.timeUs) {
    out["timing"]["cycles"] = *r.cycles;
    out["timing"]["time_us"] = *r.timeUs;
    if (!r.part.empty()) {
      out["timing"]["error_pct"] = r.errorPct;
      out["timing"]["part"] = r.part;
    }
    const Verdict& v = r.verdictOnTime;
    out["achieved"] = {{"occupancy_pct", r.occupancyPct}, {"dram_gbps", r.dramGbps},   {"useful_gbps", r.usefulGbps},
                       {"gflops", r.gflops},              {"limit", v.limit}, {"bound", v.bound}, {"sentence", v.sentence}, {"advice", v.advice}};
    out["resources"] = json::array();
    for (const Resource& resource : v.resources) out["resources"].push_back({{"name", resource.name}, {"busy_pct", 100 * resource.share}, {"says", resource.says}});
    const Roofline& f = r.roofline;
    out["roofline"] = {{"gflops", f.gflops}, {"roof_gflops", f.roofGflops()}, {"peak_gflops", f.peakGflops}, {"peak_gbps", f.peakGbps}};
    if (f.usefulBytes > 0) out["roofline"]["flop_per_useful_byte"] = f.usefulIntensity();
    if (f.movedBytes > 0) out["roofline"]["flop_per_moved_byte"] = f.movedIntensity();
    out["launch"] = {{"registers_per_thread", r.registersPerThread},
                     {"blocks_per_sm", r.blocksPerSm},
                     {"occupancy_limiter", r.occupancyLimiter},
                     {"waves", r.waves}};
    out["counters"] = r.counters;
    out["stalls"] = r.stalls;
    if (r.heat) out.update(toJson(*r.heat));
  }
  out["buffers"] = json::array();
  for (const Report::Buffer& b : r.buffers) out["buffers"].push_back({{"arg", b.argument}, {"sha256", b.sha256}});
  for (const Report::Note& n : r.notes)
    out["notes"].push_back({{"message", n.message}, {"file", n.file}, {"line", n.line}, {"ptx_line", n.ptxLine}, {"count", n.count}});
  if (!r.printed.empty()) out["printf"] = r.printed;
  out["simulator"] = {{"wall_s", r.wallSeconds},
                      {"warp_instructions", r.warpInstructions},
                      {"warp_instructions_per_s", r.wallSeconds > 0 ? static_cast<double>(r.warpInstructions) / r.wallSeconds : 0.0},
                      {"threads", r.threads}};
  return out;
}

namespace {

double numberOf(const json& object, const char* key) {
  const auto found = object.is_object() ? object.find(key) : object.end();
  return object.is_object() && found != object.end() && found->is_number() ? found->get<double>() : 0;
}

std::string textOf(const json& object, const char* key) {
  const auto found = object.is_object() ? object.find(key) : object.end();
  return object.is_object() && found != object.end() && found->is_string() ? found->get<std::string>() : std::string();
}

void readNumbers(const json& object, std::map<std::string, double>& into) {
  if (!object.is_object()) return;
  for (const auto& [key, value] : object.items())
    if (value.is_number()) into[key] = value.get<double>();
}

}  // namespace

Report reportFromJson(const json& in) {
  static const json nothing = json::object();
  const auto part = [&](const char* key) -> const json& { return in.is_object() && in.contains(key) ? in[key] : nothing; };
  Report r;
  r.name = textOf(in, "name");
  r.verdict = textOf(in, "verdict");
  const json &timing = part("timing"), &achieved = part("achieved"), &launch = part("launch"), &roofline = part("roofline");
  r.timingMode = textOf(timing, "mode");
  if (numberOf(timing, "time_us") > 0) r.timeUs = numberOf(timing, "time_us"), r.cycles = numberOf(timing, "cycles");
  r.errorPct = numberOf(timing, "error_pct");
  r.part = textOf(timing, "part");
  r.occupancyPct = numberOf(achieved, "occupancy_pct"), r.dramGbps = numberOf(achieved, "dram_gbps"), r.usefulGbps = numberOf(achieved, "useful_gbps"), r.gflops = numberOf(achieved, "gflops");
  Verdict& v = r.verdictOnTime;
  v.bound = textOf(achieved, "bound"), v.limit = textOf(achieved, "limit"), v.sentence = textOf(achieved, "sentence"), v.advice = textOf(achieved, "advice");
  if (part("resources").is_array())
    for (const json& resource : part("resources")) v.resources.push_back({textOf(resource, "name"), "", numberOf(resource, "busy_pct") / 100, false, textOf(resource, "says")});
  r.roofline.gflops = numberOf(roofline, "gflops"), r.roofline.peakGflops = numberOf(roofline, "peak_gflops"), r.roofline.peakGbps = numberOf(roofline, "peak_gbps");
  r.registersPerThread = static_cast<std::uint32_t>(std::clamp(numberOf(launch, "registers_per_thread"), 0.0, 1e6));
  r.blocksPerSm = static_cast<std::uint32_t>(std::clamp(numberOf(launch, "blocks_per_sm"), 0.0, 1e6));
  r.occupancyLimiter = textOf(launch, "occupancy_limiter");
  r.waves = numberOf(launch, "waves");
  readNumbers(part("counters"), r.counters);
  readNumbers(part("stalls"), r.stalls);
  return r;
}

}  // namespace warpmill::profile
