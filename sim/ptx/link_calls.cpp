#include "ptx/link_calls.h"

#include "ptx/live_registers.h"
#include "ptx/region.h"

#include <algorithm>
#include <map>

namespace warpmill::ptx {
namespace {

constexpr std::size_t mostLinked = 1u << 20;  // instructions of a kernel with its routines

class Linker {
 public:
  Linker(const Module& module, const CallGraph& graph) : module_(module), graph_(graph) {}

  Function link(std::uint32_t kernel) {
    Region own = buildRegion(module_, graph_, kernel);
    out_ = std::move(own.body);
    out_.callSites = std::move(own.sites);
    for (const CallSite& site : out_.callSites) want(site);
    if (!out_.callSites.empty()) {
      // Kernels with real calls have the register of the frame; in the kernel's own code it is 0.
      out_.frameSlot = out_.planeCount;
      out_.planeCount += 2;
    }
    for (std::size_t next = 0; next < wanted_.size(); ++next) append(wanted_[next], next == 0);
    for (CallSite& site : out_.callSites)
      if (const auto at = routineOf_.find(site.function); at != routineOf_.end()) site.routine = at->second;
    return std::move(out_);
  }

 private:
  void want(const CallSite& site) {
    if (site.function == none) {
      for (const std::uint32_t f : graph_.addressTaken) want(f);
    } else if (!module_.functions[site.function].isDeclaration && !module_.functions[site.function].isEntry) {
      want(site.function);
    }
  }

  void want(std::uint32_t function) {
    if (known_.emplace(function, true).second) wanted_.push_back(function);
  }

  void append(std::uint32_t function, bool isFirst) {
    if (isFirst) analyseControlFlow(out_);  // the kernel's own code, before anything stands behind it
    if (out_.instructions.size() + module_.functions[function].instructions.size() > mostLinked) return;
    Region region = buildRegion(module_, graph_, function);
    analyseControlFlow(region.body);
    keepLiveRegisters(region);
    for (const CallSite& site : region.sites) want(site);
    Routine routine = describe(region);
    renumber(region);
    routine.begin = static_cast<std::uint32_t>(out_.instructions.size());
    move(region.body.instructions, out_.instructions);
    routine.end = static_cast<std::uint32_t>(out_.instructions.size());
    move(region.body.registers, out_.registers);
    move(region.body.vectorElements, out_.vectorElements);
    move(region.body.variables, out_.variables);
    move(region.body.blockBegin, out_.blockBegin);
    move(region.sites, out_.callSites);
    out_.planeCount += region.body.planeCount;
    out_.predicateCount += region.body.predicateCount;
    routineOf_[function] = static_cast<std::uint32_t>(out_.routines.size());
    out_.routines.push_back(std::move(routine));
  }

  template <class T> static void move(std::vector<T>& from, std::vector<T>& to) {
    to.insert(to.end(), std::make_move_iterator(from.begin()), std::make_move_iterator(from.end()));
  }

  void keepLiveRegisters(Region& region) const {
    std::vector<std::uint32_t> places;
    std::vector<CallSite*> sites;
    for (CallSite& site : region.sites) {
      if (!mayComeBack(site, region.function)) continue;
      places.push_back(site.instruction);
      sites.push_back(&site);
    }
    if (places.empty()) return;
    const auto live = liveAfter(region.body, controlFlow(region.body), places);
    for (std::size_t k = 0; k < sites.size(); ++k)
      std::copy_if(live[k].begin(), live[k].end(), std::back_inserter(sites[k]->saved), [&](std::uint32_t r) { return r != region.frameRegister; });
  }

  // Does what the site calls perhaps call `function` again?
  [[nodiscard]] bool mayComeBack(const CallSite& site, std::uint32_t function) const {
    if (site.function != none) return graph_.sameGroup(site.function, function);
    return std::any_of(graph_.addressTaken.begin(), graph_.addressTaken.end(), [&](std::uint32_t f) { return graph_.sameGroup(f, function); });
  }

  [[nodiscard]] static Routine describe(const Region& region) {
    Routine routine;
    routine.function = region.function;
    routine.frameBytes = region.body.localBytes;
    routine.frameAlignment = region.frameAlignment;
    for (const Variable& v : region.body.params) routine.params.push_back({v.offset, v.sizeBytes});
    for (const Variable& v : region.body.returns) routine.returns.push_back({v.offset, v.sizeBytes});
    return routine;
  }

  // The region's numbers become the kernel's.
  void renumber(Region& region) {
    const auto instructions = static_cast<std::uint32_t>(out_.instructions.size()), registers = static_cast<std::uint32_t>(out_.registers.size());
    const auto elements = static_cast<std::uint32_t>(out_.vectorElements.size()), variables = static_cast<std::uint32_t>(out_.variables.size());
    const std::string prefix = module_.functions[region.function].name + ":";
    const auto rename = [&](Operand& o) {
      using Kind = Operand::Kind;
      if (o.predicate != none) o.predicate += registers;
      if (o.kind == Kind::Register || (o.kind == Kind::Address && o.scope == Operand::In::None && o.index != none)) o.index += registers;
      if ((o.kind == Kind::Variable || o.kind == Kind::Address) && o.scope == Operand::In::Function) o.index += variables;
      if (o.kind == Kind::Label) o.index += instructions;
      if (o.kind == Kind::Vector) o.index += elements;
    };
    for (Instruction& in : region.body.instructions) {
      if (in.guard != none) in.guard += registers;
      if (in.target != none) in.target += instructions;
      if (in.reconvergence != none) in.reconvergence += instructions;
      for (Operand& o : in.operands) rename(o);
    }
    for (Operand& o : region.body.vectorElements) rename(o);
    for (std::uint32_t& begin : region.body.blockBegin) begin += instructions;
    for (std::uint32_t r = 0; r < region.body.registers.size(); ++r) {
      Register& reg = region.body.registers[r];
      reg.name = prefix + reg.name;
      reg.slot = r == region.frameRegister ? out_.frameSlot : reg.slot + (reg.type == Type::Pred ? out_.predicateCount : out_.planeCount);
    }
    for (Variable& v : region.body.variables) v.name = prefix + v.name;
    for (CallSite& site : region.sites) {
      site.instruction += instructions;
      for (std::uint32_t& r : site.saved) r += registers;
    }
  }

  const Module& module_;
  const CallGraph& graph_;
  Function out_;
  std::vector<std::uint32_t> wanted_;
  std::map<std::uint32_t, bool> known_;
  std::map<std::uint32_t, std::uint32_t> routineOf_;
};

}  // namespace

void linkCalls(Module& module) {
  const auto isCall = [](const Instruction& in) { return in.opcode == Opcode::Call; };
  const CallGraph graph = callGraph(module);
  for (std::uint32_t f = 0; f < module.functions.size(); ++f) {
    const Function& function = module.functions[f];
    if (!function.isEntry || std::none_of(function.instructions.begin(), function.instructions.end(), isCall)) continue;
    Function linked = Linker(module, graph).link(f);
    module.functions[f] = std::move(linked);
  }
}

}  // namespace warpmill::ptx
