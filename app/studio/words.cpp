#include "studio/words.h"

#include "lesson/figures.h"

#include <QCoreApplication>

#include <cmath>

namespace warpmill::studio {

namespace {

QString tr(const char* text) { return QCoreApplication::translate("words", text); }

}  // namespace

QString groupWords(presenter::StallGroup group) {
  using presenter::StallGroup;
  switch (group) {
    case StallGroup::Working: return tr("works");
    case StallGroup::Ready: return tr("is ready, another was picked");
    case StallGroup::Global: return tr("waits for the warehouse");
    case StallGroup::Short: return tr("waits for the store or a special bench");
    case StallGroup::Queue: return tr("waits: the loading dock is full");
    case StallGroup::Barrier: return tr("waits at the gate");
    case StallGroup::Machine: return tr("waits: machine busy or fixed delay");
    case StallGroup::Instruction: return tr("has no work order");
  }
  return {};
}

QString groupShort(presenter::StallGroup group) {
  using presenter::StallGroup;
  switch (group) {
    case StallGroup::Working: return tr("working");
    case StallGroup::Ready: return tr("ready");
    case StallGroup::Global: return tr("warehouse");
    case StallGroup::Short: return tr("store, bench");
    case StallGroup::Queue: return tr("dock full");
    case StallGroup::Barrier: return tr("gate");
    case StallGroup::Machine: return tr("machine");
    case StallGroup::Instruction: return tr("no order");
  }
  return {};
}

QString faultWords(machine::FaultKind kind) {
  using machine::FaultKind;
  switch (kind) {
    case FaultKind::None: return {};
    case FaultKind::OutOfBounds: return tr("out of bounds");
    case FaultKind::Misaligned: return tr("misaligned");
    case FaultKind::NullAccess: return tr("null pointer");
    case FaultKind::WriteToConstant: return tr("write to constant");
    case FaultKind::SharedRace: return tr("race in shared memory");
    case FaultKind::GlobalRace: return tr("race in global memory");
    case FaultKind::Uninitialized: return tr("uninitialised");
    case FaultKind::DivergentBarrier: return tr("divergent barrier");
    case FaultKind::Hang: return tr("hang");
    case FaultKind::InvalidShuffle: return tr("invalid shuffle");
    case FaultKind::IndexOverflow: return tr("index overflow");
    case FaultKind::Nan: return tr("not a number");
    case FaultKind::Trap: return tr("trap");
    case FaultKind::Assert: return tr("failed assertion");
    case FaultKind::LaunchError: return tr("launch error");
    case FaultKind::Unsupported: return tr("unsupported");
    case FaultKind::ParseError: return tr("parse error");
  }
  return {};
}

QString machineName(const MachineChoice& choice) {
  QString name = QString::fromStdString(choice.profile);
  // "h200" is a product; a word is not.
  if (name.size() <= 5 && name.contains(QChar('0'))) name = name.toUpper();
  else if (!name.contains('/')) name[0] = name[0].toUpper();
  if (choice.sms == 1) return tr("%1, 1 floor").arg(name);
  if (choice.sms > 1) return tr("%1, %2 floors").arg(name).arg(choice.sms);
  return tr("%1, whole").arg(name);
}

QString thousands(std::uint64_t value) {
  QString digits = QString::number(value);
  for (qsizetype i = digits.size() - 3; i > 0; i -= 3) digits.insert(i, QChar(0x2009));
  return digits;
}

QString figureText(double value, bool russian) {
  const double size = std::fabs(value);
  if (size >= 999.5) return (value < 0 ? QString(QChar(0x2212)) : QString()) + thousands(static_cast<std::uint64_t>(std::llround(size)));
  const int decimals = size >= 99.95 || size == std::floor(size) ? 0 : size >= 9.995 ? 1 : size >= 0.9995 ? 2 : 3;
  QString text = QString::number(value, 'f', decimals).replace('-', QChar(0x2212));
  return russian ? text.replace('.', ',') : text;
}

QString boundWords(const std::string& bound) {
  static const char* const all[] = {QT_TRANSLATE_NOOP("words", "memory bandwidth"), QT_TRANSLATE_NOOP("words", "memory latency"), QT_TRANSLATE_NOOP("words", "L2 bandwidth"), QT_TRANSLATE_NOOP("words", "L1"),
                                    QT_TRANSLATE_NOOP("words", "shared memory"), QT_TRANSLATE_NOOP("words", "shared memory latency"), QT_TRANSLATE_NOOP("words", "compute"), QT_TRANSLATE_NOOP("words", "divergence"),
                                    QT_TRANSLATE_NOOP("words", "atomics"), QT_TRANSLATE_NOOP("words", "barriers"), QT_TRANSLATE_NOOP("words", "branches"), QT_TRANSLATE_NOOP("words", "instruction latency"),
                                    QT_TRANSLATE_NOOP("words", "instruction fetch"), QT_TRANSLATE_NOOP("words", "sleep"), QT_TRANSLATE_NOOP("words", "parallelism"), QT_TRANSLATE_NOOP("words", "block launch"),
                                    QT_TRANSLATE_NOOP("words", "launch overhead")};
  for (const char* text : all)
    if (bound == text) return QCoreApplication::translate("words", "bound by %1").arg(QCoreApplication::translate("words", text));
  return {};
}

QString ratioText(double ratio, bool russian) {
  const QString text = QString::number(ratio, 'f', ratio >= 9.995 ? 1 : 2);
  return russian ? QString(text).replace('.', ',') : text;
}

QString figureUnit(std::string_view unit, bool russian) {
  const std::string_view text = lesson::unitText(unit, russian ? "ru" : "en");
  return QString::fromUtf8(text.data(), static_cast<qsizetype>(text.size()));
}

QString signedPercent(double share, bool russian) {
  const double percent = share * 100;
  if (std::fabs(percent) < 0.05) return "0 %";
  const QString text = QString("%1%2 %").arg(percent > 0 ? QChar('+') : QChar(0x2212)).arg(std::fabs(percent), 0, 'f', 1);
  return russian ? QString(text).replace('.', ',') : text;
}

QString hex(std::uint64_t value) { return "0x" + QString::number(value, 16); }

}  // namespace warpmill::studio
