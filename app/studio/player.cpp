#include "studio/player.h"

#include <QThreadPool>

#include <algorithm>
#include <utility>

namespace warpmill::studio {

using session::Stop;

namespace {

constexpr int kTickMs = 33;   // at most 30 pictures a second while playing

std::uint64_t markOf(const timing::Trace& trace) {
  return trace.issues.size() * 1000003u + trace.stalls.size() * 10007u + trace.requests.size() * 101u + trace.endCycle;
}

}  // namespace

Player::Player(QObject* parent) : QObject(parent) { connect(&timer_, &QTimer::timeout, this, &Player::tick); }

Player::~Player() { QThreadPool::globalInstance()->waitForDone(); }

const std::vector<int>& Player::speeds() {
  static const std::vector<int> list = {1, 2, 5, 10, 30, 100, 1000};
  return list;
}

void Player::open(OpenRequest request, bool wait) {
  pause();
  const std::uint64_t mine = ++generation_;
  opening_ = true;
  const std::string& what = request.launchFile.empty() ? request.lesson->id : request.launchFile;
  emit opening(QString::fromStdString(what));
  if (wait) {
    adopt(loadDocument(request));
    return;
  }
  QThreadPool::globalInstance()->start([this, mine, request = std::move(request)] {
    auto loaded = std::make_shared<Loaded>(loadDocument(request));
    QMetaObject::invokeMethod(
        this,
        [this, mine, loaded] {
          if (mine == generation_) adopt(std::move(*loaded));   // else a newer request has replaced this one
        },
        Qt::QueuedConnection);
  });
}

void Player::adopt(Loaded loaded) {
  opening_ = false;
  diagnostics_ = std::move(loaded.diagnostics);
  if (loaded.document == nullptr) {
    close();
    emit failed();
    return;
  }
  document_ = std::move(loaded.document);
  selection_ = Selection{};
  historyMark_ = markOf(session().trace());
  frame_ = std::make_shared<presenter::Frame>(presenter::makeFrame(
      session(), selection_, [this](std::uint32_t file, std::uint32_t line) { return document_->sourceLine(file, line); }));
  emit opened();
  emit historyChanged();
  emit frameChanged();
  emit controlsChanged();
  emit ready();
}

void Player::close() {
  pause();
  document_.reset();
  frame_.reset();
  emit frameChanged();
  emit controlsChanged();
}

void Player::setScope(Scope scope) {
  if (scope_ == scope) return;
  scope_ = scope;
  emit controlsChanged();
}

void Player::setUnit(Unit unit) {
  if (unit_ == unit) return;
  unit_ = unit;
  emit controlsChanged();
}

void Player::setSpeed(int stepsPerSecond) {
  const int bounded = std::clamp(stepsPerSecond, speeds().front(), speeds().back());
  if (speed_ == bounded) return;
  speed_ = bounded;
  if (isPlaying()) timer_.setInterval(std::max(kTickMs, 1000 / speed_));
  emit controlsChanged();
}

void Player::play(int direction) {
  if (!isOpen()) return;
  direction_ = direction;
  owed_ = 0;
  timer_.start(std::max(kTickMs, 1000 / speed_));
  emit controlsChanged();
}

void Player::pause() {
  if (direction_ == 0) return;
  direction_ = 0;
  timer_.stop();
  emit controlsChanged();
}

void Player::tick() {
  owed_ += speed_ * timer_.interval() / 1000.0;
  const int count = static_cast<int>(owed_ + 1e-6);
  if (count <= 0) return;
  owed_ -= count;
  step(unit_, count * direction_);
}

void Player::step(Unit unit, int count) {
  if (!isOpen() || count == 0) return;
  session::Session& s = *document_->session;
  Stop stop = Stop::Done;
  const bool forward = count > 0;
  for (int i = std::abs(count); i > 0 && stop == Stop::Done; --i)
    stop = forward ? s.step(unit, scope_, selection_.warp) : s.stepBack(unit, scope_, selection_.warp);
  moved(stop, forward);
}

void Player::toStart() {
  if (isOpen()) moved(document_->session->runToStart(), true);
}

void Player::toEnd() {
  if (isOpen()) moved(document_->session->runToEnd(), true);
}

void Player::seekCycle(std::uint64_t cycle) { seekPosition({cycle, 0}); }

void Player::seekPosition(timing::Position position) {
  if (isOpen()) moved(document_->session->seek(position), true);
}

void Player::seekStep(std::uint64_t index) {
  if (isOpen()) moved(document_->session->seekStep(index), true);
}

void Player::runToLine(std::uint32_t file, std::uint32_t line, bool backward) {
  if (!isOpen()) return;
  session::Session& s = *document_->session;
  const Stop stop = backward ? s.runBackToLine(file, line, selection_.warp) : s.runToLine(file, line, selection_.warp);
  if (stop == Stop::NotFound || stop == Stop::AtEnd || stop == Stop::AtStart)
    emit message(backward ? tr("This warp was not at line %1 before.").arg(line) : tr("This warp does not come to line %1 again.").arg(line));
  moved(stop, !backward);
}

void Player::stepWarpIssue(int direction) {
  if (!isOpen()) return;
  const std::vector<timing::IssueEvent>& issues = session().trace().issues;
  const std::uint64_t here = session().stepIndex();
  if (direction > 0) {
    for (std::uint64_t i = here; i < issues.size(); ++i)
      if (issues[i].warp == selection_.warp) return moved(document_->session->seekStep(i + 1), true);
  } else {
    for (std::uint64_t i = std::min<std::uint64_t>(here, issues.size()); i-- > 0;)
      if (issues[i].warp == selection_.warp) return moved(document_->session->seekStep(i), false);
  }
  emit message(direction > 0 ? tr("This warp issues nothing more.") : tr("This warp issued nothing before."));
}

bool Player::toLastWriter(std::uint64_t address, std::uint32_t bytes) {
  if (!isOpen()) return false;
  const timing::IssueEvent* writer = session().lastWriter(address, bytes);
  if (writer == nullptr) {
    emit message(tr("Nothing has written this cell yet."));
    return false;
  }
  const timing::WarpId warp = writer->warp;
  const timing::Position at = writer->at;
  selection_.warp = warp;
  seekPosition(at);
  return true;
}

void Player::moved(Stop stop, bool forward) {
  const std::uint64_t mark = markOf(session().trace());
  const bool otherHistory = mark != historyMark_;
  historyMark_ = mark;
  selection_.request.reset();   // follows the warp again
  selection_.line = 0;
  if (otherHistory) emit historyChanged();
  refresh();
  report(stop, forward);
}

void Player::report(Stop stop, bool forward) {
  if (stop == Stop::Done) return;
  pause();
  if (stop == Stop::Blocked)
    emit message(scope_ == Scope::Warp ? tr("This warp cannot go on alone: it waits for the others of its block.")
                                       : tr("This block cannot go on alone."));
  if (stop == Stop::AtEnd && forward) emit message(tr("The launch has ended."));
}

void Player::refresh() {
  if (!isOpen()) return;
  frame_ = std::make_shared<presenter::Frame>(presenter::makeFrame(
      session(), selection_, [this](std::uint32_t file, std::uint32_t line) { return document_->sourceLine(file, line); }));
  emit frameChanged();
}

void Player::select(const Selection& selection) {
  if (!isOpen() || selection == selection_) return;
  selection_ = selection;
  refresh();
}

void Player::selectWarp(timing::WarpId warp) {
  Selection next = selection_;
  next.warp = warp;
  next.sm.reset();
  next.request.reset();
  next.line = 0;
  select(next);
}

void Player::selectLane(std::uint32_t lane) {
  Selection next = selection_;
  next.lane = std::min(lane, machine::warpSize - 1);
  select(next);
}

void Player::moveLane(int by) { selectLane((selection_.lane + machine::warpSize + static_cast<std::uint32_t>(by)) % machine::warpSize); }

void Player::moveWarp(int by) {
  if (!isOpen()) return;
  const auto& block = document_->simulated->launch().launch.block;
  const std::uint64_t threads = std::uint64_t{block[0]} * block[1] * block[2];
  const std::uint64_t perBlock = (threads + machine::warpSize - 1) / machine::warpSize;
  const std::uint64_t total = perBlock * document_->simulated->blockCount();
  const std::uint64_t flat = selection_.warp.block * perBlock + selection_.warp.warp;
  const std::uint64_t next = (flat + total + static_cast<std::uint64_t>(static_cast<std::int64_t>(by))) % total;
  selectWarp({next / perBlock, static_cast<std::uint32_t>(next % perBlock)});
}

void Player::moveBlock(int by) {
  if (!isOpen()) return;
  const std::uint64_t total = document_->simulated->blockCount();
  selectWarp({(selection_.warp.block + total + static_cast<std::uint64_t>(static_cast<std::int64_t>(by))) % total, selection_.warp.warp});
}

bool Player::hasEnded() const {
  if (!isOpen() || frame_->crew.any) return false;
  const std::vector<timing::IssueEvent>& issues = session().trace().issues;
  const std::uint64_t here = std::min<std::uint64_t>(session().stepIndex(), issues.size());
  for (std::uint64_t i = here; i-- > 0;)
    if (issues[i].warp == selection_.warp) return true;
  return false;
}

std::uint32_t Player::focusPc() const {
  if (!isOpen() || frame_ == nullptr) return machine::noPc;
  if (frame_->crew.any) return frame_->crew.status.pc;
  return hasEnded() ? machine::noPc : 0;   // it begins with the first instruction
}

ptx::SourceLocation Player::focusLocation() const {
  ptx::SourceLocation none;
  if (!isOpen()) return none;
  if (selection_.line != 0) return {selection_.file, selection_.line, 0};
  const std::uint32_t pc = focusPc();
  const auto& code = document_->function().instructions;
  return pc < code.size() ? code[pc].location : none;
}

}  // namespace warpmill::studio
