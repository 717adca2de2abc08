#include "studio/main_window.h"

#include "presenter/describe.h"
#include "studio/commands.h"
#include "studio/compare_panel.h"
#include "studio/controls.h"
#include "studio/crew_panel.h"
#include "studio/dock.h"
#include "studio/lesson_guide.h"
#include "studio/lesson_panel.h"
#include "studio/palette.h"
#include "studio/panel_header.h"
#include "studio/player.h"
#include "studio/problems_panel.h"
#include "studio/ptx_panel.h"
#include "studio/scene_panel.h"
#include "studio/source_panel.h"
#include "studio/status_strip.h"
#include "studio/theme.h"
#include "studio/timeline_panel.h"
#include "studio/toolbar.h"
#include "studio/translator.h"
#include "studio/view_host.h"
#include "studio/watch_dock.h"

#include <QApplication>
#include <QCloseEvent>
#include <QKeyEvent>
#include <QLabel>
#include <QLibraryInfo>
#include <QSplitter>
#include <QTimer>
#include <QVBoxLayout>

namespace warpmill::studio {

MainWindow::MainWindow(Settings& settings, Player& player, LessonGuide& guide, QWidget* parent)
    : QMainWindow(parent), settings_(settings), player_(player), guide_(guide) {
  setWindowTitle("Warpmill");
  setDockOptions(AnimatedDocks | AllowNestedDocks | AllowTabbedDocks);
  setContextMenuPolicy(Qt::NoContextMenu);
  setCorner(Qt::BottomLeftCorner, Qt::BottomDockWidgetArea);
  setCorner(Qt::BottomRightCorner, Qt::BottomDockWidgetArea);
  Result<std::shared_ptr<scene::GlContext>> context = scene::GlContext::create();
  if (context) {
    Result<std::shared_ptr<scene::Renderer>> renderer = scene::makeRenderer(*context);
    if (renderer) renderer_ = *renderer;
    else noScene_ = QString::fromStdString(formatDiagnostics(renderer.diagnostics()));
  } else {
    noScene_ = QString::fromStdString(formatDiagnostics(context.diagnostics()));
  }
  build();
  qApp->installEventFilter(this);
}

MainWindow::~MainWindow() { qApp->removeEventFilter(this); }

void MainWindow::rebuild() {
  const QByteArray layout = saveState();
  const QList<int> middle = middle_->sizes();
  setUpdatesEnabled(false);
  for (const QMetaObject::Connection& connection : connections_) disconnect(connection);
  connections_.clear();
  for (QDockWidget* dock : findChildren<QDockWidget*>()) {
    removeDockWidget(dock);
    delete dock;
  }
  delete takeCentralWidget();
  delete palette_;
  delete toolbar_;
  delete statusHolder_;
  for (QAction* action : actions()) removeAction(action);
  delete commands_;
  build();
  restoreState(layout);
  middle_->setSizes(middle);
  setUpdatesEnabled(true);
}

void MainWindow::build() {
  studio::setTheme(Theme(settings_.isDark() ? darkTokens() : lightTokens(), settings_.scale));
  QApplication::setPalette(theme().palette());
  QApplication::setFont(theme().sans(13));
  applyLanguage();
  setStyleSheet(theme().styleSheet());
  commands_ = new Commands(this);
  connect(commands_, &Commands::fired, this, &MainWindow::run);
  toolbar_ = new Toolbar(*commands_, this);
  addToolBar(Qt::TopToolBarArea, toolbar_);
  buildPanels();
  buildToolbar();
  palette_ = new Palette(*commands_, this);
  connect(palette_, &Palette::goToPosition, this, &MainWindow::goToText);
  connectPlayer();
}

void MainWindow::applyLanguage() {
  if (translator_ != nullptr) QCoreApplication::removeTranslator(translator_.get());
  translator_.reset();
  if (!settings_.isRussian()) return;
  translator_ = std::make_unique<TableTranslator>();
  QCoreApplication::installTranslator(translator_.get());
}

QWidget* MainWindow::sceneColumn() {
  middle_ = new QSplitter(Qt::Vertical);
  middle_->setHandleWidth(1);
  middle_->setChildrenCollapsible(false);
  scenePanel_ = nullptr;
  if (renderer_ != nullptr) {
    scenePanel_ = new ScenePanel(renderer_, player_, settings_.isRussian());
    middle_->addWidget(scenePanel_);
    middle_->addWidget(new MemoryStripPanel(renderer_, player_, settings_.isRussian()));
    middle_->setStretchFactor(0, 1);
    middle_->setStretchFactor(1, 0);
  } else {
    auto* sorry = new QLabel(tr("The factory needs OpenGL 3.3, which is not to be had here. All other panels work.") + "\n\n" + noScene_);
    sorry->setAlignment(Qt::AlignCenter);
    sorry->setWordWrap(true);
    sorry->setObjectName("no-scene");
    middle_->addWidget(sorry);
  }
  return middle_;
}

void MainWindow::buildPanels() {
  lessonPanel_ = new LessonPanel(guide_, player_, settings_.isRussian());
  sourcePanel_ = new SourcePanel(player_);
  ptxPanel_ = new PtxPanel(player_);
  watchDock_ = new WatchDock(player_, settings_.isRussian());
  crewPanel_ = new CrewPanel(player_);
  comparePanel_ = new ComparePanel(guide_, player_, settings_.isRussian());
  const auto dock = [this](const char* name, const QString& title, PanelHeader* header, QWidget* content, Qt::DockWidgetArea area) {
    auto* made = new Dock(name, title, header, content, this);
    addDockWidget(area, made);
    return made;
  };
  dock("lesson", tr("Lesson"), lessonPanel_->header(), lessonPanel_, Qt::LeftDockWidgetArea);
  dock("source", tr("Source"), sourcePanel_->header(), sourcePanel_, Qt::LeftDockWidgetArea);
  dock("ptx", tr("PTX"), ptxPanel_->header(), ptxPanel_, Qt::LeftDockWidgetArea);
  dock("watch", tr("Warp watch"), watchDock_->header(), watchDock_, Qt::RightDockWidgetArea);
  dock("crew", tr("Crew"), crewPanel_->header(), crewPanel_, Qt::RightDockWidgetArea);
  if (renderer_ != nullptr) {
    timelinePanel_ = new TimelinePanel(renderer_, player_, settings_.isRussian());
    dock("timeline", tr("Timeline"), timelinePanel_->header(), timelinePanel_, Qt::BottomDockWidgetArea);
  }
  auto* compare = dock("compare", tr("Compare"), comparePanel_->header(), comparePanel_, Qt::BottomDockWidgetArea);
  if (auto* timeline = findChild<QDockWidget*>("timeline")) splitDockWidget(timeline, compare, Qt::Horizontal);
  setCentralWidget(sceneColumn());

  status_ = new StatusStrip(this);
  statusHolder_ = new QToolBar(this);
  statusHolder_->setObjectName("status");
  statusHolder_->setMovable(false);
  statusHolder_->setContextMenuPolicy(Qt::PreventContextMenu);
  statusHolder_->layout()->setContentsMargins(0, 0, 0, 0);
  addToolBar(Qt::BottomToolBarArea, statusHolder_);
  status_->setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Fixed);
  statusHolder_->addWidget(status_);
  connect(status_, &StatusStrip::problemsClicked, this, [this] { watchDock_->showTab(WatchDock::Problems); });
}

void MainWindow::connectPlayer() {
  connections_ = {
      connect(&player_, &Player::opened, this, [this] {
        status_->clearMessage();
        refreshDocument();
      }),
      connect(&player_, &Player::failed, this, [this] {
        status_->clearMessage();
        refreshDocument();
        watchDock_->showTab(WatchDock::Problems);
      }),
      connect(&player_, &Player::opening, this, [this](const QString& what) { status_->showMessage(tr("Opening %1...").arg(what)); }),
      connect(&player_, &Player::frameChanged, this, &MainWindow::refreshStatus),
      connect(&player_, &Player::historyChanged, this, &MainWindow::refreshStatus),
      connect(&player_, &Player::controlsChanged, this, &MainWindow::refreshControls),
      connect(&player_, &Player::message, this, [this](const QString& text) { status_->showMessage(text); }),
      connect(&guide_, &LessonGuide::opened, this, &MainWindow::refreshDocument),
  };
  refreshDocument();
}

void MainWindow::designLayout() {
  const auto named = [this](const char* name) { return findChild<QDockWidget*>(name); };
  const double across = qMax(width() / 1920.0, theme().scale() * 0.72), down = qMax(height() / 1080.0, theme().scale() * 0.72);
  const auto wide = [across](double design) { return static_cast<int>(design * across); };
  resizeDocks({named("lesson"), named("watch")}, {wide(420), wide(559)}, Qt::Horizontal);
  if (named("timeline") != nullptr) {
    resizeDocks({named("timeline")}, {static_cast<int>(307 * down)}, Qt::Vertical);
    resizeDocks({named("timeline"), named("compare")}, {wide(1110), wide(809)}, Qt::Horizontal);
  }
  resizeDocks({named("lesson"), named("source"), named("ptx")}, {330, 222, 146}, Qt::Vertical);
  resizeDocks({named("watch"), named("crew")}, {613, 86}, Qt::Vertical);
  middle_->setSizes({512, 187});
}

void MainWindow::showEvent(QShowEvent* event) {
  QMainWindow::showEvent(event);
  if (laidOut_) return;
  laidOut_ = true;
  designLayout();
  if (!settings_.layout.isEmpty() && settings_.persistent) {
    restoreState(settings_.layout);
    if (settings_.sceneShare > 0) middle_->setSizes({settings_.sceneShare, middle_->height() - settings_.sceneShare});
  }
  if (scenePanel_ != nullptr) scenePanel_->host()->setFocus();
}

bool MainWindow::eventFilter(QObject* watched, QEvent* event) {
  if (event->type() == QEvent::KeyPress && QApplication::activeModalWidget() == nullptr && QApplication::activePopupWidget() == nullptr) {
    auto* widget = qobject_cast<QWidget*>(watched);
    auto* key = static_cast<QKeyEvent*>(event);
    if (widget != nullptr && widget->window() == this && (widget == QApplication::focusWidget() || widget == this)) {
      const bool inScene = scenePanel_ != nullptr && widget == scenePanel_->host();
      if (inScene && (key->modifiers() & ~(Qt::ShiftModifier | Qt::KeypadModifier)) == 0 && scenePanel_->handleKey(key)) return true;
      if (key->modifiers().testFlag(Qt::ControlModifier) || key->modifiers().testFlag(Qt::AltModifier))
        return QMainWindow::eventFilter(watched, event);
      if (commands_->handlePlainKey(key, widget)) return true;
    }
  }
  if (!painted_ && event->type() == QEvent::Paint && watched == centralWidget()) {
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
  settings_.sceneShare = middle_->sizes().value(0);
  settings_.save();
}

QString MainWindow::describe() const {
  if (player_.frame() == nullptr) return tr("No launch is open.");
  return QString::fromStdString(
      presenter::describe(*player_.frame(), settings_.isRussian() ? presenter::Language::Russian : presenter::Language::English));
}

void MainWindow::setTheme(const QString& name) {
  settings_.theme = name;
  settings_.save();
  rebuild();
}

void MainWindow::setLanguage(const QString& code) {
  settings_.language = code;
  settings_.save();
  rebuild();
}

void MainWindow::setScale(double scale) {
  settings_.scale = qBound(1.0, scale, 3.0);
  settings_.save();
  rebuild();
}

}  // namespace warpmill::studio
