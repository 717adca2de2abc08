// A library with the CUDA driver's functions and no GPU behind them, for the paths of `warpmill measure` that need none. Device memory is
// the host's. A kernel is told by its name: "vec_add" adds, "vec_add_wrong" adds and spoils element 17, "faults" accesses an address that
// is not its own, "hangs" never ends, "dies" takes the process with it, "texels"
// writes the floats of its texture (its second argument, or the module's own) to its first, "cluster" the sides of its cluster; all others do
// nothing. Modules that say "newer" are refused.
#include "cuda/driver.h"

#include <unistd.h>

#include <cstddef>
#include <cstdlib>
#include <cstring>
#include <map>
#include <set>
#include <string>

namespace {

struct Kernel { std::string name; };
std::set<std::string> modules;
std::map<std::string, Kernel> kernels;
std::map<unsigned long long, std::size_t> memory;
int pending = 0;   // the status that the next synchronisation gives
bool hanging = false;
float clockMs = 0;
unsigned cluster[3] = {0, 0, 0};

// An array's or linear memory's bytes; what a texture reference is bound to.
struct Texels { std::string bytes; };
std::set<Texels*> textures;
Texels* referenced = nullptr;

int settle() {
  if (hanging) ::pause();
  return pending;
}

}  // namespace

extern "C" {
int cuInit(unsigned) { return std::getenv("FAKE_CUDA_INIT") != nullptr ? std::atoi(std::getenv("FAKE_CUDA_INIT")) : 0; }
int cuDriverGetVersion(int* version) { return *version = 13000, 0; }
int cuGetErrorName(int status, const char** text) { return *text = status == 700 ? "CUDA_ERROR_ILLEGAL_ADDRESS" : status == 2 ? "CUDA_ERROR_OUT_OF_MEMORY" : "CUDA_ERROR", 0; }
int cuGetErrorString(int, const char** text) { return *text = "an error of the fake driver", 0; }
int cuDeviceGetCount(int* count) { return *count = std::getenv("FAKE_CUDA_NONE") != nullptr ? 0 : 1, 0; }
int cuDeviceGet(int* device, int ordinal) { return *device = ordinal, ordinal == 0 ? 0 : 101; }
int cuDeviceGetName(char* name, int length, int) { return std::strncpy(name, "Fake GPU", static_cast<std::size_t>(length)), 0; }
int cuDeviceGetAttribute(int* value, int attribute, int) { return *value = attribute == 16 ? 4 : attribute == 38 ? 1 << 20 : 0, 0; }
int cuDeviceTotalMem_v2(std::size_t* bytes, int) { return *bytes = 1u << 30, 0; }
int cuDeviceGetPCIBusId(char* id, int length, int) { return std::strncpy(id, "0000:00:00.0", static_cast<std::size_t>(length)), 0; }
int cuDevicePrimaryCtxRetain(void** context, int) { return *context = &modules, 0; }
int cuCtxSetCurrent(void*) { return 0; }
int cuCtxSynchronize() { return settle(); }
int cuCtxSetLimit(int, std::size_t) { return 0; }
int cuModuleLoadDataEx(void** module, const void* image, unsigned, int*, void** values) {
  const std::string text(static_cast<const char*>(image));
  if (text.find("newer") != std::string::npos) return std::strcpy(static_cast<char*>(values[0]), "ptxas: Unsupported .version 99.0"), 222;
  *module = const_cast<char*>(modules.insert(text).first->c_str());
  return 0;
}
int cuModuleUnload(void*) { return 0; }
int cuModuleGetFunction(void** function, void* module, const char* name) {
  if (std::string(static_cast<const char*>(module)).find(".entry " + std::string(name)) == std::string::npos) return 500;
  *function = &kernels.emplace(name, Kernel{name}).first->second;
  return 0;
}
int cuFuncGetAttribute(int* value, int attribute, void*) { return *value = attribute == 4 ? 12 : 0, 0; }
int cuFuncSetAttribute(void*, int, int) { return 0; }
int cuMemAlloc_v2(unsigned long long* address, std::size_t bytes) {
  if (bytes > (1u << 29)) return 2;
  *address = reinterpret_cast<unsigned long long>(std::calloc(1, bytes));   // nothing fills it
  memory[*address] = bytes;
  return 0;
}
int cuMemFree_v2(unsigned long long address) { return std::free(reinterpret_cast<void*>(address)), memory.erase(address), 0; }
int cuMemcpyHtoD_v2(unsigned long long to, const void* from, std::size_t bytes) { return std::memcpy(reinterpret_cast<void*>(to), from, bytes), 0; }
int cuMemcpyDtoH_v2(void* to, unsigned long long from, std::size_t bytes) { return std::memcpy(to, reinterpret_cast<void*>(from), bytes), 0; }
int cuMemsetD32Async(unsigned long long, unsigned, std::size_t, void*) { return 0; }
int cuLaunchKernel(void* function, unsigned, unsigned, unsigned, unsigned blockX, unsigned, unsigned, unsigned, void*, void** parameters, void**) {
  if (blockX > 1024) return 1;
  const std::string& name = static_cast<Kernel*>(function)->name;
  clockMs += 0.001f;
  if (name == "vec_add" || name == "vec_add_wrong") {
    float* p[3];
    int n = 0;
    for (int i = 0; i < 3; ++i) std::memcpy(&p[i], parameters[i], sizeof p[i]);
    std::memcpy(&n, parameters[3], sizeof n);
    for (int i = 0; i < n; ++i) p[2][i] = p[0][i] + p[1][i];
    if (name == "vec_add_wrong") p[2][17] += 1;
  }
  if (name == "texels") {
    unsigned long long out = 0, handle = 0;
    std::memcpy(&out, parameters[0], sizeof out);
    if (referenced == nullptr) std::memcpy(&handle, parameters[1], sizeof handle);
    const Texels& t = referenced != nullptr ? *referenced : *reinterpret_cast<Texels*>(handle);
    std::memcpy(reinterpret_cast<void*>(out), t.bytes.data(), t.bytes.size());
  }
  if (name == "cluster") {
    unsigned long long out = 0;
    std::memcpy(&out, parameters[0], sizeof out);
    std::memcpy(reinterpret_cast<void*>(out), cluster, sizeof cluster);
  }
  if (name == "faults") pending = 700;
  if (name == "hangs") hanging = true;
  if (name == "dies") std::abort();
  return 0;
}
int cuLaunchKernelEx(const warpmill::cuda::LaunchConfig* config, void* function, void** parameters, void** extra) {
  for (unsigned a = 0; a < config->attributeCount; ++a)
    if (config->attributes[a].id == 4) std::memcpy(cluster, config->attributes[a].value, sizeof cluster);
  return cuLaunchKernel(function, config->grid[0], config->grid[1], config->grid[2], config->block[0], config->block[1], config->block[2], config->sharedBytes, config->stream, parameters, extra);
}
int cuArray3DCreate_v2(void** array, const warpmill::cuda::ArrayDescriptor* d) {
  const std::size_t texelBytes = (d->format == 32 ? 4u : d->format == 16 ? 2u : 1u) * d->channels;
  *array = new Texels{std::string(d->width * (d->height != 0 ? d->height : 1) * (d->depth != 0 ? d->depth : 1) * texelBytes, '\0')};
  return 0;
}
int cuArrayDestroy(void* array) { return delete static_cast<Texels*>(array), 0; }
int cuMemcpy3D_v2(const warpmill::cuda::Copy3D* copy) {
  auto& bytes = reinterpret_cast<Texels*>(copy->to.array)->bytes;
  if (copy->widthBytes * copy->height * copy->depth != bytes.size()) return 1;
  return std::memcpy(bytes.data(), copy->from.host, bytes.size()), 0;
}
int cuTexObjectCreate(unsigned long long* texture, const warpmill::cuda::ResourceDescriptor* resource, const warpmill::cuda::TextureDescriptor* sampler, const void*) {
  if (sampler->filter > 1) return 1;
  auto* made = resource->kind == 0 ? new Texels(*reinterpret_cast<Texels*>(resource->array))
                                   : new Texels{std::string(reinterpret_cast<const char*>(resource->linear.address), resource->linear.bytes)};
  textures.insert(made);
  *texture = reinterpret_cast<unsigned long long>(made);
  return 0;
}
int cuTexObjectDestroy(unsigned long long texture) {
  auto* made = reinterpret_cast<Texels*>(texture);
  if (textures.erase(made) == 0) return 1;
  return delete made, 0;
}
int cuModuleGetTexRef(void** reference, void* module, const char* name) {
  if (std::string(static_cast<const char*>(module)).find(".texref " + std::string(name)) == std::string::npos) return 500;
  return *reference = &referenced, 0;
}
int cuTexRefSetArray(void*, void* array, unsigned) { return referenced = static_cast<Texels*>(array), 0; }
int cuTexRefSetAddress_v2(std::size_t*, void*, unsigned long long, std::size_t) { return 0; }
int cuTexRefSetFormat(void*, int, int) { return 0; }
int cuTexRefSetAddressMode(void*, int, int) { return 0; }
int cuTexRefSetFilterMode(void*, int) { return 0; }
int cuTexRefSetFlags(void*, unsigned) { return 0; }
int cuTexRefSetBorderColor(void*, float*) { return 0; }
int cuEventCreate(void** event, unsigned) { return *event = std::calloc(1, sizeof(float)), 0; }
int cuEventRecord(void* event, void*) { return *static_cast<float*>(event) = clockMs, 0; }
int cuEventSynchronize(void*) { return settle(); }
int cuEventElapsedTime(float* ms, void* from, void* to) { return *ms = *static_cast<float*>(to) - *static_cast<float*>(from), 0; }
int cuEventDestroy_v2(void* event) { return std::free(event), 0; }
}
