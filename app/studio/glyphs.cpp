#include "studio/glyphs.h"

#include <QPolygonF>

namespace warpmill::studio {

void drawGlyph(QPainter& painter, Glyph glyph, QPointF centre, double scale, const QColor& colour) {
  painter.save();
  painter.setRenderHint(QPainter::Antialiasing);
  painter.translate(centre);
  painter.scale(scale, scale);
  painter.setPen(Qt::NoPen);
  painter.setBrush(colour);
  const auto triangle = [&](double x0, double y0, double x1, double y1, double x2, double y2) {
    painter.drawPolygon(QPolygonF{QPointF(x0, y0), QPointF(x1, y1), QPointF(x2, y2)});
  };
  switch (glyph) {
    case Glyph::Play: triangle(-5, -7, 7, 0, -5, 7); break;
    case Glyph::Back: triangle(3, -6, -6, 0, 3, 6); painter.drawRect(QRectF(4.5, -6, 2.5, 12)); break;
    case Glyph::Forward: triangle(-3, -6, 6, 0, -3, 6); painter.drawRect(QRectF(-7, -6, 2.5, 12)); break;
    case Glyph::Start: triangle(6, -6, -3, 0, 6, 6); painter.drawRect(QRectF(-6, -6, 2.5, 12)); break;
    case Glyph::Pause: painter.drawRect(QRectF(-5, -6, 3.5, 12)); painter.drawRect(QRectF(1.5, -6, 3.5, 12)); break;
    case Glyph::Menu:
      for (const double y : {-5.0, 0.0, 5.0}) painter.drawRect(QRectF(-7, y - 0.8, 14, 1.6));
      break;
    case Glyph::None: break;
  }
  painter.restore();
}

}  // namespace warpmill::studio
