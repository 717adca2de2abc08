#include "studio/markdown_view.h"

#include "studio/theme.h"

#include <QTextBlock>
#include <QTextDocument>
#include <QTextList>
#include <QWheelEvent>

namespace warpmill::studio {

MarkdownView::MarkdownView(QWidget* parent) : QTextBrowser(parent) {
  setFrameShape(NoFrame);
  setVerticalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
  setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
  setOpenExternalLinks(true);
  document()->setDocumentMargin(0);
  document()->setDefaultFont(theme().sans(14));
  setTextInteractionFlags(Qt::TextSelectableByMouse | Qt::LinksAccessibleByMouse | Qt::LinksAccessibleByKeyboard);
  setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Fixed);
}

void MarkdownView::setText(const QString& markdown) {
  document()->setMarkdown(markdown, QTextDocument::MarkdownDialectGitHub);
  style();
  fit();
}

static bool isCode(const QTextBlock& block) {
  return block.isValid() && (block.blockFormat().hasProperty(QTextFormat::BlockCodeFence) || block.blockFormat().hasProperty(QTextFormat::BlockCodeLanguage));
}

// Qt gives Markdown its own sizes and colours; every block and run gets ours.
void MarkdownView::style() {
  const Theme& th = theme();
  const Tokens& t = th.tokens();
  for (QTextBlock block = document()->begin(); block.isValid(); block = block.next()) {
    QTextCursor cursor(block);
    QTextBlockFormat format = block.blockFormat();
    const bool code = isCode(block);
    const int level = format.headingLevel();
    format.setLineHeight(th.px(code ? 19 : 21), QTextBlockFormat::MinimumHeight);
    format.setTopMargin(block.blockNumber() == 0 ? 0 : level > 0 ? th.px(10) : 0);
    format.setBottomMargin(code && isCode(block.next()) ? 0 : th.px(block.textList() != nullptr ? 4 : 10));
    if (code) {
      format.setLeftMargin(th.px(10));
      format.setNonBreakableLines(false);
    }
    cursor.setBlockFormat(format);
    for (auto it = block.begin(); !it.atEnd(); ++it) {
      const QTextFragment fragment = it.fragment();
      QTextCharFormat run = fragment.charFormat();
      const bool fixed = code || run.fontFixedPitch();
      const bool strong = run.fontWeight() > QFont::Normal;
      const QFont font = level > 0 ? th.sans(15, QFont::DemiBold)
                         : fixed   ? th.mono(13)
                                   : th.sans(14, strong ? QFont::DemiBold : QFont::Normal);
      QTextCharFormat wanted;
      wanted.setFont(font);
      wanted.setFontItalic(run.fontItalic());
      wanted.setForeground(level > 0 || strong || fixed ? t.hi : t.mid);
      if (run.isAnchor()) {
        wanted.setAnchor(true);
        wanted.setAnchorHref(run.anchorHref());
        wanted.setForeground(t.lampInk);
      }
      QTextCursor part(document());
      part.setPosition(fragment.position());
      part.setPosition(fragment.position() + fragment.length(), QTextCursor::KeepAnchor);
      part.setCharFormat(wanted);
    }
  }
}

void MarkdownView::fit() {
  document()->setTextWidth(viewport()->width());
  setFixedHeight(static_cast<int>(document()->size().height()) + 2);
}

void MarkdownView::resizeEvent(QResizeEvent* event) {
  QTextBrowser::resizeEvent(event);
  fit();
}

void MarkdownView::wheelEvent(QWheelEvent* event) { event->ignore(); }   // the page scrolls, not its text

}  // namespace warpmill::studio
