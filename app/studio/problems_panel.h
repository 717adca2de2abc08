// Faults of the kernel, and what is wrong with a launch file that would not open. Enter goes to the moment of a fault.
#pragma once

#include "machine/fault.h"

#include <QAbstractTableModel>
#include <QWidget>

class QLabel;
class QStackedWidget;
class QTextBrowser;

namespace warpmill::studio {

class PlainTable;
class Player;

class ProblemsModel : public QAbstractTableModel {
  Q_OBJECT
 public:
  enum Column { Kind, Where, Thread, Buffer, Cycle, Message, ColumnCount };
  ProblemsModel(Player& player, QObject* parent);
  void refresh();
  [[nodiscard]] const std::vector<machine::Fault>& faults() const { return faults_; }

  [[nodiscard]] int rowCount(const QModelIndex& parent = {}) const override;
  [[nodiscard]] int columnCount(const QModelIndex& parent = {}) const override;
  [[nodiscard]] QVariant data(const QModelIndex& index, int role) const override;
  [[nodiscard]] QVariant headerData(int section, Qt::Orientation orientation, int role) const override;

 private:
  Player& player_;
  std::vector<machine::Fault> faults_;   // of the whole run, as far as known
};

class ProblemsPanel : public QWidget {
  Q_OBJECT
 public:
  ProblemsPanel(Player& player, QWidget* parent = nullptr);
  [[nodiscard]] int count() const;          // faults, or errors of the file
  [[nodiscard]] QString diagnosticsText() const;
  void goTo(int direction);                 // to the next or previous fault

 private:
  void refresh();
  void jump(int row);
  Player& player_;
  ProblemsModel* model_;
  PlainTable* table_;
  QStackedWidget* stack_;
  QLabel* none_;
  QTextBrowser* text_;
};

}  // namespace warpmill::studio
