// Simulated beside measured: the figures of a kernel at full size as a table with the device's peak and the ratio, the roofline, and on a
// second tab the curves over all sizes. The kernel is a lesson's variant or a launch of the user's own file. What is measured is a record
// that is there, or a run on a GPU that is started here. One rule of the marks: simulated is hollow, measured is solid.
#pragma once

#include "lesson/figures.h"

#include <QAbstractTableModel>
#include <QStyledItemDelegate>
#include <QWidget>

#include <memory>
#include <optional>
#include <string>
#include <vector>

class QStackedLayout;
class QToolButton;

namespace warpmill::studio {

class LaunchFigures;
class LessonGuide;
class Measures;
class PanelHeader;
class PlainTable;
class Player;
class RooflinePlot;
class SizePlot;
class WhyView;

struct CompareRow {
  QString name, unit;
  std::optional<double> simulated, measured;
  std::optional<double> peak;                          // the most (of a time: the least) that the device allows
  [[nodiscard]] std::optional<double> ratio() const;   // simulated over measured
};

class CompareModel : public QAbstractTableModel {
  Q_OBJECT
 public:
  enum Column { Name, Simulated, Measured, Peak, Ratio, ColumnCount };
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

// The launches that are laid beside one another, by the names of their figures: "full.ID." and "real.ID.".
struct Comparison {
  struct Entry { QString name; std::string id; };
  std::vector<Entry> entries;
  std::size_t focus = 0;
  std::optional<std::size_t> base;                     // the one that speed-ups are over
  const lesson::Figures* figures = nullptr;
  std::vector<std::string> names;                      // of the rows; the table leaves out those without a figure
  QString title;
  bool busy = false, secret = false;                   // secret: the learner has not answered yet
};

class ComparePanel : public QWidget {
  Q_OBJECT
 public:
  ComparePanel(LessonGuide& guide, Player& player, bool russian, QWidget* parent = nullptr);
  ~ComparePanel() override;
  [[nodiscard]] PanelHeader* header() const { return header_; }
  [[nodiscard]] CompareModel* model() const { return model_; }
  [[nodiscard]] SizePlot* sizePlot() const { return sizePlot_; }
  [[nodiscard]] RooflinePlot* roofline() const { return plot_; }
  [[nodiscard]] QToolButton* source() const { return source_; }
  [[nodiscard]] QToolButton* against() const { return against_; }
  [[nodiscard]] Measures* measures() const { return measures_; }
  // All that the panel shows, as text: for screen readers, reports and tests.
  [[nodiscard]] QString describe() const;
  enum Page { Figures, Sizes, Why };
  void showPage(Page page);
  [[nodiscard]] WhyView* why() const { return why_; }
  void runOnGpu(const QString& host);   // empty: this machine's
  bool useRecordFile(const QString& path);   // false: it has nothing of these launches
  void compareWith(std::optional<std::size_t> launch);   // of the file: speed-ups are over this one; nothing: over the one before

 protected:
  void resizeEvent(QResizeEvent* event) override;

 private:
  void refresh();
  void refreshLesson();
  void refreshLaunch();
  void show(const Comparison& comparison);
  void refreshSizes();
  void lessonSizes();
  void launchSizes();
  void refreshWhy();
  [[nodiscard]] std::string shownLaunch() const;   // at full size; empty: none
  void refreshSource();
  void refreshAgainst();
  void setSubject();
  [[nodiscard]] std::vector<std::string> neededRuns() const;   // of the file: those that the table shows
  void makeSourceMenu();
  void askHost();
  void openRecord();
  bool refreshing_ = false;
  [[nodiscard]] bool isSecret() const;   // the figures answer the lesson's question: not before the learner has
  LessonGuide& guide_;
  Player& player_;
  bool russian_;
  PanelHeader* header_;
  CompareModel* model_;
  PlainTable* table_;
  RooflinePlot* plot_;
  SizePlot* sizePlot_;
  WhyView* why_;
  Measures* measures_;
  std::unique_ptr<LaunchFigures> own_;   // of the user's file
  std::optional<std::size_t> base_;      // chosen by the user
  QToolButton *source_, *against_;
  QStackedLayout* pages_ = nullptr;
};

}  // namespace warpmill::studio
