#include "cli/three_way.h"

#include "cli/console.h"
#include "exec/faults.h"
#include "exec/functional.h"
#include "exec/observer.h"

#include <fmt/format.h>

#include <bit>
#include <cmath>
#include <cstring>
#include <optional>

namespace warpmill::cli {
namespace {

// Remembers who last stored to a byte.
class LastWriter final : public exec::Observer {
 public:
  explicit LastWriter(std::uint64_t address) : address_(address) {}

  void begin(const exec::Code& code, const machine::Memory&, std::vector<machine::Fault>&, std::size_t) override {
    code_ = &code;
    watched_.assign(code.ops().size(), After);   // asynchronous stores included, whatever instruction they are
  }
  void runs(const machine::Block& block, const machine::Warp& warp) override { block_ = &block, warp_ = &warp; }
  const std::uint8_t* watched() override { return watched_.data(); }
  void before(exec::Exec&, const exec::Op&, exec::LaneMask) override {}
  void after(exec::Exec& x, const exec::Op& op) override {
    using Kind = exec::MemoryAccess::Kind;
    const exec::MemoryAccess& a = x.outcome->access;
    if (a.kind == Kind::None || a.kind == Kind::Load || (a.space != ptx::Space::Global && a.space != ptx::Space::Generic)) return;
    for (exec::LaneMask rest = a.lanes; rest != 0; rest &= rest - 1) {
      const auto lane = static_cast<unsigned>(std::countr_zero(rest));
      if (address_ >= a.address[lane] && address_ - a.address[lane] < a.bytesPerLane) found_ = exec::faultAt(*code_, *block_, *warp_, op.pc, lane);
    }
  }

  // "kernel.cu:12, thread (3,0,0) of block (1,0,0)"; empty when nothing stored there.
  [[nodiscard]] std::string text() const {
    if (!found_) return "";
    const auto slash = found_->file.rfind('/');
    const std::string where = found_->location.line == 0 ? fmt::format("PTX line {}", found_->ptxLine)
                                                         : fmt::format("{}:{}", found_->file.substr(slash == std::string::npos ? 0 : slash + 1), found_->location.line);
    const auto &t = found_->thread, &b = found_->block;
    return fmt::format("{}, thread ({},{},{}) of block ({},{},{})", where, t[0], t[1], t[2], b[0], b[1], b[2]);
  }

 private:
  std::uint64_t address_;
  const exec::Code* code_ = nullptr;
  const machine::Block* block_ = nullptr;
  const machine::Warp* warp_ = nullptr;
  std::vector<std::uint8_t> watched_;
  std::optional<machine::Fault> found_;
};

// The buffers whose contents are compared, in the order in which both sides hash them.
struct Compared {
  const launch::Argument* argument;
  std::uint32_t allocation;
  std::string name, hash;
};
std::vector<Compared> comparedOf(const launch::Launch& launch, const Outcome& outcome) {
  std::vector<Compared> buffers;
  if (!launch.sequence.empty()) {
    for (std::size_t i = 0; i < outcome.buffers.size(); ++i)
      buffers.push_back({&launch.buffers[i], outcome.buffers[i], "buffer '" + launch.buffers[i].name + "'", outcome.bufferHashes.at(i)});
    return buffers;
  }
  for (const profile::Report::Buffer& b : outcome.report.buffers)
    buffers.push_back({&launch.arguments[b.argument], outcome.prepared->argumentAllocation[b.argument], fmt::format("argument {}", b.argument), b.sha256});
  return buffers;
}

struct Difference {
  std::uint64_t first = 0, count = 0, of = 0;
  double simulated = 0, gpu = 0;   // at the first
  double worst = 0;                // relative where the simulator's value is over 1; infinity where one is no number
};
Difference differenceOf(const Compared& buffer, const machine::Memory& memory, const std::vector<std::uint8_t>& gpu) {
  const std::uint32_t bytes = launch::dtypeBytes(buffer.argument->type);
  Difference d;
  d.of = buffer.argument->count;
  for (std::uint64_t i = 0; i < d.of && (i + 1) * bytes <= gpu.size(); ++i) {
    std::uint64_t a = 0, b = 0;
    memory.copyOut(buffer.allocation, i * bytes, {reinterpret_cast<std::uint8_t*>(&a), bytes});
    std::memcpy(&b, gpu.data() + i * bytes, bytes);
    if (a == b) continue;
    const double s = launch::valueOf(buffer.argument->type, a), g = launch::valueOf(buffer.argument->type, b);
    if (d.count++ == 0) d.first = i, d.simulated = s, d.gpu = g;
    const double relative = std::isfinite(s) && std::isfinite(g) ? std::fabs(s - g) / std::max(1.0, std::fabs(s)) : HUGE_VAL;
    d.worst = std::max(d.worst, relative);
  }
  return d;
}

std::string writerOf(const launch::Launch& launch, const device::Profile& profile, Modules& modules, const Compared& buffer, std::uint64_t element) {
  if (!launch.sequence.empty()) return "";
  const auto module = modules.get(launch.ptxPath);
  if (!module) return "";
  auto prepared = exec::prepare(launch, *module, profile);
  if (!prepared) return "";
  machine::Memory memory = std::move(prepared->memory);
  LastWriter writer(memory.allocations()[buffer.allocation].base + element * launch::dtypeBytes(buffer.argument->type));
  exec::FunctionalLimits limits;
  limits.maxInstructions = defaultInstructionLimit(launch);
  limits.observer = &writer;
  exec::runFunctional(*prepared->code, memory, limits);
  return writer.text();
}

}  // namespace

ThreeWay compareResults(const launch::Launch& launch, const lesson::MeasuredResult& gpu, const device::Profile& profile, Modules& modules, unsigned jobs,
                        const GpuBytes& gpuBytes) {
  ThreeWay out;
  SimulateOptions how;
  how.mode = Mode::Functional;
  how.jobs = jobs;
  how.checks = {false, false};
  const Outcome simulated = simulate(launch, profile, modules, how);
  if (simulated.report.verdict != "ok") {
    const std::string why = simulated.report.faults.empty() ? "" : ": " + simulated.report.faults.front().message;
    out.text = fmt::format("the simulator ends with {}{}", simulated.report.verdict, why);
    return out;
  }
  if (simulated.expectation) out.met = simulated.expectation->met;
  std::vector<std::vector<std::uint8_t>> bytes;
  std::size_t differing = 0;
  const std::vector<Compared> buffers = comparedOf(launch, simulated);
  for (std::size_t i = 0; i < buffers.size(); ++i) {
    const std::string& theirs = i < gpu.sha256.size() ? gpu.sha256[i] : std::string();
    if (theirs.empty() || theirs == buffers[i].hash) continue;
    if (differing++ == 0 && gpuBytes) bytes = gpuBytes();
    if (i >= bytes.size()) {
      out.text += fmt::format("{}{} differs between simulator and GPU", out.text.empty() ? "" : "\n", buffers[i].name);
      continue;
    }
    const Difference d = differenceOf(buffers[i], simulated.memory, bytes[i]);
    if (d.count == 0) {
      out.text += fmt::format("{}{} differs from run to run on the GPU: this time it equals the simulator's", out.text.empty() ? "" : "\n", buffers[i].name);
      continue;
    }
    out.text += fmt::format("{}{} differs in {} of {} elements, by at most {:.2g} relative: the first is element {}, simulated {:.9g}, on the GPU {:.9g}", out.text.empty() ? "" : "\n",
                            buffers[i].name, d.count, d.of, d.worst, d.first, d.simulated, d.gpu);
    if (const std::string writer = writerOf(launch, profile, modules, buffers[i], d.first); !writer.empty())
      out.text += fmt::format("\n  in the simulator it was last written at {}", writer);
  }
  out.equal = differing == 0;
  if (out.equal) out.text = buffers.empty() ? "no buffers to compare" : fmt::format("GPU and simulator agree byte for byte in {}", counted(buffers.size(), "buffer", "buffers"));
  if (simulated.expectation) out.text += (out.met ? "; " : "; WRONG in the simulator: ") + simulated.expectation->text;
  return out;
}

}  // namespace warpmill::cli
