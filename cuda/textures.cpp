#include "cuda/textures.h"

#include <fmt/format.h>

#include <algorithm>

namespace warpmill::cuda {

namespace {

using launch::DType;
using launch::Texture;

// Numbers of the driver's interface.
constexpr int hostMemory = 1, arrayMemory = 3;
constexpr int ofArray = 0, ofLinear = 2;
constexpr unsigned layered = 1, gather = 8;                    // CUDA_ARRAY3D_*
constexpr unsigned readAsInteger = 1, normalizedCoordinates = 2;   // CU_TRSF_*
constexpr unsigned overrideFormat = 1;                         // CU_TRSA_*

int formatOf(DType type) {
  switch (type) {
    case DType::U8: return 1;
    case DType::U16: return 2;
    case DType::U32: return 3;
    case DType::I8: return 8;
    case DType::I16: return 9;
    case DType::I32: return 10;
    case DType::F16: return 16;
    default: return 32;   // f32; a launch file takes no others
  }
}

int modeOf(Texture::Address mode) {
  switch (mode) {
    case Texture::Address::Wrap: return 0;
    case Texture::Address::Clamp: return 1;
    case Texture::Address::Mirror: return 2;
    default: return 3;
  }
}

unsigned flagsOf(const launch::Argument& a) {
  const bool asInteger = !a.texture->readsNormalized && !launch::isFloat(a.type);
  return (asInteger ? readAsInteger : 0u) | (a.texture->normalizedCoordinates ? normalizedCoordinates : 0u);
}

std::string nameOf(const launch::Argument& a) { return a.name.empty() ? "a texture" : "texture '" + a.name + "'"; }

}  // namespace

bool Textures::isHere(std::optional<lesson::MeasuredError>& error) const {
  if (driver_.createArray != nullptr && driver_.destroyArray != nullptr && driver_.copy3D != nullptr && driver_.createTexture != nullptr && driver_.destroyTexture != nullptr) return true;
  error = lesson::MeasuredError{"unsupported", "this driver has no functions for textures", "update the driver"};
  return false;
}

bool Textures::makeTexels(const launch::Argument& argument, bool gathers, Texels& texels, std::optional<lesson::MeasuredError>& error) {
  const auto bytes = launch::initialBytes(argument);
  if (!bytes) {
    const Diagnostics& why = bytes.diagnostics();
    error = lesson::MeasuredError{"launch_refused", why.empty() ? "the texels cannot be read" : why.front().message, why.empty() ? "" : why.front().hint};
    return false;
  }
  const Texture& t = *argument.texture;
  const std::string making = fmt::format("making {} of {} bytes", nameOf(argument), bytes->size());
  texels_.emplace_back();
  if (t.isLinearMemory) {
    if (!check_(driver_.allocate(&texels_.back().linear, std::max<std::size_t>(bytes->size(), 4)), making)) return false;
    texels = texels_.back();
    return check_(driver_.copyToDevice(texels.linear, bytes->data(), bytes->size()), "filling " + nameOf(argument));
  }
  ArrayDescriptor d;
  d.width = t.extent[0];
  d.height = t.dimensions > 1 ? t.extent[1] : 0;
  d.depth = t.layers != 0 ? t.layers : t.dimensions > 2 ? t.extent[2] : 0;
  d.format = formatOf(argument.type);
  d.channels = t.channels;
  d.flags = (t.layers != 0 ? layered : 0u) | (gathers && t.dimensions == 2 ? gather : 0u);
  if (!check_(driver_.createArray(&texels_.back().array, &d), making)) return false;
  texels = texels_.back();
  Copy3D copy;
  copy.from.kind = hostMemory;
  copy.from.host = bytes->data();
  copy.from.pitch = copy.widthBytes = std::size_t{t.extent[0]} * t.channels * launch::dtypeBytes(argument.type);
  copy.from.height = copy.height = std::max<std::size_t>(d.height, 1);
  copy.to.kind = arrayMemory;
  copy.to.array = texels.array;
  copy.depth = std::max<std::size_t>(d.depth, 1);
  return check_(driver_.copy3D(&copy), "filling " + nameOf(argument));
}

bool Textures::makeHandle(const launch::Argument& argument, bool gathers, Address& handle, std::optional<lesson::MeasuredError>& error) {
  Texels texels;
  if (!isHere(error) || !makeTexels(argument, gathers, texels, error)) return false;
  const Texture& t = *argument.texture;
  ResourceDescriptor resource{};
  resource.kind = t.isLinearMemory ? ofLinear : ofArray;
  if (t.isLinearMemory) resource.linear = {texels.linear, formatOf(argument.type), t.channels, argument.sizeBytes()};
  else resource.array = texels.array;
  TextureDescriptor sampler;
  for (std::size_t axis = 0; axis < 3; ++axis) sampler.address[axis] = modeOf(t.address[axis]);
  sampler.filter = t.filter == Texture::Filter::Linear ? 1 : 0;
  sampler.flags = flagsOf(argument);
  std::copy(t.border.begin(), t.border.end(), sampler.border);
  if (!check_(driver_.createTexture(&handle, &resource, &sampler, nullptr), "making " + nameOf(argument))) return false;
  handles_.push_back(handle);
  return true;
}

bool Textures::bindReference(const launch::Argument& argument, bool gathers, Module module, std::optional<lesson::MeasuredError>& error) {
  if (driver_.textureReference == nullptr || driver_.setReferenceArray == nullptr || driver_.setReferenceAddress == nullptr || driver_.setReferenceFormat == nullptr ||
      driver_.setReferenceAddressMode == nullptr || driver_.setReferenceFilter == nullptr || driver_.setReferenceFlags == nullptr || driver_.setReferenceBorder == nullptr) {
    error = lesson::MeasuredError{"unsupported", "this driver binds no .texref of a module any more", "give the kernel the texture as an argument (a handle of 64 bits)"};
    return false;
  }
  Texels texels;
  if (!isHere(error) || !makeTexels(argument, gathers, texels, error)) return false;
  const Texture& t = *argument.texture;
  const std::string binding = "binding " + nameOf(argument);
  TextureReference reference = nullptr;
  if (!check_(driver_.textureReference(&reference, module, argument.name.c_str()), binding)) return false;
  if (t.isLinearMemory) {
    std::size_t offset = 0;
    if (!check_(driver_.setReferenceFormat(reference, formatOf(argument.type), static_cast<int>(t.channels)), binding) ||
        !check_(driver_.setReferenceAddress(&offset, reference, texels.linear, argument.sizeBytes()), binding))
      return false;
  } else if (!check_(driver_.setReferenceArray(reference, texels.array, overrideFormat), binding)) {
    return false;
  }
  for (int axis = 0; axis < 3; ++axis)
    if (!check_(driver_.setReferenceAddressMode(reference, axis, modeOf(t.address[static_cast<std::size_t>(axis)])), binding)) return false;
  std::array<float, 4> border = t.border;
  return check_(driver_.setReferenceFilter(reference, t.filter == Texture::Filter::Linear ? 1 : 0), binding) &&
         check_(driver_.setReferenceFlags(reference, flagsOf(argument)), binding) && check_(driver_.setReferenceBorder(reference, border.data()), binding);
}

void Textures::release() {
  for (const Address handle : handles_) driver_.destroyTexture(handle);
  for (const Texels& t : texels_) {
    if (t.array != nullptr) driver_.destroyArray(t.array);
    if (t.linear != 0) driver_.release(t.linear);
  }
  handles_.clear();
  texels_.clear();
}

}  // namespace warpmill::cuda
