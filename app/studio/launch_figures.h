// The launches of the user's own file as figures that can be laid side by side: simulated at full size beside a record of a real GPU, launch by
// launch, and over the sizes of one kind of launch. Sequences count as one launch.
#pragma once

#include "lesson/figures.h"
#include "lesson/lesson.h"
#include "studio/document.h"
#include "studio/measures.h"

#include <QString>

#include <map>
#include <optional>
#include <string>
#include <vector>

namespace warpmill::studio {

// Launches that differ in one number: what it is, and each with its value, rising.
struct LaunchFamily {
  enum class Axis : std::uint8_t { Elements, Threads, BlockThreads, SharedBytes };
  std::string name;                       // what their names have in common, or the kernel's
  Axis axis = Axis::Elements;
  std::vector<std::pair<double, std::size_t>> launches;
};

class LaunchFigures {
 public:
  // The file of an open document; false: it is the one already open. Looks for a record of it that is there already.
  bool open(const Document& document);
  void close();
  [[nodiscard]] bool isOpen() const { return !launches_.empty(); }

  [[nodiscard]] const std::vector<launch::Launch>& launches() const { return launches_; }
  [[nodiscard]] std::size_t indexOf(const Document& document) const;   // of the launch that is open
  [[nodiscard]] MeasureSubject subject() const;
  // Names of figures begin "full.ID." and "real.ID.".
  [[nodiscard]] static std::string idOf(std::size_t index) { return "launch" + std::to_string(index); }
  [[nodiscard]] const lesson::Figures& figures() const { return figures_; }
  [[nodiscard]] const device::Profile& device() const { return device_; }

  // A record of some launches; they take the place of those that are there when it is of the same device, else of all.
  bool addRecord(lesson::Measured record);   // false: it has none of these launches
  void forgetRecord();                        // back to the one found beside the file
  [[nodiscard]] const lesson::Measured* record() const { return record_ ? &*record_ : nullptr; }
  [[nodiscard]] bool isFound() const { return isFound_; }   // it was there already, not measured or opened here
  void setRuns(const std::map<std::string, profile::Report>& runs);
  [[nodiscard]] const std::vector<LaunchFamily>& families() const { return families_; }

 private:
  void findRecord();
  void findFamilies();
  void addMeasured();
  [[nodiscard]] lesson::Variant variantOf(std::size_t index) const;
  [[nodiscard]] bool isOf(const lesson::Measured& record) const;

  std::string file_, text_;                 // the launch file, and what stood in it
  std::vector<launch::Launch> launches_;
  std::vector<std::size_t> launchOfName_;   // by the document's launch index
  device::Profile device_;
  std::string deviceName_;
  lesson::Figures figures_;
  std::optional<lesson::Measured> record_, found_;
  bool isFound_ = false;
  std::vector<LaunchFamily> families_;
};

}  // namespace warpmill::studio
