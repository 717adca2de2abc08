// The kernel's PTX instructions as a table: those of the source line in focus, or all; with the cycle at which the focused warp issued each.
#pragma once

#include "studio/trace_facts.h"

#include <QAbstractTableModel>
#include <QWidget>

namespace warpmill::studio {

class PanelHeader;
class PlainTable;
class Player;

class PtxModel : public QAbstractTableModel {
  Q_OBJECT
 public:
  enum Column { Number, Opcode, Operands, IssueCycle, ColumnCount };
  PtxModel(Player& player, QObject* parent);

  void setAll(bool all);
  void rebuild();       // other document or line
  void rebuildIssues(); // other warp or history
  void refresh();       // other moment
  [[nodiscard]] std::uint32_t pcOfRow(int row) const { return rows_[static_cast<std::size_t>(row)]; }
  [[nodiscard]] int rowOfPc(std::uint32_t pc) const;   // -1: not shown

  [[nodiscard]] int rowCount(const QModelIndex& parent = {}) const override;
  [[nodiscard]] int columnCount(const QModelIndex& parent = {}) const override;
  [[nodiscard]] QVariant data(const QModelIndex& index, int role) const override;
  [[nodiscard]] QVariant headerData(int section, Qt::Orientation orientation, int role) const override;

 private:
  [[nodiscard]] QString text(std::uint32_t pc, int column) const;
  Player& player_;
  bool all_ = false;
  std::vector<std::uint32_t> rows_;           // PCs
  std::vector<WarpIssue> issues_;             // of the focused warp
  std::vector<std::int64_t> lastIssue_;       // by PC, up to the playhead; -1: not yet
  timing::WarpId warp_;
};

class PtxPanel : public QWidget {
  Q_OBJECT
 public:
  PtxPanel(Player& player, QWidget* parent = nullptr);
  [[nodiscard]] PanelHeader* header() const { return header_; }
  void showAll(bool all);
  [[nodiscard]] PtxModel* model() const { return model_; }

 private:
  void refresh();
  Player& player_;
  PanelHeader* header_;
  PlainTable* table_;
  PtxModel* model_;
  ptx::SourceLocation shownLine_;
  bool shownKnown_ = false;
};

}  // namespace warpmill::studio
