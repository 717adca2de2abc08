// The compare panel's part for launches of the user's own file.
#include "studio/compare_panel.h"
#include "studio/launch_figures.h"
#include "studio/measures.h"
#include "studio/panel_header.h"
#include "studio/player.h"
#include "studio/roofline_plot.h"
#include "studio/size_plot.h"
#include "studio/words.h"

#include <QMenu>
#include <QToolButton>

#include <algorithm>

namespace warpmill::studio {

namespace {

// The kernel's own time where the profiler read it, else that of cold launches between two events.
std::optional<double> timeOf(const lesson::Measured* record, const std::string& name) {
  const lesson::MeasuredResult* r = record != nullptr ? record->result(name) : nullptr;
  if (r == nullptr || r->error) return std::nullopt;
  const auto ns = r->counters.find("gpu__time_duration.sum");
  const double us = ns != r->counters.end() ? ns->second / 1000 : r->cold.median;
  return us > 0 ? std::optional<double>(us) : std::nullopt;
}

QString axisTitle(LaunchFamily::Axis axis) {
  switch (axis) {
    case LaunchFamily::Axis::Elements: return QString();
    case LaunchFamily::Axis::Threads: return ComparePanel::tr("number of threads");
    case LaunchFamily::Axis::BlockThreads: return ComparePanel::tr("threads a block");
    default: return ComparePanel::tr("bytes of shared memory");
  }
}

// The nearest one before it of the same size, which is how names end ("naive/256", "tiled/256"); else the one before it.
std::optional<std::size_t> usualBase(const std::vector<launch::Launch>& launches, std::size_t focus) {
  const auto ending = [&](std::size_t i) {
    const std::string& name = launches[i].name;
    return name.find('/') == std::string::npos ? std::string() : name.substr(name.rfind('/'));
  };
  for (std::size_t i = focus; i-- > 0;)
    if (!ending(focus).empty() && ending(i) == ending(focus)) return i;
  return focus > 0 ? std::optional<std::size_t>(focus - 1) : std::nullopt;
}

}  // namespace

// The launch that is open, and the one that it is compared with.
std::vector<std::string> ComparePanel::neededRuns() const {
  const std::size_t focus = own_->indexOf(player_.document());
  std::vector<std::string> names{own_->launches()[focus].name};
  const auto base = base_ ? base_ : usualBase(own_->launches(), focus);
  if (base && *base != focus) names.push_back(own_->launches()[*base].name);
  return names;
}

void ComparePanel::compareWith(std::optional<std::size_t> launch) {
  base_ = launch && *launch < own_->launches().size() ? launch : std::nullopt;
  refresh();
}

void ComparePanel::refreshAgainst() {
  const bool any = own_->isOpen() && own_->launches().size() > 1;
  against_->setVisible(any);
  if (!any) return;
  const std::vector<std::string> names = neededRuns();
  const QString name = names.size() > 1 ? QString::fromStdString(names[1]) : tr("no other launch");
  against_->setText(tr("against: %1").arg(name) + " ");
  against_->setAccessibleName(tr("The launch that speed-ups are over: %1").arg(name));
  QMenu* menu = against_->menu();
  menu->clear();
  menu->addAction(tr("The one before it"), this, [this] { compareWith(std::nullopt); });
  for (std::size_t i = 0; i < own_->launches().size(); ++i) menu->addAction(QString::fromStdString(own_->launches()[i].name), this, [this, i] { compareWith(i); });
}

void ComparePanel::refreshLaunch() {
  if (!own_->isOpen()) {
    model_->setRows({}, {}, false);
    plot_->setPoints({});
    plot_->setRoofs(0, 0);
    header_->setCaption({});
    header_->setNote({});
    return;
  }
  const auto& launches = own_->launches();
  const std::vector<std::string> needed = neededRuns();
  Comparison c;
  c.figures = &own_->figures();
  c.focus = own_->indexOf(player_.document());
  for (std::size_t i = 0; i < launches.size(); ++i) c.entries.push_back({QString::fromStdString(launches[i].name), LaunchFigures::idOf(i)});
  for (std::size_t i = 0; i < launches.size() && needed.size() > 1; ++i)
    if (launches[i].name == needed[1] && i != c.focus) c.base = i;
  c.names = {"time_us",     "useful_gbps",         "moved_gbps",                "peak_pct",     "dram_peak_pct", "gflops",     "fp32_peak_pct",
             "sectors_per_request", "store_sectors_per_request", "l1_hit_pct",   "l2_hit_pct",    "dram_read_mb", "dram_write_mb",
             "occupancy_pct", "issue_pct",         "active_lanes",              "registers"};
  c.busy = measures_->isSimulating();
  c.title = machineName({player_.document().machine.profile, 0});
  // The roofline shows what is compared; a whole suite would be a cloud.
  Comparison shown = c;
  shown.entries = {c.entries[c.focus]};
  shown.focus = 0;
  shown.base.reset();
  if (c.base) {
    shown.entries.push_back(c.entries[*c.base]);
    shown.base = 1;
  }
  show(shown);
  const auto run = measures_->runs().find(launches[c.focus].name);
  QString caption = run != measures_->runs().end() ? boundWords(run->second.verdictOnTime.bound) : QString();
  if (c.busy) caption += (caption.isEmpty() ? "" : "  ·  ") + tr("simulating the full size...");
  header_->setCaption(caption);
  header_->setNote(!measures_->error().isEmpty() ? measures_->error() : measures_->runsError());
}

// Curves of the launches that are kin of the open one, and of others over the same axis.
void ComparePanel::launchSizes() {
  const auto& launches = own_->launches();
  const std::size_t focus = own_->indexOf(player_.document());
  const auto mine = std::find_if(own_->families().begin(), own_->families().end(), [&](const LaunchFamily& f) {
    return std::any_of(f.launches.begin(), f.launches.end(), [&](const auto& l) { return l.second == focus; });
  });
  if (mine == own_->families().end()) {
    sizePlot_->setCurves({}, 0);
    return sizePlot_->setMessage(tr("No other launch of this file has a name like %1: curves join launches that are named alike up to the last '/'.").arg(QString::fromStdString(launches[focus].name)));
  }
  std::vector<std::string> names;
  bool allHaveBytes = true;
  for (const auto& [value, i] : mine->launches) {
    names.push_back(launches[i].name);
    allHaveBytes = allHaveBytes && launches[i].workBytes.has_value();
  }
  measures_->wantRuns(names);
  std::vector<SizeCurve> curves;
  for (const LaunchFamily& family : own_->families()) {
    if (family.axis != mine->axis) continue;
    SizeCurve curve;
    curve.name = QString::fromStdString(family.name);
    curve.focused = &family == &*mine;
    bool any = curve.focused;
    for (const auto& [value, i] : family.launches) {
      const launch::Launch& l = launches[i];
      if (allHaveBytes && !l.workBytes) continue;
      const auto shown = [&](std::optional<double> us) { return us && allHaveBytes ? std::optional<double>(*l.workBytes / (*us * 1000)) : us; };
      SizePoint point;
      point.size = value;
      if (const auto run = measures_->runs().find(l.name); run != measures_->runs().end() && run->second.timeUs) {
        point.simulated = shown(run->second.timeUs);
        point.limit = QString::fromStdString(run->second.verdictOnTime.limit);
      }
      point.measured = shown(timeOf(own_->record(), l.name));
      any = any || point.measured;
      curve.points.push_back(std::move(point));
    }
    constexpr std::size_t most = 6;   // more would be a thicket
    if (any && (curve.focused || curves.size() < most)) curves.push_back(std::move(curve));
  }
  sizePlot_->setMessage({});
  sizePlot_->setAxes(axisTitle(mine->axis), allHaveBytes ? QString() : tr("time, µs"));
  sizePlot_->setCurves(std::move(curves), allHaveBytes ? own_->figures().get("device.peak_tbps").value_or(0) * 1000 : 0);
}

}  // namespace warpmill::studio
