#include "timing/state.h"

namespace warpmill::timing {

bool ResidentBlock::operator==(const ResidentBlock& o) const {
  if (used != o.used || startedAt != o.startedAt || freeAt != o.freeAt || warpsLeft != o.warpsLeft || warpSlots != o.warpSlots || cluster != o.cluster) return false;
  if (block == o.block) return true;
  return block && o.block && *block == *o.block;
}

namespace {
bool sameFaults(const std::vector<machine::Fault>& a, const std::vector<machine::Fault>& b) {
  if (a.size() != b.size()) return false;
  for (std::size_t i = 0; i < a.size(); ++i)
    if (a[i].kind != b[i].kind || a[i].pc != b[i].pc || a[i].message != b[i].message || a[i].cycle != b[i].cycle || a[i].count != b[i].count) return false;
  return true;
}
}  // namespace

bool MachineState::operator==(const MachineState& o) const {
  return at == o.at && cursor == o.cursor && partIssued == o.partIssued && nextBlock == o.nextBlock && blocksDone == o.blocksDone &&
         dispatcherFreeAt == o.dispatcherFreeAt && endCycle == o.endCycle && nextRequest == o.nextRequest &&
         recentReadBytes == o.recentReadBytes && recentWriteBytes == o.recentWriteBytes && nextDispatch == o.nextDispatch && fetchedBytes == o.fetchedBytes && nextTry == o.nextTry &&
         placeFreeAt == o.placeFreeAt && residentBlocks == o.residentBlocks && sliceFreeAt == o.sliceFreeAt && channelFreeAt == o.channelFreeAt &&
         atomicFreeAt == o.atomicFreeAt && atomicBusy == o.atomicBusy && banks == o.banks && counters == o.counters && sameFaults(faults, o.faults) &&
         sms == o.sms && memory == o.memory && l2 == o.l2 && l2Sets == o.l2Sets;
}

}  // namespace warpmill::timing
