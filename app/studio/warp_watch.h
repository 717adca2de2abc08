// 32 lanes by registers of the focused warp, as a table: values by type, loads still on the road hatched, never written ones dashed.
// Columns keep their order while stepping: what differs between lanes first (indices, then values), then the focused request's
// addresses, then what is the same for all lanes.
#pragma once

#include "presenter/frame.h"
#include "studio/trace_facts.h"

#include <QAbstractTableModel>
#include <QWidget>

class QLabel;
class QStackedWidget;

namespace warpmill::studio {

class PlainTable;
class Player;

class WatchModel : public QAbstractTableModel {
  Q_OBJECT
 public:
  enum Fixed { Lane, Mark, FixedCount };
  WatchModel(Player& player, QObject* parent);

  void rebuild();    // other document
  void refresh();    // other moment or selection
  [[nodiscard]] bool hasWarp() const;
  [[nodiscard]] int columnOfRegister(const QString& name) const;   // -1: none

  [[nodiscard]] int rowCount(const QModelIndex& parent = {}) const override;
  [[nodiscard]] int columnCount(const QModelIndex& parent = {}) const override;
  [[nodiscard]] QVariant data(const QModelIndex& index, int role) const override;
  [[nodiscard]] QVariant headerData(int section, Qt::Orientation orientation, int role) const override;
  [[nodiscard]] int designWidth(int column) const;

 private:
  struct Column {
    enum class Kind { Register, Address, Pallet } kind = Kind::Register;
    std::uint32_t reg = 0;       // register of the function
    bool varies = false;
  };
  [[nodiscard]] const presenter::RegisterView* view(std::uint32_t reg) const;
  [[nodiscard]] QString text(std::uint32_t lane, const Column& column, bool whole = false) const;

  Player& player_;
  std::vector<Column> columns_;
  std::vector<std::int32_t> viewOf_;    // by register: index into the frame's registers, -1: not there
  std::vector<bool> written_;           // by register, at the playhead
  std::vector<WarpIssue> issues_;
  timing::WarpId warp_;
  std::uint64_t historySize_ = 0;
};

class WarpWatch : public QWidget {
  Q_OBJECT
 public:
  WarpWatch(Player& player, QWidget* parent = nullptr);
  [[nodiscard]] WatchModel* model() const { return model_; }
  [[nodiscard]] QString caption() const;

 private:
  void refresh();
  void fitColumns();
  Player& player_;
  WatchModel* model_;
  PlainTable* table_;
  QStackedWidget* stack_;
  QLabel* absent_;
};

// Which registers may differ between the lanes of a warp: those that follow from the lane's own numbers or from memory.
std::vector<bool> varyingRegisters(const ptx::Function& function);

}  // namespace warpmill::studio
