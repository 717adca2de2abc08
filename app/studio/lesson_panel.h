// The lesson's page: text of the step, the question with its answers, what the run gave, and the way on.
#pragma once

#include <QList>
#include <QWidget>

class QButtonGroup;
class QLabel;
class QPushButton;
class QScrollArea;
class QVBoxLayout;

namespace warpmill::studio {

class LessonGuide;
class MarkdownView;
class PanelHeader;
class Player;

class LessonPanel : public QWidget {
  Q_OBJECT
 public:
  LessonPanel(LessonGuide& guide, Player& player, bool russian, QWidget* parent = nullptr);
  [[nodiscard]] PanelHeader* header() const { return header_; }
  [[nodiscard]] QString titleText() const;
  [[nodiscard]] QString bodyText() const;

 private:
  void refresh();
  void refreshQuestion();
  void forward();
  [[nodiscard]] QString filled(const std::string& text) const;
  [[nodiscard]] std::string language() const { return russian_ ? "ru" : "en"; }

  LessonGuide& guide_;
  Player& player_;
  bool russian_;
  PanelHeader* header_;
  QScrollArea* scroll_;
  QLabel* title_;
  MarkdownView* body_;
  QWidget* question_;
  QLabel* questionText_;
  QVBoxLayout* choices_;
  QButtonGroup* group_;
  MarkdownView* outcome_;
  QPushButton *main_, *back_;
  QLabel* count_;
  int shownStep_ = -100;
};

}  // namespace warpmill::studio
