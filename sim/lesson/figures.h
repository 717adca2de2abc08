// Figures that a lesson's text and tables quote. None is typed into a text: it has a placeholder, filled from a report or a record.
//
// A name has three parts, SOURCE.VARIANT.FIGURE: "full.after.useful_gbps". Sources: `scale` and `full` are the simulator's two
// sizes, `real` is the record of the real GPU (full size), `real_scale` the record of the small launch. `device.FIGURE` is a number of
// the device profile. A placeholder is a name in braces, or names and numbers joined by + - * / (blanks around them, worked out from left
// to right). Behind a bar may stand the number of decimals and the forms of the word counted (English one, many; Russian one, few, many):
// {full.after.useful_gbps}, {real.before.time_us / real.after.time_us | 0}, {scale.after.blocks | block blocks}.
#pragma once

#include "device/profile.h"
#include "launch/launch.h"
#include "lesson/measured.h"
#include "profile/report.h"

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace warpmill::lesson {

struct Variant;

struct FigureInfo {
  std::string_view name;         // "useful_gbps"
  std::string_view unit;         // "GB/s"; empty: a plain number
  bool fromRun;                  // from a run or a record, so that both can be laid side by side; else from launch file and device
  std::string_view english, russian;   // what it is, as a table's row says
};
const std::vector<FigureInfo>& figureInfos();
const FigureInfo* figureInfo(std::string_view name);   // nullptr: there is no such figure

class Figures {
 public:
  void set(std::string name, double value) { values_[std::move(name)] = value; }
  void forget(std::string_view source);   // all names that begin with it and a dot
  [[nodiscard]] std::optional<double> get(std::string_view name) const;
  [[nodiscard]] const std::map<std::string, double, std::less<>>& all() const { return values_; }

  void addDevice(const device::Profile& profile);
  // Grid, threads, elements, bytes: what the launch file says. Done by the other two as well.
  void addLaunch(const std::string& source, const Variant& variant, const launch::Launch& launch, const device::Profile& profile);
  void addReport(const std::string& source, const Variant& variant, const launch::Launch& launch, const device::Profile& profile,
                 const profile::Report& report);
  void addMeasured(const std::string& source, const Variant& variant, const launch::Launch& launch, const device::Profile& profile,
                   const Measured& measured);

 private:
  std::map<std::string, double, std::less<>> values_;
};

struct Filled {
  std::string text;
  std::vector<std::string> missing;   // names whose value is not known (yet): the text shows "?" for them
};

// Replaces the placeholders. Numbers are written as the language writes them (Russian: decimal comma).
Filled fillFigures(std::string_view text, const Figures& figures, std::string_view language);

// The unit as the language writes it: "GB/s", "ГБ/с".
std::string_view unitText(std::string_view unit, std::string_view language);

// "4 blocks", "4 блока": the number and that one of the word's forms that goes with it.
std::string countedText(double value, const std::vector<std::string>& forms, std::string_view language);

// "1 234.5": `decimals` < 0 chooses three significant digits, or all of a whole number.
std::string numberText(double value, int decimals, std::string_view language);

}  // namespace warpmill::lesson
