// A panel in a dock: its header is the title bar, so that a panel costs no second line of chrome.
#pragma once

#include <QDockWidget>

namespace warpmill::studio {

class PanelHeader;

class Dock : public QDockWidget {
  Q_OBJECT
 public:
  Dock(const QString& name, const QString& title, PanelHeader* header, QWidget* content, QWidget* parent);
};

}  // namespace warpmill::studio
