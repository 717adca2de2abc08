// A moment of a scale model in words: which warp, which line, which lanes, what its truck carries, what else is on the road.
#pragma once

#include "lesson/lesson.h"
#include "lesson/moment.h"
#include "session/session.h"

#include <string>
#include <vector>

namespace warpmill::lesson {

// Lines of text, each a sentence or a small drawing. Seeks the session to the moment.
std::vector<std::string> describeMoment(const Variant& variant, const Moment& moment, session::Session& session, std::string_view language);

// "########........" in groups of eight: which of the 32 lanes are in the mask.
std::string maskText(machine::LaneMask mask);

// Text of a line of a source file, trimmed; empty when it cannot be read.
std::string sourceLine(const std::string& path, std::uint32_t line);

}  // namespace warpmill::lesson
