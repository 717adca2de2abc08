// Faults of the kernel, and what is wrong with a launch file that would not open. Choosing one goes to the moment before it and tells of it in full:
// what to do, the registers, the other parties; from there one goes to the moment after it, or to another party's.
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
  ProblemsModel(Player& player, Language language, QObject* parent);
  void refresh();
  [[nodiscard]] const std::vector<machine::Fault>& faults() const { return faults_; }

  [[nodiscard]] int rowCount(const QModelIndex& parent = {}) const override;
  [[nodiscard]] int columnCount(const QModelIndex& parent = {}) const override;
  [[nodiscard]] QVariant data(const QModelIndex& index, int role) const override;
  [[nodiscard]] QVariant headerData(int section, Qt::Orientation orientation, int role) const override;

 private:
  Player& player_;
  Language language_;
  std::vector<machine::Fault> faults_;   // of the whole run, as far as known
};

class ProblemsPanel : public QWidget {
  Q_OBJECT
 public:
  enum class Moment : int { Before, After, Other };
  ProblemsPanel(Player& player, bool russian, QWidget* parent = nullptr);
  [[nodiscard]] int count() const;          // faults, or errors of the file
  [[nodiscard]] QString diagnosticsText() const;
  void goTo(int direction);                 // to the next or previous fault
  void go(Moment moment);                   // of the chosen fault
  [[nodiscard]] QString detailsText() const;   // of the chosen one

 private:
  void refresh();
  void choose(int row);                     // without going there
  void jump(int row, Moment moment = Moment::Before);
  [[nodiscard]] QString details(const machine::Fault& fault) const;
  Player& player_;
  Language language_;
  int chosen_ = -1;
  bool went_ = false;                       // to the chosen one
  ProblemsModel* model_;
  PlainTable* table_;
  QStackedWidget* stack_;
  QLabel* none_;
  QTextBrowser* text_;
  QWidget* list_;                           // table and details
  QTextBrowser* details_;
};

}  // namespace warpmill::studio
