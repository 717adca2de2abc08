#include "cuda/gpu.h"

#include "base/error_with.h"
#include "base/sha256.h"
#include "base/text_file.h"
#include "ptx/module.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <span>

namespace warpmill::cuda {
namespace {

// The two kernels that measuring itself needs: nothing, and a wait of so many cycles.
constexpr const char* helperPtx = R"(.version 6.0
.target sm_30
.address_size 64
.visible .entry warpmill_empty()
{
  ret;
}
.visible .entry warpmill_delay(.param .u64 cycles)
{
  .reg .pred %p<2>;
  .reg .b64 %rd<5>;
  ld.param.u64 %rd1, [cycles];
  mov.u64 %rd2, %clock64;
$again:
  mov.u64 %rd3, %clock64;
  sub.s64 %rd4, %rd3, %rd2;
  setp.lt.s64 %p1, %rd4, %rd1;
  @%p1 bra $again;
  ret;
}
)";
constexpr std::uint64_t delayCycles = 60'000;   // some 30 microseconds: longer than a host needs to queue an event, a launch and an event
constexpr std::uint64_t chunkBytes = 64ull << 20;

lesson::MeasuredError errorOf(const Diagnostics& diagnostics, const char* kind) {
  const Diagnostic d = diagnostics.empty() ? Diagnostic{} : diagnostics.front();
  return {kind, d.message, d.hint};
}

lesson::MeasuredTime statistics(std::vector<double> us) {
  std::sort(us.begin(), us.end());
  // Linear between neighbours, as NumPy's percentile.
  const auto at = [&](double part) {
    const double place = part * static_cast<double>(us.size() - 1);
    const auto low = static_cast<std::size_t>(place);
    const std::size_t high = std::min(low + 1, us.size() - 1);
    return us[low] + (us[high] - us[low]) * (place - static_cast<double>(low));
  };
  lesson::MeasuredTime t;
  t.median = at(0.5), t.q1 = at(0.25), t.q3 = at(0.75), t.least = us.front();
  t.repeats = static_cast<std::uint32_t>(us.size());
  return t;
}

}  // namespace

Result<std::unique_ptr<Gpu>> Gpu::open(const MeasureOptions& options) {
  auto driver = Driver::open();
  if (!driver) return driver.diagnostics();
  std::unique_ptr<Gpu> gpu(new Gpu(std::move(*driver), options));
  if (!gpu->start()) return errorWith(gpu->error_->message, gpu->error_->hint);
  return gpu;
}

Gpu::~Gpu() {
  if (lost_) return;   // the driver would refuse
  releaseBuffers();
  if (flush_.address != 0) driver_->release(flush_.address);
  if (begin_ != nullptr) driver_->destroyEvent(begin_);
  if (end_ != nullptr) driver_->destroyEvent(end_);
}

bool Gpu::check(Status status, const std::string& doing) {
  if (status == success) return true;
  const PlainError e = plainError(*driver_, status, doing);
  error_ = lesson::MeasuredError{e.kind, e.message, e.hint};
  lost_ = lost_ || e.kind == "fault" || e.kind == "hang";
  return false;
}

int Gpu::attributeOf(int which) const {
  int value = 0;
  return driver_->deviceAttribute(&value, which, device_) == success ? value : 0;
}

bool Gpu::start() {
  Context context = nullptr;
  if (!check(driver_->device(&device_, options_.device), fmt::format("looking for GPU {}", options_.device)) ||
      !check(driver_->retainContext(&context, device_), "starting to use the GPU") || !check(driver_->setContext(context), "starting to use the GPU"))
    return false;
  std::array<char, 32> pciId{};
  driver_->devicePciId(pciId.data(), static_cast<int>(pciId.size()), device_);
  health_ = std::make_unique<HealthReader>(pciId.data());
  if (!check(driver_->createEvent(&begin_, 0), "making an event") || !check(driver_->createEvent(&end_, 0), "making an event")) return false;
  if (!load(helperPtx, "the program that measures", helpers_)) return false;
  return check(driver_->function(&empty_, helpers_, "warpmill_empty"), "looking for a kernel") && check(driver_->function(&delay_, helpers_, "warpmill_delay"), "looking for a kernel");
}

bool Gpu::load(const std::string& image, const std::string& what, Module& module) {
  std::array<char, 4096> log{};
  std::array<int, 2> options{attribute::errorLog, attribute::errorLogBytes};
  std::array<void*, 2> values{log.data(), reinterpret_cast<void*>(log.size())};
  const Status status = driver_->loadModule(&module, image.c_str(), 2, options.data(), values.data());
  if (check(status, "loading " + what)) return true;
  log.back() = '\0';
  if (log.front() != '\0') error_->message += fmt::format("; the driver's compiler says: {}", log.data());
  return false;
}

bool Gpu::loadFile(const std::string& path, Module& module) {
  if (const auto found = modules_.find(path); found != modules_.end()) return module = found->second, true;
  const auto text = readTextFile(path);
  if (!text) return error_ = errorOf(text.diagnostics(), "ptx_rejected"), false;
  if (!load(*text, path, module)) return false;
  modules_[path] = module;
  gathers_[path] = text->find("tld4.") != std::string::npos;
  // Our own parser may know less than the driver's: it is asked for the kernels' names only.
  const auto parsed = ptx::parse(*text, path, ptx::Calls::AsWritten);
  if (parsed && parsed->entries().size() == 1) onlyEntry_[path] = parsed->entries().front()->name;
  return true;
}

// ---- Buffers ----

void Gpu::releaseBuffers() {
  textures_.release();
  for (const Buffer& b : buffers_) driver_->release(b.address);
  buffers_.clear();
}

bool Gpu::makeBuffer(const launch::Argument& argument, Buffer& buffer) {
  buffer.bytes = argument.sizeBytes();
  buffer.type = argument.type;
  if (!check(driver_->allocate(&buffer.address, std::max<std::uint64_t>(buffer.bytes, 4)), fmt::format("making a buffer of {} bytes", buffer.bytes))) return false;
  buffers_.push_back(buffer);
  using Kind = launch::Init::Kind;
  if (argument.init.kind == Kind::Zeros || argument.init.kind == Kind::Uninitialized)   // nothing to send; the last word may be a part
    return check(driver_->fill(buffer.address, 0, std::max<std::uint64_t>(buffer.bytes, 4) / 4, nullptr), "filling a buffer") &&
           (buffer.bytes % 4 == 0 || check(driver_->copyToDevice(buffer.address + buffer.bytes / 4 * 4, "\0\0\0", buffer.bytes % 4), "filling a buffer"));
  const auto upload = [&](std::uint64_t at, std::span<const std::uint8_t> bytes) {
    return bytes.empty() || check(driver_->copyToDevice(buffer.address + at, bytes.data(), bytes.size()), "filling a buffer");
  };
  if (argument.init.kind == Kind::File) {
    const auto bytes = launch::initialBytes(argument);
    if (!bytes) return error_ = errorOf(bytes.diagnostics(), "launch_refused"), false;
    return upload(0, *bytes);
  }
  const std::uint64_t elementBytes = launch::dtypeBytes(argument.type);
  std::vector<std::uint8_t> chunk(std::min(buffer.bytes, chunkBytes));
  for (std::uint64_t at = 0; at < buffer.bytes; at += chunkBytes) {
    const std::span<std::uint8_t> part(chunk.data(), std::min(chunkBytes, buffer.bytes - at));
    launch::fillElements(argument, at / elementBytes, part);
    if (!upload(at, part)) return false;
  }
  return true;
}

bool Gpu::readBack(lesson::MeasuredResult& result) {
  std::vector<std::uint8_t> chunk;
  for (std::size_t i = 0; i < buffers_.size(); ++i) {
    Sha256 hash;
    std::vector<std::uint8_t> whole;
    for (std::uint64_t at = 0; at < buffers_[i].bytes; at += chunkBytes) {
      chunk.resize(std::min(chunkBytes, buffers_[i].bytes - at));
      if (!check(driver_->copyToHost(chunk.data(), buffers_[i].address + at, chunk.size()), "reading the results")) return false;
      hash.update(chunk);
      if (!options_.dumpFolder.empty()) whole.insert(whole.end(), chunk.begin(), chunk.end());
    }
    result.sha256.push_back(hash.hex().substr(0, 16));
    if (i + 1 == buffers_.size() && !readHead(buffers_[i], result.head)) return false;
    if (options_.dumpFolder.empty()) continue;
    if (const auto error = writeFile(fmt::format("{}/{}.bin", options_.dumpFolder, i), whole)) return error_ = lesson::MeasuredError{"driver", error->message, error->hint}, false;
  }
  return true;
}

bool Gpu::readHead(const Buffer& buffer, std::vector<double>& head) {
  const std::uint64_t elementBytes = launch::dtypeBytes(buffer.type);
  std::array<std::uint8_t, 32> bytes{};
  const std::uint64_t count = std::min<std::uint64_t>(4, buffer.bytes / elementBytes);
  if (count != 0 && !check(driver_->copyToHost(bytes.data(), buffer.address, count * elementBytes), "reading the results")) return false;
  for (std::uint64_t i = 0; i < count; ++i) {
    std::uint64_t bits = 0;
    std::memcpy(&bits, bytes.data() + i * elementBytes, elementBytes);
    head.push_back(launch::valueOf(buffer.type, bits));
  }
  return true;
}

// ---- Launches ----

bool Gpu::makeReady(const launch::Launch& launch, const std::vector<Buffer>& shared, Ready& ready) {
  ready.launch = &launch;
  Module module = nullptr;
  if (!loadFile(launch.ptxPath, module)) return false;
  const std::string kernel = launch.kernel.empty() ? onlyEntry_[launch.ptxPath] : launch.kernel;
  if (kernel.empty()) return error_ = lesson::MeasuredError{"launch_refused", "the launch names no kernel, and the module has not exactly one", "\"kernel\" in the launch file"}, false;
  if (!check(driver_->function(&ready.function, module, kernel.c_str()), "looking for kernel '" + kernel + "'")) return false;
  constexpr std::uint32_t withoutAsking = 48 * 1024;
  int staticBytes = 0;
  driver_->functionAttribute(&staticBytes, attribute::sharedBytes, ready.function);
  if (launch.dynamicSharedBytes + static_cast<std::uint32_t>(staticBytes) > withoutAsking &&
      !check(driver_->setFunctionAttribute(ready.function, attribute::dynamicSharedLimit, static_cast<int>(launch.dynamicSharedBytes)),
             fmt::format("asking for {} bytes of shared memory", launch.dynamicSharedBytes)))
    return false;
  if (launch.stackBytes && !check(driver_->setLimit(attribute::stackLimit, *launch.stackBytes), fmt::format("asking for {} bytes of stack a thread", *launch.stackBytes)))
    return false;
  if (!allowCluster(launch, ready.function)) return false;
  const bool gathers = gathers_[launch.ptxPath];
  for (const launch::Argument& t : launch.textures)
    if (!textures_.bindReference(t, gathers, module, error_)) return false;
  for (const launch::Argument& a : launch.arguments) {
    if (a.texture) {
      Address handle = 0;
      if (!textures_.makeHandle(a, gathers, handle, error_)) return false;
      ready.values.push_back(handle);
      continue;
    }
    if (!a.isBuffer) {
      ready.values.push_back(a.bits);
      continue;
    }
    Buffer buffer;
    if (a.shared != launch::noBuffer) buffer = shared.at(a.shared);
    else if (!makeBuffer(a, buffer)) return false;
    ready.values.push_back(buffer.address);
  }
  for (std::uint64_t& value : ready.values) ready.parameters.push_back(&value);
  return true;
}

namespace {

std::uint32_t clusterSize(const launch::Launch& launch) {
  std::uint32_t blocks = 1;
  for (const std::uint32_t n : launch.cluster) blocks *= std::max(1u, n);
  return blocks;
}

}  // namespace

// More than eight blocks of a cluster are not promised by every GPU, and have to be asked for.
bool Gpu::allowCluster(const launch::Launch& launch, Function function) {
  constexpr std::uint32_t withoutAsking = 8;
  const std::uint32_t size = clusterSize(launch);
  if (size <= 1) return true;
  if (driver_->launchEx == nullptr)
    return error_ = lesson::MeasuredError{"unsupported", "this driver launches no clusters that only the launch file asks for", "update the driver, or say .reqnctapercluster in the PTX (__cluster_dims__ in CUDA)"}, false;
  return size <= withoutAsking || check(driver_->setFunctionAttribute(function, attribute::clusterSizeAllowed, 1), fmt::format("asking for clusters of {} blocks", size));
}

bool Gpu::enqueue(const Ready& r) {
  const auto& g = r.launch->grid;
  const auto& b = r.launch->block;
  if (clusterSize(*r.launch) > 1) {
    LaunchAttribute cluster;
    cluster.id = attribute::clusterDimension;
    LaunchConfig config;
    for (std::size_t axis = 0; axis < 3; ++axis) {
      cluster.value[axis] = std::max(1u, r.launch->cluster[axis]);
      config.grid[axis] = g[axis], config.block[axis] = b[axis];
    }
    config.sharedBytes = r.launch->dynamicSharedBytes;
    config.attributes = &cluster;
    config.attributeCount = 1;
    return check(driver_->launchEx(&config, r.function, const_cast<void**>(r.parameters.data()), nullptr), "launching '" + r.launch->name + "' in clusters");
  }
  return check(driver_->launch(r.function, g[0], g[1], g[2], b[0], b[1], b[2], r.launch->dynamicSharedBytes, nullptr, const_cast<void**>(r.parameters.data()), nullptr),
               "launching '" + r.launch->name + "'");
}

bool Gpu::timeOne(const std::vector<Ready>& work, bool cold, double& microseconds) {
  if (cold) {
    if (flush_.address == 0) {
      flush_.bytes = std::max<std::uint64_t>(256ull << 20, 4ull * static_cast<std::uint64_t>(attributeOf(attribute::l2Bytes)));
      if (!check(driver_->allocate(&flush_.address, flush_.bytes), "making a buffer to flush L2 with")) return false;
    }
    if (!check(driver_->fill(flush_.address, 0, flush_.bytes / 4, nullptr), "flushing L2")) return false;
  } else {
    std::uint64_t cycles = delayCycles;
    void* parameter = &cycles;
    if (!check(driver_->launch(delay_, 1, 1, 1, 1, 1, 1, 0, nullptr, &parameter, nullptr), "launching a wait")) return false;
  }
  if (!check(driver_->record(begin_, nullptr), "recording an event")) return false;
  for (const Ready& r : work)
    if (!enqueue(r)) return false;
  float milliseconds = 0;
  if (!check(driver_->record(end_, nullptr), "recording an event") || !check(driver_->waitFor(end_), "waiting for the kernel") ||
      !check(driver_->elapsed(&milliseconds, begin_, end_), "reading the time"))
    return false;
  microseconds = static_cast<double>(milliseconds) * 1000;
  return true;
}

bool Gpu::timeMany(const std::vector<Ready>& work, bool cold, lesson::MeasuredTime& time) {
  std::vector<double> us;
  double sum = 0;
  while (us.size() < options_.mostRepeats && (us.size() < options_.leastRepeats || sum < options_.seconds * 1e6)) {
    double one = 0;
    if (!timeOne(work, cold, one)) return false;
    us.push_back(one);
    sum += one;
  }
  time = statistics(std::move(us));
  return true;
}

bool Gpu::run(const launch::Launch& launch, lesson::MeasuredResult& result) {
  std::vector<Buffer> shared;
  for (const launch::Argument& a : launch.buffers) {
    shared.emplace_back();
    if (!makeBuffer(a, shared.back())) return false;
  }
  std::vector<Ready> work(std::max<std::size_t>(1, launch.sequence.size()));
  for (std::size_t i = 0; i < work.size(); ++i)
    if (!makeReady(launch.sequence.empty() ? launch : launch.sequence[i], shared, work[i])) return false;
  int value = 0;
  for (const Ready& r : work) {   // of a sequence the largest
    if (driver_->functionAttribute(&value, attribute::registers, r.function) == success) result.registers = std::max(result.registers, static_cast<std::uint32_t>(value));
    if (driver_->functionAttribute(&value, attribute::sharedBytes, r.function) == success) result.sharedBytes = std::max(result.sharedBytes, static_cast<std::uint32_t>(value));
    if (driver_->functionAttribute(&value, attribute::localBytes, r.function) == success) result.localBytes = std::max(result.localBytes, static_cast<std::uint32_t>(value));
  }
  for (const Ready& r : work)
    if (!enqueue(r)) return false;
  if (!check(driver_->synchronize(), "running '" + launch.name + "'") || !readBack(result)) return false;
  if (options_.once) return true;
  for (unsigned i = 0; i < options_.warmUps; ++i)
    for (const Ready& r : work)
      if (!enqueue(r)) return false;
  if (!check(driver_->synchronize(), "warming up") || !timeMany(work, true, result.cold) || !timeMany(work, false, result.warm)) return false;
  if (const auto now = health_->read()) result.throttled = throttleText(now->throttleReasons);
  return true;
}

lesson::MeasuredResult Gpu::measure(const launch::Launch& launch) {
  lesson::MeasuredResult result;
  result.name = launch.name;
  error_.reset();
  if (!run(launch, result)) {
    result = {};
    result.name = launch.name;
    result.error = error_;
  }
  if (!lost_) releaseBuffers();
  return result;
}

std::optional<lesson::MeasuredClocks> Gpu::clocks() const {
  const auto now = health_->read();
  if (!now) return std::nullopt;
  return lesson::MeasuredClocks{static_cast<double>(now->smMhz), static_cast<double>(now->memoryMhz), static_cast<double>(now->temperatureC), now->powerW};
}

lesson::Measured Gpu::describe() {
  lesson::Measured m;
  std::array<char, 256> name{};
  if (driver_->deviceName(name.data(), static_cast<int>(name.size()), device_) == success) m.device = name.data();
  m.sms = static_cast<std::uint32_t>(attributeOf(attribute::smCount));
  m.l2Bytes = static_cast<std::uint64_t>(attributeOf(attribute::l2Bytes));
  m.computeCapability = fmt::format("{}.{}", attributeOf(attribute::computeMajor), attributeOf(attribute::computeMinor));
  m.sharedPerBlock = static_cast<std::uint64_t>(attributeOf(attribute::sharedPerBlockOptIn));
  m.clockMhz = attributeOf(attribute::clockKhz) / 1000.0;
  m.memoryMhz = attributeOf(attribute::memoryClockKhz) / 1000.0;
  m.memoryBusBits = static_cast<std::uint32_t>(attributeOf(attribute::memoryBusBits));
  int version = 0;
  driver_->driverVersion(&version);
  m.driver = health_->driverVersion();
  if (m.driver.empty()) m.driver = fmt::format("CUDA {}.{}", version / 1000, version % 1000 / 10);
  m.before = clocks();
  if (options_.once) return m;
  launch::Launch nothing;
  nothing.name = "an empty kernel";
  Ready ready;
  ready.launch = &nothing;
  ready.function = empty_;
  lesson::MeasuredTime time;
  if (timeMany({ready}, false, time) && timeMany({ready}, false, time)) m.emptyKernelUs = time.median;   // the first one warms up
  return m;
}

}  // namespace warpmill::cuda
