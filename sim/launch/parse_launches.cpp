// Launch files: JSON to Launch, everything that is wrong said at its place.
#include "base/json.h"
#include "base/suggest.h"
#include "launch/argument_values.h"
#include "launch/launch.h"

#include <algorithm>
#include <array>
#include <filesystem>

namespace warpmill::launch {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t mostErrors = 20;
constexpr std::size_t mostArguments = 1024;
constexpr std::size_t mostSteps = 1024;
constexpr std::uint64_t largestStack = 512 * 1024;  // Source: CUDA C++ Programming Guide: 512 KB of local memory a thread
constexpr std::array<std::string_view, 13> launchKeys{"name", "textures", "ptx",  "source", "kernel", "grid", "block", "dynamic_shared_bytes",
                                                      "stack_bytes", "args", "work", "expect", "cluster"};
constexpr std::array<std::string_view, 7> sequenceKeys{"name", "ptx", "source", "buffers", "sequence", "work", "expect"};
constexpr std::array<std::string_view, 5> bufferKeys{"type", "dtype", "count", "init", "name"};
constexpr std::array<std::string_view, 3> scalarKeys{"type", "value", "name"};
constexpr std::array<std::string_view, 1> namedBufferKeys{"buffer"};
constexpr std::array<std::string_view, 2> workKeys{"bytes", "flops"};
constexpr std::array<std::string_view, 4> expectKeys{"verdict", "output_arg", "output", "tolerance"};
constexpr std::array<std::string_view, 4> sequenceExpectKeys{"verdict", "output_buffer", "output", "tolerance"};

std::vector<std::string_view> typeNames(bool withBuffer) {
  std::vector<std::string_view> names;
  if (withBuffer) names.insert(names.end(), {"buffer", "texture"});
  for (int t = 0; t <= static_cast<int>(DType::F64); ++t) names.push_back(dtypeName(static_cast<DType>(t)));
  return names;
}

std::string notA(std::string_view key, std::string_view wanted, const JsonValue& value) {
  return "'" + std::string(key) + "' is " + std::string(wanted) + ", not " + std::string(value.kindName());
}

class Reader {
 public:
  Reader(const std::string& fileName, const std::string& folder) : fileName_(fileName), folder_(folder) {}

  std::vector<Launch> launches;
  Diagnostics errors, warnings;

  void read(const JsonValue& root) {
    if (root.isObject()) {
      readObject(root);
    } else if (!root.isArray()) {
      fail(root.error("a launch file is an object or an array of objects, not " + std::string(root.kindName())));
    } else if (root.size() == 0) {
      fail(root.error("this suite has no launches"));
    } else {
      for (auto element = root.first(); element && errors.size() < mostErrors; element = element->next()) {
        if (element->isObject())
          readObject(*element);
        else
          fail(element->error("a launch is an object, not " + std::string(element->kindName())));
      }
    }
    if (errors.size() > mostErrors) errors.resize(mostErrors);
  }

 private:
  void fail(Diagnostic error) { errors.push_back(std::move(error)); }
  void unknown(const JsonValue& object, std::span<const std::string_view> allowed) {
    for (Diagnostic& error : unknownKeys(object, allowed)) fail(std::move(error));
  }

  std::optional<std::string> text(const JsonValue& object, std::string_view key) {
    const auto value = object.member(key);
    if (!value) return std::nullopt;
    if (!value->isString()) {
      fail(value->error(notA(key, "a text", *value)));
      return std::nullopt;
    }
    std::string found = value->string();
    if (found.empty() || found.find('\0') != std::string::npos) {
      fail(value->error("'" + std::string(key) + "' is empty"));
      return std::nullopt;
    }
    return found;
  }

  void readObject(const JsonValue& object) { launches.push_back(object.member("sequence") ? readSequence(object) : readLaunch(object, nullptr)); }

  // Launches that share buffers, in order. "ptx" or "source" beside them holds where a launch names none.
  Launch readSequence(const JsonValue& object) {
    Launch sequence;
    sequence.file = fileName_;
    sequence.position = sequence.argumentsPosition = sequence.blockPosition = object.position();
    unknown(object, sequenceKeys);
    if (const auto buffers = object.member("buffers")) readNamedBuffers(*buffers, sequence);
    const JsonValue steps = *object.member("sequence");
    if (!steps.isArray() || steps.size() == 0 || steps.size() > mostSteps) {
      fail(steps.error("'sequence' is an array of 1 to 1024 launches", R"(as in "sequence": [{"ptx": "FILE", "kernel": "first", ...}])"));
      return sequence;
    }
    sequence_ = &sequence;
    for (auto step = steps.first(); step && errors.size() < mostErrors; step = step->next()) {
      if (!step->isObject()) fail(step->error("a launch is an object, not " + std::string(step->kindName())));
      else if (step->member("sequence")) fail(step->error("a sequence cannot hold a sequence", "write its launches here"));
      else sequence.sequence.push_back(readLaunch(*step, &object));
    }
    sequence_ = nullptr;
    sequence.name = text(object, "name").value_or("");
    if (sequence.name.empty() && !sequence.sequence.empty()) sequence.name = sequence.sequence.front().name;
    if (const auto work = object.member("work")) readWork(*work, sequence);
    if (const auto expect = object.member("expect")) readExpect(*expect, sequence);
    return sequence;
  }

  void readNamedBuffers(const JsonValue& list, Launch& sequence) {
    if (!list.isObject()) return fail(list.error(notA("buffers", "an object", list), R"(as in {"x": {"dtype": "f32", "count": 1024, "init": "zeros"}})"));
    if (list.size() > mostArguments) return fail(list.error("there are " + std::to_string(list.size()) + " buffers", "at most 1024"));
    for (auto member = list.first(); member; member = member->next()) {
      Argument buffer;
      buffer.isBuffer = true;
      buffer.position = member->position();
      buffer.name = member->key();
      buffer.shared = static_cast<std::uint32_t>(sequence.buffers.size());
      if (buffer.name.empty()) fail(member->errorAtKey("a buffer needs a name"));
      if (!member->isObject()) {
        fail(member->error("a buffer is an object, not " + std::string(member->kindName())));
      } else {
        const auto type = member->member("type");
        if (type && (!type->isString() || type->string() != "buffer")) fail(type->error("what stands in 'buffers' has the type \"buffer\""));
        if (const auto name = member->member("name")) fail(name->errorAtKey("the buffer's name is its key"));
        readBuffer(*member, buffer);
      }
      sequence.buffers.push_back(std::move(buffer));
    }
  }

  // {"buffer": "x"}: one of the sequence's.
  void readNamed(const JsonValue& object, Argument& argument) {
    unknown(object, namedBufferKeys);
    const auto name = text(object, "buffer");
    if (!name) return;
    const JsonValue value = *object.member("buffer");
    if (sequence_ == nullptr)
      return fail(value.error("there is no buffer '" + *name + "'", "named buffers are those of a sequence: give the buffer's dtype, count and init here"));
    std::vector<std::string> names;
    for (const Argument& buffer : sequence_->buffers) {
      if (buffer.name == *name) {
        const SourcePosition position = argument.position;
        argument = buffer;
        argument.position = position;
        return;
      }
      names.push_back(buffer.name);
    }
    fail(value.error("there is no buffer '" + *name + "'", names.empty() ? R"(the sequence has none: add "buffers": {...})" : didYouMean(*name, names)));
  }

  // `sequence` is the object whose launch it is, or nullptr.
  Launch readLaunch(const JsonValue& object, const JsonValue* sequence) {
    Launch launch;
    launch.file = fileName_;
    launch.position = object.position();
    unknown(object, launchKeys);
    const bool inherits = sequence != nullptr && !object.member("ptx") && !object.member("source") && (sequence->member("ptx") || sequence->member("source"));
    readProgram(inherits ? *sequence : object, object, launch);
    launch.grid = shape(object, "grid", launch.gridPosition);
    launch.block = shape(object, "block", launch.blockPosition);
    if (object.member("cluster")) launch.cluster = shape(object, "cluster", launch.clusterPosition);
    if (const auto shared = object.member("dynamic_shared_bytes")) {
      launch.sharedPosition = shared->position();
      const auto number = shared->unsignedInteger();
      if (number && *number <= 1u << 30)
        launch.dynamicSharedBytes = static_cast<std::uint32_t>(*number);
      else
        fail(shared->error("'dynamic_shared_bytes' is a whole number of bytes, at most 1 GiB"));
    }
    if (const auto stack = object.member("stack_bytes")) {
      const auto number = stack->unsignedInteger();
      if (number && *number <= largestStack)
        launch.stackBytes = static_cast<std::uint32_t>(*number);
      else
        fail(stack->error("'stack_bytes' is a whole number of bytes, at most 524288", "what cudaDeviceSetLimit(cudaLimitStackSize, ...) would be given"));
    }
    readArguments(object, launch);
    if (const auto textures = object.member("textures")) readTextures(*textures, launch);
    if (const auto work = object.member("work")) readWork(*work, launch);
    if (const auto expect = object.member("expect")) readExpect(*expect, launch);
    return launch;
  }

  // `object` names the program, `own` kernel and launch: of a sequence's launch they may be two.
  void readProgram(const JsonValue& object, const JsonValue& own, Launch& launch) {
    const auto ptx = text(object, "ptx"), source = text(object, "source");
    const bool hasPtx = object.member("ptx").has_value(), hasSource = object.member("source").has_value();
    if (hasPtx && hasSource)
      fail(object.member("source")->errorAtKey("'ptx' and 'source' stand here both", "give the PTX file or the source to compile"));
    if (!hasPtx && !hasSource)
      fail(object.error("the key 'ptx' is missing", R"(write "ptx": "FILE.ptx", or "source": "FILE.cu" to compile it first)"));
    if (ptx) {
      launch.ptxPath = (fs::path(folder_) / (ptx->ends_with(".ptx") ? *ptx : *ptx + ".ptx")).string();
      launch.ptxPosition = object.member("ptx")->position();
    }
    if (source) {
      launch.sourcePath = (fs::path(folder_) / *source).string();
      launch.ptxPosition = object.member("source")->position();
    }
    launch.kernel = text(own, "kernel").value_or("");
    launch.kernelPosition = own.member("kernel") ? own.member("kernel")->position() : launch.position;
    launch.name = text(own, "name").value_or("");
    if (launch.name.empty())
      launch.name = !launch.kernel.empty() ? launch.kernel : fs::path(launch.ptxPath + launch.sourcePath).stem().string();
  }

  std::array<std::uint32_t, 3> shape(const JsonValue& object, std::string_view key, SourcePosition& position) {
    std::array<std::uint32_t, 3> size{1, 1, 1};
    const std::string name = "'" + std::string(key) + "'";
    const std::string form = "write \"" + std::string(key) + "\": [X, Y, Z]";
    const auto value = object.member(key);
    if (!value) {
      fail(object.error("the key " + name + " is missing", form));
      return size;
    }
    position = value->position();
    std::vector<JsonValue> parts{*value};
    if (value->isArray()) {
      if (value->size() == 0 || value->size() > 3) {
        fail(value->error(name + " has " + std::to_string(value->size()) + " dimensions", form));
        return size;
      }
      parts = value->children();
    }
    for (std::size_t i = 0; i < parts.size(); ++i) {
      const auto number = parts[i].unsignedInteger();
      if (!number || *number > 0xFFFFFFFFull)
        fail(parts[i].error(name + " holds whole numbers from 1 to 4294967295", form));
      else if (*number == 0)
        fail(parts[i].error(name + " has size 0", "every dimension is at least 1"));
      else
        size[i] = static_cast<std::uint32_t>(*number);
    }
    return size;
  }

  void readArguments(const JsonValue& object, Launch& launch) {
    const auto list = object.member("args");
    launch.argumentsPosition = list ? list->position() : launch.position;
    if (!list) return fail(object.error("the key 'args' is missing", "write \"args\": [] when the kernel has none"));
    if (!list->isArray()) return fail(list->error(notA("args", "an array", *list)));
    if (list->size() > mostArguments) return fail(list->error("there are " + std::to_string(list->size()) + " arguments", "at most 1024"));
    for (auto element = list->first(); element; element = element->next()) {
      Argument argument;
      argument.position = element->position();
      if (element->isObject())
        readArgument(*element, argument);
      else
        fail(
            element->error("an argument is an object, not " + std::string(element->kindName()), R"(as in {"type": "i32", "value": 1024})"));
      launch.arguments.push_back(std::move(argument));
    }
  }

  // "textures": {"NAME": {...}}
  void readTextures(const JsonValue& object, Launch& launch) {
    if (!object.isObject()) return fail(object.error(notA("textures", "an object", object), "name a .texref of the module: {\"tex\": {...}}"));
    if (object.size() > mostArguments) return fail(object.error("there are " + std::to_string(object.size()) + " textures", "at most 1024"));
    for (auto element = object.first(); element; element = element->next()) {
      Argument texture;
      texture.name = element->key();
      texture.position = element->position();
      if (element->isObject())
        launch::readTexture(*element, folder_, false, texture, errors);
      else
        fail(element->error("a texture is an object, not " + std::string(element->kindName())));
      launch.textures.push_back(std::move(texture));
    }
  }

  void readArgument(const JsonValue& object, Argument& argument) {
    const auto type = object.member("type");
    if (object.member("buffer")) return readNamed(object, argument);
    if (!type) return fail(object.error("the key 'type' is missing", R"("buffer", or the type of a scalar, such as "i32")"));
    const auto name = text(object, "type");
    if (!name) return;
    argument.isBuffer = *name == "buffer";
    if (object.member("name")) argument.name = text(object, "name").value_or("");
    if (argument.isBuffer) return readBuffer(object, argument);
    if (*name == "texture") return launch::readTexture(object, folder_, true, argument, errors);
    const auto scalar = dtypeFromName(*name);
    if (!scalar) return fail(type->error("unknown type '" + *name + "'", didYouMean(*name, typeNames(true))));
    argument.type = *scalar;
    unknown(object, scalarKeys);
    const auto value = object.member("value");
    if (!value) return fail(object.error("the key 'value' is missing"));
    if (auto error = readScalar(*value, argument)) fail(std::move(*error));
  }

  void readBuffer(const JsonValue& object, Argument& buffer) {
    unknown(object, bufferKeys);
    const auto dtype = object.member("dtype"), count = object.member("count"), init = object.member("init");
    if (!dtype) fail(object.error("the key 'dtype' is missing", "the type of the buffer's elements, such as \"f32\""));
    if (!count) fail(object.error("the key 'count' is missing", "the number of the buffer's elements"));
    if (!init) fail(object.error("the key 'init' is missing", R"(such as "zeros", "random:1" or [1, 2, 3])"));
    if (!dtype || !count || !init) return;
    const auto name = text(object, "dtype");
    if (!name) return;
    const auto type = dtypeFromName(*name);
    if (!type) return fail(dtype->error("unknown dtype '" + *name + "'", didYouMean(*name, typeNames(false))));
    buffer.type = *type;
    const auto number = count->unsignedInteger();
    if (!number)
      return fail(
          count->error("'count' is a whole number of elements, not " + std::string(count->isNumber() ? count->text() : count->kindName())));
    if (*number == 0) return fail(count->error("a buffer has at least one element"));
    if (*number > largestBuffer / dtypeBytes(*type))
      return fail(count->error("the buffer is too large", "at most " + std::to_string(largestBuffer >> 30) + " GiB: " +
                                                              std::to_string(largestBuffer / dtypeBytes(*type)) + " elements of " + *name));
    buffer.count = *number;
    buffer.initPosition = init->position();
    if (init->isArray()) {
      if (auto error = readValues(*init, buffer)) fail(std::move(*error));
      return;
    }
    if (!init->isString()) return fail(init->error(notA("init", "a text or an array of values", *init)));
    if (auto error = parseInit(init->string(), folder_, buffer)) return fail(init->error(error->message, error->hint));
    if (buffer.init.kind == Init::Kind::Random && !isFloat(buffer.type)) {
      Diagnostic warning =
          init->error("'random' draws from [0, 1): every " + *name + " of it is 0", "for whole numbers there is randint:SEED:K");
      warning.severity = Severity::Warning;
      warnings.push_back(std::move(warning));
    }
  }

  std::optional<double> amount(const JsonValue& object, std::string_view key) {
    const auto value = object.member(key);
    if (!value) return std::nullopt;
    const auto number = value->number();
    if (number && *number >= 0) return number;
    fail(value->error("'" + std::string(key) + "' is a number of at least 0"));
    return std::nullopt;
  }

  void readWork(const JsonValue& object, Launch& launch) {
    if (!object.isObject()) return fail(object.error(notA("work", "an object", object), R"(as in {"bytes": 12288, "flops": 1024})"));
    unknown(object, workKeys);
    launch.workBytes = amount(object, "bytes");
    launch.workFlops = amount(object, "flops");
  }

  void readExpect(const JsonValue& object, Launch& launch) {
    if (!object.isObject()) return fail(object.error(notA("expect", "an object", object)));
    const bool ofSequence = !launch.sequence.empty() || !launch.buffers.empty();
    unknown(object, ofSequence ? std::span<const std::string_view>(sequenceExpectKeys) : std::span<const std::string_view>(expectKeys));
    if (const auto verdict = object.member("verdict")) {
      launch.expectedVerdict = text(object, "verdict").value_or("");
      launch.verdictPosition = verdict->position();
    }
    launch.tolerance = amount(object, "tolerance").value_or(0);
    const auto output = object.member("output"), which = object.member(ofSequence ? "output_buffer" : "output_arg");
    if (which && ofSequence) {
      const auto named = std::find_if(launch.buffers.begin(), launch.buffers.end(),
                                      [&](const Argument& b) { return which->isString() && b.name == which->string(); });
      if (named == launch.buffers.end()) return fail(which->error("'output_buffer' is the name of one of the sequence's buffers"));
      launch.expectedOutputArgument = named->shared;
    } else if (which) {
      const auto index = which->unsignedInteger();
      if (!index || *index >= launch.arguments.size())
        return fail(which->error("'output_arg' is the number of an argument",
                                 "they count from 0 to " + std::to_string(launch.arguments.size() - (launch.arguments.empty() ? 0 : 1))));
      if (!launch.arguments[*index].isBuffer) return fail(which->error("argument " + std::to_string(*index) + " is no buffer"));
      launch.expectedOutputArgument = static_cast<std::uint32_t>(*index);
    }
    if (!output) return;
    if (!which)
      return fail(ofSequence ? output->errorAtKey("'output' without 'output_buffer'", "say which buffer holds it")
                             : output->errorAtKey("'output' without 'output_arg'", "say which argument holds it"));
    if (!output->isArray()) return fail(output->error(notA("output", "an array of numbers", *output)));
    const Argument& buffer = (ofSequence ? launch.buffers : launch.arguments)[*launch.expectedOutputArgument];
    if (output->size() > buffer.count)
      return fail(output->error("there are " + std::to_string(output->size()) + " expected values for a buffer of " +
                                std::to_string(buffer.count)));
    for (auto element = output->first(); element; element = element->next()) {
      Argument parsed;
      parsed.type = DType::F64;
      if (auto error = readScalar(*element, parsed)) return fail(std::move(*error));
      launch.expectedOutput.push_back(valueOf(DType::F64, parsed.bits));
    }
  }

  const std::string& fileName_;
  const std::string& folder_;
  const Launch* sequence_ = nullptr;  // whose launches are being read
};

}  // namespace

Result<std::vector<Launch>> parseLaunches(const std::string& text, const std::string& fileName, const std::string& folder) {
  const auto document = JsonDocument::parse(text, fileName);
  if (!document) return document.diagnostics();
  Reader reader(fileName, folder);
  reader.read((*document)->root());
  if (!reader.errors.empty()) return reader.errors;
  return Result<std::vector<Launch>>(std::move(reader.launches), std::move(reader.warnings));
}

}  // namespace warpmill::launch
