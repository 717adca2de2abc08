#include "ptx_tools.h"

#include <random>

using namespace warpmill;
using namespace warpmill::ptx;
using namespace warpmill::ptx::test;

namespace {

// Whatever the text, there is a module or an error with a place inside it.
void mustNotCrash(const std::string& text) {
  const auto module = parse(text, "test.ptx");
  if (module.ok()) return;
  REQUIRE(hasErrors(module.diagnostics()));
  for (const Diagnostic& d : module.diagnostics()) {
    REQUIRE(d.position.line >= 1);
    REQUIRE(d.position.column >= 1);
    REQUIRE_FALSE(d.message.empty());
  }
}

}  // namespace

TEST_CASE("A file cut off at any byte is read or refused, never worse") {
  const std::string text = dataText("syntax.ptx");
  for (std::size_t length = 0; length < text.size(); ++length) mustNotCrash(text.substr(0, length));
}

TEST_CASE("A file with any byte removed is read or refused, never worse") {
  const std::string text = dataText("syntax.ptx");
  for (std::size_t at = 0; at < text.size(); ++at) mustNotCrash(text.substr(0, at) + text.substr(at + 1));
}

TEST_CASE("A cut inside a kernel says that the file is not complete") {
  const std::string text = dataText("kernels_clang19_O2.ptx");
  const auto module = parse(text.substr(0, text.size() / 2), "test.ptx");
  REQUIRE_FALSE(module.ok());
  REQUIRE(module.diagnostics().back().hint.find("is the file complete?") != std::string::npos);
}

TEST_CASE("Random bytes and shuffled tokens are refused without harm") {
  std::mt19937 random(1);
  const std::string pieces[] = {
      "{",       "}",      "[",   "]",  "(",     ")",     ";",   ",",    ":", ".reg", ".b32", ".entry",     "%r1",      "%r<4>",
      "add.s32", "@%p1",   "bra", "L:", "L",     "\"",    "0x1", "1.5e", "|", "!",    "_",    ".loc 1 2 3", ".section", ".branchtargets",
      "call",    ".param", "-",   "=",  ".pred", "%p<3>", "\n",  "?"};
  for (int round = 0; round < 2000; ++round) {
    std::string bytes = ".version 8.0\n", tokens = ".version 8.0\n.entry k() {\n.reg .b32 %r<4>; .reg .pred %p<3>;\n";
    for (int i = 0; i < 60; ++i) {
      bytes.push_back(static_cast<char>(random() % 256));
      tokens += pieces[random() % std::size(pieces)] + " ";
    }
    mustNotCrash(bytes);
    mustNotCrash(tokens);
  }
}

TEST_CASE("Deep nesting of scopes, braces and parentheses is bounded") {
  const std::string deep(200000, '{'), parentheses(200000, '('), minus(200000, '-');
  mustNotCrash(kernelText(deep));
  REQUIRE(parse(kernelText(std::string(20000, '{') + std::string(20000, '}')), "test.ptx").ok());
  mustNotCrash(kernelText("mov.u32 %r1, " + parentheses + ";"));
  mustNotCrash(kernelText("mov.u32 %r1, " + minus + "1;"));
  mustNotCrash(".version 8.0\n.global .u32 x[] = " + deep + ";");
}

TEST_CASE("Huge declarations are refused before memory is taken") {
  for (const char* text :
       {".reg .b32 %q<4000000000>;", ".reg .b32 %q<18446744073709551615>;", ".reg .b32 %a<200000>, %b<200000>;",
        ".local .b8 big[1000000000000];", ".local .b8 big[4294967296][4294967296];", ".shared .b64 big[18446744073709551615];"}) {
    INFO(text);
    REQUIRE_FALSE(parse(kernelText(text), "test.ptx").ok());
  }
  REQUIRE_FALSE(parse(".version 8.0\n.global .b8 big[1000000000] = {1};", "test.ptx").ok());
}

TEST_CASE("A kernel of many instructions, blocks and scopes is analysed in good time") {
  std::string body;
  for (int i = 0; i < 20000; ++i) {
    const std::string n = std::to_string(i);
    body += "{ .reg .b32 t; @%p1 bra A" + n + "; add.s32 t, %r1, 1; A" + n + ": add.s32 %r1, %r1, 1; }\n";
  }
  const Module module = parsedKernel(body);
  REQUIRE(module.entry("k")->instructions.size() == 60001);
  REQUIRE(module.entry("k")->blockBegin.size() == 40001);
}

TEST_CASE("A name whose variable was refused is not taken for one that is there") {
  const auto module = parse(kernelText(".local .b8 l[26153940]; .reg .v4 .f32 w; st.local.b32 [l], w; ret;"), "test.ptx");
  REQUIRE_FALSE(module.ok());
  REQUIRE(module.diagnostics()[0].message.find("'l' takes more than 16 MiB of every thread") != std::string::npos);
}
