// tex, tld4, txq and istypep for a warp: operands to texels. How a texel is chosen and mixed stands in texture.h.
#include "base/texts.h"
#include "exec/decoder.h"
#include "exec/faults.h"
#include "exec/lanes.h"
#include "exec/texture.h"

#include <algorithm>
#include <bit>

#include <fmt/format.h>

namespace warpmill::exec {

using ptx::Geometry;
using ptx::Opcode;
using ptx::Operand;
using ptx::Type;

namespace {

constexpr unsigned maxResults = 4, maxCoordinates = 4;

// The bits of Op::aux; the geometry's number of dimensions stands above them.
enum : std::uint32_t { wholeNumbers = 1, layered = 2, gathers = 4, halves = 8, halfPairs = 16, dimensionsShift = 8 };

std::uint64_t handleAt(const Exec& x, const Op& op, unsigned lane) {
  const std::uint32_t* a = x.at(op.a);
  return op.a.bits == 64 ? reinterpret_cast<const portable::PlaneWord64*>(a)[lane] : a[lane];
}

const BoundTexture* textureOf(const Exec& x, std::uint64_t handle) {
  const auto& textures = x.code->context().textures;
  return handle >= 1 && handle <= textures.size() ? &textures[handle - 1] : nullptr;
}

// One lane's read.
class Sampling {
 public:
  Sampling(Exec& x, const Op& op, const BoundTexture& bound, unsigned lane) : x_(x), op_(op), bound_(bound), lane_(lane) {
    if (op.aux2 != 0) {
      const SamplerState& sampler = x.code->context().samplers[op.aux2 - 1];
      bound_.texture.filter = sampler.filter;
      bound_.texture.address = sampler.address;
      bound_.texture.normalizedCoordinates &= !sampler.forceUnnormalized;
    }
  }

  void run() {
    const launch::Texture& t = bound_.texture;
    if ((op_.aux & wholeNumbers) != 0) return fetch();
    if (t.isLinearMemory) return zeros();  // measured: floats read nothing there
    const bool isLinear = t.filter == launch::Texture::Filter::Linear || (op_.aux & gathers) != 0;
    if ((op_.aux & layered) != 0) layer_ = std::min(word(0), t.layers - 1);
    std::array<int, 3> weights{};
    std::uint32_t fixed = 0;  // axes whose second texel has no weight
    for (std::uint32_t k = 0; k < t.dimensions; ++k) {
      const auto offset = static_cast<std::int8_t>(static_cast<std::uint64_t>(op_.offset) >> (8 * k));
      axes_[k] = readAxis(std::bit_cast<float>(word(k + first())), t.extent[k], t.address[k], t.normalizedCoordinates, isLinear, offset);
      weights[k] = axes_[k].weight;
      fixed |= axes_[k].weight == 0 ? 1u << k : 0u;
    }
    touch(0);
    if ((op_.aux & gathers) != 0) return gather();
    const unsigned count = 1u << t.dimensions;
    std::uint32_t involved = 0;
    for (unsigned k = 0; k < count; ++k) involved |= (k & fixed) == 0 ? 1u << k : 0u;
    const std::array<int, 8> mix = isLinear ? weightsOf(weights, t.dimensions) : std::array<int, 8>{};
    for (std::uint32_t c = 0; c < maxResults; ++c) {
      if (c >= t.channels) {
        put(c, 0);
      } else if (!isLinear) {
        put(c, inside(0) ? pointValue(bound_, raw(0, c)) : borderValue(bound_, c));
      } else {
        std::array<std::uint32_t, 8> texels{};
        for (unsigned k = 0; k < count; ++k) texels[k] = inside(k) ? raw(k, c) : borderBits(bound_, c);
        put(c, filteredValue(bound_, texels, mix, count, involved));
      }
    }
  }

 private:
  [[nodiscard]] std::uint32_t first() const { return (op_.aux & layered) != 0 ? 1 : 0; }
  [[nodiscard]] std::uint32_t word(std::uint32_t coordinate) const { return x_.at(op_.elements[maxResults + coordinate])[lane_]; }

  // Whole numbers: a texel, or zero outside. Measured: a one-dimensional array has none, only linear memory.
  void fetch() {
    const launch::Texture& t = bound_.texture;
    bool found = t.dimensions > 1 || t.isLinearMemory || t.layers != 0;
    if ((op_.aux & layered) != 0) {
      layer_ = word(0);
      found &= layer_ < t.layers;
    }
    for (std::uint32_t k = 0; k < t.dimensions; ++k) {
      const auto offset = static_cast<std::int8_t>(static_cast<std::uint64_t>(op_.offset) >> (8 * k));
      axes_[k].first = std::int64_t{static_cast<std::int32_t>(word(k + first()))} + offset;
      found &= axes_[k].first >= 0 && axes_[k].first < t.extent[k];
    }
    if (!found) return zeros();
    touch(0);
    for (std::uint32_t c = 0; c < maxResults; ++c) put(c, c < t.channels ? pointValue(bound_, raw(0, c)) : 0);
  }

  void gather() {
    static constexpr std::array<unsigned, 4> order{2, 3, 1, 0};
    const std::uint32_t channel = op_.elementBytes;
    for (std::uint32_t k = 0; k < maxResults; ++k)
      put(k, channel >= bound_.texture.channels ? 0 : inside(order[k]) ? pointValue(bound_, raw(order[k], channel)) : borderValue(bound_, channel));
  }

  void zeros() {
    for (std::uint32_t c = 0; c < maxResults; ++c) put(c, 0);
  }

  [[nodiscard]] std::int64_t place(unsigned corner, std::uint32_t axis) const {
    return (corner >> axis & 1) != 0 ? axes_[axis].second : axes_[axis].first;
  }
  [[nodiscard]] bool inside(unsigned corner) const {
    for (std::uint32_t k = 0; k < bound_.texture.dimensions; ++k)
      if (place(corner, k) < 0) return false;
    return true;
  }
  [[nodiscard]] std::uint64_t address(unsigned corner) const {
    std::uint64_t index = layer_;
    for (std::uint32_t k = bound_.texture.dimensions; k-- > 0;) index = index * bound_.texture.extent[k] + static_cast<std::uint64_t>(place(corner, k));
    return bound_.base + index * bound_.texture.channels * launch::dtypeBytes(bound_.type);
  }
  [[nodiscard]] std::uint32_t raw(unsigned corner, std::uint32_t channel) const {
    const std::uint32_t bytes = launch::dtypeBytes(bound_.type);
    std::uint32_t bits = 0;
    const bool isThere = x_.memory->read(address(corner) + std::uint64_t{channel} * bytes, &bits, bytes);
    WM_ASSERT(isThere, "a texel that was looked up lies in its texture");
    return bits;
  }

  // What the machine's caches see of it.
  void touch(unsigned corner) {
    if (!inside(corner)) return;
    MemoryAccess& access = x_.outcome->access;
    access.kind = MemoryAccess::Kind::Load;
    access.space = ptx::Space::Global;
    access.bytesPerLane = std::max(access.bytesPerLane, bound_.texture.channels * launch::dtypeBytes(bound_.type));
    access.lanes |= 1u << lane_;
    access.address[lane_] = address(corner);
  }

  void put(std::uint32_t result, std::uint32_t bits) {
    if ((op_.aux & (halves | halfPairs)) != 0)
      bits = static_cast<std::uint32_t>(launch::bitsOf(launch::DType::F16, static_cast<double>(std::bit_cast<float>(bits))));
    if ((op_.aux & halfPairs) == 0) {
      x_.at(op_.elements[result])[lane_] = bits;
    } else if (result % 2 == 0) {
      low_ = bits;
    } else {
      x_.at(op_.elements[result / 2])[lane_] = low_ | bits << 16;
    }
  }

  Exec& x_;
  const Op& op_;
  BoundTexture bound_;
  unsigned lane_;
  std::array<AxisRead, 3> axes_{};
  std::uint64_t layer_ = 0;
  std::uint32_t low_ = 0;
};

// Lanes whose handle names no texture are reported; the others are returned.
LaneMask lanesWithTexture(Exec& x, const Op& op, LaneMask mask) {
  LaneMask bad = 0;
  portable::eachLane(mask, [&](unsigned i) {
    if (textureOf(x, handleAt(x, op, i)) == nullptr) bad |= 1u << i;
  });
  if (bad == 0) return mask;
  const std::uint64_t handle = handleAt(x, op, static_cast<unsigned>(std::countr_zero(bad)));
  reportPlain(x, op, handle == 0 ? machine::FaultKind::NullAccess : machine::FaultKind::OutOfBounds, bad, {Text::NoTexture, {{"handle", handle}}});
  return mask & ~bad;
}

void executeTexture(Exec& x, const Op& op, LaneMask mask) {
  x.outcome->access = {};
  LaneMask odd = 0;
  const LaneMask good = lanesWithTexture(x, op, mask);
  const std::uint32_t wanted = op.aux >> dimensionsShift;
  portable::eachLane(good, [&](unsigned i) {
    const BoundTexture& bound = *textureOf(x, handleAt(x, op, i));
    if (bound.texture.dimensions != wanted || (bound.texture.layers != 0) != ((op.aux & layered) != 0))
      odd |= 1u << i;
    else
      Sampling(x, op, bound, i).run();
  });
  if (odd != 0)
    reportPlain(x, op, machine::FaultKind::Unsupported, odd, Text::OtherTexture);
  x.setPredicate(op.dstPredicate, allLanes, good & ~odd);
}

void executeQuery(Exec& x, const Op& op, LaneMask mask) {
  portable::eachLane(lanesWithTexture(x, op, mask), [&](unsigned i) {
    const launch::Texture& t = textureOf(x, handleAt(x, op, i))->texture;
    const std::uint32_t heightOfOne = t.isLinearMemory ? 0 : 1;
    const std::array<std::uint32_t, 3> sizes{t.extent[0], t.dimensions == 1 ? heightOfOne : t.extent[1],
                                             t.layers != 0 ? t.layers : t.dimensions == 3 ? t.extent[2] : 0};
    x.at(op.dst)[i] = sizes[op.aux];
  });
}

void executeIsTexture(Exec& x, const Op& op, LaneMask mask) {
  LaneMask value = 0;
  portable::eachLane(mask, [&](unsigned i) {
    if (op.aux == 1 && textureOf(x, handleAt(x, op, i)) != nullptr) value |= 1u << i;
  });
  x.setPredicate(op.dstPredicate, value, mask);
}

std::optional<std::uint32_t> dimensionsOf(Geometry geometry) {
  switch (geometry) {
    case Geometry::D1: case Geometry::A1d: return 1;
    case Geometry::D2: case Geometry::A2d: return 2;
    case Geometry::D3: return 3;
    default: return std::nullopt;
  }
}

}  // namespace

// A texture's handle: in a register, a parameter of the kernel, or a .texref variable of the module.
bool Decoder::textureHandle(Op& op, const Operand& o) {
  if (o.offset != 0 && o.scope == Operand::In::None) return false;
  if (o.scope == Operand::In::None) {
    if (o.index == ptx::none) return false;
    Operand r = o;
    r.kind = Operand::Kind::Register;
    op.a = source(op, r, Type::U64);
    return op.a.present;
  }
  std::uint64_t handle = 0;
  if (o.scope == Operand::In::Parameter && function_.isEntry) {
    const auto& bytes = code_.context_.parameters;
    const std::uint64_t at = variable(o)->offset;
    for (std::uint64_t k = 0; k < 8 && at + k < bytes.size(); ++k) handle |= std::uint64_t{bytes[at + k]} << (8 * k);
  } else if (o.scope == Operand::In::Module) {
    handle = variableAddress(o, false);
  } else {
    return false;
  }
  op.a = constant(handle, true);
  return true;
}

// A sampler of its own (texmode_independent): a .samplerref variable with its initial state. What is not said there is clamp and point.
bool Decoder::sampler(Op& op, const Operand& o) {
  using Address = launch::Texture::Address;
  if (o.kind != Operand::Kind::Variable || o.scope != Operand::In::Module || variable(o)->type != Type::Samplerref) return false;
  SamplerState state;
  for (const ptx::Variable::Field& field : variable(o)->fields) {
    const auto mode = field.value == "wrap"                                                       ? Address::Wrap
                      : field.value == "mirror"                                                   ? Address::Mirror
                      : field.value == "clamp_to_border" || field.value == "clamp_ogl_to_border" ? Address::Border
                                                                                                  : Address::Clamp;
    if (field.name == "filter_mode") state.filter = field.value == "linear" ? launch::Texture::Filter::Linear : launch::Texture::Filter::Point;
    if (field.name.starts_with("addr_mode_") && field.name.back() >= '0' && field.name.back() <= '2') state.address[static_cast<std::size_t>(field.name.back() - '0')] = mode;
    if (field.name == "force_unnormalized_coords") state.forceUnnormalized = field.value != "0" && field.value != "false";
  }
  code_.context_.samplers.push_back(state);
  op.aux2 = static_cast<std::uint32_t>(code_.context_.samplers.size());
  return true;
}

// {1, -2}: whole numbers known here, packed into Op::offset.
bool Decoder::texelOffsets(Op& op, const Operand& o) {
  if (o.kind != Operand::Kind::Vector || o.count > 4) return false;
  for (std::uint32_t k = 0; k < o.count; ++k) {
    const Operand& e = function_.vectorElements[o.index + k];
    if (e.kind != Operand::Kind::Immediate || e.isFloat32 || e.isFloat64) return false;
    if (k < 3) op.offset |= static_cast<std::int64_t>((e.bits & 0xFF) << (8 * k));
  }
  return true;
}

// [texture {, sampler}, coordinates] after the results: the operands that tex and tld4 share. `next`: the first one behind.
bool Decoder::textureOperands(Op& op, std::size_t& next) {
  const ptx::Instruction& in = *op.instruction;
  const auto& o = in.operands;
  const auto dimensions = dimensionsOf(in.mods.geometry);
  if (!dimensions || o.size() < 3 || !textureHandle(op, o[1])) return false;
  next = 2;
  const bool hasSampler = o.size() > 3 && o[2].kind != Operand::Kind::Vector && o[3].kind == Operand::Kind::Vector;
  if (hasSampler && !sampler(op, o[next++])) return false;
  const Operand coordinates = o[next++];
  const bool isLayered = in.mods.geometry == Geometry::A1d || in.mods.geometry == Geometry::A2d;
  const std::uint32_t count = *dimensions + (isLayered ? 1 : 0);
  const bool isVector = coordinates.kind == Operand::Kind::Vector;
  if (isVector ? coordinates.count < count || coordinates.count > maxCoordinates : count != 1) return false;
  for (std::uint32_t k = 0; k < count; ++k) {
    const Type type = (isLayered && k == 0) || in.mods.sourceType == Type::S32 ? Type::B32 : Type::F32;
    op.elements[maxResults + k] = source(op, isVector ? function_.vectorElements[coordinates.index + k] : coordinates, type);
    if (!op.elements[maxResults + k].present) return false;
  }
  op.aux |= (in.mods.sourceType == Type::S32 ? wholeNumbers : 0u) | (isLayered ? layered : 0u) | *dimensions << dimensionsShift;
  return in.mods.sourceType == Type::F32 || in.mods.sourceType == Type::S32;
}

bool Decoder::texture(Op& op) {
  const ptx::Instruction& in = *op.instruction;
  const auto& o = in.operands;
  const Type type = in.mods.type;
  const bool pairs = type == Type::F16x2;
  if (type != Type::F32 && type != Type::S32 && type != Type::U32 && type != Type::F16 && !pairs) return false;
  if (o.empty() || o[0].kind != Operand::Kind::Vector || o[0].count != (pairs ? 2u : 4u)) return false;
  for (std::uint32_t k = 0; k < o[0].count; ++k) {
    op.elements[k] = destination(function_.vectorElements[o[0].index + k], type);
    if (op.elements[k].bits > 32) return false;
  }
  if (o[0].hasPredicate) op.dstPredicate = predicateNumber(o[0].predicate);
  op.aux = (type == Type::F16 ? halves : 0u) | (pairs ? halfPairs : 0u);
  std::size_t next = 0;
  if (!textureOperands(op, next)) return false;
  if (in.opcode == Opcode::Tld4) {
    const std::size_t component = std::string_view("rgba").find(in.mods.component);
    if (component == std::string_view::npos || in.mods.geometry != Geometry::D2 || next != o.size()) return false;
    op.aux |= gathers;
    op.elementBytes = static_cast<std::uint8_t>(component);
  } else {
    next += in.mods.mip == ptx::MipMode::Level ? 1 : in.mods.mip == ptx::MipMode::Grad ? 2 : 0;  // there is one level to choose from
    if (next < o.size() && !texelOffsets(op, o[next++])) return false;
    if (next != o.size()) return false;
  }
  op.handler = &executeTexture;
  return true;
}

bool Decoder::textureQuery(Op& op) {
  const ptx::Instruction& in = *op.instruction;
  const auto& o = in.operands;
  const std::string_view words = text(in);
  if (in.opcode == Opcode::Istypep) {
    if (o.size() != 2 || !isPredicate(o[0])) return false;
    op.dstPredicate = predicateNumber(o[0].index);
    op.aux = words == ".texref" ? 1 : 0;
    if (o[1].kind == Operand::Kind::Register ? !(op.a = source(op, o[1], Type::U64)).present : !textureHandle(op, o[1])) return false;
    op.handler = &executeIsTexture;
    return true;
  }
  static constexpr std::array<std::string_view, 3> queries{".width.b32", ".height.b32", ".depth.b32"};
  const auto found = std::find(queries.begin(), queries.end(), words);
  if (found == queries.end() || o.size() != 2 || !textureHandle(op, o[1])) return false;
  op.aux = static_cast<std::uint32_t>(found - queries.begin());
  op.dst = destination(o[0], Type::B32);
  op.handler = &executeQuery;
  return op.dst.bits == 32;
}

}  // namespace warpmill::exec
