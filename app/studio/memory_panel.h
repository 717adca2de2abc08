// Each buffer of the launch as a typed grid: what it holds now, which cells the focused warp's last request touches, who wrote a cell last.
#pragma once

#include "launch/launch.h"
#include "machine/memory.h"

#include <QAbstractTableModel>
#include <QWidget>

class QLabel;
class QHBoxLayout;
class QLineEdit;

namespace warpmill::studio {

class ElidedLabel;
class HeaderTab;
class PlainTable;
class Player;

class MemoryModel : public QAbstractTableModel {
  Q_OBJECT
 public:
    static constexpr std::uint64_t pageElements = 65536;   // shown at a time
  MemoryModel(Player& player, QObject* parent);

  void setColumns(int columns);             // elements a row
  [[nodiscard]] int columns() const { return columns_; }
  void show(std::size_t allocation);
  void showPage(std::uint64_t firstElement);
  void refresh();
  [[nodiscard]] std::size_t allocation() const { return allocation_; }
  [[nodiscard]] std::uint64_t firstElement() const { return first_; }
  [[nodiscard]] std::uint64_t elementCount() const;
  [[nodiscard]] launch::DType type() const { return type_; }
  [[nodiscard]] std::uint64_t addressOf(const QModelIndex& index) const;   // 0: no cell
  [[nodiscard]] QModelIndex indexOf(std::uint64_t address) const;          // invalid: not on this page
  [[nodiscard]] std::uint64_t elementAt(const QModelIndex& index) const;
  [[nodiscard]] QModelIndex indexOfElement(std::uint64_t element) const;   // invalid: not on this page
  [[nodiscard]] QString valueText(std::uint64_t element) const;

  [[nodiscard]] int rowCount(const QModelIndex& parent = {}) const override;
  [[nodiscard]] int columnCount(const QModelIndex& parent = {}) const override;
  [[nodiscard]] QVariant data(const QModelIndex& index, int role) const override;
  [[nodiscard]] QVariant headerData(int section, Qt::Orientation orientation, int role) const override;

 private:
  [[nodiscard]] const machine::Allocation* now() const;
  [[nodiscard]] bool changedSinceStart(std::uint64_t element) const;
  Player& player_;
  std::size_t allocation_ = 0;
  launch::DType type_ = launch::DType::U32;
  std::uint64_t first_ = 0;
  int columns_ = 8;
  std::vector<std::uint64_t> wanted_;   // elements that the focused request touches, sorted
};

// A value of a buffer's type as a person reads it.
QString elementText(launch::DType type, const std::uint8_t* bytes);

class MemoryPanel : public QWidget {
  Q_OBJECT
 public:
  MemoryPanel(Player& player, QWidget* parent = nullptr);
  [[nodiscard]] MemoryModel* model() const { return model_; }
  [[nodiscard]] QString caption() const;
  [[nodiscard]] QString cellText() const;
  void showBuffer(std::size_t allocation);

 protected:
  void resizeEvent(QResizeEvent* event) override;

 private:
  void rebuildTabs();
  void refresh();
  void describeCell();
  void goTo(const QString& text);
  Player& player_;
  MemoryModel* model_;
  PlainTable* table_;
  QHBoxLayout* tabRow_;
  QList<HeaderTab*> tabs_;
  QLineEdit* index_;
  ElidedLabel* cell_;
  std::uint32_t followed_ = 0xFFFFFFFFu;   // request whose buffer was brought into view
};

}  // namespace warpmill::studio
