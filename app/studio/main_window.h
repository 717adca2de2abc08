// The window: toolbar, docked panels, status line; carries out the commands. It is built anew inside when theme, language or scale
// change, so that no panel needs a second way to be set up.
#pragma once

#include "studio/settings.h"

#include <QMainWindow>

class QSplitter;

namespace warpmill::studio {

class Commands;
class StatusStrip;
class Toolbar;
enum class Command : int;

class MainWindow : public QMainWindow {
  Q_OBJECT
 public:
  explicit MainWindow(Settings& settings, QWidget* parent = nullptr);
  ~MainWindow() override;

  void rebuild();

  [[nodiscard]] Commands& commands() const { return *commands_; }

 signals:
  void firstPainted();

 protected:
  bool eventFilter(QObject* watched, QEvent* event) override;
  void closeEvent(QCloseEvent* event) override;
  void showEvent(QShowEvent* event) override;

 private:
  void buildPanels();
  void buildMenu();
  void designLayout();
  void saveLayout();
  void run(Command command);

  Settings& settings_;
  Commands* commands_ = nullptr;
  Toolbar* toolbar_ = nullptr;
  StatusStrip* status_ = nullptr;
  QSplitter* middle_ = nullptr;
  bool painted_ = false;
};

}  // namespace warpmill::studio
