// The window: toolbar, docked panels, status line; carries out the commands. It is built anew inside when theme, language or scale
// change, so that no panel needs a second way to be set up.
#pragma once

#include "scene/scene_view.h"
#include "studio/document.h"
#include "studio/settings.h"

#include <QMainWindow>

#include <memory>
#include <optional>

class QSplitter;

namespace warpmill::studio {

class Commands;
class ComparePanel;
class CrewPanel;
class LessonGuide;
class LessonPanel;
class Palette;
class Player;
class PtxPanel;
class ScenePanel;
class SourcePanel;
class StatusStrip;
class TableTranslator;
class TimelinePanel;
class Toolbar;
class WatchDock;
enum class Command : int;

class MainWindow : public QMainWindow {
  Q_OBJECT
 public:
  MainWindow(Settings& settings, Player& player, LessonGuide& guide, QWidget* parent = nullptr);
  ~MainWindow() override;

  void rebuild();
  void openLaunchFile(const QString& path, bool wait = false, const std::string& name = {});   // name: of one of its launches
  void setMachine(std::optional<MachineChoice> machine) { machine_ = std::move(machine); }
  bool showPanel(const QString& name);       // false: there is no such panel
  void setLevel(const QString& name);
  void setTheme(const QString& name);        // "dark", "light", "system"
  void setLanguage(const QString& code);     // "en", "ru"
  void setScale(double scale);
  void goToText(const QString& text);        // "812" or "812:2"

  [[nodiscard]] Commands& commands() const { return *commands_; }
  [[nodiscard]] Toolbar& toolbar() const { return *toolbar_; }
  [[nodiscard]] StatusStrip& status() const { return *status_; }
  [[nodiscard]] LessonPanel& lessonPanel() const { return *lessonPanel_; }
  [[nodiscard]] SourcePanel& sourcePanel() const { return *sourcePanel_; }
  [[nodiscard]] PtxPanel& ptxPanel() const { return *ptxPanel_; }
  [[nodiscard]] WatchDock& watchDock() const { return *watchDock_; }
  [[nodiscard]] CrewPanel& crewPanel() const { return *crewPanel_; }
  [[nodiscard]] ComparePanel& comparePanel() const { return *comparePanel_; }
  [[nodiscard]] ScenePanel* scenePanel() const { return scenePanel_; }   // null without OpenGL
  [[nodiscard]] const TableTranslator* translator() const { return translator_.get(); }
  [[nodiscard]] QString describe() const;

 signals:
  void firstPainted();

 protected:
  bool eventFilter(QObject* watched, QEvent* event) override;
  void closeEvent(QCloseEvent* event) override;
  void showEvent(QShowEvent* event) override;

 private:
  void build();
  void buildPanels();
  void buildToolbar();
  void connectPlayer();
  void applyLanguage();
  void designLayout();
  void saveLayout();
  void run(Command command);
  void runView(Command command);
  void showMenu();
  void chooseLaunchFile();
  void savePicture();
  void showText(const QString& title, const QString& text);
  void showKeys();
  void showAbout();
  void refreshStatus();
  void refreshControls();
  void refreshDocument();
  QWidget* sceneColumn();

  Settings& settings_;
  Player& player_;
  LessonGuide& guide_;
  std::optional<MachineChoice> machine_;
  std::unique_ptr<TableTranslator> translator_;
  std::shared_ptr<scene::Renderer> renderer_;
  QString noScene_;                          // why there is no renderer
  Commands* commands_ = nullptr;
  Toolbar* toolbar_ = nullptr;
  QToolBar* statusHolder_ = nullptr;
  StatusStrip* status_ = nullptr;
  QSplitter* middle_ = nullptr;
  LessonPanel* lessonPanel_ = nullptr;
  SourcePanel* sourcePanel_ = nullptr;
  PtxPanel* ptxPanel_ = nullptr;
  WatchDock* watchDock_ = nullptr;
  CrewPanel* crewPanel_ = nullptr;
  TimelinePanel* timelinePanel_ = nullptr;
  ComparePanel* comparePanel_ = nullptr;
  ScenePanel* scenePanel_ = nullptr;
  Palette* palette_ = nullptr;
  QList<QMetaObject::Connection> connections_;   // to the player, cut when the window is built anew
  bool painted_ = false, laidOut_ = false, filling_ = false;
};

}  // namespace warpmill::studio
