#include "exec/semantics/forms.h"

#include <algorithm>
#include <fstream>
#include <map>
#include <sstream>

namespace warpmill::exec::test {

namespace {

using u64 = std::uint64_t;

std::uint32_t mix(u64 i, std::uint32_t seed) {
  auto x = static_cast<std::uint32_t>(i + static_cast<std::uint32_t>(seed * 0x9E3779B9u));
  x ^= x >> 16;
  x *= 0x85ebca6bu;
  x ^= x >> 13;
  x *= 0xc2b2ae35u;
  x ^= x >> 16;
  return x;
}

const std::vector<u64>& edgesOf(const std::string& kind) {
  static const std::map<std::string, std::vector<u64>> edges = {
      {"f32",
       {0x0, 0x80000000, 0x3F800000, 0xBF800000, 0x40000000, 0x3F000000, 0x7F800000, 0xFF800000, 0x7FC00000, 0x7FFFFFFF, 0xFFC12345,
        0x7F812345, 0x1, 0x80000001, 0x7FFFFF, 0x807FFFFF, 0x800000, 0x80800000, 0x7F7FFFFF, 0xFF7FFFFF, 0x3F7FFFFF, 0x3F800001,
        0x4B000000, 0x4B800001, 0x4EFFFFFF, 0x4F000000, 0xCF000000, 0x4F7FFFFF, 0x4F800000, 0x5F000000, 0x5F7FFFFF, 0x5F800000,
        0xDF000000, 0x437F0000, 0x42FE0000, 0xC3000000, 0x477FE000, 0x477FF000, 0x38800000, 0x33000000, 0x33000001, 0x40490FDB,
        0x3FC00000, 0x40200000, 0xBFC00000, 0xBF000000, 0x3EFFFFFF, 0x7E800001, 0x400000, 0x42B17218, 0xC2AEAC50, 0x43000000, 0xC3150000}},
      {"f64",
       {0x0, 0x8000000000000000, 0x3FF0000000000000, 0xBFF0000000000000, 0x4000000000000000, 0x3FE0000000000000, 0x7FF0000000000000,
        0xFFF0000000000000, 0x7FF8000000000000, 0x7FFFFFFFFFFFFFFF, 0xFFF8000012345678, 0x7FF0000000000001, 0x7FF4567800000000, 0x1,
        0x8000000000000001, 0xFFFFFFFFFFFFF, 0x10000000000000, 0x8010000000000000, 0x7FEFFFFFFFFFFFFF, 0xFFEFFFFFFFFFFFFF,
        0x3FEFFFFFFFFFFFFF, 0x3FF0000000000001, 0x41DFFFFFFFC00000, 0x41E0000000000000, 0xC1E0000000000000, 0xC1E0000000200000,
        0x41EFFFFFFFE00000, 0x41F0000000000000, 0x43E0000000000000, 0xC3E0000000000000, 0x43F0000000000000, 0x406FE00000000000,
        0x40EFFC0000000000, 0x40EFFE0000000000, 0x47EFFFFFE0000000, 0x47EFFFFFF0000000, 0x3810000000000000, 0x36A0000000000000,
        0x3690000000000000, 0x3690000000000001, 0x380FFFFFE0000000, 0x3FF8000000000000, 0x4004000000000000, 0xBFE0000000000000,
        0x4330000000000000, 0x4340000000000001}},
      {"f16",
       {0x0, 0x8000, 0x3C00, 0xBC00, 0x4000, 0x3800, 0x7C00, 0xFC00, 0x7E00, 0x7FFF, 0xFE12, 0x7C12, 0x1, 0x8001, 0x3FF, 0x400, 0x8400,
        0x7BFF, 0xFBFF, 0x3BFF, 0x3C01, 0x5BF8, 0x5C00, 0x57F0, 0xD800, 0x3E00, 0x4100, 0xB800}},
      {"bf16",
       {0x0, 0x8000, 0x3F80, 0xBF80, 0x4000, 0x3F00, 0x7F80, 0xFF80, 0x7FC0, 0x7FFF, 0xFFC1, 0x7F81, 0x1, 0x8001, 0x7F, 0x80, 0x8080,
        0x7F7F, 0xFF7F, 0x3F7F, 0x3F81, 0x3FC0, 0x4020, 0xBF00}},
      {"i64",
       {0x0, 0x1, 0x2, 0x3, 0x7, 0x1F, 0x20, 0x21, 0x3F, 0x40, 0x7F, 0x80, 0xFF, 0x100, 0x7FFF, 0x8000, 0xFFFF, 0x7FFFFFFF, 0x80000000,
        0xFFFFFFFF, 0x100000000, 0x7FFFFFFFFFFFFFFF, 0x8000000000000000, 0xFFFFFFFFFFFFFFFF, 0xFFFFFFFFFFFFFFFE, 0xFFFFFFFF80000000,
        0x5555555555555555, 0xAAAAAAAAAAAAAAAA, 0xFFFFFFFFFFFFFF80, 0x20000000000001, 0x7FFFFFBFFFFFFFFF, 0x1000001}},
      {"n",
       {0x0, 0x1, 0x1F, 0x20, 0x21, 0x3F, 0x40, 0x41, 0x7F, 0xFF, 0x100, 0x101, 0xFFFFFFFF, 0xF, 0x10, 0x11}},
  };
  return edges.at(kind);
}

std::uint32_t widthOf(const std::string& kind) {
  if (kind == "i16" || kind == "f16" || kind == "bf16") return 16;
  return kind == "i64" || kind == "f64" ? 64 : 32;
}
struct Layout { std::uint32_t fraction; u64 bias; };
Layout layoutOf(const std::string& kind) {
  return kind == "f16" ? Layout{10, 15} : kind == "bf16" ? Layout{7, 127} : kind == "f32" ? Layout{23, 127} : Layout{52, 1023};
}

u64 moderate(const std::string& kind, u64 low, u64 high) {
  const auto [fraction, bias] = layoutOf(kind);
  const u64 ones = (u64{1} << fraction) - 1;
  u64 bits = (high << 32 | low) & ones;
  if ((high & 0x8000) == 0) bits &= ~((u64{1} << (fraction / 2)) - 1);
  return bits | ((low >> 20) % 17 + bias - 8) << fraction | (high >> 31 & 1) << (widthOf(kind) - 1);
}

u64 valueOf(std::string kind, u64 e, std::uint32_t k) {
  if (kind == "h2" || kind == "b2" || kind == "H2" || kind == "B2") {
    const std::string half = std::string(kind[0] == 'H' || kind[0] == 'B' ? "m:" : "") + (kind[0] == 'h' || kind[0] == 'H' ? "f16" : "bf16");
    return valueOf(half, e, k) | valueOf(half, e + 7777, k) << 16;
  }
  const u64 r = mix(e, 101 + k), s = mix(e, 201 + k), t = mix(e, 301 + k);
  if (kind == "F") kind = "m:f32";
  if (kind.rfind("m:", 0) == 0) return moderate(kind.substr(2), s, t);
  const std::uint32_t width = widthOf(kind);
  const u64 mask = width == 64 ? ~u64{0} : (u64{1} << width) - 1;
  const auto& table = edgesOf(kind[0] == 'i' ? "i64" : kind);
  const u64 edge = table[s % table.size()] & mask;
  switch (r & 3) {
    case 0: return edge;
    case 1: return (t << 32 | s) & mask;
    case 2: return (kind == "n" ? s % 70 : kind[0] == 'i' ? s % 257 - 128 : moderate(kind, s, t)) & mask;
    default: return (edge ^ u64{1} << (t % width)) & mask;
  }
}

std::pair<std::string, std::uint32_t> groupOf(const std::string& word) {
  const auto star = word.find('*');
  if (star == std::string::npos) return {word, 0};
  return {word.substr(0, star), static_cast<std::uint32_t>(std::stoul(word.substr(star + 1)))};
}

}  // namespace

std::vector<Form> readForms(const std::string& path) {
  std::vector<Form> forms;
  std::ifstream file(path);
  for (std::string line; std::getline(file, line);) {
    if (line.empty() || line[0] == '#') continue;
    const auto arrow = line.find("->"), colon = line.find(" : ");
    Form f;
    f.line = line;
    f.code = line.substr(colon + 3);
    std::istringstream words(line.substr(0, arrow));
    for (std::string w; words >> w;) f.inputs.push_back(groupOf(w));
    std::istringstream result(line.substr(arrow + 2, colon - arrow - 2));
    std::string w;
    result >> w;
    const auto [bits, count] = groupOf(w);
    f.bits = static_cast<std::uint32_t>(std::stoul(bits));
    f.outputs = count;
    forms.push_back(std::move(f));
  }
  return forms;
}

std::string programOf(const Form& form) {
  std::ostringstream registers, loads, stores;
  std::uint32_t n = 0;
  for (std::size_t k = 0; k < form.inputs.size(); ++k) {
    const auto& [kind, count] = form.inputs[k];
    const std::uint32_t width = widthOf(kind);
    for (std::uint32_t j = 0; j < std::max(1u, count); ++j) {
      const std::string r = std::string("%") + "abc"[k] + (count != 0 ? std::to_string(j) : "");
      registers << ".reg .b" << width << " " << r << "; ";
      loads << "ld.global.b" << width << " " << r << ", [%in+" << 8 * formElements * n++ << "];\n";
    }
  }
  for (std::uint32_t j = 0; j < std::max(1u, form.outputs); ++j) {
    const std::string r = "%d" + (form.outputs != 0 ? std::to_string(j) : std::string());
    registers << ".reg .b" << form.bits << " " << r << "; ";
    if (form.bits == 64) stores << "mov.b64 %x, " << r << "; ";
    else stores << "cvt.u64.u" << form.bits << " %x, " << r << "; ";
    stores << "st.global.b64 [%out+" << 8 * formElements * j << "], %x;\n";
  }
  const bool scratch = form.code.find("%scr") != std::string::npos;
  return ".version 9.0\n.target sm_90a\n.address_size 64\n.visible .entry k(.param .u64 p0, .param .u64 p1, .param .u64 p2)\n{\n"
         ".reg .b64 %in, %out, %x, %step; .reg .b32 %t, %n; .reg .pred %p, %q;\n" + registers.str() +
         "\nld.param.u64 %in, [p0]; ld.param.u64 %out, [p1]; mov.u32 %t, %tid.x; mov.u32 %n, %ctaid.x; mad.lo.u32 %t, %n, 256, %t;\n"
         "mul.wide.u32 %step, %t, 8; add.u64 %in, %in, %step; add.u64 %out, %out, %step;\n" +
         (scratch ? ".reg .b64 %scr; ld.param.u64 %scr, [p2]; mul.wide.u32 %step, %t, 64; add.u64 %scr, %scr, %step;\n" : "") + loads.str() + form.code + "\n" + stores.str() + "ret;\n}\n";
}

std::vector<u64> inputsOf(const Form& form) {
  std::vector<u64> values;
  for (std::size_t k = 0; k < form.inputs.size(); ++k)
    for (std::uint32_t j = 0; j < std::max(1u, form.inputs[k].second); ++j)
      for (u64 e = 0; e < formElements; ++e) values.push_back(valueOf(form.inputs[k].first, e, static_cast<std::uint32_t>(8 * k + j)));
  return values;
}

}  // namespace warpmill::exec::test
