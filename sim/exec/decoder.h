// From a PTX instruction to an Op: operands become slots, immediates become planes of constants, the handler is chosen.
#pragma once

#include "exec/handlers.h"
#include "exec/op.h"

#include <map>
#include <string_view>

namespace warpmill::exec {

class Decoder {
 public:
  Decoder(const ptx::Module& module, const ptx::Function& function, LaunchContext context, const HandlerSet& handlers);
  Code decode() &&;

 private:
  Op instruction(const ptx::Instruction& in, std::uint32_t pc);
  void unsupported(Op& op) const;

  // By duty; false: this form is not implemented.
  bool branch(Op& op);
  bool branchByTable(Op& op);
  bool call(Op& op);
  bool stack(Op& op);
  void planCalls();
  bool barrier(Op& op);
  bool load(Op& op);
  bool store(Op& op);
  bool asynchronous(Op& op);
  bool asyncCopy(Op& op);
  bool bulkCopy(Op& op);
  bool remoteStore(Op& op);
  bool mbarrier(Op& op);
  bool clusterAddress(Op& op);
  bool clusterBarrier(Op& op);
  bool atomic(Op& op);
  [[nodiscard]] bool isRead(const ptx::Operand& destination) const;
  bool collective(Op& op);
  bool matrix(Op& op);
  bool matrixProduct(Op& op);
  bool warpgroupProduct(Op& op);
  bool rowsOfMatrices(Op& op);
  bool wmmaMemory(Op& op);
  bool registersOnly(Op& op);
  bool fused(Op& op);
  bool texture(Op& op);
  bool textureQuery(Op& op);
  bool textureOperands(Op& op, std::size_t& next);
  bool textureHandle(Op& op, const ptx::Operand& operand);
  bool sampler(Op& op, const ptx::Operand& operand);
  bool texelOffsets(Op& op, const ptx::Operand& operand);
  bool move(Op& op);
  void prepareFlags(Op& op) const;   // aux from modifiers that have no field

  // Operands.
  Slot source(Op& op, const ptx::Operand& operand, ptx::Type type);
  Slot destination(const ptx::Operand& operand, ptx::Type type) const;
  PredicateSource predicateSource(const ptx::Operand& operand) const;
  [[nodiscard]] std::uint32_t predicateNumber(std::uint32_t registerIndex) const;
  [[nodiscard]] bool isPredicate(const ptx::Operand& operand) const;
  Slot constant(std::uint64_t value, bool wide);
  bool address(Op& op, const ptx::Operand& operand, ptx::Space space, Slot& base, std::int64_t& offset);
  bool elements(Op& op, const ptx::Operand& operand, ptx::Type type, bool isDestination);
  [[nodiscard]] std::uint64_t variableAddress(const ptx::Operand& operand, bool generic) const;
  [[nodiscard]] const ptx::Variable* variable(const ptx::Operand& operand) const;
  [[nodiscard]] std::string_view text(const ptx::Instruction& in) const;
  [[nodiscard]] ptx::Type sourceType(const ptx::Instruction& in, unsigned k) const;

  const ptx::Module& module_;
  const ptx::Function& function_;
  const HandlerSet& handlers_;
  Code code_;
  std::map<std::pair<std::uint64_t, bool>, std::uint32_t> constants_;  // value, wide: offset
};

}  // namespace warpmill::exec
