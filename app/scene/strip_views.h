// The two strips under and beside the scene: the timeline of one SM, and the life of one memory request.
#pragma once

#include "presenter/timeline.h"
#include "scene/view.h"

namespace warpmill::scene {

// Click or drag: seek (Command::SeekCycle); click on a row's name: select its warp; wheel: zoom in time; drag with the middle or right
// button: pan.
class TimelineView final : public View {
 public:
  explicit TimelineView(std::shared_ptr<Renderer> renderer);
  ~TimelineView() override;
  void setTimeline(std::shared_ptr<const presenter::Timeline> timeline);   // of the focused SM; again when the history changed
  void setBookmarks(std::vector<std::uint64_t> cycles);                    // shown as 1, 2, 3 ...
  void showAll();
  [[nodiscard]] double visibleBegin() const { return begin_; }
  [[nodiscard]] double visibleEnd() const { return end_; }

 protected:
  void draw(Canvas& canvas) override;
  void drawBase(Canvas& canvas) override;
  [[nodiscard]] std::uint64_t baseKey() const override;
  bool dragged(float dx, float dy, float x, float y) override;
  bool wheeled(float steps, float x, float y) override;
  void clickedNothing(float x, float y) override;

 private:
  [[nodiscard]] double cycleAt(float x) const;
  [[nodiscard]] float xOf(double cycle) const;
  struct RowPlace { float y, height; };
  [[nodiscard]] std::vector<RowPlace> rowPlaces() const;
  void seekTo(float x);
  std::shared_ptr<const presenter::Timeline> timeline_;
  std::vector<std::uint64_t> bookmarks_;
  std::uint64_t version_ = 0;
  double begin_ = 0, end_ = 1;                // visible cycles
};

class MemoryStripView final : public View {
 public:
  explicit MemoryStripView(std::shared_ptr<Renderer> renderer);
  ~MemoryStripView() override;

 protected:
  void draw(Canvas& canvas) override;
  void drawBase(Canvas& canvas) override;
  [[nodiscard]] std::uint64_t baseKey() const override;
};

}  // namespace warpmill::scene
