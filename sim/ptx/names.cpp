#include "ptx/names.h"

#include "base/suggest.h"

#include <algorithm>
#include <array>

namespace warpmill::ptx {
namespace {

struct TypeEntry {
  Type type;
  std::string_view name;
  std::uint8_t bytes;
  char kind;
};  // kind: b, u, s, f, p; o: opaque
constexpr std::array typeTable{
    TypeEntry{Type::None, "", 0, ' '},         TypeEntry{Type::Pred, "pred", 1, 'p'},     TypeEntry{Type::B8, "b8", 1, 'b'},
    TypeEntry{Type::B16, "b16", 2, 'b'},       TypeEntry{Type::B32, "b32", 4, 'b'},       TypeEntry{Type::B64, "b64", 8, 'b'},
    TypeEntry{Type::B128, "b128", 16, 'b'},    TypeEntry{Type::U8, "u8", 1, 'u'},         TypeEntry{Type::U16, "u16", 2, 'u'},
    TypeEntry{Type::U32, "u32", 4, 'u'},       TypeEntry{Type::U64, "u64", 8, 'u'},       TypeEntry{Type::S8, "s8", 1, 's'},
    TypeEntry{Type::S16, "s16", 2, 's'},       TypeEntry{Type::S32, "s32", 4, 's'},       TypeEntry{Type::S64, "s64", 8, 's'},
    TypeEntry{Type::F16, "f16", 2, 'f'},       TypeEntry{Type::F16x2, "f16x2", 4, 'f'},   TypeEntry{Type::BF16, "bf16", 2, 'f'},
    TypeEntry{Type::BF16x2, "bf16x2", 4, 'f'}, TypeEntry{Type::TF32, "tf32", 4, 'f'},     TypeEntry{Type::F32, "f32", 4, 'f'},
    TypeEntry{Type::F64, "f64", 8, 'f'},       TypeEntry{Type::E4M3, "e4m3", 1, 'f'},     TypeEntry{Type::E5M2, "e5m2", 1, 'f'},
    TypeEntry{Type::E4M3x2, "e4m3x2", 2, 'f'}, TypeEntry{Type::E5M2x2, "e5m2x2", 2, 'f'}, TypeEntry{Type::U16x2, "u16x2", 4, 'u'},
    TypeEntry{Type::S16x2, "s16x2", 4, 's'},   TypeEntry{Type::U4, "u4", 1, 'u'},         TypeEntry{Type::S4, "s4", 1, 's'},
    TypeEntry{Type::B1, "b1", 1, 'b'},         TypeEntry{Type::U2, "u2", 1, 'u'},         TypeEntry{Type::S2, "s2", 1, 's'},
    TypeEntry{Type::U8x4, "u8x4", 4, 'u'},     TypeEntry{Type::S8x4, "s8x4", 4, 's'},     TypeEntry{Type::F32x2, "f32x2", 8, 'f'},
    TypeEntry{Type::E2M3, "e2m3", 1, 'f'},     TypeEntry{Type::E3M2, "e3m2", 1, 'f'},     TypeEntry{Type::E2M1, "e2m1", 1, 'f'},
    TypeEntry{Type::UE8M0, "ue8m0", 1, 'f'},   TypeEntry{Type::UE4M3, "ue4m3", 1, 'f'},   TypeEntry{Type::E2M3x2, "e2m3x2", 2, 'f'},
    TypeEntry{Type::E3M2x2, "e3m2x2", 2, 'f'}, TypeEntry{Type::E2M1x2, "e2m1x2", 1, 'f'}, TypeEntry{Type::UE8M0x2, "ue8m0x2", 2, 'f'},
    TypeEntry{Type::E4M3x4, "e4m3x4", 4, 'f'}, TypeEntry{Type::E5M2x4, "e5m2x4", 4, 'f'}, TypeEntry{Type::E2M3x4, "e2m3x4", 4, 'f'},
    TypeEntry{Type::E3M2x4, "e3m2x4", 4, 'f'}, TypeEntry{Type::E2M1x4, "e2m1x4", 2, 'f'},
    // What a lane gets of sixteen small elements.
    TypeEntry{Type::B8x16, "b8x16", 4, 'b'},   TypeEntry{Type::B4x16, "b4x16", 4, 'b'},
    TypeEntry{Type::B4x16P64, "b4x16_p64", 4, 'b'}, TypeEntry{Type::B6x16P32, "b6x16_p32", 4, 'b'},
    TypeEntry{Type::B6P2x16, "b6p2x16", 4, 'b'},
    TypeEntry{Type::Texref, "texref", 8, 'o'}, TypeEntry{Type::Samplerref, "samplerref", 8, 'o'},
    TypeEntry{Type::Surfref, "surfref", 8, 'o'}};

constexpr bool typesInOrder() {
  for (std::size_t i = 0; i < typeTable.size(); ++i)
    if (typeTable[i].type != static_cast<Type>(i)) return false;
  return typeTable.size() == static_cast<std::size_t>(Type::Surfref) + 1;
}
static_assert(typesInOrder());

const TypeEntry& entryOf(Type type) {
  return typeTable[static_cast<std::size_t>(type)];
}

struct SpaceEntry {
  std::string_view name;
  Space space;
};
constexpr std::array spaceTable{
    SpaceEntry{"const", Space::Const},        SpaceEntry{"global", Space::Global},          SpaceEntry{"local", Space::Local},
    SpaceEntry{"param", Space::Param},        SpaceEntry{"shared", Space::Shared},          SpaceEntry{"reg", Space::Reg},
    SpaceEntry{"shared::cta", Space::Shared}, SpaceEntry{"shared::cluster", Space::Shared}, SpaceEntry{"param::entry", Space::Param},
    SpaceEntry{"param::func", Space::Param},  SpaceEntry{"sreg", Space::SpecialReg}};

struct SpecialEntry {
  std::string_view name;
  SpecialRegister special;
};
using S = SpecialRegister;
constexpr std::array specialTable{SpecialEntry{"%tid.x", S::TidX},
                                  SpecialEntry{"%tid.y", S::TidY},
                                  SpecialEntry{"%tid.z", S::TidZ},
                                  SpecialEntry{"%ntid.x", S::NtidX},
                                  SpecialEntry{"%ntid.y", S::NtidY},
                                  SpecialEntry{"%ntid.z", S::NtidZ},
                                  SpecialEntry{"%ctaid.x", S::CtaidX},
                                  SpecialEntry{"%ctaid.y", S::CtaidY},
                                  SpecialEntry{"%ctaid.z", S::CtaidZ},
                                  SpecialEntry{"%nctaid.x", S::NctaidX},
                                  SpecialEntry{"%nctaid.y", S::NctaidY},
                                  SpecialEntry{"%nctaid.z", S::NctaidZ},
                                  SpecialEntry{"%laneid", S::LaneId},
                                  SpecialEntry{"%warpid", S::WarpId},
                                  SpecialEntry{"%nwarpid", S::NwarpId},
                                  SpecialEntry{"%smid", S::SmId},
                                  SpecialEntry{"%nsmid", S::NsmId},
                                  SpecialEntry{"%gridid", S::GridId},
                                  SpecialEntry{"%clock", S::Clock},
                                  SpecialEntry{"%clock_hi", S::ClockHi},
                                  SpecialEntry{"%clock64", S::Clock64},
                                  SpecialEntry{"%globaltimer", S::GlobalTimer},
                                  SpecialEntry{"%globaltimer_lo", S::GlobalTimerLo},
                                  SpecialEntry{"%globaltimer_hi", S::GlobalTimerHi},
                                  SpecialEntry{"%lanemask_eq", S::LanemaskEq},
                                  SpecialEntry{"%lanemask_le", S::LanemaskLe},
                                  SpecialEntry{"%lanemask_lt", S::LanemaskLt},
                                  SpecialEntry{"%lanemask_ge", S::LanemaskGe},
                                  SpecialEntry{"%lanemask_gt", S::LanemaskGt},
                                  SpecialEntry{"%dynamic_smem_size", S::DynamicSmemSize},
                                  SpecialEntry{"%total_smem_size", S::TotalSmemSize},
                                  SpecialEntry{"%cluster_ctaid.x", S::ClusterCtaidX},
                                  SpecialEntry{"%cluster_ctaid.y", S::ClusterCtaidY},
                                  SpecialEntry{"%cluster_ctaid.z", S::ClusterCtaidZ},
                                  SpecialEntry{"%cluster_nctaid.x", S::ClusterNctaidX},
                                  SpecialEntry{"%cluster_nctaid.y", S::ClusterNctaidY},
                                  SpecialEntry{"%cluster_nctaid.z", S::ClusterNctaidZ},
                                  SpecialEntry{"%cluster_ctarank", S::ClusterCtaRank},
                                  SpecialEntry{"%cluster_nctarank", S::ClusterNctaRank},
                                  SpecialEntry{"%clusterid.x", S::ClusteridX},
                                  SpecialEntry{"%clusterid.y", S::ClusteridY},
                                  SpecialEntry{"%clusterid.z", S::ClusteridZ},
                                  SpecialEntry{"%nclusterid.x", S::NclusteridX},
                                  SpecialEntry{"%nclusterid.y", S::NclusteridY},
                                  SpecialEntry{"%nclusterid.z", S::NclusteridZ},
                                  SpecialEntry{"%is_explicit_cluster", S::IsExplicitCluster},
                                  SpecialEntry{"%aggr_smem_size", S::AggrSmemSize},
                                  SpecialEntry{"%reserved_smem_offset_begin", S::ReservedSmemOffsetBegin},
                                  SpecialEntry{"%reserved_smem_offset_end", S::ReservedSmemOffsetEnd},
                                  SpecialEntry{"%reserved_smem_offset_cap", S::ReservedSmemOffsetCap},
                                  SpecialEntry{"%reserved_smem_offset_0", S::ReservedSmemOffset0},
                                  SpecialEntry{"%reserved_smem_offset_1", S::ReservedSmemOffset1},
                                  SpecialEntry{"%current_graph_exec", S::CurrentGraphExec},
                                  // Numbered ones: see numberedSpecial.
                                  SpecialEntry{"%envreg0", S::Envreg0},
                                  SpecialEntry{"%pm0", S::Pm0},
                                  SpecialEntry{"%pm0_64", S::Pm0_64}};

// %envreg17, %pm3, %pm3_64
S numberedSpecial(std::string_view name) {
  const auto numbered = [&](std::string_view prefix, std::string_view suffix, S first, unsigned count) {
    if (!name.starts_with(prefix) || !name.ends_with(suffix)) return S::None;
    const std::string_view digits = name.substr(prefix.size(), name.size() - prefix.size() - suffix.size());
    if (digits.empty() || digits.size() > 2 || digits.find_first_not_of("0123456789") != std::string_view::npos ||
        (digits.size() == 2 && digits[0] == '0'))
      return S::None;
    unsigned number = 0;
    for (const char digit : digits) number = 10 * number + static_cast<unsigned>(digit - '0');
    return number < count ? static_cast<S>(static_cast<unsigned>(first) + number) : S::None;
  };
  S found = numbered("%envreg", "", S::Envreg0, 32);
  if (found == S::None) found = numbered("%pm", "_64", S::Pm0_64, 8);
  return found == S::None ? numbered("%pm", "", S::Pm0, 8) : found;
}

constexpr std::array opcodeNames{
    std::string_view{"?"},
#define WM_OPCODE(id, text) std::string_view{text},
#include "ptx/opcodes.def"
#undef WM_OPCODE
};
static_assert(opcodeNames.size() == static_cast<std::size_t>(Opcode::Count));

}  // namespace

std::string_view opcodeName(Opcode opcode) {
  return opcodeNames[static_cast<std::size_t>(opcode)];
}
std::string_view typeName(Type type) {
  return entryOf(type).name;
}
std::uint32_t sizeBytes(Type type) {
  return entryOf(type).bytes;
}
bool isFloat(Type type) {
  return entryOf(type).kind == 'f';
}
bool isSigned(Type type) {
  return entryOf(type).kind == 's';
}

std::string_view spaceName(Space space) {
  if (space == Space::Generic) return "generic";
  for (const SpaceEntry& entry : spaceTable)
    if (entry.space == space) return entry.name;
  return "";
}

Type typeOf(std::string_view name) {
  for (const TypeEntry& entry : typeTable)
    if (entry.name == name && !name.empty()) return entry.type;
  return Type::None;
}

char kindOf(Type type) {
  return entryOf(type).kind;
}

Space spaceOf(std::string_view name) {
  for (const SpaceEntry& entry : spaceTable)
    if (entry.name == name) return entry.space;
  return Space::None;
}

SpecialRegister specialOf(std::string_view name) {
  for (const SpecialEntry& entry : specialTable)
    if (entry.name == name) return entry.special;
  return numberedSpecial(name);
}

void Nearest::offer(std::string_view candidate) {
  const std::size_t difference = candidate.size() > word_.size() ? candidate.size() - word_.size() : word_.size() - candidate.size();
  if (difference > limit_ || candidate.size() > 64 || candidate == word_ || offers_ == maxOffers) return;
  ++offers_;
  const std::size_t distance = editDistance(word_, candidate);
  // Of two equally near ones, that which begins alike: "ad" is rather "add" than "and".
  const auto common =
      static_cast<std::size_t>(std::mismatch(word_.begin(), word_.end(), candidate.begin(), candidate.end()).first - word_.begin());
  if (distance <= limit_ && (distance < distance_ || (distance == distance_ && common > common_))) {
    distance_ = distance;
    common_ = common;
    best_ = candidate;
  }
}

std::string Nearest::hint(std::string_view prefix) const {
  return best_.empty() ? std::string{} : "did you mean " + std::string(prefix) + best_ + "?";
}

void offerTypes(Nearest& nearest) {
  for (const TypeEntry& entry : typeTable)
    if (!entry.name.empty()) nearest.offer(entry.name);
}

void offerSpecials(Nearest& nearest) {
  for (const SpecialEntry& entry : specialTable) nearest.offer(entry.name);
}

void offerOpcodes(Nearest& nearest) {
  for (std::size_t i = 1; i < opcodeNames.size(); ++i) nearest.offer(opcodeNames[i]);
}

}  // namespace warpmill::ptx
