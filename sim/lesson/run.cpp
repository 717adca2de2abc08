#include "lesson/run.h"

#include "ptx/module.h"

namespace warpmill::lesson {

device::Profile profileFor(const Lesson& lesson, Size size, const device::Profile& device) {
  return size == Size::Full || device.smCount <= lesson.scaleSms ? device : device::scaleModel(device, lesson.scaleSms);
}

Result<exec::PreparedLaunch> prepareLaunch(const launch::Launch& launch, const device::Profile& profile) {
  auto module = ptx::parseFile(launch.ptxPath);
  if (!module) return module.diagnostics();
  return exec::prepare(launch, std::make_shared<const ptx::Module>(std::move(*module)), profile);
}

Result<exec::PreparedLaunch> prepareVariant(const Variant& variant, Size size, const device::Profile& profile) {
  return prepareLaunch(size == Size::Scale ? variant.scale : variant.full, profile);
}

Result<ScaleRun> runScale(const Lesson& lesson, const Variant& variant, const device::Profile& device) {
  const device::Profile profile = profileFor(lesson, Size::Scale, device);
  auto prepared = prepareVariant(variant, Size::Scale, profile);
  if (!prepared) return prepared.diagnostics();
  auto machine = timing::Machine::create(std::move(*prepared), profile);
  if (!machine) return machine.diagnostics();
  auto session = session::Session::open(*machine);
  if (!session) return session.diagnostics();
  ScaleRun run;
  run.session = std::move(*session);
  run.session->runToEnd();
  const timing::Machine& m = run.session->machine();
  auto check = checkResult(lesson.check, m.launch(), run.session->state().memory);
  if (!check) return check.diagnostics();
  run.check = std::move(*check);
  run.report = profile::reportOf(m, run.session->state());
  return run;
}

Result<FullRun> runFull(const Lesson& lesson, const Variant&, const launch::Launch& launch, const device::Profile& device) {
  const device::Profile profile = profileFor(lesson, Size::Full, device);
  auto prepared = prepareLaunch(launch, profile);
  if (!prepared) return prepared.diagnostics();
  auto machine = timing::Machine::create(std::move(*prepared), profile);
  if (!machine) return machine.diagnostics();
  timing::MachineState state = (*machine)->initialState();
  (*machine)->runToEnd(state, nullptr);
  FullRun run;
  auto check = checkResult(lesson.check, (*machine)->launch(), state.memory);
  if (!check) return check.diagnostics();
  run.check = std::move(*check);
  run.report = profile::reportOf(**machine, state);
  return run;
}

Result<Measured> lessonRecord(const Lesson& lesson) { return readMeasured(device::assetsFolder() + "/measured/" + lesson.measured); }

Figures startFigures(const Lesson& lesson, const device::Profile& device, const Measured* record) {
  Figures figures;
  figures.addDevice(device);
  const device::Profile scale = profileFor(lesson, Size::Scale, device);
  std::optional<device::Profile> measured;
  if (device.name != lesson.device)
    if (auto own = device::loadProfile(lesson.device)) measured = std::move(*own);
  const device::Profile& real = measured ? *measured : device;
  for (const Variant& v : lesson.variants) {
    figures.addLaunch("scale", v, v.scale, scale);
    figures.addLaunch("full", v, v.full, device);
    if (!record) continue;
    figures.addMeasured("real", v, v.full, real, *record);
    figures.addMeasured("real_scale", v, v.scale, real, *record);
  }
  return figures;
}

std::vector<CompareRow> compareRows(const Lesson& lesson, const Step& step, const Figures& figures) {
  std::vector<CompareRow> rows;
  for (const std::string& name : step.figures)
    for (const std::size_t v : step.variants) {
      CompareRow row;
      row.figure = figureInfo(name);
      row.variant = v;
      const std::string tail = lesson.variants[v].id + "." + name;
      row.simulated = figures.get("full." + tail);
      row.measured = figures.get("real." + tail);
      if (row.simulated && row.measured) {
        const double difference = *row.simulated - *row.measured;
        if (row.figure->unit == "%")
          row.difference = difference;
        else if (*row.measured != 0)
          row.difference = 100 * difference / *row.measured;
      }
      rows.push_back(row);
    }
  return rows;
}

}  // namespace warpmill::lesson
