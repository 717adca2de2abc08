#include "studio/figure_runs.h"

#include "exec/prepare.h"
#include "studio/kept_results.h"
#include "timing/machine.h"

#include <QCoreApplication>
#include <QJsonDocument>
#include <QJsonObject>
#include <QThreadPool>

namespace warpmill::studio {

namespace {

struct Job {
  const lesson::Variant* variant;
  std::string source;              // "scale" or "full"
  const launch::Launch* launch;
  const device::Profile* profile;
};

// A run to the end that can be given up between two slices of work.
FigureRun simulate(const Job& job, const std::atomic<bool>& cancelled) {
  const launch::Launch& launch = *job.launch;
  const device::Profile& profile = *job.profile;
  FigureRun run;
  if (cancelled) return run;
  Result<ptx::Module> module = ptx::parseFile(launch.ptxPath);
  if (!module) {
    run.diagnostics = module.diagnostics();
    return run;
  }
  Result<exec::PreparedLaunch> prepared = exec::prepare(launch, std::make_shared<const ptx::Module>(std::move(*module)), profile);
  if (!prepared) {
    run.diagnostics = prepared.diagnostics();
    return run;
  }
  Result<std::shared_ptr<const timing::Machine>> machine = timing::Machine::create(std::move(*prepared), profile);
  if (!machine) {
    run.diagnostics = machine.diagnostics();
    return run;
  }
  timing::MachineState state = (*machine)->initialState();
  constexpr int kSlice = 20000;   // issues between two looks at `cancelled`
  while (!cancelled) {
    timing::Advance advance = timing::Advance::Issued;
    for (int i = 0; i < kSlice && advance == timing::Advance::Issued; ++i) advance = (*machine)->step(state, {}, nullptr);
    if (advance != timing::Advance::Issued) {
      lesson::Figures figures;
      figures.addReport(job.source, *job.variant, launch, profile, profile::reportOf(**machine, state));
      run.figures = {figures.all().begin(), figures.all().end()};
      run.ok = true;
      return run;
    }
  }
  return run;
}

QString fileOf(const Job& job) {
  std::vector<std::string> follows{job.source, job.variant->id, job.launch->name};
  for (std::size_t i = 0; i < device::numbers().size(); ++i) follows.push_back(std::to_string(device::numberOf(*job.profile, i)));
  return keptFile("figures", QCoreApplication::applicationFilePath(), follows, {job.launch->file, job.launch->ptxPath});
}

// Full-size runs take seconds and always give the same: what one gave is kept for the next start.
FigureRun remembered(const Job& job, const std::atomic<bool>& cancelled) {
  const QString path = fileOf(job);
  const QJsonObject kept = QJsonDocument::fromJson(readKept(path)).object();
  FigureRun run;
  for (auto it = kept.begin(); it != kept.end(); ++it) run.figures[it.key().toStdString()] = it.value().toDouble();
  run.ok = !kept.isEmpty();
  if (run.ok) return run;
  run = simulate(job, cancelled);
  if (!run.ok) return run;
  QJsonObject object;
  for (const auto& [name, value] : run.figures) object[QString::fromStdString(name)] = value;
  keep(path, QJsonDocument(object).toJson());
  return run;
}

}  // namespace

FigureRuns::FigureRuns(QObject* parent) : QObject(parent) {}

FigureRuns::~FigureRuns() {
  if (cancelled_) *cancelled_ = true;
  QThreadPool::globalInstance()->waitForDone();
}

void FigureRuns::start(std::shared_ptr<const lesson::Lesson> lesson, RunMode mode) {
  if (cancelled_) *cancelled_ = true;
  cancelled_ = std::make_shared<std::atomic<bool>>(false);
  const std::uint64_t mine = ++generation_;
  lesson_ = std::move(lesson);
  figures_ = {};
  measured_.reset();
  device_.reset();
  diagnostics_.clear();
  waiting_ = 0;
  if (lesson_ == nullptr) return;

  Result<device::Profile> profile = device::loadProfile(lesson_->device);
  if (!profile) {
    diagnostics_ = profile.diagnostics();
    emit changed();
    return;
  }
  device_ = *profile;
  figures_.addDevice(*profile);
  const device::Profile scaled = device::scaleModel(*profile, lesson_->scaleSms);
  for (const lesson::Variant& variant : lesson_->variants) {
    figures_.addLaunch("scale", variant, variant.scale, scaled);
    figures_.addLaunch("full", variant, variant.full, *profile);
  }
  useLessonRecord();

  // Scale models first: they are quick and the first pages quote them. One task runs them all in order. It keeps what it reads alive.
  waiting_ = mode == RunMode::Skip ? 0 : static_cast<int>(2 * lesson_->variants.size());
  const auto work = [this, mine, lesson = lesson_, real = *profile, scaled, cancelled = cancelled_](bool inPlace) {
    for (const bool full : {false, true}) {
      for (const lesson::Variant& variant : lesson->variants) {
        const Job job = full ? Job{&variant, "full", &variant.full, &real} : Job{&variant, "scale", &variant.scale, &scaled};
        auto run = std::make_shared<FigureRun>(remembered(job, *cancelled));
        if (*cancelled) return;
        if (inPlace) {
          take(std::move(*run));
          continue;
        }
        QMetaObject::invokeMethod(
            this,
            [this, mine, run] {
              if (mine == generation_) take(std::move(*run));
            },
            Qt::QueuedConnection);
      }
    }
  };
  if (mode == RunMode::Wait) work(true);
  if (mode == RunMode::Background) QThreadPool::globalInstance()->start([work] { work(false); });
  emit changed();
}

void FigureRuns::useLessonRecord() {
  if (lesson_ == nullptr || !device_) return;
  measured_.reset();
  isLessonRecord_ = true;
  if (!lesson_->measured.empty()) {
    Result<lesson::Measured> measured = lesson::readMeasured(device::assetsFolder() + "/measured/" + lesson_->measured);
    if (measured) measured_ = std::move(*measured);
    else diagnostics_ = measured.diagnostics();
  }
  addMeasured();
}

void FigureRuns::useRecord(lesson::Measured record) {
  if (lesson_ == nullptr || !device_) return;
  measured_ = std::move(record);
  isLessonRecord_ = false;
  addMeasured();
}

void FigureRuns::addMeasured() {
  figures_.forget("real");
  figures_.forget("real_scale");
  for (const lesson::Variant& variant : lesson_->variants) {
    if (!measured_) break;
    figures_.addMeasured("real", variant, variant.full, *device_, *measured_);
    figures_.addMeasured("real_scale", variant, variant.scale, *device_, *measured_);
  }
  emit changed();
}

void FigureRuns::take(FigureRun run) {
  --waiting_;
  diagnostics_.insert(diagnostics_.end(), run.diagnostics.begin(), run.diagnostics.end());
  for (const auto& [name, value] : run.figures) figures_.set(name, value);
  emit changed();
}

}  // namespace warpmill::studio
