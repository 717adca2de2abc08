// The walk-through as JSON.
#include "cli/lesson_walk.h"
#include "lesson/describe.h"

#include <nlohmann/json.hpp>

namespace warpmill::cli {

namespace {

using nlohmann::json;

json checkJson(const lesson::CheckResult& check) {
  json j{{"ok", check.ok}, {"reference", check.reference}, {"formula", check.formula}, {"output", check.output}, {"compared", check.compared},
         {"wrong", check.wrong}, {"tolerance", check.tolerance}, {"worst_relative_error", check.worstRelativeError}};
  if (check.first) j["first"] = {{"index", check.first->index}, {"expected", check.first->expected}, {"got", check.first->got}};
  return j;
}

json optionalNumber(const std::optional<double>& value) { return value ? json(*value) : json(nullptr); }

}  // namespace

json walkJson(const lesson::Lesson& lesson, const device::Profile& device, const WalkOptions& options, const Walk& walk) {
  json j{{"lesson", lesson.id}, {"title", lesson::localized(lesson.title, options.language)}, {"device", device.name}, {"ok", walk.ok}};
  if (walk.record)
    j["record"] = {{"device", walk.record->device}, {"driver", walk.record->driver}, {"date", walk.record->date}, {"origin", walk.record->origin}};
  json& runs = j["runs"] = json::array();
  for (const auto& [v, run] : walk.scale)
    runs.push_back({{"variant", lesson.variants[v].id}, {"size", "scale"}, {"check", checkJson(run.check)}, {"report", profile::toJson(run.report)}});
  for (const auto& [v, run] : walk.full)
    runs.push_back({{"variant", lesson.variants[v].id}, {"size", "full"}, {"check", checkJson(run.check)}, {"report", profile::toJson(run.report)}});
  json& steps = j["steps"] = json::array();
  for (const lesson::Step& step : lesson.steps) {
    json s{{"id", step.id}, {"kind", lesson::stepKindName(step.kind)}};
    if (step.moment) {
      const auto run = walk.scale.find(step.variants[0]);
      const auto found = run == walk.scale.end() ? std::nullopt : findMoment(*step.moment, run->second.session->machine(), run->second.session->trace());
      s["variant"] = lesson.variants[step.variants[0]].id;
      if (found) s["moment"] = {{"cycle", found->at.cycle}, {"block", found->warp.block}, {"warp", found->warp.warp}, {"lane", found->lane}};
    }
    if (step.question) s["right"] = step.question->choices[step.question->right].id;
    if (step.kind == lesson::StepKind::Compare) {
      json& rows = s["rows"] = json::array();
      for (const lesson::CompareRow& row : compareRows(lesson, step, walk.figures))
        rows.push_back({{"variant", lesson.variants[row.variant].id}, {"figure", row.figure->name}, {"unit", row.figure->unit},
                        {"simulated", optionalNumber(row.simulated)}, {"measured", optionalNumber(row.measured)},
                        {row.figure->unit == "%" ? "difference_points" : "difference_pct", optionalNumber(row.difference)}});
    }
    steps.push_back(std::move(s));
  }
  json& figures = j["figures"] = json::object();
  for (const auto& [name, value] : walk.figures.all()) figures[name] = value;
  return j;
}

}  // namespace warpmill::cli
