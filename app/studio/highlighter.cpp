#include "studio/highlighter.h"

#include "studio/theme.h"

#include <QSet>

namespace warpmill::studio {

namespace {

enum BlockState { Normal = 0, InComment = 1, InDocString = 2 };

const QSet<QString>& cudaWords() {
  static const QSet<QString> words = {
      "alignas", "auto", "bool", "break", "case", "char", "const", "constexpr", "continue", "default", "do", "double", "else", "enum", "extern",
      "false", "float", "float2", "float3", "float4", "for", "half", "if", "inline", "int", "int2", "int4", "long", "namespace", "return",
      "short", "signed", "sizeof", "static", "struct", "switch", "template", "true", "typedef", "typename", "uint2", "uint4", "union",
      "unsigned", "using", "void", "volatile", "while", "size_t", "uint8_t", "uint16_t", "uint32_t", "uint64_t", "int8_t", "int16_t",
      "int32_t", "int64_t", "__constant__", "__device__", "__global__", "__host__", "__launch_bounds__", "__restrict__", "__shared__"};
  return words;
}

const QSet<QString>& pythonWords() {
  static const QSet<QString> words = {"False", "None", "True", "and", "as", "assert", "break", "class", "continue", "def", "del", "elif",
                                      "else", "except", "finally", "for", "from", "global", "if", "import", "in", "is", "lambda", "nonlocal",
                                      "not", "or", "pass", "raise", "return", "try", "while", "with", "yield"};
  return words;
}

bool isWordPart(QChar c) { return c.isLetterOrNumber() || c == '_'; }

QTextCharFormat formatOf(const QColor& colour) {
  QTextCharFormat format;
  format.setForeground(colour);
  return format;
}

}  // namespace

CodeKind kindOfFile(const QString& name) {
  if (name.endsWith(".py")) return CodeKind::Python;
  if (name.endsWith(".ptx")) return CodeKind::Ptx;
  for (const char* ending : {".cu", ".cuh", ".cpp", ".cc", ".c", ".h", ".hpp"})
    if (name.endsWith(QLatin1String(ending))) return CodeKind::Cuda;
  return CodeKind::Plain;
}

Highlighter::Highlighter(QTextDocument* document) : QSyntaxHighlighter(document) {
  const Tokens& t = theme().tokens();
  word_ = formatOf(t.mid);
  comment_ = formatOf(t.low);
  literal_ = formatOf(t.hi);
}

void Highlighter::setKind(CodeKind kind) {
  kind_ = kind;
  rehighlight();
}

void Highlighter::highlightBlock(const QString& text) {
  setCurrentBlockState(Normal);
  if (kind_ == CodeKind::Cuda || kind_ == CodeKind::Ptx) highlightC(text);
  if (kind_ == CodeKind::Python) highlightPython(text);
  breakLigatures(text);
}

// JetBrains Mono joins "==", "->", "!=" to one sign; a learner must see the characters. Two neighbours with different formats are
// never joined.
void Highlighter::breakLigatures(const QString& text) {
  static const QString joined = "=-<>!&|+*/:.#~^?_%$";
  for (qsizetype i = 0; i + 1 < text.size(); ++i) {
    if (!joined.contains(text[i]) || !joined.contains(text[i + 1]) || text[i] == '_') continue;
    QTextCharFormat other = format(static_cast<int>(i));
    other.setProperty(QTextFormat::UserProperty + 1, static_cast<int>(i % 2));
    setFormat(static_cast<int>(i), 1, other);
  }
}

void Highlighter::words(const QString& text, qsizetype from, qsizetype to) {
  const QSet<QString>& list = kind_ == CodeKind::Python ? pythonWords() : cudaWords();
  for (qsizetype i = from; i < to;) {
    if (!isWordPart(text[i])) {
      ++i;
      continue;
    }
    qsizetype end = i;
    while (end < to && isWordPart(text[end])) ++end;
    if (list.contains(text.mid(i, end - i))) setFormat(static_cast<int>(i), static_cast<int>(end - i), word_);
    i = end;
  }
}

void Highlighter::highlightC(const QString& text) {
  qsizetype i = 0;
  if (previousBlockState() == InComment) {
    const qsizetype end = text.indexOf("*/");
    if (end < 0) {
      setFormat(0, static_cast<int>(text.size()), comment_);
      setCurrentBlockState(InComment);
      return;
    }
    setFormat(0, static_cast<int>(end + 2), comment_);
    i = end + 2;
  }
  if (text.trimmed().startsWith('#')) {
    setFormat(0, static_cast<int>(text.size()), word_);
    return;
  }
  qsizetype plainFrom = i;
  while (i < text.size()) {
    if (text[i] == '"') {
      words(text, plainFrom, i);
      const qsizetype end = text.indexOf('"', i + 1);
      i = plainFrom = end < 0 ? text.size() : end + 1;
    } else if (text.mid(i, 2) == "//") {
      words(text, plainFrom, i);
      setFormat(static_cast<int>(i), static_cast<int>(text.size() - i), comment_);
      return;
    } else if (text.mid(i, 2) == "/*") {
      words(text, plainFrom, i);
      const qsizetype end = text.indexOf("*/", i + 2);
      const qsizetype stop = end < 0 ? text.size() : end + 2;
      setFormat(static_cast<int>(i), static_cast<int>(stop - i), comment_);
      if (end < 0) setCurrentBlockState(InComment);
      i = plainFrom = stop;
    } else {
      ++i;
    }
  }
  words(text, plainFrom, text.size());
}

void Highlighter::highlightPython(const QString& text) {
  qsizetype i = 0;
  if (previousBlockState() == InDocString) {
    const qsizetype end = text.indexOf("\"\"\"");
    if (end < 0) {
      setFormat(0, static_cast<int>(text.size()), comment_);
      setCurrentBlockState(InDocString);
      return;
    }
    setFormat(0, static_cast<int>(end + 3), comment_);
    i = end + 3;
  }
  qsizetype plainFrom = i;
  while (i < text.size()) {
    if (text[i] == '#') {
      words(text, plainFrom, i);
      setFormat(static_cast<int>(i), static_cast<int>(text.size() - i), comment_);
      return;
    }
    if (text.mid(i, 3) == "\"\"\"") {
      words(text, plainFrom, i);
      const qsizetype end = text.indexOf("\"\"\"", i + 3);
      const qsizetype stop = end < 0 ? text.size() : end + 3;
      setFormat(static_cast<int>(i), static_cast<int>(stop - i), comment_);
      if (end < 0) setCurrentBlockState(InDocString);
      i = plainFrom = stop;
    } else if (text[i] == '"' || text[i] == '\'') {
      words(text, plainFrom, i);
      const qsizetype end = text.indexOf(text[i], i + 1);
      i = plainFrom = end < 0 ? text.size() : end + 1;
    } else if (text[i] == '@') {
      words(text, plainFrom, i);
      qsizetype end = i + 1;
      while (end < text.size() && (isWordPart(text[end]) || text[end] == '.')) ++end;
      setFormat(static_cast<int>(i), static_cast<int>(end - i), word_);
      i = plainFrom = end;
    } else {
      ++i;
    }
  }
  words(text, plainFrom, text.size());
}

}  // namespace warpmill::studio
