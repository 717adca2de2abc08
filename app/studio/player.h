// Moves the playhead and holds what all panels share: the open document, the frame at the playhead, one selection, the way of stepping.
// Panels read from here and call back; none of them knows another.
#pragma once

#include "presenter/frame.h"
#include "presenter/selection.h"
#include "studio/document.h"

#include <QObject>
#include <QTimer>

#include <functional>
#include <memory>

namespace warpmill::studio {

using presenter::Selection;
using session::Scope;
using session::Unit;

class Player : public QObject {
  Q_OBJECT
 public:
  explicit Player(QObject* parent = nullptr);
  ~Player() override;

  // Loads in the background; `opened` or `failed` follows. With `wait` it is done before the call returns.
  void open(OpenRequest request, bool wait = false);
  void adopt(Loaded loaded);   // what `open` ends with
  void close();

  [[nodiscard]] bool isOpen() const { return document_ != nullptr; }
  [[nodiscard]] bool isOpening() const { return opening_; }
  [[nodiscard]] const Document& document() const { return *document_; }
  [[nodiscard]] const session::Session& session() const { return *document_->session; }
  [[nodiscard]] const Diagnostics& diagnostics() const { return diagnostics_; }
  [[nodiscard]] std::shared_ptr<const presenter::Frame> frame() const { return frame_; }   // null when nothing is open
  [[nodiscard]] const Selection& selection() const { return selection_; }

  [[nodiscard]] Scope scope() const { return scope_; }
  [[nodiscard]] Unit unit() const { return unit_; }
  [[nodiscard]] int speed() const { return speed_; }         // steps a second
  [[nodiscard]] bool isPlaying() const { return direction_ != 0; }
  [[nodiscard]] int direction() const { return direction_; } // 1, -1, 0
  static const std::vector<int>& speeds();
  void setScope(Scope scope);
  void setUnit(Unit unit);
  void setSpeed(int stepsPerSecond);

  void play(int direction);
  void pause();
  void step(Unit unit, int count = 1);       // negative: back
  void toStart();
  void toEnd();
  void seekCycle(std::uint64_t cycle);
  void seekPosition(timing::Position position);
  void seekStep(std::uint64_t index);        // after so many issues
  void runToLine(std::uint32_t file, std::uint32_t line, bool backward = false);
  void stepWarpIssue(int direction);         // to the focused warp's next or previous issue, all warps free
  bool toLastWriter(std::uint64_t address, std::uint32_t bytes);

  void select(const Selection& selection);
  void selectWarp(timing::WarpId warp);
  void selectLane(std::uint32_t lane);
  void moveLane(int by);
  void moveWarp(int by);
  void moveBlock(int by);

  // Source place the focused warp is at: its next instruction's line, or the selected one.
  [[nodiscard]] ptx::SourceLocation focusLocation() const;
  // PC of the focused warp's next instruction, the first one before it has begun; machine::noPc once it has ended.
  [[nodiscard]] std::uint32_t focusPc() const;
  [[nodiscard]] bool hasEnded() const;       // the focused warp was there and is gone

 signals:
  void opening(const QString& what);
  void opened();           // another document: views take it up
  void ready();            // all views have: from here on the playhead may be moved
  void failed();           // see diagnostics()
  void frameChanged();     // playhead or selection moved
  void historyChanged();   // another trace: what was derived from it is void
  void controlsChanged();  // scope, unit, speed, playing
  void message(const QString& text);   // why something did not happen

 private:
  void tick();
  void moved(session::Stop stop, bool forward);
  void refresh();
  void report(session::Stop stop, bool forward);

  std::unique_ptr<Document> document_;
  Diagnostics diagnostics_;
  std::shared_ptr<const presenter::Frame> frame_;
  Selection selection_;
  Scope scope_ = Scope::Everything;
  Unit unit_ = Unit::SourceLine;
  int speed_ = 5;
  int direction_ = 0;
  QTimer timer_;
  double owed_ = 0;         // steps not yet made while playing
  bool opening_ = false;
  std::uint64_t generation_ = 0;
  std::uint64_t historyMark_ = 0;
};

}  // namespace warpmill::studio
