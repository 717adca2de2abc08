// Simulated beside measured: the lesson's figures of the kernel at full size as a table with signed differences, the roofline, and on a
// second tab the curves over all sizes. What is measured is the lesson's record, or a run on a GPU that is started here. One rule of the
// marks: simulated is hollow, measured is solid.
#pragma once

#include <QAbstractTableModel>
#include <QStyledItemDelegate>
#include <QWidget>

#include <optional>
#include <string>
#include <vector>

class QStackedLayout;
class QToolButton;

namespace warpmill::studio {

class LessonGuide;
class LessonMeasures;
class PanelHeader;
class PlainTable;
class Player;
class RooflinePlot;
class SizePlot;

struct CompareRow {
  QString name, unit;
  std::optional<double> simulated, measured;
  [[nodiscard]] std::optional<double> difference() const;   // share of the measured
};

class CompareModel : public QAbstractTableModel {
  Q_OBJECT
 public:
  enum Column { Name, Simulated, Measured, Difference, ColumnCount };
  explicit CompareModel(bool russian, QObject* parent) : QAbstractTableModel(parent), russian_(russian) {}
  void setRows(std::vector<CompareRow> rows, const QString& size, bool busy);
  [[nodiscard]] const std::vector<CompareRow>& rows() const { return rows_; }

  [[nodiscard]] int rowCount(const QModelIndex& parent = {}) const override;
  [[nodiscard]] int columnCount(const QModelIndex& parent = {}) const override;
  [[nodiscard]] QVariant data(const QModelIndex& index, int role) const override;
  [[nodiscard]] QVariant headerData(int section, Qt::Orientation orientation, int role) const override;

 private:
  [[nodiscard]] QString number(std::optional<double> value, const QString& unit, bool pending) const;
  bool russian_, busy_ = false;
  std::vector<CompareRow> rows_;
  QString size_;
};

class ComparePanel : public QWidget {
  Q_OBJECT
 public:
  ComparePanel(LessonGuide& guide, Player& player, bool russian, QWidget* parent = nullptr);
  [[nodiscard]] PanelHeader* header() const { return header_; }
  [[nodiscard]] CompareModel* model() const { return model_; }
  [[nodiscard]] SizePlot* sizePlot() const { return sizePlot_; }
  [[nodiscard]] QToolButton* source() const { return source_; }
  void showSizes(bool sizes);        // the second tab, or the first
  void runOnGpu(const QString& host);   // empty: this machine's
  bool useRecordFile(const QString& path);   // false: it has nothing of this lesson

 protected:
  void resizeEvent(QResizeEvent* event) override;

 private:
  void refresh();
  void refreshLesson();
  void refreshLaunch();
  void refreshSizes();
  void refreshSource();
  void makeSourceMenu();
  void askHost();
  void openRecord();
  [[nodiscard]] bool isSecret() const;   // the figures answer the lesson's question: not before the learner has
  LessonGuide& guide_;
  Player& player_;
  bool russian_;
  PanelHeader* header_;
  CompareModel* model_;
  PlainTable* table_;
  RooflinePlot* plot_;
  SizePlot* sizePlot_;
  LessonMeasures* measures_;
  QToolButton* source_;
  QStackedLayout* pages_ = nullptr;
};

}  // namespace warpmill::studio
