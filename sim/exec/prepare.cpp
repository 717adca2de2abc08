#include "exec/prepare.h"

#include "base/suggest.h"
#include "base/text_file.h"
#include "exec/runtime.h"

#include <fmt/format.h>

#include <algorithm>

namespace warpmill::exec {
namespace {

constexpr std::uint64_t mostMemory = 64ull << 30;  // of all buffers together

std::string sizeOfBlock(std::array<std::uint32_t, 3> s) {
  return fmt::format("{} x {} x {}", s[0], s[1], s[2]);
}

// "0: .u64 a, 1: .u32 n": what the kernel wants, for hints.
std::string parameterList(const ptx::Function& function) {
  std::string list;
  for (std::size_t i = 0; i < function.params.size(); ++i) {
    const ptx::Variable& p = function.params[i];
    const bool array = p.elementCount != 1;
    list += fmt::format("{}{}: .{} {}{}", i == 0 ? "" : ", ", i, ptx::typeName(p.type), p.name,
                        array ? fmt::format("[{}]", p.elementCount) : "");
  }
  return list.empty() ? "it has none" : "they are " + list;
}

// A piece at a time: a buffer may be larger than what one wants to hold twice. Untouched zeros take no memory at all.
void fill(machine::Memory& memory, std::uint32_t index, const launch::Argument& argument, Diagnostics& errors, const std::string& file) {
  using Kind = launch::Init::Kind;
  if (argument.init.kind == Kind::Zeros || argument.init.kind == Kind::Uninitialized) return;
  if (argument.init.kind == Kind::File) {
    const auto bytes = launch::initialBytes(argument);
    if (bytes) return memory.copyIn(index, 0, *bytes);
    for (Diagnostic d : bytes.diagnostics()) {
      d.message = (d.file.empty() ? "" : d.file + ": ") + d.message;
      d.file = file;
      d.position = argument.initPosition;
      errors.push_back(std::move(d));
    }
    return;
  }
  const std::uint32_t elementBytes = launch::dtypeBytes(argument.type);
  std::vector<std::uint8_t> piece(65536);
  for (std::uint64_t at = 0; at < argument.sizeBytes(); at += piece.size()) {
    const std::span<std::uint8_t> part(piece.data(), std::min<std::uint64_t>(piece.size(), argument.sizeBytes() - at));
    launch::fillElements(argument, at / elementBytes, part);
    memory.copyIn(index, at, part);
  }
}

class Preparer {
 public:
  Preparer(DeviceState& device, const launch::Launch& launch, std::shared_ptr<const ptx::Module> module, const device::Profile& profile, std::uint64_t seed)
      : device_(device), launch_(launch), module_(std::move(module)), profile_(profile), seed_(seed) {}

  Result<PreparedLaunch> prepare() {
    findKernel();
    if (function_ == nullptr) return errors_;
    checkShape();
    checkArguments();
    if (!errors_.empty()) return errors_;
    allocate();
    if (!errors_.empty()) return errors_;
    return decode();
  }

 private:
  void fail(SourcePosition position, std::string message, std::string hint = {}) {
    Diagnostic d;
    d.file = launch_.file;
    d.position = position;
    d.message = std::move(message);
    d.hint = std::move(hint);
    errors_.push_back(std::move(d));
  }

  void findKernel() {
    const auto entries = module_->entries();
    std::vector<std::string> names;
    for (const ptx::Function* entry : entries) names.push_back(entry->name);
    if (entries.empty()) return fail(launch_.ptxPosition, module_->fileName + " has no kernel", "a kernel is an .entry function");
    if (launch_.kernel.empty()) {
      if (entries.size() == 1) {
        function_ = entries[0];
        return;
      }
      return fail(launch_.position, fmt::format("{} has {} kernels: say which with 'kernel'", module_->fileName, entries.size()),
                  didYouMean(std::string(80, '?'), names));
    }
    function_ = module_->entry(launch_.kernel);
    if (function_ != nullptr) return;
    // C++ names that nvcc or clang mangled: "vec_add" finds _Z7vec_addPKfS0_Pfi when there is only one such.
    const std::string mangled = fmt::format("_Z{}{}", launch_.kernel.size(), launch_.kernel);
    for (const ptx::Function* entry : entries) {
      if (!entry->name.starts_with(mangled)) continue;
      if (function_ != nullptr) {
        function_ = nullptr;
        break;
      }
      function_ = entry;
    }
    if (function_ == nullptr)
      fail(launch_.kernelPosition, fmt::format("{} has no kernel '{}'", module_->fileName, launch_.kernel),
           didYouMean(launch_.kernel, names));
  }

  // As the launch says, else as the kernel requires, else one block.
  [[nodiscard]] std::array<std::uint32_t, 3> clusterShape() const {
    const auto& shape = launch_.cluster[0] != 0 ? launch_.cluster : function_->requiredCluster;
    return {std::max(shape[0], 1u), std::max(shape[1], 1u), std::max(shape[2], 1u)};
  }

  void checkCluster() {
    const auto cluster = clusterShape(), &required = function_->requiredCluster;
    const SourcePosition at = launch_.cluster[0] != 0 ? launch_.clusterPosition : launch_.kernelPosition;
    if (launch_.cluster[0] != 0 && required[0] != 0 && cluster != std::array{required[0], std::max(required[1], 1u), std::max(required[2], 1u)})
      return fail(at, fmt::format("the cluster is {}, but the kernel requires {} (.reqnctapercluster)", sizeOfBlock(cluster), sizeOfBlock(required)),
                  "leave 'cluster' out");
    const std::uint64_t blocks = std::uint64_t{cluster[0]} * cluster[1] * cluster[2];
    if (blocks > 16) return fail(at, fmt::format("a cluster has at most 16 blocks, this one has {}", blocks));
    for (std::size_t axis = 0; axis < 3; ++axis)
      if (launch_.grid[axis] % cluster[axis] != 0)
        return fail(launch_.gridPosition, fmt::format("the grid is {}, which clusters of {} do not fill evenly", sizeOfBlock(launch_.grid), sizeOfBlock(cluster)),
                    "make each size of the grid a multiple of the cluster's");
  }

  void checkShape() {
    checkCluster();
    const std::uint64_t shared =
        launch_.dynamicSharedBytes == 0 ? function_->staticSharedBytes : function_->dynamicSharedOffset + launch_.dynamicSharedBytes;
    for (const Diagnostic& d : device::checkLaunch(profile_, launch_.grid, launch_.block, 1, shared, function_->staticSharedBytes)) {
      const bool ofGrid = d.message.starts_with("the grid"), ofShared = d.message.find("shared memory") != std::string::npos;
      const SourcePosition at = ofGrid                                         ? launch_.gridPosition
                                : ofShared && launch_.sharedPosition.line != 0 ? launch_.sharedPosition
                                                                               : launch_.blockPosition;
      fail(at, d.message, d.hint);
    }
    // Source: CUDA C++ Programming Guide, technical specifications: 512 KB of local memory a thread.
    constexpr std::uint64_t mostLocal = 512 * 1024;
    if (function_->localBytes > mostLocal)
      fail(launch_.kernelPosition,
           fmt::format("a thread of kernel '{}' needs {} bytes of local memory, a GPU gives it {}", function_->name, function_->localBytes,
                       mostLocal),
           "use smaller arrays, or global memory");
    const auto& required = function_->requiredThreads;
    const std::array<std::uint32_t, 3> wanted{required[0], std::max(required[1], 1u), std::max(required[2], 1u)};
    if (required[0] != 0 && wanted != launch_.block)
      fail(launch_.blockPosition,
           fmt::format("the block is {}, but the kernel requires {} (.reqntid)", sizeOfBlock(launch_.block), sizeOfBlock(wanted)),
           fmt::format("write \"block\": [{}, {}, {}]", wanted[0], wanted[1], wanted[2]));
    const auto& most = function_->maxThreads;
    const std::uint64_t allowed = std::uint64_t{most[0]} * std::max(most[1], 1u) * std::max(most[2], 1u);
    const std::uint64_t threads = std::uint64_t{launch_.block[0]} * launch_.block[1] * launch_.block[2];
    if (required[0] == 0 && allowed != 0 && threads > allowed)
      fail(launch_.blockPosition,
           fmt::format("the block has {} threads, but the kernel was compiled for at most {} (.maxntid)", threads, allowed),
           "use smaller blocks, or compile with other __launch_bounds__");
  }

  void checkArguments() {
    const std::size_t given = launch_.arguments.size(), wanted = function_->params.size();
    if (given != wanted)
      return fail(launch_.argumentsPosition,
                  fmt::format("kernel '{}' takes {} argument{}, {} given", function_->name, wanted, wanted == 1 ? "" : "s", given),
                  parameterList(*function_));
    std::uint64_t total = 0;
    for (std::size_t i = 0; i < given; ++i) {
      checkArgument(i, launch_.arguments[i], function_->params[i]);
      if (launch_.arguments[i].isBuffer || launch_.arguments[i].texture) total += launch_.arguments[i].sizeBytes();
    }
    for (const launch::Argument& texture : launch_.textures) {
      checkTextureName(texture);
      total += texture.sizeBytes();
    }
    for (const ptx::Variable& v : module_->variables) {
      if (v.sizeBytes > mostMemory)
        return fail(launch_.ptxPosition, fmt::format("variable '{}' has {} bytes", v.name, v.sizeBytes), "at most 64 GiB");
      if (v.space == ptx::Space::Global) total += v.sizeBytes;
    }
    if (total > mostMemory)
      fail(launch_.argumentsPosition, fmt::format("buffers and variables have {} bytes together", total), "at most 64 GiB");
  }

  // "textures": {"name": ...} is for a .texref variable of the module.
  void checkTextureName(const launch::Argument& texture) {
    std::vector<std::string> names;
    for (const ptx::Variable& v : module_->variables)
      if (v.type == ptx::Type::Texref) names.push_back(v.name);
    if (std::find(names.begin(), names.end(), texture.name) != names.end()) return;
    fail(texture.position, fmt::format("{} has no texture '{}'", module_->fileName, texture.name),
         names.empty() ? "it declares no .texref; a kernel's parameter takes a texture among 'args'" : didYouMean(texture.name, names));
  }

  // Its texels take a place in memory, read-only; the handle is what kernels get.
  std::uint64_t bind(const launch::Argument& argument, const std::string& name) {
    const std::uint32_t index = prepared_.memory.allocate(name, argument.sizeBytes(), 0xFFFFFFFFu, true);
    fill(prepared_.memory, index, argument, errors_, launch_.file);
    context_.textures.push_back({*argument.texture, argument.type, prepared_.memory.allocations()[index].base});
    return context_.textures.size();
  }

  void checkArgument(std::size_t i, const launch::Argument& argument, const ptx::Variable& parameter) {
    const std::string shown = fmt::format("parameter '{}' (.{}", parameter.name, ptx::typeName(parameter.type)) +
                              (parameter.elementCount == 1 ? ")" : fmt::format("[{}])", parameter.elementCount));
    const bool wantsFloat = ptx::isFloat(parameter.type), wantsBits = !wantsFloat && ptx::typeName(parameter.type).starts_with("b");
    if (argument.texture) {
      if (parameter.sizeBytes != 8 || wantsFloat)
        fail(argument.position, fmt::format("argument {} is a texture, whose handle is a .u64 or .texref, but this is {}", i, shown), parameterList(*function_));
      return;
    }
    if (argument.isBuffer) {
      if (parameter.sizeBytes != 8)
        return fail(argument.position,
                    fmt::format("argument {} is a buffer, whose address has 8 bytes, but {} has {}", i, shown, parameter.sizeBytes),
                    parameterList(*function_));
      if (wantsFloat)
        fail(argument.position, fmt::format("argument {} is a buffer, but {} is a number", i, shown), parameterList(*function_));
      return;
    }
    const std::string type(launch::dtypeName(argument.type));
    if (parameter.sizeBytes != launch::dtypeBytes(argument.type))
      return fail(argument.position,
                  fmt::format("argument {} is {} and has {} byte{}, but {} has {}", i, type, launch::dtypeBytes(argument.type),
                              launch::dtypeBytes(argument.type) == 1 ? "" : "s", shown, parameter.sizeBytes),
                  parameterList(*function_));
    if (!wantsBits && wantsFloat != launch::isFloat(argument.type))
      fail(argument.position, fmt::format("argument {} is {}, but {} is {}", i, type, shown, wantsFloat ? "a float" : "an integer"),
           parameterList(*function_));
  }

  void allocate() {
    prepared_.launch = launch_;
    prepared_.memory = device_.memory;
    prepared_.memory.output = {};
    for (std::uint32_t a = 0; a < prepared_.memory.allocations().size(); ++a) prepared_.memory.setArgument(a, ptx::none);
    prepared_.argumentAllocation.assign(launch_.arguments.size(), ptx::none);
    context_.parameters.assign(std::max<std::uint64_t>(function_->paramBytes, 1), 0);
    for (std::uint32_t i = 0; i < launch_.arguments.size(); ++i) {
      const launch::Argument& argument = launch_.arguments[i];
      std::uint64_t bits = argument.bits;
      if (argument.texture) bits = bind(argument, argument.name.empty() ? fmt::format("texture {}", i) : argument.name);
      if (argument.isBuffer) {
        std::uint32_t index = 0;
        if (argument.shared < device_.buffers.size()) {
          index = device_.buffers[argument.shared];
          prepared_.memory.setArgument(index, i);
        } else {
          index = prepared_.memory.allocate(argument.name.empty() ? fmt::format("argument {}", i) : argument.name, argument.sizeBytes(), i);
          fill(prepared_.memory, index, argument, errors_, launch_.file);
        }
        prepared_.argumentAllocation[i] = index;
        bits = prepared_.memory.allocations()[index].base;
      }
      const ptx::Variable& parameter = function_->params[i];
      for (std::uint64_t b = 0; b < parameter.sizeBytes; ++b)
        context_.parameters.at(parameter.offset + b) = static_cast<std::uint8_t>(bits >> (8 * b));
    }
    allocateVariables();
  }

  // A .texref variable takes the texture of its name.
  void bindReference(std::size_t variable) {
    const ptx::Variable& v = module_->variables[variable];
    if (v.type != ptx::Type::Texref) return;
    for (const launch::Argument& texture : launch_.textures)
      if (texture.name == v.name) context_.variableAddress[variable] = bind(texture, v.name);
  }

  // Module-level .global and .const variables; addresses of one in the initial value of another are known only when all have one.
  // A module that an earlier launch of the sequence loaded keeps its variables and their values.
  void allocateVariables() {
    const auto& variables = module_->variables;
    context_.variableAddress.assign(variables.size(), 0);
    for (const DeviceState::Loaded& loaded : device_.modules) {
      if (loaded.module != module_) continue;
      for (std::size_t i = 0; i < variables.size(); ++i)
        if (loaded.variables[i] != ptx::none) context_.variableAddress[i] = prepared_.memory.allocations()[loaded.variables[i]].base;
        else bindReference(i);
      return makeHeap();
    }
    std::vector<std::uint32_t> allocation(variables.size(), ptx::none);
    for (std::size_t i = 0; i < variables.size(); ++i) {
      const ptx::Variable& v = variables[i];
      if (v.space != ptx::Space::Global && v.space != ptx::Space::Const) continue;
      if (v.type == ptx::Type::Texref || v.type == ptx::Type::Samplerref || v.type == ptx::Type::Surfref) {  // no memory: a handle, or 0
        bindReference(i);
        continue;
      }
      allocation[i] = prepared_.memory.allocate(v.name, v.sizeBytes, 0xFFFFFFFFu, v.space == ptx::Space::Const);
      context_.variableAddress[i] = prepared_.memory.allocations()[allocation[i]].base;
    }
    for (std::size_t i = 0; i < variables.size(); ++i) {
      const ptx::Variable& v = variables[i];
      if (allocation[i] == ptx::none || (v.initial.empty() && v.relocations.empty())) continue;
      std::vector<std::uint8_t> bytes = v.initial;
      bytes.resize(v.sizeBytes, 0);
      const std::uint32_t width = std::min(ptx::sizeBytes(v.type), 8u);
      for (const auto& r : v.relocations) {
        const std::uint64_t start = r.variable < variables.size() ? context_.variableAddress[r.variable] : machine::functionAddress(r.function);
        const std::uint64_t address = (start + static_cast<std::uint64_t>(r.addend)) >> r.shift;
        for (std::uint32_t b = 0; b < width && r.offset + b < bytes.size(); ++b)
          bytes[r.offset + b] = static_cast<std::uint8_t>(address >> (8 * b));
      }
      prepared_.memory.copyIn(allocation[i], 0, bytes);
    }
    device_.modules.push_back({module_, std::move(allocation)});
    makeHeap();
  }

  void makeHeap() {
    if (usesHeap(*module_, *function_) && !prepared_.memory.hasHeap()) prepared_.memory.createHeap(machine::defaultHeapBytes);
  }

  // Stacks of all threads that can be there at once take a limited share of this machine's memory, however deep they all go.
  [[nodiscard]] std::uint32_t stackBytes() const {
    if (launch_.stackBytes) return *launch_.stackBytes;
    constexpr std::uint64_t usual = 16 * 1024, ofAll = 2ull << 30, least = 1024;
    const std::uint64_t blocks = std::uint64_t{launch_.grid[0]} * launch_.grid[1] * launch_.grid[2];
    const std::uint64_t threads = std::uint64_t{launch_.block[0]} * launch_.block[1] * launch_.block[2];
    const std::uint64_t atOnce = std::min<std::uint64_t>(static_cast<std::uint64_t>(profile_.smCount) * 2048, std::min<std::uint64_t>(blocks, 1ull << 40) * threads);
    return static_cast<std::uint32_t>(std::max(least, std::min(usual, ofAll / std::max<std::uint64_t>(atOnce, 1))));
  }

  Result<PreparedLaunch> decode() {
    context_.grid = {launch_.grid[0], launch_.grid[1], launch_.grid[2]};
    context_.block = {launch_.block[0], launch_.block[1], launch_.block[2]};
    const auto cluster = clusterShape();
    context_.cluster = {cluster[0], cluster[1], cluster[2]};
    context_.explicitCluster = launch_.cluster[0] != 0 || function_->isClustered;
    context_.dynamicSharedBytes = launch_.dynamicSharedBytes;
    context_.staticSharedBytes = static_cast<std::uint32_t>(function_->staticSharedBytes);
    context_.smCount = static_cast<std::uint32_t>(profile_.smCount);
    context_.maxWarpsPerSm = static_cast<std::uint32_t>(profile_.maxWarpsPerSm);
    context_.reservedSharedBytes = static_cast<std::uint32_t>(profile_.sharedReservedPerBlock);
    context_.seed = seed_;
    context_.stackBytes = stackBytes();
    auto code = Code::decode(*module_, *function_, std::move(context_));
    if (!code) return code.diagnostics();
    prepared_.module = module_;
    prepared_.function = function_;
    prepared_.code = std::make_shared<const Code>(std::move(*code));
    return std::move(prepared_);
  }

  DeviceState& device_;
  const launch::Launch& launch_;
  std::shared_ptr<const ptx::Module> module_;
  const device::Profile& profile_;
  std::uint64_t seed_;
  const ptx::Function* function_ = nullptr;
  LaunchContext context_;
  PreparedLaunch prepared_;
  Diagnostics errors_;
};

}  // namespace

Result<PreparedLaunch> prepare(const launch::Launch& launch, std::shared_ptr<const ptx::Module> module, const device::Profile& profile,
                               std::uint64_t seed) {
  DeviceState fresh;
  return Preparer(fresh, launch, std::move(module), profile, seed).prepare();
}

Result<PreparedLaunch> prepareOn(DeviceState& device, const launch::Launch& launch, std::shared_ptr<const ptx::Module> module,
                                 const device::Profile& profile, std::uint64_t seed) {
  return Preparer(device, launch, std::move(module), profile, seed).prepare();
}

Result<DeviceState> prepareDevice(const launch::Launch& sequence) {
  DeviceState device;
  Diagnostics errors;
  std::uint64_t total = 0;
  for (const launch::Argument& buffer : sequence.buffers) {
    total += buffer.sizeBytes();
    if (total > mostMemory) {
      Diagnostic d;
      d.file = sequence.file;
      d.position = buffer.position;
      d.message = fmt::format("the buffers have {} bytes together", total);
      d.hint = "at most 64 GiB";
      return Diagnostics{d};
    }
    device.buffers.push_back(device.memory.allocate(buffer.name, buffer.sizeBytes(), ptx::none));
    device.memory.markBuffer(device.buffers.back());
    fill(device.memory, device.buffers.back(), buffer, errors, sequence.file);
  }
  if (!errors.empty()) return errors;
  return device;
}

}  // namespace warpmill::exec
