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
};  // kind: b, u, s, f
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
    TypeEntry{Type::B1, "b1", 1, 'b'}};

constexpr bool typesInOrder() {
  for (std::size_t i = 0; i < typeTable.size(); ++i)
    if (typeTable[i].type != static_cast<Type>(i)) return false;
  return true;
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
                                  SpecialEntry{"%is_explicit_cluster", S::IsExplicitCluster}};

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
  return SpecialRegister::None;
}

bool isOtherSpecial(std::string_view name) {
  for (std::string_view prefix : {"%envreg", "%pm", "%reserved_smem_offset_", "%aggr_smem_size", "%current_graph_exec"})
    if (name.starts_with(prefix)) return true;
  return false;
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
