// What is open: a launch on a device, its session, the texts that belong to it. Loading is a function without Qt's event loop, so
// that it can run on a worker thread.
#pragma once

#include "lesson/check.h"
#include "lesson/lesson.h"
#include "profile/report.h"
#include "session/session.h"

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace warpmill::studio {

// A device profile, whole or as a scale model of `sms` SMs (0: whole).
struct MachineChoice {
  std::string profile = "h200";
  std::uint32_t sms = 0;
  bool operator==(const MachineChoice&) const = default;
};

struct OpenRequest {
  std::shared_ptr<const lesson::Lesson> lesson;   // with the scale model of `variant`, or
  std::size_t variant = 0;
  std::string launchFile;                  // with one of its launches
  std::string launchName;                  // empty: the first
  std::optional<MachineChoice> machine;    // empty: the lesson's, else a scale model of the H200
};

struct TextFile {
  std::string name;                // as shown: "vec_add.cu"
  std::string path;
  std::string text;                // empty when it could not be read
  bool found = false;
};

struct Document {
  OpenRequest request;
  MachineChoice machine;
  std::vector<std::string> launchNames;    // of the launch file, or the lesson's variants
  std::size_t launchIndex = 0;
  std::vector<TextFile> sources;   // by index of Module::files
  TextFile ptx, launchFile;
  std::shared_ptr<const timing::Machine> simulated;
  std::unique_ptr<session::Session> session;
  // Of the whole run with all warps free: its figures, its faults, and (lessons) whether the result is right.
  profile::Report report;
  std::vector<machine::Fault> finalFaults;
  std::optional<lesson::CheckResult> check;

  [[nodiscard]] const ptx::Module& module() const { return *simulated->launch().module; }
  [[nodiscard]] const ptx::Function& function() const { return *simulated->launch().function; }
  // Line `line` of source file `file`; empty when not known.
  [[nodiscard]] std::string sourceLine(std::uint32_t file, std::uint32_t line) const;
};

struct Loaded {
  std::unique_ptr<Document> document;   // null when `diagnostics` has errors
  Diagnostics diagnostics;
};

Loaded loadDocument(const OpenRequest& request);

// The choices of the machine box: every profile, big ones also as scale models.
std::vector<MachineChoice> machineChoices();

}  // namespace warpmill::studio
