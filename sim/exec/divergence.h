// Where the threads of a warp are, and how they part and meet.
// A warp is a list of paths: lanes that stand at the same instruction. A branch that only some lanes take splits its path in two and
// opens a reconvergence group at the branch's immediate post-dominator; a path that comes there waits until every lane of the group
// has come or exited, then they go on as one path. A branch that would meet where its group meets already (a loop left lane by lane)
// uses that group. One path runs at a time, until it waits: first the lanes that fall through, then those that jumped. In a loop that
// polls memory (Instruction::spinLoop) the other paths get their turn after each round, and when all runnable paths have spun
// `spinLimit` rounds, lanes that wait for them to reconverge are let go on alone: a spin lock among the threads of one warp makes
// progress, as on hardware since Volta.
// Where a whole block could not go on any more, lanes that wait to reconverge go on too (an H200 does not keep them back from a barrier,
// either); and lanes that only wait to end together count as ended.
// A call opens a group at its return address, so that lanes which return early, or were called elsewhere, meet behind it. Groups belong
// to a depth of calls: the same instruction in a deeper activation is another place.
// bar.sync counts threads; threads that exited do not count. Warp collectives wait for the lanes of their mask while these can still
// come; lanes of the mask that exited, or that wait to reconverge with the waiting lanes themselves, are not waited for.
// Simplified: hardware may run the paths of a warp in any order and reconverge earlier or later; here the order is fixed.
// Simplified: lanes that meet in one shfl or vote from different places in the program do not exchange values.
// Source: CUDA C++ Programming Guide, "Independent Thread Scheduling"; PTX ISA 9.0, 9.7.13 (bar, barrier, shfl.sync).
#pragma once

#include "exec/op.h"

namespace warpmill::exec {

inline constexpr std::uint32_t spinLimit = 16;
inline constexpr std::uint32_t alignedBarrier = 2;  // in Op::aux of a block barrier: it is for all threads of a warp at a time

// Path that holds the lane; ptx::none when it exited.
std::uint32_t pathOfLane(const machine::Warp& warp, unsigned lane);

// Path `path` goes to `pc`: it exits beyond `end`, or waits and perhaps merges at its group's place. Indices of paths may change.
void moveTo(machine::Warp& warp, std::uint32_t path, std::uint32_t pc, std::uint32_t end, StepOutcome& outcome);

// Splits `lanes` off path `path`; they stay where they are in a new path right behind it. A group at `reconvergence` is opened unless that is
// where its group meets already (or none). Returns the new path's index.
std::uint32_t split(machine::Warp& warp, std::uint32_t path, LaneMask lanes, std::uint32_t reconvergence);

// Opens a group for all lanes of the path, which meet again at `pc`, unless that is where its group meets already.
void openGroup(machine::Warp& warp, std::uint32_t path, std::uint32_t pc);

// The path leaves the function that it is in: out of the groups that were opened there, one call less deep. Its pc is for the caller to
// set. Paths that waited for its lanes may go on and merge: indices of paths may change.
void leaveFunction(machine::Warp& warp, std::uint32_t path, std::uint32_t end, StepOutcome& outcome);

// Lanes are done, at `pc`: out of their paths and groups; those that waited for them go on.
void exitLanes(machine::Warp& warp, LaneMask lanes, std::uint32_t pc, std::uint32_t end, StepOutcome& outcome);

// Lanes that have ended, or stand at the kernel's end waiting for others of their group: nobody waits for these.
LaneMask endedLanes(const Code& code, const machine::Warp& warp);

// Nothing in the block can run: lanes that wait to reconverge with lanes that are at a barrier go on alone. False: there are none.
bool letGoOn(machine::Block& block);

// Runnable paths at one place in one group become one. Done where lanes meet at a barrier.
void mergeEqualPaths(machine::Warp& warp);

// Makes `warp.current` a runnable path if there is one: the path of `lane` when that can run, else the next one behind it. Where none
// can run, a warp collective that waits in vain is let go.
void choosePath(machine::Warp& warp, unsigned lane);

// After a taken backward branch of a polling loop by the path of `lane`: the others' turn, or release of a waiting path.
void afterSpin(machine::Warp& warp, unsigned lane);

// Counts the arrival of `lanes` (of a path now waiting, or of bar.arrive) at a block barrier; opens it when it is full.
void arriveAtBarrier(const Code& code, machine::Block& block, machine::Warp& warp, std::uint8_t barrier, LaneMask lanes, std::uint32_t expected,
                     StepOutcome& outcome);
// Opens barriers that only waited for threads that have exited.
void openBarriersAfterExit(const Code& code, machine::Block& block, StepOutcome& outcome);

}  // namespace warpmill::exec
