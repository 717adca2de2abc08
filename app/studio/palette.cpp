#include "studio/palette.h"

#include "studio/commands.h"
#include "studio/theme.h"

#include <QAction>
#include <QKeyEvent>
#include <QLineEdit>
#include <QListWidget>
#include <QPainter>
#include <QRegularExpression>
#include <QStyledItemDelegate>
#include <QVBoxLayout>

namespace warpmill::studio {

namespace {

constexpr int kKeysRole = Qt::UserRole + 1;

// Words on the left, keys on the right.
class CommandDelegate : public QStyledItemDelegate {
 public:
  using QStyledItemDelegate::QStyledItemDelegate;
  void paint(QPainter* painter, const QStyleOptionViewItem& option, const QModelIndex& index) const override {
    const Theme& th = theme();
    const Tokens& t = th.tokens();
    const bool chosen = (option.state & QStyle::State_Selected) != 0;
    if (chosen) painter->fillRect(option.rect, t.control);
    const QRect inner = option.rect.adjusted(th.px(10), 0, -th.px(10), 0);
    painter->setFont(th.sans(13, chosen ? QFont::Medium : QFont::Normal));
    painter->setPen(t.hi);
    painter->drawText(inner, Qt::AlignLeft | Qt::AlignVCenter, index.data().toString());
    painter->setFont(th.sans(12));
    painter->setPen(chosen ? t.mid : t.low);
    painter->drawText(inner, Qt::AlignRight | Qt::AlignVCenter, index.data(kKeysRole).toString());
  }
  [[nodiscard]] QSize sizeHint(const QStyleOptionViewItem&, const QModelIndex&) const override { return {theme().px(100), theme().px(28)}; }
};

}  // namespace

Palette::Palette(Commands& commands, QWidget* window) : QDialog(window, Qt::Popup | Qt::FramelessWindowHint), commands_(commands) {
  const Theme& th = theme();
  setObjectName("palette");
  setStyleSheet(QString("QDialog#palette { border: 1px solid %1; border-radius: %2px; }").arg(th.tokens().strong.name()).arg(th.px(8)));
  auto* column = new QVBoxLayout(this);
  column->setContentsMargins(th.px(10), th.px(10), th.px(10), th.px(10));
  column->setSpacing(th.px(8));
  field_ = new QLineEdit(this);
  field_->setPlaceholderText(tr("Command, or a cycle such as 812"));
  field_->setAccessibleName(tr("Command"));
  field_->setFont(th.sans(14));
  field_->setFixedHeight(th.px(34));
  list_ = new QListWidget(this);
  list_->setAccessibleName(tr("Commands found"));
  list_->setFont(th.sans(13));
  list_->setFocusPolicy(Qt::NoFocus);
  list_->setFrameShape(QFrame::NoFrame);
  list_->setItemDelegate(new CommandDelegate(list_));
  column->addWidget(field_);
  column->addWidget(list_);
  field_->installEventFilter(this);
  connect(field_, &QLineEdit::textChanged, this, &Palette::filter);
  connect(list_, &QListWidget::itemClicked, this, &Palette::accept);
  setFixedSize(th.px(520), th.px(380));
}

void Palette::popUp(const QString& text) {
  field_->setText(text);
  filter();
  const QWidget* window = parentWidget();
  move(window->mapToGlobal(QPoint((window->width() - width()) / 2, theme().px(56))));
  show();
  field_->setFocus();
}

void Palette::filter() {
  list_->clear();
  const QString typed = field_->text().trimmed();
  static const QRegularExpression position("^=?\\s*(\\d+)(:\\d+)?$");
  if (const auto match = position.match(typed); match.hasMatch()) {
    auto* item = new QListWidgetItem(tr("Go to cycle %1").arg(match.captured(1)), list_);
    item->setData(Qt::UserRole, -1);
  }
  const QStringList words = typed.split(' ', Qt::SkipEmptyParts);
  for (const CommandInfo& info : commandList()) {
    const QAction* action = commands_.action(info.id);
    const QString text = action->text();
    bool all = info.id != Command::Palette && action->isEnabled();
    for (const QString& word : words) all = all && (text.contains(word, Qt::CaseInsensitive) || QString(info.name).contains(word, Qt::CaseInsensitive));
    if (!all) continue;
    auto* item = new QListWidgetItem(text, list_);
    item->setData(Qt::UserRole, static_cast<int>(info.id));
    item->setData(kKeysRole, commands_.keysText(info.id));
  }
  list_->setCurrentRow(0);
}

bool Palette::eventFilter(QObject* watched, QEvent* event) {
  if (event->type() == QEvent::KeyPress) {
    const int key = static_cast<QKeyEvent*>(event)->key();
    const int row = list_->currentRow();
    if (key == Qt::Key_Down) list_->setCurrentRow(qMin(row + 1, list_->count() - 1));
    else if (key == Qt::Key_Up) list_->setCurrentRow(qMax(row - 1, 0));
    else return QDialog::eventFilter(watched, event);
    return true;
  }
  return QDialog::eventFilter(watched, event);
}

void Palette::accept() {
  const QListWidgetItem* item = list_->currentItem();
  const QString typed = field_->text();
  QDialog::accept();
  if (item == nullptr) return;
  const int id = item->data(Qt::UserRole).toInt();
  if (id < 0) emit goToPosition(typed);
  else commands_.action(static_cast<Command>(id))->trigger();
}

}  // namespace warpmill::studio
