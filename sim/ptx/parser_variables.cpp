// Registers and variables with their initial values.
#include "ptx/parser.h"

#include "ptx/names.h"

#include <algorithm>
#include <bit>

namespace warpmill::ptx {
namespace {

constexpr std::uint64_t maxVariableBytes = std::uint64_t{1} << 40;
constexpr std::uint64_t maxInitialBytes = std::uint64_t{64} << 20;
constexpr std::uint64_t maxRegisters = std::uint64_t{1} << 18;  // of a function
constexpr std::uint64_t maxModuleRegisters = std::uint64_t{1} << 20;

std::uint64_t alignUp(std::uint64_t value, std::uint64_t alignment) {
  return (value + alignment - 1) / alignment * alignment;
}

}  // namespace

// ".shared .align 16 .v4 .f32", ".param .u64 .ptr .global .align 1": up to the name.
bool Parser::variableShape(Shape& shape) {
  const bool oldTexture = isDot(".tex");  // of PTX before 1.5: .tex .u32 name
  shape.space = oldTexture ? Space::Global : spaceOf(text(peek()).substr(1));
  take();
  bool inPointer = false;
  while (peek().kind == Token::Kind::Dot) {
    const Token& token = take();
    const std::string_view word = text(token).substr(1);
    if (word == "align") {
      const Token& at = peek();
      const auto alignment = takeInteger("an alignment in bytes");
      if (!alignment) return false;
      if (!std::has_single_bit(*alignment) || *alignment > 1024)
        return error(at, "alignment " + std::to_string(*alignment) + " is no power of two up to 1024");
      if (!inPointer) shape.alignment = static_cast<std::uint32_t>(*alignment);  // of the variable, not of what it points to
    } else if (word == "ptr") {
      shape.isPointer = inPointer = true;
    } else if (word == "v2" || word == "v4" || word == "v8") {
      shape.vector = static_cast<std::uint8_t>(word[1] - '0');
    } else if (word == "attribute") {
      const std::size_t begin = at_;
      if (!attributeList()) return false;
      for (std::size_t i = begin; i < at_; ++i) shape.isManaged |= tokens_[i].kind == Token::Kind::Dot && text(tokens_[i]) == ".managed";
    } else if (const Type type = typeOf(word); type != Type::None) {
      shape.type = type;
    } else if (spaceOf(word) == Space::None || !inPointer) {
      Nearest nearest(word);
      offerTypes(nearest);
      return error(token, "unknown type '." + std::string(word) + "'", nearest.hint("."));
    }
  }
  if (shape.type == Type::None) return wrongToken("a type such as .f32");
  if (oldTexture) shape.type = Type::Texref;
  return true;
}

bool Parser::declarator(const Shape& shape, Variable& variable) {
  const Token& at = peek();
  const auto name = takeName("a name");
  if (!name) return false;
  variable.name = *name;
  variable.space = shape.space;
  variable.type = shape.type;
  variable.isPointer = shape.isPointer;
  variable.isManaged = shape.isManaged;
  variable.position = at.position;
  const std::uint32_t elementBytes = sizeBytes(shape.type) * shape.vector;
  variable.alignment = std::max(shape.alignment, elementBytes);
  if (shape.alignment != 0) variable.alignment = shape.alignment;
  variable.elementCount = shape.vector;
  variable.sizeBytes = elementBytes;
  if (peek().is('[') && !dimensions(variable, sizeBytes(shape.type))) return false;
  return !peek().is('=') || initialiser(shape, variable);
}

bool Parser::dimensions(Variable& variable, std::uint32_t elementBytes) {
  bool open = false;
  while (accept('[')) {
    if (accept(']')) {
      open = true;  // size of the initial value, or unknown
      continue;
    }
    const Token& at = peek();
    Value size;
    if (!constant(size)) return false;
    const std::uint64_t maxElements = maxVariableBytes / std::max(elementBytes, 1u);
    if (size.bits > maxElements || (size.bits != 0 && variable.elementCount > maxElements / size.bits))
      return error(at, "the array is larger than 1 TiB", "is the size meant to be so large?");
    variable.elementCount *= size.bits;
    if (!expect(']', "after the size")) return false;
  }
  if (open) variable.elementCount = 0;
  variable.sizeBytes = variable.elementCount * elementBytes;
  return true;
}

bool Parser::initialiser(const Shape& shape, Variable& variable) {
  const Token& at = take();
  if (kindOf(shape.type) == 'o') return opaqueFields(variable);
  if (shape.space != Space::Global && shape.space != Space::Const)
    return error(at, "only .global and .const variables may have an initial value", "store it in the kernel");
  const bool unsized = variable.sizeBytes == 0;
  std::uint64_t offset = 0;
  if (!initialValue(shape, variable, offset, 0)) return false;
  if (unsized) {
    variable.sizeBytes = variable.initial.size();
    variable.elementCount = variable.sizeBytes / std::max(sizeBytes(shape.type), 1u);
  } else if (variable.initial.size() > variable.sizeBytes) {
    return error(at, "the initial value has " + std::to_string(variable.initial.size()) + " bytes, '" + variable.name + "' only " +
                         std::to_string(variable.sizeBytes));
  }
  initialTotal_ += variable.sizeBytes;
  if (initialTotal_ > maxInitialBytes) return error(at, "the initial values of the module take more than 64 MiB");
  variable.initial.resize(variable.sizeBytes);
  return true;
}

// A value or { values }; inner braces of a row begin where the value before ended (rows given in full).
bool Parser::initialValue(const Shape& shape, Variable& variable, std::uint64_t& offset, int depth) {
  const std::uint32_t bytes = sizeBytes(shape.type);
  if (accept('{')) {
    if (depth >= 8) return error(peek(), "initial values are nested more than 8 deep");
    if (accept('}')) return true;
    do {
      if (peek().is('}')) break;
      if (!initialValue(shape, variable, offset, depth + 1)) return false;
    } while (accept(','));
    return expect('}', "after the initial values");
  }
  if (offset + bytes > maxInitialBytes) return error(peek(), "the initial values of the module take more than 64 MiB");
  if (variable.initial.size() < offset + bytes) variable.initial.resize(offset + bytes);
  const bool isName = peek().kind == Token::Kind::Word && !text(peek()).starts_with("WARP_SZ");
  const bool isMasked = peek().kind == Token::Kind::Number && peek(1).is('(');
  if (isName || isMasked) {
    if (!initialAddress(variable, offset, bytes)) return false;
  } else {
    Value value;
    if (!constant(value)) return false;
    if (shape.type == Type::F32 && value.isFloat64)
      value.bits = std::bit_cast<std::uint32_t>(static_cast<float>(std::bit_cast<double>(value.bits)));
    if (shape.type == Type::F64 && value.isFloat32)
      value.bits = std::bit_cast<std::uint64_t>(static_cast<double>(std::bit_cast<float>(static_cast<std::uint32_t>(value.bits))));
    for (std::uint32_t i = 0; i < bytes && i < 8; ++i) variable.initial[offset + i] = static_cast<std::uint8_t>(value.bits >> (8 * i));
  }
  offset += bytes;
  return true;
}

// .global .samplerref s = { addr_mode_0 = wrap, filter_mode = linear, force_unnormalized_coords = 1 }
bool Parser::opaqueFields(Variable& variable) {
  if (!expect('{', "before the fields")) return false;
  do {
    Variable::Field field;
    const auto name = takeName("the name of a field");
    if (!name || !expect('=', "after the field's name")) return false;
    field.name = *name;
    if (peek().kind != Token::Kind::Word && peek().kind != Token::Kind::Number) return wrongToken("the value of the field");
    field.value = text(take());
    variable.fields.push_back(std::move(field));
  } while (accept(','));
  return expect('}', "after the fields");
}

// 0xFF00(...): the second byte of an address, for elements of one byte.
bool Parser::initialMask(std::uint8_t& shift, std::uint32_t bytes) {
  const Token& at = peek();
  const auto mask = takeInteger("a mask");
  if (!mask) return false;
  const int low = std::countr_zero(*mask);
  if (*mask == 0 || low % 8 != 0 || *mask >> low != 0xFF)
    return error(at, "a mask of an address picks one byte of it, " + shown(at) + " does not", "write 0xFF, 0xFF00, 0xFF0000 ...");
  if (bytes != 1) return error(at, "a mask picks one byte, the element has " + std::to_string(bytes), "declare the variable as .u8 or .b8");
  shift = static_cast<std::uint8_t>(low);
  take();
  return true;
}

// var, var+4, generic(var)+4, function; 0xFF00(any of them) is one byte of it.
bool Parser::initialAddress(Variable& variable, std::uint64_t offset, std::uint32_t bytes) {
  Variable::Relocation relocation{offset, none, none, 0};
  const bool isMasked = peek().kind == Token::Kind::Number;
  if (isMasked && !initialMask(relocation.shift, bytes)) return false;
  const bool isGeneric = text(peek()) == "generic" && peek(1).is('(');
  if (isGeneric) {
    take();
    take();
  }
  const Token& at = peek();
  const auto name = takeName("a variable or function");
  if (!name) return false;
  const auto found = globals_.find(*name);
  if (found == globals_.end()) return error(at, "unknown variable or function '" + std::string(*name) + "'", "it must be declared before");
  (found->second.isFunction ? relocation.function : relocation.variable) = found->second.index;
  if (!signedOffset(relocation.addend)) return false;
  if (isGeneric && !expect(')', "after the variable")) return false;
  if (isGeneric && !signedOffset(relocation.addend)) return false;
  if (isMasked && !expect(')', "after the masked address")) return false;
  if (bytes != 8 && !isMasked)
    return error(at, "an address needs 8 bytes, the element has " + std::to_string(bytes), "declare the variable as .u64, or mask each byte: 0xFF(name), 0xFF00(name)");
  variable.relocations.push_back(relocation);
  return true;
}

// .reg .b32 %r<6>, a, b;
bool Parser::registers() {
  Shape shape;
  if (!variableShape(shape)) return false;
  do {
    const Token& at = peek();
    const auto name = takeName("a register name");
    if (!name) return false;
    if (accept('<')) {
      const Token& countAt = peek();
      const auto count = takeInteger("the number of registers");
      if (!count || !expect('>', "after the number of registers")) return false;
      const std::uint64_t all = *count * shape.vector;
      if (*count > maxRegisters || all > maxRegisters || function_->registers.size() + all > maxRegisters || registerTotal_ + all > maxModuleRegisters)
        return error(countAt, std::string(text(countAt)) + " registers are too many",
                     "a function may declare " + std::to_string(maxRegisters) + " in all");
      if (!addRegisterRange(at, *name, shape.type, shape.vector, *count)) return false;
    } else if (!addRegister(at, *name, shape.type, shape.vector)) {
      return false;
    }
  } while (accept(','));
  return expectEnd("the registers");
}

bool Parser::addRegisterRange(const Token& at, std::string_view prefix, Type type, std::uint8_t vector, std::uint64_t count) {
  const auto first = static_cast<std::uint32_t>(function_->registers.size());
  if (!scopes_.addRange(prefix, static_cast<std::uint32_t>(count), first, vector))
    return error(at, "registers '" + std::string(prefix) + "<...>' are declared twice", "rename one of them");
  for (std::uint64_t i = 0; i < count; ++i) newRegisters(std::string(prefix) + std::to_string(i), type, vector);
  return true;
}

// One register, or the components of a vector.
void Parser::newRegisters(const std::string& name, Type type, std::uint8_t vector) {
  static constexpr std::string_view components[] = {".x", ".y", ".z", ".w", ".4", ".5", ".6", ".7"};
  for (std::uint8_t i = 0; i < vector; ++i) newRegister(vector > 1 ? name + std::string(components[i]) : name, type);
}

bool Parser::addRegister(const Token& at, std::string_view name, Type type, std::uint8_t vector) {
  if (function_->registers.size() + vector > maxRegisters || registerTotal_ + vector > maxModuleRegisters)
    return error(at, "too many registers");
  const auto first = static_cast<std::uint32_t>(function_->registers.size());
  const Symbol symbol{vector > 1 ? Symbol::Kind::VectorRegister : Symbol::Kind::Register, first, vector};
  if (!scopes_.addName(name, symbol)) return error(at, "'" + std::string(name) + "' is declared twice", "rename one of them");
  newRegisters(std::string(name), type, vector);
  return true;
}

std::uint32_t Parser::newRegister(std::string name, Type type) {
  Register added{std::move(name), type, 0};
  if (type == Type::Pred) {
    added.slot = function_->predicateCount++;
  } else {
    const std::uint32_t bytes = sizeBytes(type);
    added.slot = function_->planeCount;
    function_->planeCount += bytes > 8 ? 4 : bytes > 4 ? 2 : 1;
  }
  ++registerTotal_;
  function_->registers.push_back(std::move(added));
  return static_cast<std::uint32_t>(function_->registers.size() - 1);
}

// .local, .shared, .param ... inside a body. Local and .param variables take their place in the thread's frame.
bool Parser::bodyVariable() {
  Shape shape;
  if (!variableShape(shape)) return false;
  do {
    const Token& at = peek();
    Variable variable;
    if (!declarator(shape, variable)) return false;
    const bool isOfThread = variable.space == Space::Local || variable.space == Space::Param;
    if (isOfThread && variable.sizeBytes > (std::uint64_t{1} << 24))
      return error(at, "'" + variable.name + "' takes more than 16 MiB of every thread", "use a smaller array, or global memory");
    const auto index = static_cast<std::uint32_t>(function_->variables.size());
    if (!scopes_.addName(text(at), {Symbol::Kind::Variable, index, 1}))
      return error(at, "'" + variable.name + "' is declared twice", "rename one of them");
    if (isOfThread) {
      variable.offset = alignUp(function_->localBytes, std::max(variable.alignment, 1u));
      function_->localBytes = variable.offset + variable.sizeBytes;
    }
    function_->variables.push_back(std::move(variable));
  } while (accept(','));
  return expectEnd("the variable");
}

}  // namespace warpmill::ptx
