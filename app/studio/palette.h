// The command palette: type part of a command's words, Enter does it. "=812" or a number goes to a cycle.
#pragma once

#include <QDialog>

class QLineEdit;
class QListWidget;

namespace warpmill::studio {

class Commands;
enum class Command : int;

class Palette : public QDialog {
  Q_OBJECT
 public:
  Palette(Commands& commands, QWidget* window);
  void popUp(const QString& text = {});

 signals:
  void goToPosition(const QString& text);

 protected:
  bool eventFilter(QObject* watched, QEvent* event) override;

 private:
  void filter();
  void accept() override;
  Commands& commands_;
  QLineEdit* field_;
  QListWidget* list_;
};

}  // namespace warpmill::studio
