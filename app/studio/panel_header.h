// The 30-pixel strip on top of every panel: a title or tabs on the left, a caption on the right.
#pragma once

#include <QAbstractButton>
#include <QLabel>
#include <QStringList>
#include <QWidget>

class QHBoxLayout;

namespace warpmill::studio {

// A label that shortens its text with an ellipsis instead of widening its panel; the whole text is its tool-tip then.
class ElidedLabel : public QLabel {
  Q_OBJECT
 public:
  explicit ElidedLabel(QWidget* parent = nullptr);
  void setFullText(const QString& text);
  [[nodiscard]] const QString& fullText() const { return full_; }
  [[nodiscard]] QSize minimumSizeHint() const override;
  [[nodiscard]] QSize sizeHint() const override;

 protected:
  void paintEvent(QPaintEvent* event) override;

 private:
  QString full_;
};

// One tab of a panel header: text, underlined by the lamp colour when it is the chosen one.
class HeaderTab : public QAbstractButton {
  Q_OBJECT
 public:
  HeaderTab(const QString& text, QWidget* parent);
  [[nodiscard]] QSize sizeHint() const override;

 protected:
  void paintEvent(QPaintEvent* event) override;
};

class PanelHeader : public QWidget {
  Q_OBJECT
 public:
  explicit PanelHeader(const QString& title, QWidget* parent = nullptr);
  PanelHeader(const QStringList& tabs, QWidget* parent);

  void setTitle(const QString& title);
  void setNote(const QString& note);         // beside the title
  void setCaption(const QString& caption);   // right end
  void setCaptionMono(bool mono);
  void setTabs(const QStringList& tabs);     // the first becomes current
  void setCurrentTab(int index);
  [[nodiscard]] int currentTab() const { return current_; }
  [[nodiscard]] int tabCount() const { return static_cast<int>(tabs_.size()); }
  [[nodiscard]] QString caption() const { return caption_->fullText(); }
  [[nodiscard]] QSize sizeHint() const override;
  void insertAfterTitle(QWidget* widget);    // a key to the series, say

 signals:
  void tabChosen(int index);

 protected:
  void paintEvent(QPaintEvent* event) override;

 private:
  void init();
  QHBoxLayout* layout_ = nullptr;
  QLabel* title_ = nullptr;
  ElidedLabel* note_ = nullptr;
  ElidedLabel* caption_ = nullptr;
  QList<HeaderTab*> tabs_;
  int current_ = 0;
};

}  // namespace warpmill::studio
