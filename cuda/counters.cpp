#include "cuda/counters.h"

#include "base/error_with.h"
#include "cuda/process.h"

#include <fmt/format.h>

#include <array>
#include <charconv>
#include <cstdint>
#include <string_view>

namespace warpmill::cuda {
namespace {

constexpr std::array<std::string_view, 31> metrics{
    "gpu__time_duration.sum", "sm__cycles_elapsed.max", "sm__cycles_active.avg", "smsp__inst_executed.sum", "smsp__thread_inst_executed_per_inst_executed.ratio",
    "smsp__issue_active.avg.pct_of_peak_sustained_active", "sm__warps_active.avg.pct_of_peak_sustained_active",
    "l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum", "l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum", "l1tex__t_requests_pipe_lsu_mem_global_op_st.sum",
    "l1tex__t_sectors_pipe_lsu_mem_global_op_st.sum", "l1tex__t_sectors_pipe_lsu_mem_global_op_ld_lookup_hit.sum",
    "l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_ld.sum", "l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_st.sum",
    "l1tex__data_pipe_lsu_wavefronts_mem_shared_op_ld.sum", "l1tex__data_pipe_lsu_wavefronts_mem_shared_op_st.sum",
    "lts__t_sectors_op_read.sum", "lts__t_sectors_op_write.sum", "lts__t_sector_hit_rate.pct", "dram__bytes_read.sum", "dram__bytes_write.sum",
    "dram__throughput.avg.pct_of_peak_sustained_elapsed", "smsp__sass_thread_inst_executed_op_ffma_pred_on.sum",
    "smsp__sass_thread_inst_executed_op_fadd_pred_on.sum", "smsp__sass_thread_inst_executed_op_fmul_pred_on.sum", "launch__registers_per_thread",
    "launch__occupancy_limit_blocks", "launch__occupancy_limit_registers", "launch__occupancy_limit_shared_mem", "launch__occupancy_limit_warps",
    "launch__waves_per_multiprocessor"};
constexpr std::array<std::string_view, 14> stalls{"barrier", "branch_resolving", "dispatch_stall", "drain", "lg_throttle", "long_scoreboard", "math_pipe_throttle",
                                                  "membar", "mio_throttle", "no_instruction", "not_selected", "short_scoreboard", "sleeping", "wait"};

// The fields of a line of CSV; quotes around each, doubled inside.
std::vector<std::string> fieldsOf(std::string_view line) {
  std::vector<std::string> fields(1);
  bool quoted = false;
  for (std::size_t i = 0; i < line.size(); ++i) {
    if (line[i] == '"' && quoted && i + 1 < line.size() && line[i + 1] == '"') fields.back() += line[i++];
    else if (line[i] == '"') quoted = !quoted;
    else if (line[i] == ',' && !quoted) fields.emplace_back();
    else fields.back() += line[i];
  }
  return fields;
}

std::optional<double> numberOf(std::string text) {
  std::erase(text, ',');   // 1,234
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc{} || end != text.data() + text.size()) return std::nullopt;
  return value;
}

}  // namespace

std::string counterNames() {
  std::string names;
  for (const std::string_view m : metrics) names += std::string(names.empty() ? "" : ",") + std::string(m);
  for (const std::string_view s : stalls) names += fmt::format(",smsp__average_warps_issue_stalled_{}_per_issue_active.ratio", s);
  return names;
}

Result<std::vector<Counters>> parseCounters(const std::string& csv) {
  std::vector<Counters> kernels;
  std::size_t id = 0, name = 0, value = 0, most = 0;
  std::string last;
  for (std::size_t at = 0; at < csv.size();) {
    std::size_t end = csv.find('\n', at);
    if (end == std::string::npos) end = csv.size();
    std::string_view line(csv.data() + at, end - at);
    at = end + 1;
    if (line.ends_with('\r')) line.remove_suffix(1);
    if (!line.starts_with('"')) continue;   // what ncu and the program say beside the table
    const std::vector<std::string> fields = fieldsOf(line);
    if (fields[0] == "ID") {
      for (std::size_t i = 0; i < fields.size(); ++i) {
        if (fields[i] == "Metric Name") name = i;
        if (fields[i] == "Metric Value") value = i;
      }
      most = std::max(name, value);
      continue;
    }
    if (most == 0 || fields.size() <= most) continue;
    if (kernels.empty() || fields[id] != last) kernels.emplace_back();
    last = fields[id];
    if (const auto number = numberOf(fields[value])) kernels.back()[fields[name]] = *number;   // "n/a": a counter that this GPU does not have
  }
  if (most == 0) return errorWith("Nsight Compute printed no table of counters", "'ncu --version' says which one it is; 2022.1 or newer is wanted");
  return kernels;
}

Result<std::vector<Counters>> countKernels(const std::vector<std::string>& words, double limitSeconds) {
  std::vector<std::string> all{"ncu", "--clock-control", "none", "--csv", "--print-units", "base", "--metrics", counterNames()};
  all.insert(all.end(), words.begin(), words.end());
  auto ran = runProgram(all, limitSeconds);
  if (!ran) {
    Diagnostic d = ran.diagnostics().front();
    if (d.hint.empty()) d.hint = "counters are read by Nsight Compute's command line: install it (it is part of the CUDA toolkit) and put 'ncu' on the PATH";
    return d;
  }
  if ((ran->out + ran->err).find("ERR_NVGPUCTRPERM") != std::string::npos)
    return errorWith("this user may not read the GPU's counters (ERR_NVGPUCTRPERM)",
                 "run it as root, or let every user: option NVreg_RestrictProfilingToAdminUsers=0 of the kernel module nvidia, then restart");
  auto counters = parseCounters(ran->out);
  if (!counters) {
    Diagnostic d = counters.diagnostics().front();
    for (const std::string& text : {ran->out, ran->err})
      if (const auto at = text.find("==ERROR=="); at != std::string::npos) d.message += "; it says: " + text.substr(at, text.find('\n', at) - at);
    return d;
  }
  return counters;
}

}  // namespace warpmill::cuda
