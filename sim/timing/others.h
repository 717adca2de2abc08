// The blocks of a grid that a projection does not simulate in detail, run without time: what they read and write goes into the state of
// L2, so that the share of SMs meets there what the other SMs would have brought and thrown out; and requests and sectors of the whole grid
// are counted, which are then exact.
// Simplified: they run one after the other, in the order of their numbers, as far as the share has got with its own.
#pragma once

#include "timing/machine.h"

#include <memory>
#include <optional>

namespace warpmill::timing {

struct GridCounts {
  std::uint64_t loadRequests = 0, loadSectors = 0, storeRequests = 0, storeSectors = 0;
  bool operator==(const GridCounts&) const = default;
};

class Others {
 public:
  // `machine` and `sample`: of the share, and the blocks that it runs itself.
  Others(const Machine& machine, const BlockSample& sample);
  ~Others();
  // Runs the blocks before this position that have not been run yet; those that the share runs, too, for their counts. With a state the
  // accesses of the others go to its L2. False: one of them does not end alone.
  bool runTo(std::uint64_t position, MachineState* state);
  [[nodiscard]] const GridCounts& counts() const;          // of all that have been run
  [[nodiscard]] const GridCounts& countsOfSample() const;  // of those among them that the share runs

 private:
  struct Run;
  std::unique_ptr<Run> run_;
};

// Do blocks meet data that blocks before them have used, in other buffers than those that begin at `known`? Looks at the beginning of the grid.
bool blocksMeet(const Machine& machine, const std::vector<std::uint64_t>& known);

// Requests and sectors of the whole grid if blocks are alike but for those at its edges, as far as that shows in so many instructions.
std::optional<GridCounts> countsOfAlike(const Machine& machine, std::uint64_t mostInstructions);

// Does the machine make each global load and store as it is written (none merged, none left out)?
bool accessesAsWritten(const Machine& machine);

}  // namespace warpmill::timing
