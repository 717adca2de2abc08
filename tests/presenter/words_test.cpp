#include "catch.h"

#include "presenter/words.h"

#include <set>
#include <string>

using namespace warpmill::presenter;

TEST_CASE("every text has an English and a Russian form with the same number of blanks to fill") {
  for (std::size_t i = 0; i < static_cast<std::size_t>(Word::Count); ++i) {
    const auto blanks = [](std::string_view text) {
      std::size_t n = 0;
      for (std::size_t at = text.find("{}"); at != std::string_view::npos; at = text.find("{}", at + 2)) ++n;
      return n;
    };
    const std::string_view en = word(static_cast<Word>(i), Language::English), ru = word(static_cast<Word>(i), Language::Russian);
    INFO(en);
    CHECK_FALSE(en.empty());
    CHECK_FALSE(ru.empty());
    CHECK(blanks(en) == blanks(ru));
  }
}

TEST_CASE("every stall reason belongs to a group, and the eight letters differ") {
  std::set<char> letters;
  for (const StallGroup g : stallGroups) letters.insert(letterOf(g));
  CHECK(letters.size() == stallGroupCount);
  CHECK(letterOf(groupOf(warpmill::timing::Stall::LongScoreboard)) == 'G');
  CHECK(letterOf(groupOf(warpmill::timing::Stall::ShortScoreboard)) == 'S');
  CHECK(letterOf(groupOf(warpmill::timing::Stall::LgThrottle)) == 'Q');
  CHECK(letterOf(groupOf(warpmill::timing::Stall::MathPipeThrottle)) == 'M');
  CHECK(letterOf(groupOf(warpmill::timing::Stall::NoInstruction)) == 'I');
  CHECK(stateWord(StallGroup::Global, Language::English) == "waiting for the warehouse");
  CHECK(stateShortWord(StallGroup::Instruction, Language::English) == "no order");
}

TEST_CASE("numbers are grouped by thin spaces") {
  CHECK(grouped(0) == "0");
  CHECK(grouped(999) == "999");
  CHECK(grouped(1048576) == "1\u2009048\u2009576");
}
