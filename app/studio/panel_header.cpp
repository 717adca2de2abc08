#include "studio/panel_header.h"

#include "studio/theme.h"

#include <QHBoxLayout>
#include <QPainter>

#include <algorithm>

namespace warpmill::studio {

ElidedLabel::ElidedLabel(QWidget* parent) : QLabel(parent) { setSizePolicy(QSizePolicy::Preferred, QSizePolicy::Preferred); }

void ElidedLabel::setFullText(const QString& text) {
  if (full_ == text) return;
  full_ = text;
  setAccessibleName(text);
  updateGeometry();
  update();
}

QSize ElidedLabel::minimumSizeHint() const { return {fontMetrics().horizontalAdvance(QChar(0x2026)), fontMetrics().height()}; }

QSize ElidedLabel::sizeHint() const { const QMargins m = contentsMargins();
  return {fontMetrics().horizontalAdvance(full_) + 2 + m.left() + m.right(), fontMetrics().height()}; }

void ElidedLabel::paintEvent(QPaintEvent*) {
  QPainter painter(this);
  painter.setFont(font());
  painter.setPen(palette().color(foregroundRole()));
  const QRect area = contentsRect();
  const QString shown = fontMetrics().elidedText(full_, Qt::ElideRight, area.width());
  setToolTip(shown == full_ ? QString() : full_);
  painter.drawText(area, static_cast<int>(alignment()) | Qt::TextSingleLine, shown);
}

HeaderTab::HeaderTab(const QString& text, QWidget* parent) : QAbstractButton(parent) {
  setText(text);
  setCheckable(true);
  setFocusPolicy(Qt::TabFocus);
  setCursor(Qt::PointingHandCursor);
  setSizePolicy(QSizePolicy::Fixed, QSizePolicy::Expanding);
}

QSize HeaderTab::sizeHint() const {
  return {QFontMetrics(theme().sans(13, QFont::DemiBold)).horizontalAdvance(text()) + 2, theme().px(30)};
}

void HeaderTab::paintEvent(QPaintEvent*) {
  const Theme& th = theme();
  const Tokens& t = th.tokens();
  QPainter painter(this);
  painter.setFont(th.sans(13, isChecked() ? QFont::DemiBold : QFont::Normal));
  painter.setPen(isChecked() || underMouse() ? t.hi : t.mid);
  painter.drawText(rect(), Qt::AlignLeft | Qt::AlignVCenter, text());
  if (isChecked()) painter.fillRect(0, height() - th.px(2), width(), th.px(2), t.lamp);
  if (hasFocus()) {
    painter.setPen(t.lamp);
    painter.drawRect(rect().adjusted(0, th.px(4), -1, -th.px(5)));
  }
}

PanelHeader::PanelHeader(const QString& title, QWidget* parent) : QWidget(parent) {
  init();
  title_ = new QLabel(title, this);
  title_->setFont(theme().sans(13, QFont::DemiBold));
  layout_->insertWidget(0, title_);
}

PanelHeader::PanelHeader(const QStringList& tabs, QWidget* parent) : QWidget(parent) {
  init();
  layout_->setSpacing(theme().px(20));
  setTabs(tabs);
}

void PanelHeader::setTabs(const QStringList& tabs) {
  if (tabs.size() == tabs_.size()) {
    for (int i = 0; i < tabs.size(); ++i) {
      tabs_[i]->setText(tabs[i]);
      tabs_[i]->updateGeometry();
    }
    return;
  }
  for (HeaderTab* tab : tabs_) {
    tab->hide();   // a click on it may be what brought us here
    tab->deleteLater();
  }
  tabs_.clear();
  for (int i = 0; i < tabs.size(); ++i) {
    auto* tab = new HeaderTab(tabs[i], this);
    tabs_.append(tab);
    layout_->insertWidget(i, tab);
    connect(tab, &QAbstractButton::clicked, this, [this, i] {
      setCurrentTab(i);
      emit tabChosen(i);
    });
  }
  setCurrentTab(0);
}

void PanelHeader::init() {
  const Theme& th = theme();
  setFixedHeight(th.px(30));
  layout_ = new QHBoxLayout(this);
  layout_->setContentsMargins(th.px(14), 0, th.px(14), 0);
  layout_->setSpacing(th.px(14));
  note_ = new ElidedLabel(this);
  note_->setFont(th.sans(12));
  note_->setForegroundRole(QPalette::WindowText);
  QPalette notePalette = palette();
  notePalette.setColor(QPalette::WindowText, th.tokens().mid);
  note_->setPalette(notePalette);
  note_->hide();
  caption_ = new ElidedLabel(this);
  caption_->setFont(th.sans(12));
  caption_->setAlignment(Qt::AlignRight | Qt::AlignVCenter);
  QPalette captionPalette = palette();
  captionPalette.setColor(QPalette::WindowText, th.tokens().low);
  caption_->setPalette(captionPalette);
  layout_->addWidget(note_);
  layout_->addStretch(1);
  layout_->addWidget(caption_);
}

// A dock asks the hint, not the fixed height.
QSize PanelHeader::sizeHint() const { return {QWidget::sizeHint().width(), theme().px(30)}; }

void PanelHeader::setTitle(const QString& title) {
  if (title_ != nullptr) title_->setText(title);
}

void PanelHeader::setNote(const QString& note) {
  note_->setFullText(note);
  note_->setVisible(!note.isEmpty());
}

void PanelHeader::setCaption(const QString& caption) { caption_->setFullText(caption); }

void PanelHeader::setCaptionMono(bool mono) { caption_->setFont(mono ? theme().mono(12) : theme().sans(12)); }

void PanelHeader::setCurrentTab(int index) {
  current_ = index;
  for (int i = 0; i < tabs_.size(); ++i) tabs_[i]->setChecked(i == index);
}

void PanelHeader::insertAfterTitle(QWidget* widget) { layout_->insertWidget(std::max(1, tabCount()), widget); }

void PanelHeader::paintEvent(QPaintEvent*) { QPainter(this).fillRect(rect(), theme().tokens().raised); }

}  // namespace warpmill::studio
