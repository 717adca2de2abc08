// The parts of makeFrame: one file each, for this room only.
#pragma once

#include "presenter/frame.h"

namespace warpmill::presenter {

struct FrameContext {
  const session::Session& session;
  const timing::Machine& machine;
  const timing::MachineState& state;
  const timing::Trace& trace;
  std::uint64_t now;              // cycle shown
  std::uint64_t issues;           // of the trace, made so far
  std::uint64_t requests;         // of the trace, made so far

  [[nodiscard]] std::uint32_t lineOf(std::uint32_t pc) const;
  [[nodiscard]] std::string textOf(std::uint32_t pc) const;   // PTX of an instruction, its blanks made single
};

void fillTraffic(const FrameContext& context, const Selection& selection, Frame& frame);          // trucks, dock, bytes a cycle
void fillRequest(const FrameContext& context, const Selection& selection, Frame& frame);          // the focused request
void fillCrew(const FrameContext& context, const Selection& selection, const SourceText& sourceText, Frame& frame);

}  // namespace warpmill::presenter
