// Toolbar glyphs, drawn from triangles and bars so that no icon file is needed and every theme and scale is crisp.
#pragma once

#include <QColor>
#include <QPainter>
#include <QPointF>

namespace warpmill::studio {

enum class Glyph { None, Start, Play, Pause, Back, Forward, Menu };

// 16 design pixels wide, centred at `centre`, scaled by `scale`.
void drawGlyph(QPainter& painter, Glyph glyph, QPointF centre, double scale, const QColor& colour);

}  // namespace warpmill::studio
