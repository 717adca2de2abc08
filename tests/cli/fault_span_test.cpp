// Which part of a source line is underlined: compilers name the expression, the sign of the assignment or only the statement's beginning.
#include "profile/fault_text.h"

#include "catch.h"

#include <string>

using namespace warpmill;

namespace {

std::string under(const std::string& line, std::uint32_t column, std::string_view access) {
  const profile::Span s = profile::accessSpan(line, column, access);
  REQUIRE(s.end <= line.size());
  REQUIRE(s.begin <= s.end);
  return line.substr(s.begin, s.end - s.begin);
}

}  // namespace

TEST_CASE("The expression of an access is underlined, whichever of its places the compiler names") {
  const std::string line = "    c[i] = a[i + 1] + b[f(i)];";
  CHECK(under(line, 5, "store") == "c[i]");
  CHECK(under(line, 10, "store") == "c[i]");
  CHECK(under(line, 12, "load") == "a[i + 1]");
  CHECK(under(line, 13, "load") == "a[i + 1]");
  CHECK(under(line, 23, "load") == "b[f(i)]");
  CHECK(under(line, 5, "load") == "a[i + 1] + b[f(i)]");  // the statement's beginning
  CHECK(under(line, 10, "load") == "a[i + 1] + b[f(i)]");
  CHECK(under(line, 0, "store") == "c[i] = a[i + 1] + b[f(i)]");
  CHECK(under(line, 500, "store") == "c[i] = a[i + 1] + b[f(i)]");
}

TEST_CASE("Members, dereferences, calls and compound assignments are taken whole") {
  CHECK(under("x.y[2]->z = 1;", 11, "store") == "x.y[2]->z");
  CHECK(under("  *p = *q;", 3, "store") == "*p");
  CHECK(under("  *p = *q;", 8, "load") == "*q");
  CHECK(under("atomicAdd(&sum[i / 2], 1);", 1, "atomic") == "atomicAdd(&sum[i / 2], 1)");
  CHECK(under("  s[t] += s[t + h];", 8, "store") == "s[t]");
  CHECK(under("  s[t] += s[t + h];", 3, "load") == "s[t]");
  CHECK(under("  sum += s[t] * s[t + 1];", 3, "load") == "s[t] * s[t + 1]");
  CHECK(under("  if (a[i] <= b) return;", 7, "load") == "a[i]");
  CHECK(under("x[", 2, "load") == "x[");
  CHECK(under("", 1, "load").empty());
}
