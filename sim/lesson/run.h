// Runs a lesson's variants: the scale model with its history, so that moments can be looked at, and the full size for its figures.
#pragma once

#include "device/profile.h"
#include "lesson/check.h"
#include "lesson/figures.h"
#include "lesson/lesson.h"
#include "profile/report.h"
#include "session/session.h"

#include <memory>
#include <string>

namespace warpmill::lesson {

// The device that a size runs on: the whole one, or its scale model.
device::Profile profileFor(const Lesson& lesson, Size size, const device::Profile& device);

// The variant's launch with its module, ready for a machine.
Result<exec::PreparedLaunch> prepareVariant(const Variant& variant, Size size, const device::Profile& profile);

// The same for any launch of the variant (a size of its sweep).
Result<exec::PreparedLaunch> prepareLaunch(const launch::Launch& launch, const device::Profile& profile);

struct ScaleRun {
  std::unique_ptr<session::Session> session;   // the whole run is known; the playhead is at the end
  profile::Report report;
  CheckResult check;
};
Result<ScaleRun> runScale(const Lesson& lesson, const Variant& variant, const device::Profile& device);

struct FullRun {
  profile::Report report;
  CheckResult check;
};
Result<FullRun> runFull(const Lesson& lesson, const Variant& variant, const launch::Launch& launch, const device::Profile& device);

// The record that the lesson names, out of assets/measured.
Result<Measured> lessonRecord(const Lesson& lesson);

// Figures that are known before anything runs: launch files, device, record. Shares of a peak that the record gives are of the lesson's
// own device, whichever is simulated.
Figures startFigures(const Lesson& lesson, const device::Profile& device, const Measured* record);

// A row of the table "simulated beside measured".
struct CompareRow {
  const FigureInfo* figure = nullptr;
  std::size_t variant = 0;                 // into Lesson::variants
  std::optional<double> simulated, measured;
  // (simulated - measured) / measured in per cent; for a figure that is itself in per cent the difference in points.
  std::optional<double> difference;
};
std::vector<CompareRow> compareRows(const Lesson& lesson, const Step& step, const Figures& figures);

}  // namespace warpmill::lesson
