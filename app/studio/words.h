// Words of the interface that several panels need: states of a warp in the factory's and in the profiler's words, figures, places.
#pragma once

#include "machine/fault.h"
#include "presenter/frame.h"
#include "studio/document.h"

#include <QString>

namespace warpmill::studio {

QString groupWords(presenter::StallGroup group);          // "waits for the warehouse"
QString groupShort(presenter::StallGroup group);          // "warehouse"
QString faultWords(machine::FaultKind kind);              // "out of bounds"
QString machineName(const MachineChoice& choice);         // "H200, 4 floors"
QString thousands(std::uint64_t value);                   // "1 048 576" with thin spaces
QString figureText(double value, bool russian);           // three significant digits, whole from 1000 on
QString boundWords(const std::string& bound);               // "memory bandwidth", as the report says it
QString ratioText(double ratio, bool russian);            // "1.04"
QString figureUnit(std::string_view unit, bool russian);  // "µs", as lessons write it
QString signedPercent(double share, bool russian);        // "−3.8 %"
QString hex(std::uint64_t value);                         // "0x7f0000000400"

}  // namespace warpmill::studio
