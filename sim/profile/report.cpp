#include "profile/report.h"

#include "base/sha256.h"

#include <fmt/format.h>

#include <algorithm>

namespace warpmill::profile {

namespace {

using timing::Stall;

double ratio(double a, double b) { return b == 0 ? 0 : a / b; }
double percent(double a, double b) { return 100.0 * ratio(a, b); }

std::vector<Report::Buffer> hashes(const exec::PreparedLaunch& launch, const machine::Memory& memory) {
  std::vector<Report::Buffer> out;
  for (std::uint32_t a = 0; a < launch.argumentAllocation.size(); ++a)
    if (launch.argumentAllocation[a] != ptx::none) out.push_back({a, hashOf(memory, launch.argumentAllocation[a])});
  return out;
}

void setVerdict(Report& r, const std::vector<machine::Fault>& faults) {
  r.faults = faults;
  if (!faults.empty()) r.verdict = machine::faultName(faults.front().kind);
}

void setCounters(Report& r, const timing::Machine& m, const timing::MachineState& s) {
  const device::Profile& p = m.profile();
  const timing::Counters& c = s.counters;
  const double sms = static_cast<double>(s.sms.size());
  double active = 0, residentWarpCycles = 0;
  for (const timing::SmState& sm : s.sms) {
    active += static_cast<double>(sm.activeCycles);
    residentWarpCycles += static_cast<double>(sm.residentWarpCycles);
  }
  const double elapsed = *r.cycles, issues = static_cast<double>(c.machineInstructions);
  auto& k = r.counters;
  k["smsp__inst_executed.sum"] = issues;
  k["smsp__thread_inst_executed_per_inst_executed.ratio"] = ratio(static_cast<double>(c.threadInstructions), static_cast<double>(c.issueCycles));
  k["sm__cycles_active.avg"] = active / sms;
  k["sm__cycles_elapsed.max"] = elapsed;
  k["smsp__issue_active.avg.pct_of_peak_sustained_active"] = percent(issues, active * p.schedulersPerSm);
  k["sm__warps_active.avg.pct_of_peak_sustained_active"] = percent(residentWarpCycles, active * p.maxWarpsPerSm);
  k["l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum"] = static_cast<double>(c.globalLoadRequests);
  k["l1tex__t_requests_pipe_lsu_mem_global_op_st.sum"] = static_cast<double>(c.globalStoreRequests);
  k["l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum"] = static_cast<double>(c.globalLoadSectors);
  k["l1tex__t_sectors_pipe_lsu_mem_global_op_st.sum"] = static_cast<double>(c.globalStoreSectors);
  k["l1tex__t_sectors_pipe_lsu_mem_global_op_ld_lookup_hit.sum"] = static_cast<double>(c.globalLoadHits);
  k["l1tex__data_pipe_lsu_wavefronts_mem_shared_op_ld.sum"] = static_cast<double>(c.sharedLoadWavefronts);
  k["l1tex__data_pipe_lsu_wavefronts_mem_shared_op_st.sum"] = static_cast<double>(c.sharedStoreWavefronts);
  k["l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_ld.sum"] = static_cast<double>(c.sharedLoadConflicts);
  k["l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_st.sum"] = static_cast<double>(c.sharedStoreConflicts);
  k["lts__t_sectors_op_read.sum"] = static_cast<double>(c.l2ReadSectors);
  k["lts__t_sectors_op_write.sum"] = static_cast<double>(c.l2WriteSectors);
  // Writes need no fetch and count as hits, as the hardware counts them.
  k["lts__t_sector_hit_rate.pct"] = percent(static_cast<double>(c.l2Hits), static_cast<double>(c.l2ReadSectors + c.l2WriteSectors));
  k["dram__bytes_read.sum"] = static_cast<double>(c.dramReadBytes);
  k["dram__bytes_write.sum"] = static_cast<double>(c.dramWriteBytes);
  k["dram__throughput.avg.pct_of_peak_sustained_elapsed"] = percent(r.dramGbps, p.dramBytesPerSecond);
  k["smsp__sass_thread_inst_executed_op_fadd_pred_on.sum"] = static_cast<double>(c.fadd);
  k["smsp__sass_thread_inst_executed_op_fmul_pred_on.sum"] = static_cast<double>(c.fmul);
  k["smsp__sass_thread_inst_executed_op_ffma_pred_on.sum"] = static_cast<double>(c.ffma);
  k["gpu__time_duration.sum"] = *r.timeUs * 1000.0;
  for (std::size_t i = 0; i < timing::stallCount; ++i) {
    const double perIssue = ratio(static_cast<double>(c.stalledWarpCycles[i]), issues);
    const std::string name(timing::stallName(static_cast<Stall>(i)));
    k["smsp__average_warps_issue_stalled_" + name + "_per_issue_active.ratio"] = perIssue;
    if (static_cast<Stall>(i) != Stall::Selected) r.stalls[name] = perIssue;
  }
  const device::Occupancy& o = m.occupancy();
  k["launch__registers_per_thread"] = r.registersPerThread;
  k["launch__occupancy_limit_blocks"] = o.byBlocks;
  k["launch__occupancy_limit_registers"] = o.byRegisters;
  k["launch__occupancy_limit_shared_mem"] = o.byShared;
  k["launch__occupancy_limit_warps"] = o.byWarps;
  k["launch__waves_per_multiprocessor"] = r.waves;
}

}  // namespace

std::string hashOf(const machine::Memory& memory, std::uint32_t allocation) {
  const std::uint64_t size = memory.allocations()[allocation].sizeBytes;
  Sha256 hash;
  std::vector<std::uint8_t> chunk(1 << 16);
  for (std::uint64_t at = 0; at < size; at += chunk.size()) {
    const std::uint64_t n = std::min<std::uint64_t>(chunk.size(), size - at);
    memory.copyOut(allocation, at, {chunk.data(), static_cast<std::size_t>(n)});
    hash.update({chunk.data(), static_cast<std::size_t>(n)});
  }
  return hash.hex().substr(0, 16);
}

Report reportOf(const timing::Machine& m, const timing::MachineState& s, bool withResults) {
  Report r;
  const exec::PreparedLaunch& launch = m.launch();
  const device::Profile& p = m.profile();
  r.name = launch.launch.name;
  setVerdict(r, s.faults);
  r.timingMode = "detailed";
  const double workNs = static_cast<double>(s.endCycle) * p.nsPerCycle();
  const double ns = workNs + p.launchOverheadNs;
  r.timeUs = ns / 1000.0;
  r.cycles = ns / p.nsPerCycle();
  r.simulatedBlocks = s.blocksDone;
  r.ofBlocks = m.blockCount();
  r.registersPerThread = m.lowered().registersPerThread;
  r.blocksPerSm = m.occupancy().blocksPerSm;
  r.occupancyLimiter = m.occupancy().limiter;
  r.waves = ratio(static_cast<double>(m.blockCount()), static_cast<double>(s.sms.size()) * r.blocksPerSm);
  const double bytes = static_cast<double>(s.counters.dramReadBytes + s.counters.dramWriteBytes);
  r.dramGbps = bytes / ns;
  if (launch.launch.workBytes) r.usefulGbps = *launch.launch.workBytes / ns;
  r.gflops = (launch.launch.workFlops ? *launch.launch.workFlops : static_cast<double>(s.counters.flops)) / ns;
  setCounters(r, m, s);
  r.occupancyPct = r.counters["sm__warps_active.avg.pct_of_peak_sustained_active"];
  r.verdictOnTime = verdictOf(m, s, ns, r.dramGbps);
  r.roofline = {r.gflops * ns, launch.launch.workBytes.value_or(0), bytes, r.gflops, peakGflops(p), p.dramBytesPerSecond};
  if (withResults) r.buffers = hashes(launch, s.memory);
  r.printed = s.memory.output.text();
  r.warpInstructions = s.counters.ptxInstructions;
  return r;
}

Report reportOf(const timing::Projection& p) {
  Report r = reportOf(*p.whole, p.state, false);
  r.timingMode = "projected";
  r.simulatedBlocks = p.simulatedBlocks;
  r.errorPct = p.errorPct;
  r.part = p.part;
  return r;
}

Report reportOf(const exec::PreparedLaunch& launch, const exec::FunctionalRun& run, const machine::Memory& memory, bool withResults) {
  Report r;
  r.name = launch.launch.name;
  setVerdict(r, run.faults);
  r.timingMode = "functional";
  const exec::LaunchContext& c = launch.code->context();
  r.ofBlocks = r.simulatedBlocks = static_cast<std::uint64_t>(c.grid.x) * c.grid.y * c.grid.z;
  if (withResults) r.buffers = hashes(launch, memory);
  r.printed = memory.output.text();
  r.warpInstructions = run.warpInstructions;
  return r;
}

}  // namespace warpmill::profile
