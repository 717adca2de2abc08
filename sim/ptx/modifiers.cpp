#include "ptx/modifiers.h"

#include "ptx/names.h"
#include "ptx/opcode_table.h"

#include <algorithm>
#include <array>

namespace warpmill::ptx {
namespace {

// Words with one meaning wherever they stand.
struct RoundingWord {
  std::string_view text;
  Rounding value;
};
constexpr std::array roundings{RoundingWord{"rn", Rounding::Rn},   RoundingWord{"rz", Rounding::Rz},   RoundingWord{"rm", Rounding::Rm},
                               RoundingWord{"rp", Rounding::Rp},   RoundingWord{"rna", Rounding::Rna}, RoundingWord{"rni", Rounding::Rni},
                               RoundingWord{"rzi", Rounding::Rzi}, RoundingWord{"rmi", Rounding::Rmi}, RoundingWord{"rpi", Rounding::Rpi},
                               RoundingWord{"rs", Rounding::Rs}};

struct CompareWord {
  std::string_view text;
  Compare value;
};
constexpr std::array compares{CompareWord{"eq", Compare::Eq},   CompareWord{"ne", Compare::Ne},   CompareWord{"lt", Compare::Lt},
                              CompareWord{"le", Compare::Le},   CompareWord{"gt", Compare::Gt},   CompareWord{"ge", Compare::Ge},
                              CompareWord{"lo", Compare::Lo},   CompareWord{"ls", Compare::Ls},   CompareWord{"hi", Compare::Hi},
                              CompareWord{"hs", Compare::Hs},   CompareWord{"equ", Compare::Equ}, CompareWord{"neu", Compare::Neu},
                              CompareWord{"ltu", Compare::Ltu}, CompareWord{"leu", Compare::Leu}, CompareWord{"gtu", Compare::Gtu},
                              CompareWord{"geu", Compare::Geu}, CompareWord{"num", Compare::Num}, CompareWord{"nan", Compare::Nan}};

struct AtomWord {
  std::string_view text;
  AtomOp value;
};
constexpr std::array atoms{AtomWord{"and", AtomOp::And}, AtomWord{"or", AtomOp::Or},     AtomWord{"xor", AtomOp::Xor},
                           AtomWord{"cas", AtomOp::Cas}, AtomWord{"exch", AtomOp::Exch}, AtomWord{"add", AtomOp::Add},
                           AtomWord{"inc", AtomOp::Inc}, AtomWord{"dec", AtomOp::Dec},   AtomWord{"min", AtomOp::Min},
                           AtomWord{"max", AtomOp::Max}};

struct OrderWord {
  std::string_view text;
  MemoryOrder value;
};
constexpr std::array orders{OrderWord{"weak", MemoryOrder::Weak},         OrderWord{"relaxed", MemoryOrder::Relaxed},
                            OrderWord{"acquire", MemoryOrder::Acquire},   OrderWord{"release", MemoryOrder::Release},
                            OrderWord{"acq_rel", MemoryOrder::AcqRel},    OrderWord{"sc", MemoryOrder::SeqCst},
                            OrderWord{"volatile", MemoryOrder::Volatile}, OrderWord{"mmio", MemoryOrder::Mmio}};

struct ScopeWord {
  std::string_view text;
  Scope value;
};
constexpr std::array scopes{ScopeWord{"cta", Scope::Cta}, ScopeWord{"cluster", Scope::Cluster}, ScopeWord{"gpu", Scope::Gpu},
                            ScopeWord{"gl", Scope::Gpu},  // membar.gl
                            ScopeWord{"sys", Scope::Sys}};

struct CacheWord {
  std::string_view text;
  CacheOp value;
};
constexpr std::array caches{CacheWord{"ca", CacheOp::Ca}, CacheWord{"cg", CacheOp::Cg}, CacheWord{"cs", CacheOp::Cs},
                            CacheWord{"lu", CacheOp::Lu}, CacheWord{"cv", CacheOp::Cv}, CacheWord{"wb", CacheOp::Wb},
                            CacheWord{"wt", CacheOp::Wt}};

struct ShflWord {
  std::string_view text;
  ShflMode value;
};
constexpr std::array shuffles{ShflWord{"up", ShflMode::Up}, ShflWord{"down", ShflMode::Down}, ShflWord{"bfly", ShflMode::Bfly},
                              ShflWord{"idx", ShflMode::Idx}};

struct VoteWord {
  std::string_view text;
  VoteMode value;
};
constexpr std::array votes{VoteWord{"all", VoteMode::All}, VoteWord{"any", VoteMode::Any}, VoteWord{"uni", VoteMode::Uni},
                           VoteWord{"ballot", VoteMode::Ballot}};

struct FlagWord {
  std::string_view text;
  bool Modifiers::*flag;
};
constexpr std::array flags{
    FlagWord{"ftz", &Modifiers::ftz},         FlagWord{"sat", &Modifiers::sat},     FlagWord{"approx", &Modifiers::approx},
    FlagWord{"full", &Modifiers::full},       FlagWord{"uni", &Modifiers::uniform}, FlagWord{"sync", &Modifiers::sync},
    FlagWord{"aligned", &Modifiers::aligned}, FlagWord{"cc", &Modifiers::carryOut}, FlagWord{"nc", &Modifiers::nonCoherent},
    FlagWord{"to", &Modifiers::to},           FlagWord{"relu", &Modifiers::relu},   FlagWord{"NaN", &Modifiers::nan},
    FlagWord{"xorsign", &Modifiers::xorsign}, FlagWord{"wrap", &Modifiers::wrap},   FlagWord{"clamp", &Modifiers::clamp},
    FlagWord{"l", &Modifiers::left},          FlagWord{"r", &Modifiers::right},     FlagWord{"trans", &Modifiers::trans},
    FlagWord{"noftz", &Modifiers::noftz},     FlagWord{"pack", &Modifiers::pack},   FlagWord{"satfinite", &Modifiers::satfinite},
    FlagWord{"abs", &Modifiers::abs},         FlagWord{"po", &Modifiers::plusOne},  FlagWord{"oob", &Modifiers::oob}};

struct GeometryWord {
  std::string_view text;
  Geometry value;
};
constexpr std::array geometries{GeometryWord{"1d", Geometry::D1},     GeometryWord{"2d", Geometry::D2},
                                GeometryWord{"3d", Geometry::D3},     GeometryWord{"a1d", Geometry::A1d},
                                GeometryWord{"a2d", Geometry::A2d},   GeometryWord{"cube", Geometry::Cube},
                                GeometryWord{"acube", Geometry::Acube}, GeometryWord{"2dms", Geometry::D2ms},
                                GeometryWord{"a2dms", Geometry::A2dms}};

struct MipWord {
  std::string_view text;
  MipMode value;
};
constexpr std::array mips{MipWord{"base", MipMode::Base}, MipWord{"level", MipMode::Level}, MipWord{"grad", MipMode::Grad}};

// Words without a field that strict opcodes may carry (others: anything goes).
constexpr std::array<std::string_view, 26> textWords{
    "shiftamt", "finite", "infinite", "number",     "notanumber", "normal", "subnormal", "f4e",      "b4e",
    "rc8",      "ecl",    "ecr",      "rc16",       "unified",    "red",    "ignore_src", "arrive",  "warp",
    "wait",     "popc",   "entry",    "func",       "noreturn",   "read",   "scalar",    "scaled"};

template <class Table>
bool pick(const Table& table, std::string_view word, auto& field) {
  for (const auto& entry : table)
    if (entry.text == word) {
      field = entry.value;
      return true;
    }
  return false;
}

bool isOneOf(Opcode opcode, std::initializer_list<Opcode> list) {
  return std::find(list.begin(), list.end(), opcode) != list.end();
}

bool addType(Modifiers& mods, std::string_view word) {
  const Type type = typeOf(word);
  if (type == Type::None) return false;
  for (Type* slot : {&mods.type, &mods.sourceType, &mods.thirdType, &mods.fourthType})
    if (*slot == Type::None) {
      *slot = type;
      return true;
    }
  return true;  // a fifth type stays in the text
}

bool addSpace(Modifiers& mods, std::string_view word) {
  const Space space = spaceOf(word);
  if (space == Space::None) return false;
  (mods.space == Space::None ? mods.space : mods.toSpace) = space;
  return true;
}

// Words whose meaning hangs on the opcode.
bool addByOpcode(Opcode opcode, Modifiers& mods, std::string_view word) {
  const bool atomic = isOneOf(opcode, {Opcode::Atom, Opcode::Red, Opcode::Redux, Opcode::RedAsync, Opcode::CpReduceAsyncBulk, Opcode::CpReduceAsyncBulkTensor,
                                        Opcode::MultimemRed, Opcode::MultimemLdReduce, Opcode::MultimemCpReduceAsyncBulk});
  if (atomic) return pick(atoms, word, mods.atom);
  if (isVideo(opcode)) {
    if (pick(atoms, word, mods.atom) || pick(compares, word, mods.compare)) return true;
    if (word == "shr7" || word == "shr15") mods.shiftRight = word == "shr7" ? 7 : 15;
    return word.starts_with("shr");
  }
  if (isOneOf(opcode, {Opcode::Tex, Opcode::Tld4, Opcode::Txq, Opcode::Suld, Opcode::Sust, Opcode::Sured})) {
    if (pick(geometries, word, mods.geometry) || pick(mips, word, mods.mip)) return true;
    if (word.size() != 1 || opcode != Opcode::Tld4) return false;
    mods.component = word[0];
    return true;
  }
  if (isOneOf(opcode, {Opcode::Set, Opcode::Setp}) && pick(compares, word, mods.compare)) return true;
  if (isOneOf(opcode, {Opcode::Vote, Opcode::Match})) return pick(votes, word, mods.vote);
  if (opcode == Opcode::Shfl) return pick(shuffles, word, mods.shfl);
  if (word == "and") {
    mods.boolOp = BoolOp::And;
    return true;
  }
  if (word == "or") {
    mods.boolOp = BoolOp::Or;
    return true;
  }
  if (word == "xor") {
    mods.boolOp = BoolOp::Xor;
    return true;
  }
  if (word == "lo") {
    mods.part = MulPart::Lo;
    return true;
  }
  if (word == "hi") {
    mods.part = MulPart::Hi;
    return true;
  }
  if (word == "wide") {
    mods.part = MulPart::Wide;
    return true;
  }
  return false;
}

bool addWord(Opcode opcode, Modifiers& mods, std::string_view word) {
  if (addType(mods, word) || addSpace(mods, word) || addByOpcode(opcode, mods, word)) return true;
  if (pick(roundings, word, mods.rounding) || pick(orders, word, mods.order) || pick(scopes, word, mods.scope) ||
      pick(caches, word, mods.cache))
    return true;
  for (const FlagWord& flag : flags)
    if (flag.text == word) {
      mods.*flag.flag = true;
      return true;
    }
  if (word == "v2" || word == "v4" || word == "v8") {
    mods.vectorWidth = static_cast<std::uint8_t>(word[1] - '0');
    return true;
  }
  if (word.find("::") != std::string_view::npos) return true;  // cache hints: .L2::128B, .L1::no_allocate
  return std::find(textWords.begin(), textWords.end(), word) != textWords.end();
}

std::string suggestion(Opcode opcode, std::string_view word) {
  Nearest nearest(word);
  offerTypes(nearest);
  for (const auto& e : roundings) nearest.offer(e.text);
  for (const auto& e : flags) nearest.offer(e.text);
  for (const auto& e : orders) nearest.offer(e.text);
  for (std::string_view space : {"global", "shared", "local", "param", "const", "wide", "lo", "hi", "v2", "v4"}) nearest.offer(space);
  if (isOneOf(opcode, {Opcode::Set, Opcode::Setp}))
    for (const auto& e : compares) nearest.offer(e.text);
  if (isOneOf(opcode, {Opcode::Atom, Opcode::Red, Opcode::Redux}))
    for (const auto& e : atoms) nearest.offer(e.text);
  if (opcode == Opcode::Shfl)
    for (const auto& e : shuffles) nearest.offer(e.text);
  if (opcode == Opcode::Vote)
    for (const auto& e : votes) nearest.offer(e.text);
  return nearest.hint(".");
}

// "did you mean .lo?", or what there is.
std::string wordHint(std::string_view known, std::string_view word) {
  Nearest nearest(word);
  std::string all;
  for (std::size_t at = 1; at < known.size();) {
    const std::size_t end = known.find(' ', at);
    nearest.offer(known.substr(at, end - at));
    all += (all.empty() ? "it takes ." : ", .") + std::string(known.substr(at, end - at));
    at = end + 1;
  }
  return nearest.best().empty() ? (all.empty() ? "leave it out" : all) : nearest.hint(".");
}

}  // namespace

Modifiers readModifiers(Opcode opcode, std::string_view text, ModifierProblem& problem) {
  Modifiers mods;
  const OpcodeInfo& info = infoOf(opcode);
  const std::string_view known = info.strict ? wordsOf(opcode) : std::string_view();
  std::size_t begin = 0;
  while (begin < text.size()) {
    const std::size_t end = std::min(text.find('.', begin + 1), text.size());
    const std::string_view word = text.substr(begin + 1, end - begin - 1);
    if (!addWord(opcode, mods, word) && info.strict) {
      const bool looksLikeType =
          word.size() >= 2 && std::string_view("bsuf").find(word[0]) != std::string_view::npos && word[1] >= '0' && word[1] <= '9';
      problem = {begin, end - begin,
                 std::string(looksLikeType ? "unknown type '." : "unknown modifier '.") + std::string(word) + "' of '" +
                     std::string(opcodeName(opcode)) + "'",
                 suggestion(opcode, word)};
      problem.isNew = problem.hint.empty() && !looksLikeType && word.size() > 2;
      return mods;
    }
    const bool isLevel = word.find("::") != std::string_view::npos && known.find(" global ") != std::string_view::npos;  // .L2::128B, .shared::cta
    if (!known.empty() && !isLevel && typeOf(word) == Type::None && known.find(" " + std::string(word) + " ") == std::string_view::npos) {
      problem = {begin, end - begin, "'" + std::string(opcodeName(opcode)) + "' does not take '." + std::string(word) + "'", wordHint(known, word)};
      return mods;
    }
    begin = end;
  }
  if (info.strict && info.needsType && mods.type == Type::None) {
    const std::string_view example = info.kinds.empty()                               ? ".b32"
                                     : info.kinds.find('f') != std::string_view::npos ? ".f32"
                                     : info.kinds[0] == 'b'                           ? ".b32"
                                                                                      : ".u32";
    problem = {0, std::max<std::size_t>(text.size(), 1), "'" + std::string(opcodeName(opcode)) + "' has no type",
               "name it after a dot, as in '" + std::string(opcodeName(opcode)) + std::string(text) + std::string(example) + "'"};
  }
  return mods;
}

}  // namespace warpmill::ptx
