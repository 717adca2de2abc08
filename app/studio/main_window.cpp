#include "studio/main_window.h"

#include "studio/commands.h"
#include "studio/controls.h"
#include "studio/dock.h"
#include "studio/panel_header.h"
#include "studio/status_strip.h"
#include "studio/theme.h"
#include "studio/toolbar.h"

#include <QApplication>
#include <QCloseEvent>
#include <QKeyEvent>
#include <QMenu>
#include <QSplitter>
#include <QTimer>
#include <QVBoxLayout>

namespace warpmill::studio {

MainWindow::MainWindow(Settings& settings, QWidget* parent) : QMainWindow(parent), settings_(settings) {
  setWindowTitle("Warpmill");
  setDockOptions(AnimatedDocks | AllowNestedDocks | AllowTabbedDocks);
  setContextMenuPolicy(Qt::NoContextMenu);
  rebuild();
  qApp->installEventFilter(this);
}

MainWindow::~MainWindow() = default;

void MainWindow::rebuild() {
  setTheme(Theme(settings_.isDark() ? darkTokens() : lightTokens(), settings_.scale));
  QApplication::setPalette(theme().palette());
  QApplication::setFont(theme().sans(13));
  setUpdatesEnabled(false);
  for (QDockWidget* dock : findChildren<QDockWidget*>()) {
    removeDockWidget(dock);
    delete dock;
  }
  delete takeCentralWidget();
  delete toolbar_;
  delete status_;
  delete commands_;
  for (QAction* action : actions()) delete action;
  setStyleSheet(theme().styleSheet());
  commands_ = new Commands(this);
  connect(commands_, &Commands::fired, this, &MainWindow::run);
  toolbar_ = new Toolbar(*commands_, this);
  addToolBar(Qt::TopToolBarArea, toolbar_);
  buildPanels();
  setUpdatesEnabled(true);
}

void MainWindow::buildPanels() {
  setCorner(Qt::BottomLeftCorner, Qt::BottomDockWidgetArea);
  setCorner(Qt::BottomRightCorner, Qt::BottomDockWidgetArea);
  const auto dock = [this](const char* name, const QString& title, Qt::DockWidgetArea area) {
    auto* d = new Dock(name, title, new PanelHeader(title), new QWidget, this);
    addDockWidget(area, d);
    return d;
  };
  dock("lesson", tr("Lesson"), Qt::LeftDockWidgetArea);
  dock("source", tr("Source"), Qt::LeftDockWidgetArea);
  dock("ptx", tr("PTX"), Qt::LeftDockWidgetArea);
  dock("watch", tr("Warp watch"), Qt::RightDockWidgetArea);
  dock("crew", tr("Crew"), Qt::RightDockWidgetArea);
  auto* timeline = dock("timeline", tr("Timeline"), Qt::BottomDockWidgetArea);
  auto* compare = dock("compare", tr("Compare"), Qt::BottomDockWidgetArea);
  splitDockWidget(timeline, compare, Qt::Horizontal);

  middle_ = new QSplitter(Qt::Vertical);
  middle_->setHandleWidth(1);
  middle_->addWidget(new QWidget);
  middle_->addWidget(new QWidget);
  auto* centre = new QWidget;
  auto* column = new QVBoxLayout(centre);
  column->setContentsMargins(0, 0, 0, 0);
  column->setSpacing(0);
  column->addWidget(middle_);
  setCentralWidget(centre);

  status_ = new StatusStrip(this);
  status_->setDescription(tr("No launch is open."));
  auto* holder = new QToolBar(this);
  holder->setObjectName("status");
  holder->setMovable(false);
  holder->setContextMenuPolicy(Qt::PreventContextMenu);
  addToolBar(Qt::BottomToolBarArea, holder);
  holder->addWidget(status_);
  holder->layout()->setContentsMargins(0, 0, 0, 0);
  status_->setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Fixed);
}

void MainWindow::designLayout() {
  const auto named = [this](const char* name) { return findChild<QDockWidget*>(name); };
  const Theme& th = theme();
  const double w = width() / 1920.0, h = height() / 1080.0;
  const auto sized = [&](double design, double stretch) { return static_cast<int>(design * qMax(stretch, th.scale() * 0.75)); };
  resizeDocks({named("lesson"), named("watch")}, {sized(420, w), sized(559, w)}, Qt::Horizontal);
  resizeDocks({named("timeline")}, {sized(307, h)}, Qt::Vertical);
  resizeDocks({named("timeline"), named("compare")}, {1180, 739}, Qt::Horizontal);
  resizeDocks({named("lesson"), named("source"), named("ptx")}, {330, 183, 185}, Qt::Vertical);
  resizeDocks({named("watch"), named("crew")}, {606, 93}, Qt::Vertical);
  middle_->setSizes({512, 187});
}

void MainWindow::showEvent(QShowEvent* event) {
  QMainWindow::showEvent(event);
  designLayout();
}

bool MainWindow::eventFilter(QObject* watched, QEvent* event) {
  if (event->type() == QEvent::KeyPress && QApplication::activeModalWidget() == nullptr && QApplication::activePopupWidget() == nullptr) {
    auto* widget = qobject_cast<QWidget*>(watched);
    if (widget != nullptr && widget->window() == this && widget == QApplication::focusWidget() &&
        commands_->handlePlainKey(static_cast<QKeyEvent*>(event), widget))
      return true;
  }
  if (!painted_ && watched == this && event->type() == QEvent::Paint) {
    painted_ = true;
    QTimer::singleShot(0, this, &MainWindow::firstPainted);
  }
  return QMainWindow::eventFilter(watched, event);
}

void MainWindow::closeEvent(QCloseEvent* event) {
  saveLayout();
  QMainWindow::closeEvent(event);
}

void MainWindow::saveLayout() {
  settings_.geometry = saveGeometry();
  settings_.layout = saveState();
  settings_.save();
}

void MainWindow::run(Command command) {
  switch (command) {
    case Command::Quit: close(); break;
    default: break;
  }
}

}  // namespace warpmill::studio
