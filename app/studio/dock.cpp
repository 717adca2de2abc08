#include "studio/dock.h"

#include "studio/panel_header.h"

namespace warpmill::studio {

Dock::Dock(const QString& name, const QString& title, PanelHeader* header, QWidget* content, QWidget* parent) : QDockWidget(title, parent) {
  setObjectName(name);
  setFeatures(DockWidgetMovable | DockWidgetFloatable | DockWidgetClosable);
  setTitleBarWidget(header);
  setWidget(content);
}

}  // namespace warpmill::studio
