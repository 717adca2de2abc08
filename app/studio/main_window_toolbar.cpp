// The main window's toolbar and status line: what they show of the player, and what a choice in them does.
#include "lesson/lesson.h"
#include "studio/commands.h"
#include "studio/controls.h"
#include "studio/lesson_guide.h"
#include "studio/main_window.h"
#include "studio/player.h"
#include "studio/problems_panel.h"
#include "studio/status_strip.h"
#include "studio/toolbar.h"
#include "studio/watch_dock.h"
#include "studio/words.h"

#include <QAction>

namespace warpmill::studio {

namespace {

// Lessons as the box shows them; read once, since a lesson's files do not change while the studio runs.
struct LessonEntry {
  std::string id;
  std::uint32_t order = 0;
  lesson::LocalText title;
};

const std::vector<LessonEntry>& lessonEntries() {
  static const std::vector<LessonEntry> entries = [] {
    std::vector<LessonEntry> list;
    if (Result<std::vector<lesson::Lesson>> lessons = lesson::readLessons(lesson::lessonsFolder()))
      for (const lesson::Lesson& one : *lessons) list.push_back({one.id, one.order, one.title});
    return list;
  }();
  return entries;
}

const std::vector<MachineChoice>& machineEntries() {
  static const std::vector<MachineChoice> choices = machineChoices();
  return choices;
}

}  // namespace

void MainWindow::buildToolbar() {
  Toolbar& bar = *toolbar_;
  filling_ = true;
  bar.scope()->addItem(tr("only this warp"), static_cast<int>(Scope::Warp));
  bar.scope()->addItem(tr("this block"), static_cast<int>(Scope::Block));
  bar.scope()->addItem(tr("everything"), static_cast<int>(Scope::Everything));
  bar.unit()->addItem(tr("instruction"), static_cast<int>(Unit::Instruction));
  bar.unit()->addItem(tr("source line"), static_cast<int>(Unit::SourceLine));
  bar.unit()->addItem(tr("memory request"), static_cast<int>(Unit::MemoryRequest));
  bar.unit()->addItem(tr("barrier"), static_cast<int>(Unit::Barrier));
  bar.unit()->addItem(tr("cycle"), static_cast<int>(Unit::Cycle));
  for (const int speed : Player::speeds()) bar.speed()->addItem(tr("%1 a second").arg(speed), speed);
  for (std::size_t i = 0; i < machineEntries().size(); ++i) bar.machine()->addItem(machineName(machineEntries()[i]), static_cast<int>(i));
  for (const LessonEntry& entry : lessonEntries())
    bar.lesson()->addItem(QString("%1 %2").arg(entry.order).arg(QString::fromStdString(lesson::localized(entry.title, settings_.isRussian() ? "ru" : "en"))),
                          QString::fromStdString(entry.id));
  filling_ = false;

  const auto chosen = [this](CaptionedCombo* combo, auto action) {
    connect(combo, &QComboBox::activated, this, [this, combo, action](int index) {
      if (!filling_) action(combo->itemData(index));
    });
  };
  chosen(bar.scope(), [this](const QVariant& v) { player_.setScope(static_cast<Scope>(v.toInt())); });
  chosen(bar.unit(), [this](const QVariant& v) { player_.setUnit(static_cast<Unit>(v.toInt())); });
  chosen(bar.speed(), [this](const QVariant& v) { player_.setSpeed(v.toInt()); });
  chosen(bar.lesson(), [this](const QVariant& v) { guide_.open(v.toString().toStdString()); });
  chosen(bar.machine(), [this](const QVariant& v) {
    const MachineChoice choice = machineEntries()[v.toUInt()];
    machine_ = choice;
    if (guide_.isOpen()) guide_.setMachine(choice);
    else if (player_.isOpen()) openLaunchFile(QString::fromStdString(player_.document().request.launchFile));
  });
  chosen(bar.launch(), [this](const QVariant& v) {
    if (guide_.isOpen()) return guide_.openVariant(v.toUInt());
    OpenRequest request = player_.document().request;
    request.launchName = player_.document().launchNames[v.toUInt()];
    player_.open(std::move(request));
  });
}

void MainWindow::refreshControls() {
  filling_ = true;
  Toolbar& bar = *toolbar_;
  bar.scope()->setCurrentIndex(bar.scope()->findData(static_cast<int>(player_.scope())));
  bar.unit()->setCurrentIndex(bar.unit()->findData(static_cast<int>(player_.unit())));
  bar.speed()->setCurrentIndex(bar.speed()->findData(player_.speed()));
  filling_ = false;
  const bool open = player_.isOpen();
  for (const CommandInfo& info : commandList())
    if (QString(info.group) == "Run" || info.id == Command::Step || info.id == Command::Back) commands_->action(info.id)->setEnabled(open);
  commands_->action(Command::Pause)->setEnabled(player_.isPlaying());
  const Command forward = player_.unit() == Unit::Instruction ? Command::StepInstruction
                          : player_.unit() == Unit::SourceLine ? Command::StepLine
                          : player_.unit() == Unit::Cycle      ? Command::CycleForward
                                                               : Command::Step;
  const Command backward = player_.unit() == Unit::Instruction ? Command::BackInstruction
                           : player_.unit() == Unit::SourceLine ? Command::BackLine
                           : player_.unit() == Unit::Cycle      ? Command::CycleBack
                                                                : Command::Back;
  bar.stepButton()->setKeys(commands_->keysText(forward));
  bar.backButton()->setKeys(commands_->keysText(backward));
}

void MainWindow::refreshStatus() {
  status_->setDescription(player_.isOpening() && !player_.isOpen() ? tr("Opening...") : describe());
  const int problems = watchDock_->problems()->count();
  status_->setProblems(problems == 0 ? tr("problems: none") : tr("problems: %1").arg(problems));
  if (player_.frame() == nullptr) {
    status_->setPosition({}, true);
    return;
  }
  const presenter::Frame& frame = *player_.frame();
  const QString position = QString("%1:%2").arg(frame.cycle).arg(frame.slot);
  status_->setPosition(frame.timingHolds ? tr("position %1").arg(position) : tr("position %1, warps were frozen: cycles do not hold").arg(position),
                       frame.timingHolds);
}

void MainWindow::refreshDocument() {
  filling_ = true;
  Toolbar& bar = *toolbar_;
  bar.lesson()->setCurrentIndex(guide_.isOpen() ? bar.lesson()->findData(QString::fromStdString(guide_.lesson().id)) : -1);
  bar.launch()->clear();
  bar.machine()->setCurrentIndex(-1);
  if (player_.isOpen()) {
    const Document& document = player_.document();
    const auto machine = std::find(machineEntries().begin(), machineEntries().end(), document.machine);
    if (machine != machineEntries().end()) bar.machine()->setCurrentIndex(static_cast<int>(machine - machineEntries().begin()));
    for (std::size_t i = 0; i < document.launchNames.size(); ++i) {
      QString name = QString::fromStdString(document.launchNames[i]);
      if (guide_.isOpen()) name = QString::fromStdString(lesson::localized(guide_.lesson().variants[i].title, settings_.isRussian() ? "ru" : "en"));
      bar.launch()->addItem(name, static_cast<int>(i));
    }
    bar.launch()->setCurrentIndex(static_cast<int>(document.launchIndex));
  }
  bar.launch()->setVisible(bar.launch()->count() > 1);
  filling_ = false;
  const QString what = guide_.isOpen() ? QString::fromStdString(lesson::localized(guide_.lesson().title, settings_.isRussian() ? "ru" : "en"))
                       : player_.isOpen() ? QString::fromStdString(player_.document().request.launchFile)
                                          : QString();
  setWindowTitle(what.isEmpty() ? QString("Warpmill") : what + " - Warpmill");
  refreshControls();
  refreshStatus();
}

}  // namespace warpmill::studio
