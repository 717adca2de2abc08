#include "exec/matrices/matrices.h"

#include <cctype>
#include <fstream>
#include <sstream>

namespace warpmill::exec::test {

namespace {

using u32 = std::uint32_t;
using u64 = std::uint64_t;

u64 mix(u64 i, u32 seed) {
  auto x = static_cast<u32>(i + static_cast<u32>(seed * 0x9E3779B9u));
  x ^= x >> 16;
  x *= 0x85ebca6bu;
  x ^= x >> 13;
  x *= 0xc2b2ae35u;
  x ^= x >> 16;
  return x;
}

struct Format { u32 exponentBits, fractionBits; };
Format formatOf(char kind) {
  switch (kind) {
    case 'h': return {5, 10};
    case 'b': return {8, 7};
    case 'e': return {4, 3};
    case 'g': return {5, 2};
    case 'd': return {11, 52};
    default: return {8, 23};
  }
}

u64 element(char kind, u32 mode, u64 x, u64 y, u64 z, bool accumulator) {
  const auto [e, f] = formatOf(kind);
  const u64 bias = (u64{1} << (e - 1)) - 1, top = (u64{1} << e) - 1, fraction = (z << 32 | x) & ((u64{1} << f) - 1), sign = y >> 31 << (e + f);
  const auto of = [&](u64 exponent) { return sign | exponent << f | fraction; };
  const bool wideRange = accumulator && e >= 8;
  switch (mode) {
    case 0: return of(y % 6 + bias - 3);
    case 1: {
      u64 field = z >> 8 & top;
      if (field == top) field = top - 1;
      return wideRange && (y >> 16 & 1) != 0 ? of(y % 48 + bias - 24) : of(field);
    }
    case 2: {
      const u64 what = y & 127;
      if (what == 0) return sign | top << f | ((y >> 8 & 1) != 0 ? 0 : fraction);
      return what < 9 ? sign : of((y >> 12) % 6 + bias - 3);
    }
    default: return wideRange ? of(y % 25 + bias - 12) : of(y % 13 + bias - 6);
  }
}

bool isWide(char kind) { return kind == 'd'; }

u64 word(char kind, u32 block, u32 slot, u64 index) {
  const u32 mode = block & 3;
  const u64 base = ((u64{block} << 16) + index) * 8;
  const auto r = [&](u32 sub, u32 k) { return mix(base + sub, slot * 16 + k); };
  switch (kind) {
    case 'i': return r(0, 1);
    case 's': {
      const u64 x = r(0, 1), y = r(0, 2);
      if (mode < 2) return x;
      return (y & 1) != 0 ? 0x7FFFFFFF - (x & 0xFFFF) : 0x80000000 + (x & 0xFFFF);
    }
    case 'm': case 'n': {
      static constexpr u64 two[] = {0x4, 0x8, 0x9, 0xC, 0xD, 0xE}, one[] = {0x4, 0xE};
      u64 out = 0;
      for (u32 k = 0; k < 8; ++k) out |= (kind == 'm' ? two[r(k, 1) % 6] : one[r(k, 1) % 2]) << (4 * k);
      return out;
    }
    default: break;
  }
  const char lower = static_cast<char>(std::tolower(kind));
  const u32 per = lower == 'h' || lower == 'b' ? 2 : lower == 'e' || lower == 'g' ? 4 : 1;
  u64 out = 0;
  for (u32 k = 0; k < per; ++k) out |= element(lower, mode, r(k, 1), r(k, 2), r(k, 3), std::isupper(kind) != 0 || kind == 'f') << (32 / per * k);
  return out;
}

std::string registerList(char letter, u32 count) {
  std::string list = "{";
  for (u32 j = 0; j < count; ++j) list += (j == 0 ? "%" : ",%") + std::string(1, letter) + std::to_string(j);
  return list + "}";
}

void replaceAll(std::string& text, const std::string& what, const std::string& by) {
  for (std::size_t at = text.find(what); at != std::string::npos; at = text.find(what, at + by.size())) text.replace(at, what.size(), by);
}

}  // namespace

u32 MatrixForm::inputWords() const {
  u32 registers = 0;
  for (const Input& i : inputs) registers += i.count * (isWide(i.kind) ? 2 : 1);
  return threads * registers + sharedBytes / 4;
}
u32 MatrixForm::outputWords() const { return threads * outputs * outputBits / 32 + (putsSharedOut ? sharedBytes / 4 : 0); }

std::vector<MatrixForm> readMatrixForms(const std::string& path) {
  std::vector<MatrixForm> forms;
  std::ifstream file(path);
  for (std::string line; std::getline(file, line);) {
    if (line.empty() || line[0] == '#') continue;
    MatrixForm f;
    f.line = line;
    const auto arrow = line.find("->"), colon = line.find(" : ");
    f.code = line.substr(colon + 3);
    std::istringstream in(line.substr(0, arrow)), out(line.substr(arrow + 2, colon - arrow - 2));
    in >> f.threads;
    for (std::string w; in >> w;) {
      const auto count = static_cast<u32>(std::stoul(w.substr(4)));
      if (w[0] == 'S') {
        f.sharedKind = w[2];
        f.sharedBytes = count;
      } else {
        f.inputs.push_back({w[0], w[2], count});
      }
    }
    for (std::string w; out >> w;) {
      if (w == "S") f.putsSharedOut = true;
      else {
        f.outputBits = static_cast<u32>(std::stoul(w.substr(2)));
        f.outputs = static_cast<u32>(std::stoul(w.substr(w.find('*') + 1)));
      }
    }
    forms.push_back(std::move(f));
  }
  return forms;
}

std::string programOf(const MatrixForm& f) {
  std::ostringstream t;
  t << ".version 8.7\n.target sm_90a\n.address_size 64\n";
  if (f.sharedBytes != 0) t << ".shared .align 1024 .b8 sm[" << f.sharedBytes << "];\n";
  t << ".visible .entry k(.param .u64 p0, .param .u64 p1)\n{\n.reg .b64 %in, %out, %at, %x<8>; .reg .b32 %t, %n, %sm, %w, %r<8>; .reg .pred %p, %q;\n";
  std::string code = f.code;
  for (const auto& i : f.inputs) {
    const char letter = static_cast<char>(std::tolower(i.letter));
    t << ".reg .b" << (isWide(i.kind) ? 64 : 32) << " %" << letter << "<" << i.count << ">;\n";
    replaceAll(code, std::string("{") + i.letter + "}", registerList(letter, i.count));
  }
  replaceAll(code, "{D}", registerList('d', f.outputs));
  replaceAll(code, "; ", ";\n");
  if (f.outputs != 0) t << ".reg .b" << f.outputBits << " %d<" << f.outputs << ">;\n";
  t << "ld.param.u64 %in, [p0]; ld.param.u64 %out, [p1]; mov.u32 %t, %tid.x; mov.u32 %n, %ctaid.x; mov.u32 %sm, 0;\n"
    << "mad.wide.u32 %in, %n, " << 4 * f.inputWords() << ", %in; mad.wide.u32 %out, %n, " << 4 * f.outputWords() << ", %out;\n";
  u32 at = 0;
  for (const auto& i : f.inputs) {
    const u32 size = isWide(i.kind) ? 8 : 4;
    t << "mad.wide.u32 %at, %t, " << size << ", %in;\n";
    for (u32 j = 0; j < i.count; ++j, at += size * f.threads)
      t << "ld.global.b" << 8 * size << " %" << static_cast<char>(std::tolower(i.letter)) << j << ", [%at+" << at << "];\n";
  }
  if (f.sharedBytes != 0)
    t << "mov.u32 %sm, sm;\nmov.u32 %w, %t;\nFILL: mad.wide.u32 %at, %w, 4, %in; ld.global.b32 %r0, [%at+" << at
      << "]; shl.b32 %r1, %w, 2; add.u32 %r1, %r1, %sm; st.shared.b32 [%r1], %r0;\nadd.u32 %w, %w, " << f.threads << "; setp.lt.u32 %p, %w, "
      << f.sharedBytes / 4 << "; @%p bra FILL;\nfence.proxy.async;\nbar.sync 0;\n";
  t << code << "\nmad.wide.u32 %at, %t, " << f.outputBits / 8 << ", %out;\n";
  for (u32 j = 0; j < f.outputs; ++j) t << "st.global.b" << f.outputBits << " [%at+" << f.outputBits / 8 * f.threads * j << "], %d" << j << ";\n";
  if (f.putsSharedOut)
    t << "bar.sync 0;\nmov.u32 %w, %t;\nDUMP: mad.wide.u32 %at, %w, 4, %out; shl.b32 %r1, %w, 2; add.u32 %r1, %r1, %sm; ld.shared.b32 %r0, [%r1]; "
      << "st.global.b32 [%at+" << f.outputBits / 8 * f.threads * f.outputs << "], %r0;\nadd.u32 %w, %w, " << f.threads << "; setp.lt.u32 %p, %w, "
      << f.sharedBytes / 4 << "; @%p bra DUMP;\n";
  t << "ret;\n}\n";
  return t.str();
}

std::vector<u32> inputsOf(const MatrixForm& f) {
  std::vector<u32> all;
  for (u32 block = 0; block < f.blocks(); ++block) {
    u32 slot = 0;
    for (const auto& i : f.inputs)
      for (u32 j = 0; j < i.count; ++j, ++slot)
        for (u32 t = 0; t < f.threads; ++t) {
          const u64 w = word(i.kind, block, slot, t);
          all.push_back(static_cast<u32>(w));
          if (isWide(i.kind)) all.push_back(static_cast<u32>(w >> 32));
        }
    for (u32 w = 0; w < f.sharedBytes / 4; ++w) all.push_back(static_cast<u32>(word(f.sharedKind, block, 999, w)));
  }
  return all;
}

}  // namespace warpmill::exec::test
