// One GPU, in this process: loads a launch's PTX by the driver, gives it the same bytes that the simulator gets, runs it and times it.
// A kernel that faults or hangs takes the process's GPU with it: see worker.h, which puts all this into a process of its own.
// Times are by CUDA events round one launch. cold: 256 MiB (or four times L2, when that is more) are written before; warm: not. Before
// either the GPU is kept busy until the launch and both events are queued, so that the host's own time is not in it.
#pragma once

#include "cuda/driver.h"
#include "cuda/health.h"
#include "cuda/textures.h"
#include "launch/launch.h"
#include "lesson/measured.h"

#include <map>
#include <memory>
#include <string>
#include <vector>

namespace warpmill::cuda {

struct MeasureOptions {
  int device = 0;                  // number of the GPU, as the driver counts
  unsigned warmUps = 5;
  unsigned leastRepeats = 5, mostRepeats = 30;
  double seconds = 0.2;            // of GPU time for the repeats of one kind, when mostRepeats take longer
  bool once = false;               // one launch and no times: for a profiler to count, or for the results alone
  std::string dumpFolder;          // not empty: each buffer after the first launch goes to FOLDER/NUMBER.bin
};

class Gpu {
 public:
  static Result<std::unique_ptr<Gpu>> open(const MeasureOptions& options);
  ~Gpu();
  Gpu(const Gpu&) = delete;
  Gpu& operator=(const Gpu&) = delete;

  // Device, driver, clocks now, the empty kernel's time; no results.
  lesson::Measured describe();
  // The launch, or a sequence's launches one after the other. What went wrong is in its `error`.
  lesson::MeasuredResult measure(const launch::Launch& launch);
  // True after a fault: the driver refuses all further work of this process.
  [[nodiscard]] bool isLost() const { return lost_; }
  [[nodiscard]] std::optional<lesson::MeasuredClocks> clocks() const;

 private:
  struct Buffer { Address address = 0; std::uint64_t bytes = 0; launch::DType type = launch::DType::U8; };
  struct Ready {                   // a launch with everything in place
    const launch::Launch* launch = nullptr;
    Function function = nullptr;
    std::vector<std::uint64_t> values;   // by argument: an address or a scalar's bits
    std::vector<void*> parameters;
  };
  explicit Gpu(std::shared_ptr<Driver> driver, MeasureOptions options)
      : driver_(std::move(driver)), options_(std::move(options)), textures_(*driver_, [this](Status status, const std::string& doing) { return check(status, doing); }) {}
  bool start();
  // Each sets error_ and gives false when the driver refuses.
  bool check(Status status, const std::string& doing);
  bool load(const std::string& image, const std::string& what, Module& module);
  bool loadFile(const std::string& path, Module& module);
  bool makeBuffer(const launch::Argument& argument, Buffer& buffer);
  bool makeReady(const launch::Launch& launch, const std::vector<Buffer>& shared, Ready& ready);
  bool allowCluster(const launch::Launch& launch, Function function);
  bool enqueue(const Ready& ready);
  bool timeOne(const std::vector<Ready>& work, bool cold, double& microseconds);
  bool timeMany(const std::vector<Ready>& work, bool cold, lesson::MeasuredTime& time);
  bool readBack(lesson::MeasuredResult& result);
  bool readHead(const Buffer& buffer, std::vector<double>& head);
  bool run(const launch::Launch& launch, lesson::MeasuredResult& result);
  void releaseBuffers();
  [[nodiscard]] int attributeOf(int which) const;

  std::shared_ptr<Driver> driver_;
  MeasureOptions options_;
  std::unique_ptr<HealthReader> health_;
  int device_ = 0;
  Event begin_ = nullptr, end_ = nullptr;
  Module helpers_ = nullptr;
  Function empty_ = nullptr, delay_ = nullptr;
  Buffer flush_;
  std::map<std::string, Module> modules_;      // by path
  std::map<std::string, std::string> onlyEntry_;   // by path: the module's only kernel
  std::map<std::string, bool> gathers_;        // by path: the module has tld4
  Textures textures_;
  std::vector<Buffer> buffers_;                // of the launch that is measured, those that are hashed, in order
  std::optional<lesson::MeasuredError> error_;
  bool lost_ = false;
};

}  // namespace warpmill::cuda
