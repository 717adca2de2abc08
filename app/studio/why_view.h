// Why a launch takes its time: what bounds it and what helps against that, how busy each of the machine's resources is, what its warps wait
// for, and - when asked - what the simulator gains with one bottleneck lifted at a time.
#pragma once

#include "profile/report.h"
#include "studio/measures.h"

#include <QString>
#include <QWidget>

#include <optional>

class QPushButton;

namespace warpmill::studio {

class WhyView : public QWidget {
  Q_OBJECT
 public:
  explicit WhyView(bool russian, QWidget* parent = nullptr);
  // Of the launch at full size; null: there is none yet, `message` says why.
  void setReport(const profile::Report* report, const QString& message);
  void setRemedies(const std::vector<WhatIf>& remedies, bool isAsking);
  [[nodiscard]] QPushButton* ask() const { return ask_; }
  // All of it as text.
  [[nodiscard]] QString describe() const;

 signals:
  void asked();   // for the remedies

 protected:
  void paintEvent(QPaintEvent* event) override;
  void resizeEvent(QResizeEvent* event) override;

 private:
  struct Bar { QString name, value; double share = 0; std::optional<timing::Stall> stall; };
  [[nodiscard]] std::vector<Bar> resources() const;
  [[nodiscard]] std::vector<Bar> stalls() const;
  [[nodiscard]] std::vector<Bar> gains() const;
  [[nodiscard]] QString advice() const;
  void paintBars(QPainter& painter, const QRectF& area, const QString& title, const std::vector<Bar>& bars) const;
  [[nodiscard]] QRectF column(int number) const;

  bool russian_;
  std::optional<profile::Report> report_;
  QString message_;
  std::vector<WhatIf> remedies_;
  bool isAsking_ = false;
  QPushButton* ask_;
};

}  // namespace warpmill::studio
