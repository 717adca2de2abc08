#include "cli/lesson_walk.h"

#include "cli/prose.h"
#include "lesson/describe.h"

#include <algorithm>
#include <fmt/format.h>
#include <mutex>
#include <thread>

namespace warpmill::cli {

namespace {

using lesson::CompareRow;
using lesson::fillFigures;
using lesson::Lesson;
using lesson::localized;
using lesson::Step;
using lesson::StepKind;
using lesson::Variant;

std::string underlined(const std::string& title, char line) { return title + "\n" + std::string(shownLength(title), line) + "\n\n"; }

class Writer {
 public:
  Writer(const Lesson& lesson, const lesson::Figures& figures, std::string language) : lesson_(lesson), figures_(figures), language_(std::move(language)) {}

  std::string text;

  [[nodiscard]] std::string_view say(std::string_view english, std::string_view russian) const { return language_ == "ru" ? russian : english; }
  [[nodiscard]] std::string filled(const std::string& markdown) const { return fillFigures(markdown, figures_, language_).text; }

  void head() {
    text += underlined(fmt::format(fmt::runtime(say("Lesson {}. {}", "Урок {}. {}")), lesson_.order, localized(lesson_.title, language_)), '=');
    prose(localized(lesson_.goal, language_));
    prose(lesson_.text(language_).intro);
  }

  void title(const Step& step, std::size_t number) {
    text += underlined(fmt::format("{}. {}", number, lesson_.section(step, language_).title), '-');
    prose(lesson_.section(step, language_).body);
  }

  void prose(const std::string& markdown) {
    if (markdown.empty()) return;
    text += setProse(filled(markdown)) + "\n";
  }

  void question(const lesson::Question& q) {
    text += setProse(filled(localized(q.text, language_)), proseWidth, "  ") + "\n";
    for (std::size_t i = 0; i < q.choices.size(); ++i)
      text += fmt::format("    {}) {}\n", static_cast<char>('a' + i), filled(localized(q.choices[i].text, language_)));
    text += "\n";
  }

  // The lesson's question answered: its letter, its text, why.
  void answer() {
    for (const Step& step : lesson_.steps) {
      if (!step.question) continue;
      const lesson::Question& q = *step.question;
      text += fmt::format("  {}) {}\n\n", static_cast<char>('a' + q.right), filled(localized(q.choices[q.right].text, language_)));
      text += setProse(filled(localized(q.why, language_)), proseWidth, "  ") + "\n";
    }
  }

  void ran(const lesson::ScaleRun& run) {
    const profile::Report& r = run.report;
    const launch::Launch& l = run.session->machine().launch().launch;
    text += fmt::format(fmt::runtime(say("  > {}: {} x {} threads on {} SMs; {} cycles, {} warp instructions, verdict {}\n",
                                         "  > {}: {} x {} потоков на {} SM; тактов {}, инструкций варпов {}, вердикт {}\n")),
                        l.name, l.grid[0], l.block[0], run.session->state().sms.size(), run.session->state().endCycle,
                        r.counters.count("smsp__inst_executed.sum") ? lesson::numberText(r.counters.at("smsp__inst_executed.sum"), 0, language_) : "?", r.verdict);
    for (const machine::Fault& f : r.faults) text += fmt::format("  > {}:{}: {}\n", f.file, f.location.line, f.message);
    text += setProse(checkText(run.check, language_), proseWidth, "  > ") + "\n";
  }

  void moment(const Step& step, lesson::ScaleRun& run) {
    for (const std::string& line : describeMoment(lesson_.variants[step.variants[0]], *step.moment, *run.session, language_)) text += "  | " + line + "\n";
    text += "\n";
  }

  void table(const Step& step, const std::optional<lesson::Measured>& record, const device::Profile& device) {
    if (device.name != lesson_.device)
      text += setProse(fmt::format(fmt::runtime(say("Simulated is {}, measured another device: the differences are not the simulator's error.",
                                                    "Рассчитано {}, а замер сделан на другом устройстве: разница не означает ошибку симулятора.")), device.title),
                       proseWidth, "  ") + "\n";
    std::vector<CompareRow> rows = compareRows(lesson_, step, figures_);
    for (const std::size_t v : step.variants) {
      const Variant& variant = lesson_.variants[v];
      text += fmt::format("  {} ({})\n", localized(variant.title, language_), variant.full.name);
      std::vector<std::vector<std::string>> cells{{std::string(), std::string(say("simulated", "симулятор")), std::string(say("measured", "замер")),
                                                   std::string(say("difference", "разница"))}};
      for (const CompareRow& row : rows) {
        if (row.variant != v) continue;
        std::string name(say(row.figure->english, row.figure->russian));
        if (!row.figure->unit.empty()) name += fmt::format(", {}", lesson::unitText(row.figure->unit, language_));
        cells.push_back({name, number(row.simulated), number(row.measured), difference(row)});
      }
      text += setTable(cells, "    ") + "\n";
    }
    if (!record) return;
    text += setProse(fmt::format(fmt::runtime(say("Measured: {}, driver {}, {}; {}.", "Замер: {}, драйвер {}, {}; {}.")), record->device, record->driver, record->date,
                                 record->origin), proseWidth, "  ") + "\n";
  }

 private:
  [[nodiscard]] std::string number(const std::optional<double>& value) const { return value ? lesson::numberText(*value, -1, language_) : "-"; }

  [[nodiscard]] std::string difference(const CompareRow& row) const {
    if (!row.difference) return "";
    const bool points = row.figure->unit == "%";
    const std::string sign = *row.difference >= 0.05 ? "+" : "";
    return sign + lesson::numberText(*row.difference, 1, language_) + std::string(points ? say(" points", " п. п.") : say(" %", " %"));
  }

  const Lesson& lesson_;
  const lesson::Figures& figures_;
  std::string language_;
};

bool concerns(const Step& step, const Lesson& lesson, const std::string& variant) {
  if (variant.empty() || step.variants.empty()) return true;
  return std::any_of(step.variants.begin(), step.variants.end(), [&](std::size_t v) { return lesson.variants[v].id == variant; });
}

std::optional<Diagnostics> runScales(const Lesson& lesson, const device::Profile& device, const WalkOptions& options, Walk& walk) {
  const device::Profile scale = profileFor(lesson, lesson::Size::Scale, device);
  for (std::size_t v = 0; v < lesson.variants.size(); ++v) {
    const Variant& variant = lesson.variants[v];
    if (options.progress) options.progress(variant.scale.name);
    auto run = runScale(lesson, variant, device);
    if (!run) return run.diagnostics();
    walk.figures.addReport("scale", variant, variant.scale, scale, run->report);
    walk.ok = walk.ok && run->check.ok && run->report.faults.empty();
    walk.scale.emplace(v, std::move(*run));
  }
  return std::nullopt;
}

// The full sizes are independent of one another: each thread takes the next one that is left.
std::optional<Diagnostics> runFulls(const Lesson& lesson, const device::Profile& device, const WalkOptions& options, Walk& walk) {
  std::vector<std::optional<Result<lesson::FullRun>>> runs(lesson.variants.size());
  std::mutex mutex;
  std::size_t next = 0;
  const auto work = [&] {
    for (;;) {
      std::size_t v = 0;
      {
        const std::lock_guard lock(mutex);
        if (next == runs.size()) return;
        v = next++;
        if (options.progress) options.progress(lesson.variants[v].full.name);
      }
      runs[v].emplace(runFull(lesson, lesson.variants[v], lesson.variants[v].full, device));
    }
  };
  const unsigned cores = options.jobs != 0 ? options.jobs : std::max(1u, std::thread::hardware_concurrency());
  std::vector<std::thread> threads;
  for (std::size_t i = 1; i < std::min<std::size_t>(cores, runs.size()); ++i) threads.emplace_back(work);
  work();
  for (std::thread& t : threads) t.join();
  for (std::size_t v = 0; v < runs.size(); ++v) {
    Result<lesson::FullRun>& run = *runs[v];
    if (!run) return run.diagnostics();
    const Variant& variant = lesson.variants[v];
    walk.figures.addReport("full", variant, variant.full, device, run->report);
    walk.ok = walk.ok && run->check.ok && run->report.faults.empty();
    walk.full.emplace(v, std::move(*run));
  }
  return std::nullopt;
}

}  // namespace

Result<Lesson> withFullSize(Lesson lesson, const std::string& size) {
  for (Variant& variant : lesson.variants) {
    const auto ends = [&](const launch::Launch& l) {   // "n2^24" is also the size called "n2^24+3"
      const std::string last = l.name.substr(l.name.rfind('/') + 1);
      return last == size || last.starts_with(size + "+");
    };
    const auto found = std::find_if(variant.sweep.begin(), variant.sweep.end(), ends);
    if (found == variant.sweep.end()) {
      Diagnostic d;
      d.message = fmt::format("the variant '{}' has no size '{}'", variant.id, size);
      d.hint = "it has";
      for (const launch::Launch& l : variant.sweep) d.hint += " " + l.name.substr(l.name.rfind('/') + 1);
      return d;
    }
    variant.full = *found;
  }
  return lesson;
}

Result<Walk> walkLesson(const Lesson& lesson, const device::Profile& device, const WalkOptions& options) {
  Walk walk;
  auto record = lessonRecord(lesson);
  if (!record) return record.diagnostics();
  walk.record = std::move(*record);
  walk.figures = startFigures(lesson, device, &*walk.record);
  if (auto errors = runScales(lesson, device, options, walk)) return *errors;

  bool fullRun = !options.full;
  const auto runFullOnce = [&]() -> std::optional<Diagnostics> {
    if (fullRun) return std::nullopt;
    fullRun = true;
    return runFulls(lesson, device, options, walk);
  };
  Writer writer(lesson, walk.figures, options.language);
  const auto pass = [&] {
    if (options.show) options.show(writer.text);
    walk.text += writer.text;
    writer.text.clear();
  };
  if (options.text) writer.head();
  for (std::size_t i = 0; options.text && i < lesson.steps.size(); ++i) {
    const Step& step = lesson.steps[i];
    if (!concerns(step, lesson, options.variant)) continue;
    if (step.kind == StepKind::Compare || step.kind == StepKind::Answer)
      if (auto errors = runFullOnce()) return *errors;
    writer.title(step, i + 1);
    switch (step.kind) {
      case StepKind::Predict: writer.question(*step.question); break;
      case StepKind::Run: writer.ran(walk.scale.at(step.variants[0])); break;
      case StepKind::Step: writer.moment(step, walk.scale.at(step.variants[0])); break;
      case StepKind::Compare: writer.table(step, walk.record, device); break;
      case StepKind::Answer: writer.answer(); break;
      case StepKind::Exercise:
      case StepKind::LeftOut: break;
    }
    pass();
  }
  if (auto errors = runFullOnce()) return *errors;
  return walk;
}

std::string showLesson(const Lesson& lesson, const lesson::Figures& figures, const std::string& language) {
  Writer writer(lesson, figures, language);
  writer.head();
  for (std::size_t i = 0; i < lesson.steps.size(); ++i) {
    writer.title(lesson.steps[i], i + 1);
    if (lesson.steps[i].question) writer.question(*lesson.steps[i].question);
    if (lesson.steps[i].kind == StepKind::Answer) writer.answer();
  }
  return writer.text;
}

}  // namespace warpmill::cli
