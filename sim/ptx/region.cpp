#include "ptx/region.h"

#include <algorithm>
#include <map>
#include <optional>
#include <tuple>

namespace warpmill::ptx {
namespace {

constexpr std::size_t mostExpanded = 1u << 16;  // instructions of a region: calls of calls of calls can grow without end

using Kind = Operand::Kind;

std::uint64_t alignUp(std::uint64_t value, std::uint64_t step) { return (value + step - 1) / step * step; }

// Where a function's names lead to in the region.
struct Frame {
  const Function* function = nullptr;
  std::uint32_t registerBase = 0, variableBase = 0;  // into the region's lists
  std::uint32_t planeEnd = 0, predicateEnd = 0;      // first ones free for what it calls
  std::uint64_t localEnd = 0;
  bool isRoot = false;
  std::vector<Operand> params, returns;              // variables of the region, by parameter; of an expanded function or a routine
};

class Builder {
 public:
  Builder(const Module& module, const CallGraph& graph, std::uint32_t function)
      : module_(module), graph_(graph), source_(module.functions[function]), isKernel_(source_.isEntry), body_(out_.body) {
    out_.function = function;
  }

  Region run() {
    body_ = source_;
    body_.instructions.clear();
    body_.vectorElements.clear();
    Frame frame;
    frame.function = &source_;
    frame.isRoot = true;
    if (!isKernel_) takeFrame(frame);
    for (const Variable& v : body_.variables) align(v);
    frame.planeEnd = body_.planeCount;
    frame.predicateEnd = body_.predicateCount;
    frame.localEnd = body_.localBytes;
    emit(frame, false);
    return std::move(out_);
  }

 private:
  // A routine's frame: parameters and returned values first, then its own variables.
  void takeFrame(Frame& frame) {
    out_.frameRegister = static_cast<std::uint32_t>(body_.registers.size());
    body_.registers.push_back({"%frame", Type::B64, body_.planeCount});
    body_.planeCount += 2;
    const std::uint64_t start = alignUp(source_.paramBytes, localAlignment);
    for (Variable& v : body_.variables)
      if (isInFrame(v)) v.offset = alignUp(start, frameStep(source_)) + v.offset;
    body_.localBytes = alignUp(start, frameStep(source_)) + source_.localBytes;
    const auto place = [&](const std::vector<Variable>& list, std::vector<Operand>& operands) {
      for (const Variable& v : list) {
        operands.push_back(variableOperand(static_cast<std::uint32_t>(body_.variables.size())));
        body_.variables.push_back(v);
        body_.variables.back().space = Space::Param;
      }
    };
    place(source_.params, frame.params);
    place(source_.returns, frame.returns);
  }

  static constexpr std::uint64_t localAlignment = 16;
  static bool isInFrame(const Variable& v) { return v.space == Space::Local || v.space == Space::Param; }
  static std::uint64_t frameStep(const Function& f) {
    std::uint64_t step = localAlignment;
    for (const Variable& v : f.variables)
      if (isInFrame(v)) step = std::max<std::uint64_t>(step, v.alignment);
    return step;
  }
  void align(const Variable& v) {
    if (isInFrame(v)) out_.frameAlignment = std::max(out_.frameAlignment, v.alignment);
  }
  static Operand variableOperand(std::uint32_t index) {
    Operand o;
    o.kind = Kind::Variable;
    o.scope = Operand::In::Function;
    o.index = index;
    return o;
  }
  static Operand registerOperand(std::uint32_t index) {
    Operand o;
    o.kind = Kind::Register;
    o.index = index;
    return o;
  }

  // Instructions of the frame's function; `isExpanded`: in the place of a call.
  void emit(const Frame& frame, bool isExpanded) {
    const Function& f = *frame.function;
    std::vector<std::uint32_t> place(f.instructions.size() + 1);
    std::vector<std::uint32_t> emitted, returns;
    if (!f.instructions.empty()) moveRegisterParameters(frame, f.params, frame.params, f.instructions.front(), false);
    for (std::uint32_t i = 0; i < f.instructions.size(); ++i) {
      place[i] = size();
      const Instruction& in = f.instructions[i];
      if (in.opcode == Opcode::Call) {
        if (!expand(frame, in)) keepCall(frame, in);
        continue;
      }
      if (in.opcode == Opcode::Ret) moveRegisterParameters(frame, f.returns, frame.returns, in, true);
      const bool jumps = isExpanded && in.opcode == Opcode::Ret;
      if (jumps && in.guard == none && i + 1 == f.instructions.size()) continue;  // falls through to what follows the call
      Instruction copy = renamed(frame, in);
      if (jumps) {
        copy.opcode = Opcode::Bra;
        copy.mods.uniform = in.guard == none;
        returns.push_back(size());
      } else {
        emitted.push_back(size());
      }
      body_.instructions.push_back(std::move(copy));
    }
    place[f.instructions.size()] = size();
    for (const std::uint32_t at : emitted) {
      Instruction& in = body_.instructions[at];
      if (in.target != none) in.target = place[in.target];
      for (Operand& o : in.operands)
        if (o.kind == Kind::Label) o.index = place[o.index];
    }
    for (const std::uint32_t at : returns) jumpTo(body_.instructions[at], size());
  }

  static void jumpTo(Instruction& branch, std::uint32_t target) {
    branch.target = target;
    Operand label;
    label.kind = Kind::Label;
    label.index = target;
    branch.operands = {label};
  }

  // Parameters declared as registers: loaded on entry, returned values stored before a `ret`.
  void moveRegisterParameters(const Frame& frame, const std::vector<Variable>& list, const std::vector<Operand>& places, const Instruction& near, bool store) {
    for (std::size_t k = 0; k < list.size() && k < places.size(); ++k) {
      if (list[k].space != Space::Reg) continue;
      const auto& registers = frame.function->registers;
      const auto found = std::find_if(registers.begin(), registers.end(), [&](const Register& r) { return r.name == list[k].name; });
      if (found == registers.end()) continue;
      const auto index = frame.registerBase + static_cast<std::uint32_t>(found - registers.begin());
      transfer(places[k], registerOperand(index), list[k].type, store, near, store && near.guard != none ? near.guard + frame.registerBase : none);
    }
  }

  // ld.param or st.param between a variable of the frame and a value, beside `near`.
  void transfer(const Operand& variable, const Operand& value, Type type, bool store, const Instruction& near, std::uint32_t guard) {
    Instruction in;
    in.opcode = store ? Opcode::St : Opcode::Ld;
    in.mods.space = Space::Param;
    in.mods.type = type == Type::Pred ? Type::B8 : type;
    in.location = near.location;
    in.position = near.position;
    in.textBegin = near.textBegin;
    in.guard = guard;
    in.guardNegated = near.guardNegated;
    Operand address = variable;
    address.kind = Kind::Address;
    in.operands = store ? std::vector<Operand>{address, value} : std::vector<Operand>{value, address};
    in.destinationCount = store ? 0 : 1;
    toFrame(in);
    body_.instructions.push_back(std::move(in));
  }

  // ---- Calls ----

  [[nodiscard]] const Function* calleeOf(const Instruction& call) const {
    if (call.operands.size() <= call.destinationCount) return nullptr;
    const Operand& o = call.operands[call.destinationCount];
    return o.kind == Kind::FunctionRef ? &module_.functions[o.index] : nullptr;
  }

  // The body of a call in its place; false: it stays a call.
  bool expand(const Frame& caller, const Instruction& call) {
    const Function* f = calleeOf(call);
    if (f == nullptr || f->isEntry || f->isDeclaration || f->instructions.empty()) return false;
    const std::uint32_t index = call.operands[call.destinationCount].index;
    const std::size_t arguments = call.operands.size() - call.destinationCount - 1;
    if (graph_.recursive[index] || size() + f->instructions.size() > mostExpanded) return false;
    if (f->params.size() != arguments || f->returns.size() != call.destinationCount) return false;
    std::vector<Operand> given;
    std::vector<std::uint32_t> late;
    const std::uint64_t before = body_.localBytes;
    if (!takeArguments(caller, call, f, given, late)) return false;
    const bool hasNew = body_.localBytes != before;
    Frame frame = frameFor(caller, index, hasNew ? body_.localBytes : caller.localEnd);
    frame.returns.assign(given.begin(), given.begin() + call.destinationCount);
    frame.params.assign(given.begin() + call.destinationCount, given.end());
    std::optional<std::uint32_t> skip;
    if (call.guard != none) {  // "@p call": the others go past the body
      Instruction branch = call;
      branch.guard = guardOf(caller, call);
      branch.opcode = Opcode::Bra;
      branch.guardNegated = !branch.guardNegated;
      branch.destinationCount = 0;
      branch.mods.uniform = false;
      jumpTo(branch, 0);
      skip = size();
      body_.instructions.push_back(std::move(branch));
    }
    emit(frame, true);
    loadResults(caller, call, given, late);
    if (skip) jumpTo(body_.instructions[*skip], size());
    return true;
  }

  void keepCall(const Frame& caller, const Instruction& call) {
    CallSite site;
    const Function* f = calleeOf(call);
    if (f != nullptr) site.function = call.operands[call.destinationCount].index;
    std::vector<Operand> given;
    std::vector<std::uint32_t> late;
    site.isComplete = takeArguments(caller, call, f, given, late);
    for (std::size_t k = 0; k < given.size(); ++k) {
      const Variable& v = body_.variables[given[k].index];
      (k < call.destinationCount ? site.results : site.arguments).push_back({v.offset + static_cast<std::uint64_t>(given[k].offset), v.sizeBytes});
    }
    Instruction copy = call;
    copy.guard = guardOf(caller, call);
    if (f == nullptr && call.operands.size() > call.destinationCount) {
      const Operand callee = renamed(caller, call.operands[call.destinationCount], nullptr);
      copy.operands = {callee};
    } else {
      copy.operands.clear();
    }
    if (graph_.polls[f != nullptr ? site.function : static_cast<std::uint32_t>(module_.functions.size())]) copy.mods.order = MemoryOrder::Volatile;
    copy.destinationCount = 0;  // values pass through variables only
    site.instruction = size();
    out_.sites.push_back(std::move(site));
    body_.instructions.push_back(std::move(copy));
    loadResults(caller, call, given, late);
  }

  // Variables of the region for all returned values, then all arguments. Registers and numbers get variables of their own, returned
  // ones of them are listed in `late`.
  bool takeArguments(const Frame& caller, const Instruction& call, const Function* f, std::vector<Operand>& given, std::vector<std::uint32_t>& late) {
    const std::size_t before = size();
    for (std::size_t k = 0; k < call.operands.size(); ++k) {
      if (k == call.destinationCount) continue;
      const bool isResult = k < call.destinationCount;
      Operand o = call.operands[k];
      if (o.kind == Kind::Text && !isResult) continue;  // the prototype of a call through a pointer
      if (o.kind == Kind::Variable && o.scope != Operand::In::Module) {
        const Operand at = inRegion(caller, o);
        if (at.scope == Operand::In::Function && isInFrame(body_.variables[at.index])) {
          given.push_back(at);
          continue;
        }
      }
      const std::size_t number = isResult ? k : k - call.destinationCount - 1;
      const std::vector<Variable>* formal = f == nullptr ? nullptr : isResult ? &f->returns : &f->params;
      const Type type = formal != nullptr && number < formal->size() && (*formal)[number].elementCount == 1 ? (*formal)[number].type : typeOf(caller, o);
      if (type == Type::None || type == Type::Pred || (o.kind != Kind::Register && o.kind != Kind::Immediate && o.kind != Kind::Special && o.kind != Kind::Sink)) {
        body_.instructions.resize(before);
        return false;
      }
      given.push_back(newVariable(type));
      if (isResult) {
        if (o.kind == Kind::Register) late.push_back(static_cast<std::uint32_t>(k));
      } else {
        transfer(given.back(), renamed(caller, o, nullptr), type, true, call, guardOf(caller, call));
      }
    }
    return true;
  }

  void loadResults(const Frame& caller, const Instruction& call, const std::vector<Operand>& given, const std::vector<std::uint32_t>& late) {
    for (const std::uint32_t k : late)
      transfer(given[k], renamed(caller, call.operands[k], nullptr), body_.variables[given[k].index].type, false, call, guardOf(caller, call));
  }

  [[nodiscard]] static std::uint32_t guardOf(const Frame& frame, const Instruction& in) {
    return in.guard == none ? none : in.guard + frame.registerBase;
  }

  [[nodiscard]] Type typeOf(const Frame& frame, const Operand& o) const {
    return o.kind == Kind::Register ? frame.function->registers[o.index].type : Type::None;
  }

  Operand newVariable(Type type) {
    Variable v;
    v.name = "%value";
    v.space = Space::Param;
    v.type = type;
    v.alignment = sizeBytes(type);
    v.sizeBytes = sizeBytes(type);
    // Behind all that is in use now, so that no function expanded here overlaps it.
    v.offset = alignUp(body_.localBytes, v.alignment);
    body_.localBytes = v.offset + v.sizeBytes;
    body_.variables.push_back(std::move(v));
    return variableOperand(static_cast<std::uint32_t>(body_.variables.size() - 1));
  }

  // Registers, variables and local memory of a function called from `caller`: behind the caller's and `localEnd`. Two calls from the same place in the
  // stack share them.
  Frame frameFor(const Frame& caller, std::uint32_t callee, std::uint64_t localEnd) {
    const Function& f = module_.functions[callee];
    const std::uint64_t localBase = alignUp(localEnd, frameStep(f));
    const auto [at, isNew] = frames_.try_emplace({callee, caller.planeEnd, caller.predicateEnd, localBase});
    if (isNew) {
      Frame& frame = at->second;
      frame.function = &f;
      frame.registerBase = static_cast<std::uint32_t>(body_.registers.size());
      frame.variableBase = static_cast<std::uint32_t>(body_.variables.size());
      for (Register r : f.registers) {
        r.name = f.name + ":" + r.name;
        r.slot += r.type == Type::Pred ? caller.predicateEnd : caller.planeEnd;
        body_.registers.push_back(std::move(r));
      }
      for (Variable v : f.variables) {
        v.name = f.name + ":" + v.name;
        if (isInFrame(v)) v.offset += localBase;
        align(v);
        body_.variables.push_back(std::move(v));
      }
      frame.planeEnd = caller.planeEnd + f.planeCount;
      frame.predicateEnd = caller.predicateEnd + f.predicateCount;
      frame.localEnd = localBase + f.localBytes;
      body_.planeCount = std::max(body_.planeCount, frame.planeEnd);
      body_.predicateCount = std::max(body_.predicateCount, frame.predicateEnd);
      body_.localBytes = std::max(body_.localBytes, frame.localEnd);
    }
    return at->second;
  }

  // ---- Names ----

  Instruction renamed(const Frame& frame, const Instruction& in) {
    Instruction copy = in;
    if (copy.guard != none) copy.guard += frame.registerBase;
    for (Operand& o : copy.operands) o = renamed(frame, o, &copy);
    const bool ofKernel = isKernel_ && frame.isRoot;
    if (in.mods.space == Space::Param && (!ofKernel || in.opcode == Opcode::St)) copy.mods.toSpace = Space::Local;
    toFrame(copy);
    return copy;
  }

  // A variable of the frame's function as one of the region; a kernel's own parameters stay.
  [[nodiscard]] Operand inRegion(const Frame& frame, Operand o) const {
    const bool isParam = o.scope == Operand::In::Parameter, isReturn = o.scope == Operand::In::Return;
    if (o.scope == Operand::In::Function) o.index += frame.variableBase;
    if ((isParam || isReturn) && !(isKernel_ && frame.isRoot)) {
      const Operand& given = (isParam ? frame.params : frame.returns)[o.index];
      o.scope = given.scope;
      o.index = given.index;
      o.offset += given.offset;
    }
    return o;
  }

  Operand renamed(const Frame& frame, Operand o, const Instruction* in) {
    if (o.predicate != none) o.predicate += frame.registerBase;
    if (o.kind == Kind::Register || (o.kind == Kind::Address && o.scope == Operand::In::None && o.index != none)) o.index += frame.registerBase;
    if (o.kind == Kind::Variable || o.kind == Kind::Address) o = inRegion(frame, o);
    if (o.kind == Kind::Vector) {
      const auto first = static_cast<std::uint32_t>(body_.vectorElements.size());
      for (std::uint32_t k = 0; k < o.count; ++k) {
        Operand element = renamed(frame, frame.function->vectorElements[o.index + k], in);
        if (in != nullptr) element = plainValue(element, *in);
        body_.vectorElements.push_back(element);
      }
      o.index = first;
    }
    return o;
  }

  // In a routine, variables of the frame are addressed from the frame's register.
  void toFrame(Instruction& in) {
    for (Operand& o : in.operands) {
      if (isKernel_ || o.scope != Operand::In::Function || (o.kind != Kind::Address && o.kind != Kind::Variable)) continue;
      const Variable& v = body_.variables[o.index];
      if (!isInFrame(v)) continue;
      if (o.kind == Kind::Variable) {
        o = plainValue(o, in);
        continue;
      }
      o.scope = Operand::In::None;
      o.index = out_.frameRegister;
      o.offset += static_cast<std::int64_t>(v.offset);
      if (in.mods.space == Space::Param) in.mods.toSpace = Space::Local;
    }
  }

  // The address of a variable of a routine's frame as a value: computed into a register right before the instruction.
  Operand plainValue(const Operand& o, const Instruction& in) {
    if (isKernel_ || o.kind != Kind::Variable || o.scope != Operand::In::Function || !isInFrame(body_.variables[o.index])) return o;
    Instruction add;
    add.opcode = Opcode::Add;
    add.mods.type = Type::U64;
    add.location = in.location;
    add.position = in.position;
    add.textBegin = in.textBegin;
    Operand offset;
    offset.kind = Kind::Immediate;
    offset.bits = body_.variables[o.index].offset + static_cast<std::uint64_t>(o.offset);
    const auto result = static_cast<std::uint32_t>(body_.registers.size());
    body_.registers.push_back({"%address", Type::B64, body_.planeCount});
    body_.planeCount += 2;
    add.operands = {registerOperand(result), registerOperand(out_.frameRegister), offset};
    add.destinationCount = 1;
    body_.instructions.push_back(std::move(add));
    return registerOperand(result);
  }

  [[nodiscard]] std::uint32_t size() const { return static_cast<std::uint32_t>(body_.instructions.size()); }

  const Module& module_;
  const CallGraph& graph_;
  const Function& source_;
  const bool isKernel_;
  Region out_;
  Function& body_;
  std::map<std::tuple<std::uint32_t, std::uint32_t, std::uint32_t, std::uint64_t>, Frame> frames_;
};

}  // namespace

Region buildRegion(const Module& module, const CallGraph& graph, std::uint32_t function) {
  return Builder(module, graph, function).run();
}

}  // namespace warpmill::ptx
