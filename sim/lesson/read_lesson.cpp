// Reads lesson.json and what it names.
#include "base/json.h"
#include "base/suggest.h"
#include "base/text_file.h"
#include "lesson/check.h"
#include "lesson/figures.h"
#include "lesson/json_fields.h"
#include "lesson/lesson.h"

#include <algorithm>
#include <array>
#include <filesystem>
#include <fmt/format.h>

namespace warpmill::lesson {

namespace {

constexpr std::array<std::string_view, 7> stepKinds{"predict", "run", "step", "compare", "answer", "exercise", "left-out"};
constexpr std::array<std::string_view, 5> momentKinds{"start", "issue", "wait", "arrive", "end"};
constexpr std::array<std::string_view, 2> accessKinds{"load", "store"};

class Reader {
 public:
  explicit Reader(std::string folder) { lesson_.folder = std::move(folder); }

  Result<Lesson> read() {
    const std::string path = lesson_.folder + "/lesson.json";
    auto text = readTextFile(path);
    if (!text) return text.diagnostics();
    auto document = JsonDocument::parse(std::move(*text), path);
    if (!document) return document.diagnostics();
    readRoot((*document)->root());
    if (!errors_.empty()) return errors_;
    return std::move(lesson_);
  }

 private:
  void readRoot(const JsonValue& root) {
    Fields f(root, errors_, {"id", "order", "languages", "title", "goal", "device", "scale_sms", "launches", "measured", "check", "variants", "steps"});
    if (!root.isObject()) return;
    lesson_.id = f.string("id");
    lesson_.order = static_cast<std::uint32_t>(f.integer("order", 0, 1000));
    readLanguages(f);
    lesson_.title = f.localText("title", languages_);
    lesson_.goal = f.localText("goal", languages_);
    lesson_.device = f.string("device");
    lesson_.scaleSms = static_cast<std::uint32_t>(f.integer("scale_sms", 1, 16));
    lesson_.measured = f.string("measured");
    if (const auto launches = f.object("launches")) {
      Fields l(*launches, errors_, {"scale", "full"});
      readLaunchFile(l.string("scale"), scale_);
      readLaunchFile(l.string("full"), full_);
    }
    for (const JsonValue& value : f.array("variants")) readVariant(value);
    if (const auto check = f.object("check")) readCheck(*check);
    for (const JsonValue& value : f.array("steps")) readStep(value);
    readTexts(root);
  }

  void readLanguages(Fields& f) {
    for (const JsonValue& value : f.array("languages")) {
      if (value.isString() && !value.string().empty())
        languages_.push_back(value.string());
      else
        errors_.push_back(value.error("a language code is needed here", "\"en\", \"ru\", ..."));
    }
    if (!languages_.empty() && languages_.front() != "en")
      errors_.push_back(f.value().member("languages")->error("English must come first", "it stands in where another language has no text"));
  }

  void readLaunchFile(const std::string& name, std::vector<launch::Launch>& into) {
    if (name.empty()) return;
    auto launches = launch::readLaunches(lesson_.folder + "/" + name);
    if (!launches) {
      errors_.insert(errors_.end(), launches.diagnostics().begin(), launches.diagnostics().end());
      return;
    }
    into = std::move(*launches);
  }

  // The launch that the key names; an error with the nearest name otherwise.
  launch::Launch launchNamed(Fields& f, std::string_view key, const std::vector<launch::Launch>& launches) {
    const std::string name = f.string(key);
    std::vector<std::string> names;
    for (const launch::Launch& l : launches) {
      if (l.name == name) return l;
      names.push_back(l.name);
    }
    if (!name.empty() && !names.empty())
      errors_.push_back(f.value().member(key)->error(fmt::format("the launch file has no launch \"{}\"", name), didYouMean(name, names)));
    return {};
  }

  void readVariant(const JsonValue& value) {
    Fields f(value, errors_, {"id", "title", "source", "scale", "full", "sweep", "layout"});
    if (!value.isObject()) return;
    Variant v;
    v.id = f.string("id");
    v.title = f.localText("title", languages_);
    const std::string source = f.string("source");
    v.source = lesson_.folder + "/" + source;
    if (!source.empty() && !std::filesystem::is_regular_file(v.source))
      errors_.push_back(value.member("source")->error(fmt::format("there is no file \"{}\"", source), "paths are relative to the lesson's folder"));
    v.scale = launchNamed(f, "scale", scale_);
    v.full = launchNamed(f, "full", full_);
    const std::string sweep = f.string("sweep");
    for (const launch::Launch& l : full_)
      if (l.name.starts_with(sweep)) v.sweep.push_back(l);
    if (!full_.empty() && v.sweep.empty())
      errors_.push_back(value.member("sweep")->error("no launch of the full size begins with this", "the sizes of one variant share a beginning"));
    if (const auto layout = f.optional("layout")) readLayout(*layout, v);
    lesson_.variants.push_back(std::move(v));
  }

  void readLayout(const JsonValue& value, Variant& v) {
    Fields f(value, errors_, {"block", "warps", "per_thread"});
    BlockedLayout layout;
    layout.block = static_cast<std::uint32_t>(f.integer("block", 1, 1u << 20));
    layout.warps = static_cast<std::uint32_t>(f.integer("warps", 1, 32));
    layout.perThread = static_cast<std::uint32_t>(f.integer("per_thread", 1, 1024));
    const auto power = [](std::uint32_t n) { return (n & (n - 1)) == 0; };
    if (!power(layout.block) || !power(layout.warps) || !power(layout.perThread) || layout.perThread > layout.block)
      errors_.push_back(value.error("a layout's numbers are powers of two, and a thread takes no more than the block"));
    v.layout = layout;
  }

  void readCheck(const JsonValue& value) {
    Fields f(value, errors_, {"reference", "inputs", "output", "count", "relative_tolerance"});
    Check& check = lesson_.check;
    std::vector<std::string_view> names;
    for (const Reference& r : references()) names.push_back(r.name);
    check.reference = std::string(names[f.word("reference", names)]);
    const std::size_t arguments = lesson_.variants.empty() ? 0 : lesson_.variants.front().scale.arguments.size();
    const std::uint64_t last = arguments ? arguments - 1 : 0;
    for (const JsonValue& input : f.array("inputs")) {
      const auto index = input.isNumber() ? input.unsignedInteger() : std::nullopt;
      if (!index || *index > last)
        errors_.push_back(input.error(fmt::format("an argument's number from 0 to {} is needed here", last)));
      else
        check.inputs.push_back(static_cast<std::size_t>(*index));
    }
    if (const Reference* r = reference(check.reference); r && check.inputs.size() != r->inputCount && !check.inputs.empty())
      errors_.push_back(value.member("inputs")->error(fmt::format("the reference {} takes {} inputs", check.reference, r->inputCount)));
    check.output = static_cast<std::size_t>(f.integer("output", 0, last));
    check.count = static_cast<std::size_t>(f.integer("count", 0, last));
    check.relativeTolerance = f.number("relative_tolerance");
  }

  void readStep(const JsonValue& value) {
    Fields f(value, errors_, {"id", "kind", "variant", "variants", "moment", "question", "figures"});
    if (!value.isObject()) return;
    Step step;
    step.id = f.string("id");
    step.kind = static_cast<StepKind>(f.word("kind", stepKinds));
    if (step.kind == StepKind::Run || step.kind == StepKind::Step) {
      const std::string id = f.string("variant");
      if (const auto at = value.member("variant")) addVariant(step, id, *at);
    }
    if (step.kind == StepKind::Step)
      if (const auto moment = f.object("moment")) step.moment = readMoment(*moment);
    if (step.kind == StepKind::Predict)
      if (const auto question = f.object("question")) step.question = readQuestion(*question);
    if (step.kind == StepKind::Compare) {
      for (const JsonValue& v : f.array("variants")) addVariant(step, v.isString() ? v.string() : std::string(), v);
      for (const JsonValue& v : f.array("figures")) addFigure(step, v);
    }
    if (lesson_.step(step.id)) errors_.push_back(value.error(fmt::format("the step \"{}\" stands twice", step.id)));
    lesson_.steps.push_back(std::move(step));
  }

  void addVariant(Step& step, const std::string& id, const JsonValue& at) {
    std::vector<std::string> names;
    for (std::size_t i = 0; i < lesson_.variants.size(); ++i) {
      if (lesson_.variants[i].id == id) return step.variants.push_back(i);
      names.push_back(lesson_.variants[i].id);
    }
    errors_.push_back(at.error(fmt::format("the lesson has no variant \"{}\"", id), didYouMean(id, names)));
  }

  void addFigure(Step& step, const JsonValue& value) {
    const std::string name = value.isString() ? value.string() : std::string();
    if (const FigureInfo* info = figureInfo(name); info && info->fromRun) return step.figures.push_back(name);
    std::vector<std::string> names;
    for (const FigureInfo& info : figureInfos())
      if (info.fromRun) names.emplace_back(info.name);
    errors_.push_back(value.error(fmt::format("\"{}\" is no figure that can be compared", name), didYouMean(name, names)));
  }

  Moment readMoment(const JsonValue& value) {
    Fields f(value, errors_, {"at", "access", "nth", "block", "warp", "lane"});
    Moment m;
    m.kind = static_cast<MomentKind>(f.word("at", momentKinds));
    if (m.kind != MomentKind::Start && m.kind != MomentKind::End) m.access = static_cast<AccessKind>(f.word("access", accessKinds));
    m.nth = static_cast<std::uint32_t>(f.optionalInteger("nth", 1, 1'000'000).value_or(1));
    m.warp.warp = static_cast<std::uint32_t>(f.optionalInteger("warp", 0, 31).value_or(0));
    m.lane = static_cast<std::uint32_t>(f.optionalInteger("lane", 0, 31).value_or(0));
    if (const auto block = f.optional("block"); block && block->isString() && block->string() == "last")
      m.lastBlock = true;
    else
      m.warp.block = f.optionalInteger("block", 0, ~0u).value_or(0);
    return m;
  }

  Question readQuestion(const JsonValue& value) {
    Fields f(value, errors_, {"text", "choices", "right", "why"});
    Question q;
    q.text = f.localText("text", languages_);
    q.why = f.localText("why", languages_);
    std::vector<std::string> names;
    for (const JsonValue& choice : f.array("choices")) {
      Fields c(choice, errors_, {"id", "text"});
      q.choices.push_back({c.string("id"), c.localText("text", languages_)});
      names.push_back(q.choices.back().id);
    }
    const std::string right = f.string("right");
    const auto it = std::find(names.begin(), names.end(), right);
    if (it != names.end())
      q.right = static_cast<std::size_t>(it - names.begin());
    else if (!names.empty() && !right.empty())
      errors_.push_back(value.member("right")->error(fmt::format("no choice has the id \"{}\"", right), didYouMean(right, names)));
    return q;
  }

  // Each language's file has exactly the steps as anchors, in their order.
  void readTexts(const JsonValue& root) {
    for (const std::string& language : languages_) {
      const std::string path = lesson_.folder + "/text." + language + ".md";
      auto markdown = readTextFile(path);
      auto text = markdown ? parseText(*markdown, language, path) : Result<Text>(markdown.diagnostics());
      if (!text) {
        errors_.insert(errors_.end(), text.diagnostics().begin(), text.diagnostics().end());
        continue;
      }
      for (std::size_t i = 0; i < lesson_.steps.size(); ++i)
        if (i >= text->sections.size() || text->sections[i].anchor != lesson_.steps[i].id) {
          errors_.push_back(root.member("steps")->children()[i].error(
              fmt::format("{} has no section {{#{}}} as its number {}", path, lesson_.steps[i].id, i + 1),
              "the sections of every language are the steps, in their order"));
          break;
        }
      if (text->sections.size() > lesson_.steps.size()) {
        const Section& extra = text->sections[lesson_.steps.size()];
        Diagnostic d;
        d.file = path;
        d.position = extra.position;
        d.message = fmt::format("the section {{#{}}} is no step of the lesson", extra.anchor);
        d.hint = "add the step to lesson.json, or take the section out";
        d.sourceLine = lineOf(*markdown, extra.position.line);
        errors_.push_back(std::move(d));
      }
      lesson_.texts.push_back(std::move(*text));
    }
  }

  Lesson lesson_;
  std::vector<std::string> languages_;
  std::vector<launch::Launch> scale_, full_;
  Diagnostics errors_;
};

}  // namespace

std::string_view stepKindName(StepKind kind) { return stepKinds[static_cast<std::size_t>(kind)]; }

Result<Lesson> readLesson(const std::string& folder) { return Reader(folder).read(); }

}  // namespace warpmill::lesson
