// What all drawn views share: size, theme, input as plain values, commands as plain values, and a picture to read.
// A view is drawn into memory; the host shows the picture and passes events. Coordinates are logical pixels from the top left.
// The base class runs one loop: events are matched at once against what was drawn last, so a click shorter than a frame is not lost.
#pragma once

#include "presenter/frame.h"

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace warpmill::scene {

using presenter::Language;
enum class Theme : std::uint8_t { Dark, Light };
enum class Button : std::uint8_t { Left, Middle, Right };
enum class Level : std::uint8_t { Gpu, Floor, Crew };

// What the learner asked for; the host carries it out and sets a new frame.
struct Command {
  enum class Kind : std::uint8_t {
    SelectWarp,      // warp
    SelectLane,      // lane
    SelectSm,        // sm
    SelectRequest,   // request
    SelectAddress,   // address
    SeekCycle,       // cycle
    ShowGpu, ShowFloor, ShowCrew,   // the host calls setLevel: the scene only asks
    ToStart, PlayBackward, StepBack, PlayPause, Step,
    ChangeSpeed, ChangeUnit,   // the HUD's fields were clicked: go to the next value
    Hover            // text: what the pointer is on; empty: nothing
  };
  Kind kind = Kind::Hover;
  timing::WarpId warp;
  std::uint32_t lane = 0, sm = 0, request = 0;
  std::uint64_t address = 0, cycle = 0;
  std::string text;
};

// How the HUD shows the transport.
struct Playback {
  bool playing = false;
  std::string speed = "1 cycle/s";
  std::string unit = "cycle";
  bool operator==(const Playback&) const = default;
};

struct Picture {
  int width = 0, height = 0;                // device pixels
  std::vector<std::uint32_t> pixels;        // 0xFFRRGGBB (BGRA bytes, QImage::Format_RGB32), rows from the top
};

struct DrawnLabel {                         // for tests and screen readers
  std::string text;
  float x = 0, y = 0;
};

class Renderer;
class Canvas;
struct HitArea;

class View {
 public:
  virtual ~View();
  void resize(int width, int height, float pixelRatio);
  void setTheme(Theme theme);
  void setLanguage(Language language);
  void setFrame(std::shared_ptr<const presenter::Frame> frame);

  void mouseMove(float x, float y);
  void mouseButton(Button button, bool down, float x, float y);
  void mouseWheel(float steps, float x, float y);   // up is positive
  void mouseLeave();

  // Draws when something changed; true when the picture is new.
  bool render();
  [[nodiscard]] bool needsRedraw() const { return dirty_; }
  [[nodiscard]] const Picture& picture() const { return picture_; }
  [[nodiscard]] std::vector<Command> takeCommands();
  // Texts of the last picture, in drawing order.
  [[nodiscard]] const std::vector<DrawnLabel>& drawnLabels() const { return labels_; }
  // What is under the point (of the last picture), as text; empty: nothing.
  [[nodiscard]] std::string tooltipAt(float x, float y) const;
  [[nodiscard]] bool clickableAt(float x, float y) const;

 protected:
  explicit View(std::shared_ptr<Renderer> renderer);
  virtual void draw(Canvas& canvas) = 0;           // what changes with the frame
  virtual void drawBase(Canvas& canvas) = 0;       // what is kept while baseKey() stays
  [[nodiscard]] virtual std::uint64_t baseKey() const = 0;
  virtual bool dragged(float dx, float dy, float x, float y) { return false; }   // a drag that began on no hit area
  virtual bool wheeled(float steps, float x, float y) { return false; }
  virtual void clickedNothing(float x, float y) {}
  virtual void frameChanged() {}
  void emitCommand(Command command) { commands_.push_back(std::move(command)); }

  std::shared_ptr<Renderer> renderer_;
  std::shared_ptr<const presenter::Frame> frame_;
  Theme theme_ = Theme::Dark;
  Language language_ = Language::English;
  int width_ = 0, height_ = 0;                     // logical
  float ratio_ = 1;
  float mouseX_ = -1, mouseY_ = -1;
  Button pressButton_ = Button::Left;
  bool dirty_ = true;

 private:
  struct Target;
  const HitArea* hitAt(float x, float y) const;
  void updateHover(float x, float y);
  std::unique_ptr<Target> target_;
  Picture picture_;
  std::vector<Command> commands_;
  std::vector<DrawnLabel> labels_;
  std::vector<HitArea> hits_;
  std::string hoverText_;
  bool pressed_ = false, moved_ = false, pressedOnHit_ = false;
  float pressX_ = 0, pressY_ = 0;
};

}  // namespace warpmill::scene
