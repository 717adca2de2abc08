// The textures of a launch file: {"type": "texture", "dims": [8, 5], "dtype": "f32", "init": "random:1", ...}.
// Source: CUDA C++ Programming Guide, "Texture Object API" (which combinations there are), and what cuTexObjectCreate refuses.
#include "base/suggest.h"
#include "launch/argument_values.h"

#include <algorithm>

namespace warpmill::launch {
namespace {

constexpr std::array<std::string_view, 13> keys{"type",    "name",       "dims", "dtype",  "channels", "init",  "filter",
                                                "address", "normalized", "read", "border", "memory",   "layers"};
constexpr std::array<DType, 8> texelTypes{DType::U8, DType::I8, DType::U16, DType::I16, DType::U32, DType::I32, DType::F16, DType::F32};
constexpr std::array<std::string_view, 4> addressNames{"wrap", "clamp", "mirror", "border"};

class TextureReader {
 public:
  TextureReader(const std::string& folder, Argument& argument, Diagnostics& errors)
      : folder_(folder), argument_(argument), texture_(argument.texture.emplace()), errors_(errors) {}

  void read(const JsonValue& object, bool isArgument) {
    for (Diagnostic& error : unknownKeys(object, keys)) fail(std::move(error));
    if (!isArgument)
      for (std::string_view key : {"type", "name"})
        if (const auto value = object.member(key)) fail(value->errorAtKey("a texture under 'textures' has its name as key and no '" + std::string(key) + "'"));
    const std::size_t before = errors_.size();
    readShape(object);
    readType(object);
    readSampler(object);
    if (errors_.size() != before) return;
    checkTogether(object);
    if (errors_.size() == before) readInit(object);
  }

 private:
  void fail(Diagnostic error) { errors_.push_back(std::move(error)); }

  std::optional<std::uint32_t> number(const JsonValue& value, std::string_view what, std::uint64_t most) {
    const auto found = value.unsignedInteger();
    if (found && *found >= 1 && *found <= most) return static_cast<std::uint32_t>(*found);
    fail(value.error(std::string(what) + " is a whole number from 1 to " + std::to_string(most)));
    return std::nullopt;
  }

  // One of `names` as its place in the list.
  std::optional<std::size_t> word(const JsonValue& value, std::string_view key, std::span<const std::string_view> names) {
    const std::string given = value.isString() ? value.string() : std::string();
    const auto found = std::find(names.begin(), names.end(), given);
    if (value.isString() && found != names.end()) return static_cast<std::size_t>(found - names.begin());
    std::string all;
    for (std::string_view name : names) all += (all.empty() ? "\"" : ", \"") + std::string(name) + "\"";
    fail(value.error("'" + std::string(key) + "' is one of " + all, value.isString() ? didYouMean(given, names) : ""));
    return std::nullopt;
  }

  bool flag(const JsonValue& object, std::string_view key, bool otherwise) {
    const auto value = object.member(key);
    if (!value) return otherwise;
    if (value->kind() == JsonValue::Kind::Boolean) return value->boolean();
    fail(value->error("'" + std::string(key) + "' is true or false"));
    return otherwise;
  }

  void readShape(const JsonValue& object) {
    const auto dims = object.member("dims");
    const std::string form = R"(write "dims": [WIDTH], [WIDTH, HEIGHT] or [WIDTH, HEIGHT, DEPTH])";
    if (!dims) return fail(object.error("the key 'dims' is missing", form));
    if (!dims->isArray() || dims->size() == 0 || dims->size() > 3) return fail(dims->error("'dims' is an array of one to three sizes", form));
    texture_.dimensions = static_cast<std::uint32_t>(dims->size());
    std::uint32_t axis = 0;
    for (const JsonValue& size : dims->children()) texture_.extent[axis++] = number(size, "a size in texels", 1u << 27).value_or(1);
    if (const auto layers = object.member("layers")) texture_.layers = number(*layers, "'layers'", 2048).value_or(1);
    if (const auto channels = object.member("channels")) {
      texture_.channels = number(*channels, "'channels'", 4).value_or(1);
      if (texture_.channels == 3) fail(channels->error("a texel has 1, 2 or 4 channels", "use 4 and leave one unused"));
    }
  }

  void readType(const JsonValue& object) {
    const auto dtype = object.member("dtype");
    if (!dtype) return fail(object.error("the key 'dtype' is missing", "the type of a channel, such as \"f32\" or \"u8\""));
    std::array<std::string_view, texelTypes.size()> names;
    for (std::size_t i = 0; i < names.size(); ++i) names[i] = dtypeName(texelTypes[i]);
    if (const auto found = word(*dtype, "dtype", names)) argument_.type = texelTypes[*found];
  }

  void readAddress(const JsonValue& value) {
    if (value.isString()) {
      if (const auto mode = word(value, "address", addressNames)) texture_.address.fill(static_cast<Texture::Address>(*mode));
      return;
    }
    if (!value.isArray() || value.size() != texture_.dimensions)
      return fail(value.error("'address' is a mode, or an array of one for each of the " + std::to_string(texture_.dimensions) + " dimensions",
                              R"(such as "clamp" or ["wrap", "clamp"])"));
    std::size_t axis = 0;
    for (const JsonValue& one : value.children()) {
      if (const auto mode = word(one, "address", addressNames)) texture_.address[axis] = static_cast<Texture::Address>(*mode);
      ++axis;
    }
  }

  void readSampler(const JsonValue& object) {
    static constexpr std::array<std::string_view, 2> filters{"point", "linear"}, reads{"element", "normalized"}, memories{"array", "linear"};
    if (const auto value = object.member("filter"))
      if (const auto found = word(*value, "filter", filters)) texture_.filter = static_cast<Texture::Filter>(*found);
    if (const auto value = object.member("read"))
      if (const auto found = word(*value, "read", reads)) texture_.readsNormalized = *found == 1;
    if (const auto value = object.member("memory"))
      if (const auto found = word(*value, "memory", memories)) texture_.isLinearMemory = *found == 1;
    if (const auto value = object.member("address")) readAddress(*value);
    texture_.normalizedCoordinates = flag(object, "normalized", false);
    const auto border = object.member("border");
    if (!border) return;
    if (!border->isArray() || border->size() != 4) return fail(border->error("'border' is an array of four numbers", "such as [0, 0, 0, 1]"));
    std::size_t channel = 0;
    for (const JsonValue& value : border->children()) {
      const auto number = value.number();
      if (!number) return fail(value.error("a channel of the border is a number"));
      texture_.border[channel++] = static_cast<float>(*number);
    }
  }

  // What the driver refuses, too.
  void checkTogether(const JsonValue& object) {
    const bool small = dtypeBytes(argument_.type) <= 2 && !isFloat(argument_.type);
    const auto at = [&](std::string_view key) { return object.member(key).value_or(object); };
    if (texture_.readsNormalized && !small)
      return fail(at("read").error("only integers of 8 or 16 bits can be read as normalized floats, not " + std::string(dtypeName(argument_.type)),
                                   R"(write "read": "element")"));
    if (texture_.filter == Texture::Filter::Linear && !isFloat(argument_.type) && !texture_.readsNormalized)
      return fail(at("filter").error("linear filtering gives floats, but the texels are read as " + std::string(dtypeName(argument_.type)),
                                     small ? R"(write "read": "normalized", or "filter": "point")" : R"(write "filter": "point")"));
    if (texture_.layers != 0 && texture_.dimensions == 3) return fail(at("layers").error("a layered texture has one or two dimensions"));
    if (texture_.isLinearMemory && (texture_.dimensions != 1 || texture_.layers != 0))
      return fail(at("memory").error("a texture in linear memory has one dimension and no layers", R"(write "memory": "array")"));
    if (texture_.isLinearMemory && texture_.filter == Texture::Filter::Linear)
      return fail(at("memory").error("a texture in linear memory is not filtered", R"(write "filter": "point")"));
    std::uint64_t count = std::uint64_t{texture_.channels} * std::max(texture_.layers, 1u);
    for (const std::uint32_t size : texture_.extent) {
      if (count > largestBuffer / size) return fail(at("dims").error("the texture is too large", "at most 16 GiB"));
      count *= size;
    }
    if (count > largestBuffer / dtypeBytes(argument_.type)) return fail(at("dims").error("the texture is too large", "at most 16 GiB"));
    argument_.count = count;
  }

  void readInit(const JsonValue& object) {
    const auto init = object.member("init");
    if (!init) return fail(object.error("the key 'init' is missing", R"(such as "zeros", "random:1" or [1, 2, 3])"));
    argument_.initPosition = init->position();
    if (init->isArray()) {
      if (auto error = readValues(*init, argument_)) fail(std::move(*error));
    } else if (!init->isString()) {
      fail(init->error("'init' is a text or an array of values, not " + std::string(init->kindName())));
    } else if (auto error = parseInit(init->string(), folder_, argument_)) {
      fail(init->error(error->message, error->hint));
    }
  }

  const std::string& folder_;
  Argument& argument_;
  Texture& texture_;
  Diagnostics& errors_;
};

}  // namespace

void readTexture(const JsonValue& object, const std::string& folder, bool isArgument, Argument& argument, Diagnostics& errors) {
  TextureReader(folder, argument, errors).read(object, isArgument);
}

}  // namespace warpmill::launch
