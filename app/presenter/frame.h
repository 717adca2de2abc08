// Everything to draw of one moment, as numbers and text: built once a step, then read by the scene, the Qt models and `describe`.
// The moment is the session's playhead: the issues of its cycle up to it are done, and a warp that made one of them counts as working.
#pragma once

#include "machine/memory.h"
#include "machine/warp.h"
#include "presenter/selection.h"
#include "presenter/stall_group.h"
#include "session/session.h"

#include <array>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace warpmill::presenter {

using timing::WarpId;

// A warp's place on an SM (64 of them); sub-partition = place % 4.
struct PlaceView {
  bool used = false;
  WarpId warp;
  StallGroup group = StallGroup::Instruction;
  timing::Stall stall = timing::Stall::Wait;
  std::uint64_t since = 0;                       // first cycle of the wait
  std::uint64_t until = 0;                       // earliest issue; timing::never at a barrier
  std::uint32_t pc = 0, line = 0;                // next instruction, its source line (0: none)
  machine::LaneMask active = 0, diverged = 0, exited = 0;
};

struct BlockView {
  bool used = false;                             // false: an empty place for a block
  std::uint64_t block = 0;
  std::uint32_t slot = 0;
  std::vector<std::uint8_t> places;              // by warp: its place on the SM
  std::uint32_t threads = 0, sharedBytes = 0;
  std::uint32_t arrived = 0, expected = 0;       // threads at the barrier that fills most; expected 0: no barrier in use
};

struct Pick {
  bool any = false;                              // false: the scheduler found nobody ready
  std::uint8_t place = 0;
  WarpId warp;
  std::uint32_t pc = 0;
};

enum class Hall : std::uint8_t { Fp32, Int, Sfu, Tensor };

struct SmView {
  std::uint32_t sm = 0;
  std::array<PlaceView, 64> places;
  std::vector<BlockView> blocks;                 // by slot, as many as ever held a block in this launch
  std::uint32_t warpsPerBlock = 0;
  std::array<Pick, 4> picks;                     // by scheduler
  std::array<std::array<float, 4>, 4> busy{};    // [scheduler][Hall]: share of the last 64 cycles
  std::array<std::uint32_t, stallGroupCount> counts{};
  std::uint32_t usedPlaces = 0;
  StallGroup dominant = StallGroup::Instruction;
  std::uint32_t inFlight = 0;                    // memory requests under way
  std::uint32_t sharedBytesUsed = 0, sharedBytesConfigured = 0;
  std::vector<float> shelf;                      // L1: 72 compartments, share of valid sectors each (focused SM only)
  double bytesPerCycle = 0;                      // moved between this SM and L2 over the last 512 cycles
};

enum class Station : std::uint8_t { Dock, Shelf, Depot, Warehouse };   // load/store unit, L1, L2, DRAM

struct Pallet {
  std::uint64_t address = 0;                     // of its 32 bytes
  std::uint32_t usedMask = 0;                    // bit i: byte i is wanted
  timing::Level level = timing::Level::L1;
  std::vector<std::uint8_t> lanes;               // that want bytes of it (focused request only)
};

// A request on its way between two stations, or inside one (from == to).
struct TruckView {
  std::uint32_t request = 0;
  WarpId warp;
  std::uint32_t sm = 0;
  bool isStore = false, isAtomic = false;
  bool returning = false;
  Station from = Station::Dock, to = Station::Dock;
  float fraction = 0;                            // 0 at `from`, 1 at `to`
  std::vector<float> used;                       // by pallet: wanted share of its 32 bytes
  std::uint32_t usedBytes = 0, movedBytes = 0;
  bool focused = false;                          // the selected request
};

struct StationStamp {                            // of the focused request's way
  enum class Kind : std::uint8_t { Issued, Dock, Shelf, Depot, Warehouse, Back } kind = Kind::Issued;   // Back: usable (stores: accepted)
  std::uint64_t cycle = 0;
  bool past = false;
};

struct RequestView {
  bool any = false;
  std::uint32_t id = 0;
  WarpId warp;
  std::uint32_t pc = 0, line = 0;
  std::string instruction;                       // PTX text
  std::string buffer;                            // name of the argument it reaches; empty: none or several
  std::uint64_t bufferBase = 0;                  // its first byte, and the size of its elements (0: not a buffer of the launch)
  std::uint32_t elementBytes = 0;
  bool isStore = false, isAtomic = false, isShared = false;
  std::uint32_t bytesPerLane = 0, wavefronts = 1;
  machine::LaneMask lanes = 0;
  std::array<std::uint64_t, 32> address{};
  std::vector<Pallet> pallets;                   // in rising order of address
  std::uint32_t usedBytes = 0, movedBytes = 0;
  std::vector<StationStamp> stations;            // those that it visits, in order
  float progress = 0;                            // in stations: 1.5 = half-way between the second and the third
};

enum class LaneMark : std::uint8_t { Active, Diverged, PredicatedOff, Exited, Empty };

struct PathView {
  std::uint32_t pc = 0, line = 0;
  machine::LaneMask lanes = 0;
  bool current = false;
  machine::Path::Status status = machine::Path::Status::Runnable;
};

struct RegisterView {
  std::string name;                              // "%r1"
  ptx::Type type = ptx::Type::None;
  bool isPredicate = false;
  bool inFlight = false;                         // its load is still on the road
  std::array<std::uint64_t, 32> bits{};          // predicates: 0 or 1
};

struct CrewView {
  bool any = false;                              // the selected warp is resident
  WarpId warp;
  std::uint32_t sm = 0, place = 0;
  PlaceView status;
  std::array<LaneMark, 32> marks{};
  std::vector<PathView> paths;                   // the current one first
  std::uint32_t joinPc = machine::noPc, joinLine = 0;   // where the current path meets the others
  std::vector<RegisterView> registers;           // in the function's order
  std::vector<std::uint32_t> named;              // of `registers`: those that the shown instruction names
  // The instruction shown: the one just issued while the crew works, else the next one.
  std::uint32_t pc = machine::noPc, line = 0;
  machine::LaneMask lanes = 0, executed = 0;     // that issue(d) it; for which its guard holds
  std::string instruction;                       // its PTX text
  std::string source;                            // text of its source line, when known
  std::uint32_t threads = 0;                     // lanes that hold a thread
};

struct GpuView {
  std::string name, title;                       // "h200", "NVIDIA H200 SXM (141 GB)"
  std::string kernel, launch;
  std::array<std::uint32_t, 3> grid{1, 1, 1}, block{1, 1, 1};
  std::vector<std::uint32_t> storeys;
  std::uint64_t blocksTotal = 0, blocksLaunched = 0, blocksDone = 0;
  std::uint32_t depotSlices = 0, docks = 0;
  double peakBytesPerCycle = 0;                  // DRAM
  double dramBytesPerCycle = 0;                  // over the last 512 cycles
};

struct Frame {
  std::uint64_t cycle = 0;
  std::uint32_t slot = 0;
  std::uint64_t stepIndex = 0, stepCount = 0, endCycle = 0;
  bool timingHolds = true, atStart = false, atEnd = false;
  GpuView gpu;
  std::vector<SmView> sms;
  std::uint32_t focusSm = 0;                     // index into sms
  std::vector<TruckView> trucks;                 // of the focused SM; of all SMs where there are four or fewer
  std::vector<TruckView> dock;                   // requests queued at the load/store units of the same SMs
  std::uint32_t insideDepot = 0, insideWarehouse = 0;   // requests of the focused SM that are inside
  CrewView crew;
  RequestView request;                           // the focused one
  Selection selection;
  std::array<std::uint32_t, stallGroupCount> counts{};  // of all SMs
  std::vector<std::string> faults, faultsRu;     // messages so far
};

// Text of a line of the kernel's source ("" when unknown); the studio has the files open.
using SourceText = std::function<std::string(std::uint32_t file, std::uint32_t line)>;

[[nodiscard]] Frame makeFrame(const session::Session& session, const Selection& selection, const SourceText& sourceText = {});

// What a lane reaches for: "b[613]", "b[612..615]"; its address where that is not a buffer's element. Empty: nothing.
[[nodiscard]] std::string elementText(const RequestView& request, std::uint32_t lane);

// A register's value in one lane, as a person reads it: "0.25", "-3", "0x7f0000000400", "true".
[[nodiscard]] std::string valueText(const RegisterView& reg, std::uint32_t lane);

}  // namespace warpmill::presenter
