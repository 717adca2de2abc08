// The strip of commands and choices on top of the window.
#pragma once

#include <QToolBar>

class QHBoxLayout;

namespace warpmill::studio {

class CaptionedCombo;
class CommandButton;
class Commands;

class Toolbar : public QToolBar {
  Q_OBJECT
 public:
  Toolbar(Commands& commands, QWidget* parent);

  [[nodiscard]] CaptionedCombo* scope() const { return scope_; }
  [[nodiscard]] CaptionedCombo* unit() const { return unit_; }
  [[nodiscard]] CaptionedCombo* speed() const { return speed_; }
  [[nodiscard]] CaptionedCombo* machine() const { return machine_; }
  [[nodiscard]] CaptionedCombo* lesson() const { return lesson_; }
  [[nodiscard]] CaptionedCombo* launch() const { return launch_; }
  [[nodiscard]] CommandButton* menuButton() const { return menu_; }
  [[nodiscard]] CommandButton* runButton() const { return run_; }
  [[nodiscard]] CommandButton* stepButton() const { return step_; }
  [[nodiscard]] CommandButton* backButton() const { return back_; }

 protected:
  void paintEvent(QPaintEvent* event) override;

 private:
  CaptionedCombo* addCombo(const QString& caption, const char* name);
  void addGap();
  QHBoxLayout* row_ = nullptr;
  CaptionedCombo *scope_, *unit_, *speed_, *machine_, *lesson_, *launch_;
  CommandButton *menu_, *run_, *step_, *back_;
};

}  // namespace warpmill::studio
