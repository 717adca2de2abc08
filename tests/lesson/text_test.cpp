#include "lesson/text.h"
#include "catch.h"

using namespace warpmill;
using namespace warpmill::lesson;

TEST_CASE("A text is cut at its anchors, and what stands before the first is the introduction") {
  const auto text = parseText("# Title\n\nHello.\n\n## First {#one}\n\nBody `{x}`.\n\n## Second {#two}\n", "en", "text.en.md");
  REQUIRE(text.ok());
  CHECK(text->intro == "Hello.");
  REQUIRE(text->sections.size() == 2);
  CHECK(text->sections[0].title == "First");
  CHECK(text->section("one")->body == "Body `{x}`.");
  CHECK(text->section("two")->body.empty());
  CHECK(text->section("three") == nullptr);
}

TEST_CASE("A heading inside a code fence is no heading") {
  const auto text = parseText("## A {#a}\n```\n## not one\n```\n", "en", "t.md");
  REQUIRE(text.ok());
  CHECK(text->sections.size() == 1);
}

TEST_CASE("A heading without an anchor is shown where it stands") {
  const auto text = parseText("## A {#a}\n\n## B\n", "en", "t.md");
  REQUIRE_FALSE(text.ok());
  CHECK(text.diagnostics()[0].position.line == 3);
  CHECK(text.diagnostics()[0].hint.find("{#step-id}") != std::string::npos);
}

TEST_CASE("An anchor may stand only once") {
  const auto text = parseText("## A {#a}\n## B {#a}\n", "en", "t.md");
  REQUIRE_FALSE(text.ok());
  CHECK(text.diagnostics()[0].message.find("twice") != std::string::npos);
  CHECK(text.diagnostics()[0].position.line == 2);
}

TEST_CASE("English stands in for a language that a short text does not have") {
  const LocalText text{{"en", "yes"}, {"ru", "да"}};
  CHECK(localized(text, "ru") == "да");
  CHECK(localized(text, "ko") == "yes");
}
