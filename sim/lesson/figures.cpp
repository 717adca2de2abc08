#include "lesson/figures.h"

#include "lesson/lesson.h"

#include <algorithm>
#include <array>

namespace warpmill::lesson {

namespace {

// Nsight Compute's names.
constexpr const char* loadRequests = "l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum";
constexpr const char* loadSectors = "l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum";
constexpr const char* loadHits = "l1tex__t_sectors_pipe_lsu_mem_global_op_ld_lookup_hit.sum";
constexpr const char* storeRequests = "l1tex__t_requests_pipe_lsu_mem_global_op_st.sum";
constexpr const char* storeSectors = "l1tex__t_sectors_pipe_lsu_mem_global_op_st.sum";

double fp32PeakTflops(const device::Profile& p) { return profile::peakGflops(p) / 1000; }

// Writes the figures of one source and variant.
class Writer {
 public:
  Writer(Figures& figures, const std::string& source, const Variant& variant) : figures_(figures), prefix_(source + "." + variant.id + ".") {}
  void operator()(std::string_view name, double value) {
    WM_ASSERT(figureInfo(name), "a figure that is not listed");
    figures_.set(prefix_ + std::string(name), value);
  }

 private:
  Figures& figures_;
  std::string prefix_;
};

void addCounters(Writer& write, const std::map<std::string, double>& counters) {
  const auto get = [&](const char* name) -> std::optional<double> {
    const auto it = counters.find(name);
    return it == counters.end() ? std::nullopt : std::optional<double>(it->second);
  };
  const auto copy = [&](std::string_view figure, const char* counter, double factor = 1) {
    if (const auto v = get(counter)) write(figure, *v * factor);
  };
  const auto ratio = [&](std::string_view figure, const char* above, const char* below, double factor = 1) {
    const auto a = get(above), b = get(below);
    if (a && b && *b > 0) write(figure, *a / *b * factor);
  };
  copy("warp_instructions", "smsp__inst_executed.sum");
  copy("load_requests", loadRequests);
  copy("load_sectors", loadSectors);
  copy("store_requests", storeRequests);
  copy("store_sectors", storeSectors);
  ratio("sectors_per_request", loadSectors, loadRequests);
  ratio("store_sectors_per_request", storeSectors, storeRequests);
  ratio("l1_hit_pct", loadHits, loadSectors, 100);
  copy("l2_hit_pct", "lts__t_sector_hit_rate.pct");
  copy("dram_read_mb", "dram__bytes_read.sum", 1e-6);
  copy("dram_write_mb", "dram__bytes_write.sum", 1e-6);
  copy("dram_peak_pct", "dram__throughput.avg.pct_of_peak_sustained_elapsed");
  copy("occupancy_pct", "sm__warps_active.avg.pct_of_peak_sustained_active");
  copy("issue_pct", "smsp__issue_active.avg.pct_of_peak_sustained_active");
  copy("active_lanes", "smsp__thread_inst_executed_per_inst_executed.ratio");
  copy("waves", "launch__waves_per_multiprocessor");
  copy("cycles", "sm__cycles_elapsed.max");
  std::optional<double> blocks;
  for (const char* limit : {"launch__occupancy_limit_blocks", "launch__occupancy_limit_registers", "launch__occupancy_limit_shared_mem", "launch__occupancy_limit_warps"})
    if (const auto v = get(limit); v && (!blocks || *v < *blocks)) blocks = v;
  if (blocks) write("blocks_per_sm", *blocks);
}

// What follows from the kernel's time. Without "work" in the launch file the operations are those that were counted.
void addTime(Writer& write, const launch::Launch& launch, const device::Profile& profile, double microseconds, const std::map<std::string, double>& counters) {
  write("time_us", microseconds);
  if (microseconds <= 0) return;
  const auto counted = [&](const char* name) {
    const auto it = counters.find(name);
    return it == counters.end() ? std::nullopt : std::optional<double>(it->second);
  };
  const auto read = counted("dram__bytes_read.sum"), written = counted("dram__bytes_write.sum");
  if (read && written) write("moved_gbps", (*read + *written) / microseconds * 1e-3);
  const auto adds = counted("smsp__sass_thread_inst_executed_op_fadd_pred_on.sum"), products = counted("smsp__sass_thread_inst_executed_op_fmul_pred_on.sum"),
             both = counted("smsp__sass_thread_inst_executed_op_ffma_pred_on.sum");
  if (!launch.workFlops && adds && products && both) {
    const double flops = *adds + *products + 2 * *both;
    write("gflops", flops / microseconds * 1e-3);
    write("fp32_peak_pct", 100 * flops / microseconds * 1e-6 / fp32PeakTflops(profile));
    if (read && written && *read + *written > 0) write("flop_per_moved_byte", flops / (*read + *written));
  }
  if (launch.workBytes) {
    const double gbps = *launch.workBytes / microseconds * 1e-3;
    write("useful_gbps", gbps);
    write("peak_pct", 100 * gbps / profile.dramBytesPerSecond);
  }
  if (launch.workFlops) {
    const double gflops = *launch.workFlops / microseconds * 1e-3;
    write("gflops", gflops);
    write("fp32_peak_pct", 100 * gflops * 1e-3 / fp32PeakTflops(profile));
  }
}

}  // namespace

const std::vector<FigureInfo>& figureInfos() {
  static const std::vector<FigureInfo> list{
      {"elements", "", false, "elements", "элементов"},
      {"blocks", "", false, "blocks", "блоков"},
      {"threads_per_block", "", false, "threads a block", "потоков в блоке"},
      {"warps_per_block", "", false, "warps a block", "варпов в блоке"},
      {"threads", "", false, "threads", "потоков"},
      {"warps", "", false, "warps", "варпов"},
      {"spare_threads", "", false, "threads without an element", "потоков без элемента"},
      {"last_block_elements", "", false, "elements of the last block", "элементов в последнем блоке"},
      {"elements_per_thread", "", false, "elements a thread", "элементов на поток"},
      {"copies", "", false, "threads that hold the same element", "потоков с одним и тем же элементом"},
      {"bytes_per_element", "B", false, "bytes an element", "байтов на элемент"},
      {"useful_mb", "MB", false, "useful bytes", "полезных байтов"},
      {"flop_per_byte", "FLOP/B", false, "operations a byte", "операций на байт"},
      {"flop_per_moved_byte", "FLOP/B", true, "operations a byte that DRAM moved", "операций на байт, перенесённый DRAM"},
      {"roof_tflops", "TFLOP/s", false, "most that the bandwidth allows", "предел по пропускной способности"},
      {"roof_fp32_pct", "%", false, "the same, of FP32 peak", "то же, от пика FP32"},
      {"least_time_us", "us", false, "bytes at peak bandwidth", "байты при пиковой пропускной способности"},
      {"time_us", "us", true, "time", "время"},
      {"cycles", "", true, "SM clock cycles", "тактов SM"},
      {"useful_gbps", "GB/s", true, "useful bandwidth", "полезная пропускная способность"},
      {"moved_gbps", "GB/s", true, "moved by DRAM", "перенесено DRAM"},
      {"peak_pct", "%", true, "useful, of DRAM peak", "полезная, от пика DRAM"},
      {"gflops", "GFLOP/s", true, "FP32 rate", "скорость FP32"},
      {"fp32_peak_pct", "%", true, "FP32 rate, of peak", "скорость FP32, от пика"},
      {"warp_instructions", "", true, "warp instructions", "инструкций варпов"},
      {"load_requests", "", true, "load requests", "запросов на чтение"},
      {"load_sectors", "", true, "load sectors", "секторов чтения"},
      {"sectors_per_request", "", true, "sectors a load request", "секторов на запрос чтения"},
      {"store_requests", "", true, "store requests", "запросов на запись"},
      {"store_sectors", "", true, "store sectors", "секторов записи"},
      {"store_sectors_per_request", "", true, "sectors a store request", "секторов на запрос записи"},
      {"l1_hit_pct", "%", true, "L1 hits of loads", "попаданий в L1 при чтении"},
      {"l2_hit_pct", "%", true, "L2 hits", "попаданий в L2"},
      {"dram_read_mb", "MB", true, "read from DRAM", "прочитано из DRAM"},
      {"dram_write_mb", "MB", true, "written to DRAM", "записано в DRAM"},
      {"dram_peak_pct", "%", true, "DRAM busy", "занятость DRAM"},
      {"occupancy_pct", "%", true, "occupancy achieved", "достигнутая заполненность (occupancy)"},
      {"issue_pct", "%", true, "schedulers issue", "планировщики выдают инструкции"},
      {"active_lanes", "", true, "active lanes of 32", "активных дорожек из 32"},
      {"waves", "", true, "waves", "волн"},
      {"registers", "", true, "registers a thread", "регистров на поток"},
      {"blocks_per_sm", "", true, "blocks that fit an SM", "блоков помещается на SM"},
      {"timeline_cycles", "", false, "cycles of the timeline", "тактов на шкале времени"},
      {"cold_us", "us", false, "time by CUDA events, cold L2", "время по событиям CUDA, холодный L2"},
      {"warm_us", "us", false, "time by CUDA events, warm L2", "время по событиям CUDA, тёплый L2"},
  };
  return list;
}

const FigureInfo* figureInfo(std::string_view name) {
  for (const FigureInfo& info : figureInfos())
    if (info.name == name) return &info;
  return nullptr;
}

std::string_view unitText(std::string_view unit, std::string_view language) {
  static constexpr std::array<std::array<std::string_view, 3>, 5> units{
      {{"us", "µs", "мкс"}, {"GB/s", "GB/s", "ГБ/с"}, {"MB", "MB", "МБ"}, {"B", "B", "Б"}, {"FLOP/B", "FLOP/B", "FLOP/Б"}}};
  for (const auto& [name, english, russian] : units)
    if (name == unit) return language == "ru" ? russian : english;
  return unit;
}

std::optional<double> Figures::get(std::string_view name) const {
  const auto it = values_.find(name);
  return it == values_.end() ? std::nullopt : std::optional<double>(it->second);
}

void Figures::addDevice(const device::Profile& p) {
  set("device.sms", p.smCount);
  set("device.clock_mhz", p.clockMHz);
  set("device.peak_gbps", p.dramBytesPerSecond);
  set("device.peak_tbps", p.dramBytesPerSecond * 1e-3);
  set("device.fp32_tflops", fp32PeakTflops(p));
  set("device.ridge", fp32PeakTflops(p) * 1e3 / p.dramBytesPerSecond);
  set("device.warps_per_sm", p.maxWarpsPerSm);
  set("device.schedulers", p.schedulersPerSm);
  set("device.bytes_per_cycle_per_sm", p.dramBytesPerSecond * 1e3 / p.clockMHz / p.smCount);
  set("device.dram_latency", p.l2Latency + p.l2FarExtra / 2 + p.dramExtra);   // half of L2 is the far half
}

void Figures::addLaunch(const std::string& source, const Variant& variant, const launch::Launch& launch, const device::Profile& profile) {
  Writer write(*this, source, variant);
  const double blocks = double(launch.grid[0]) * launch.grid[1] * launch.grid[2];
  const double threads = double(launch.block[0]) * launch.block[1] * launch.block[2];
  const double warpsPerBlock = double((std::uint64_t(threads) + 31) / 32);
  write("blocks", blocks);
  write("threads_per_block", threads);
  write("warps_per_block", warpsPerBlock);
  write("threads", blocks * threads);
  write("warps", blocks * warpsPerBlock);
  double elements = 0;
  for (const launch::Argument& a : launch.arguments)
    if (a.isBuffer) elements = std::max(elements, double(a.count));
  if (elements <= 0) return;
  write("elements", elements);
  const double perThread = variant.layout ? variant.layout->elementsPerThread() : elements / (blocks * threads);
  const double perBlock = variant.layout ? variant.layout->block : threads;
  write("elements_per_thread", perThread);
  write("copies", variant.layout ? variant.layout->copies() : 1);
  write("spare_threads", std::max(0.0, blocks * threads - elements));
  write("last_block_elements", std::clamp(elements - (blocks - 1) * perBlock, 0.0, perBlock));
  if (!launch.workBytes) return;
  write("bytes_per_element", *launch.workBytes / elements);
  write("useful_mb", *launch.workBytes * 1e-6);
  write("least_time_us", *launch.workBytes / profile.dramBytesPerSecond * 1e-3);
  if (!launch.workFlops) return;
  const double intensity = *launch.workFlops / *launch.workBytes;
  write("flop_per_byte", intensity);
  write("roof_tflops", intensity * profile.dramBytesPerSecond * 1e-3);
  write("roof_fp32_pct", 100 * intensity * profile.dramBytesPerSecond * 1e-3 / fp32PeakTflops(profile));
}

void Figures::addReport(const std::string& source, const Variant& variant, const launch::Launch& launch, const device::Profile& profile,
                        const profile::Report& report) {
  addLaunch(source, variant, launch, profile);
  Writer write(*this, source, variant);
  addCounters(write, report.counters);
  if (report.cycles) {
    write("cycles", *report.cycles);
    write("timeline_cycles", *report.cycles - profile.launchOverheadNs / profile.nsPerCycle());   // the overhead lies outside the timeline
  }
  if (report.timeUs) addTime(write, launch, profile, *report.timeUs, report.counters);
  write("registers", report.registersPerThread);
  write("blocks_per_sm", report.blocksPerSm);
}

void Figures::forget(std::string_view source) {
  std::erase_if(values_, [&](const auto& value) { return value.first.size() > source.size() && value.first.starts_with(source) && value.first[source.size()] == '.'; });
}

void Figures::addMeasured(const std::string& source, const Variant& variant, const launch::Launch& launch, const device::Profile& profile,
                          const Measured& measured) {
  addLaunch(source, variant, launch, profile);
  const MeasuredResult* result = measured.result(launch.name);
  if (!result) return;
  Writer write(*this, source, variant);
  addCounters(write, result->counters);
  write("registers", result->registers);
  write("cold_us", result->cold.median);
  write("warm_us", result->warm.median);
  // The hardware's own clock for the kernel, where the profiler read it; CUDA events add the time that two events take.
  if (const auto it = result->counters.find("gpu__time_duration.sum"); it != result->counters.end())
    addTime(write, launch, profile, it->second * 1e-3, result->counters);
  else if (result->cold.median > 0)
    addTime(write, launch, profile, result->cold.median, result->counters);
}

}  // namespace warpmill::lesson
