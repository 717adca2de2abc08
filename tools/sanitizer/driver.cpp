// Runs one kernel of tests/data/faults on the GPU, with the buffers that the tests give it: driver FILE.cubin KERNEL BLOCKS THREADS RAW_IS_UNDEFINED.
// c++ -I/usr/local/cuda/include driver.cpp -lcuda
#include <cuda.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <vector>

static void check(CUresult r, const char* what) {
  if (r == CUDA_SUCCESS) return;
  const char* text = nullptr;
  cuGetErrorString(r, &text);
  std::printf("DRIVER %s: %s\n", what, text ? text : "?");
  std::exit(3);
}

int main(int argc, char** argv) {
  if (argc < 6) return 2;
  check(cuInit(0), "init");
  CUdevice device;
  CUcontext context;
  check(cuDeviceGet(&device, 0), "device");
  check(cuDevicePrimaryCtxRetain(&context, device), "context");
  check(cuCtxSetCurrent(context), "context");
  CUmodule module;
  CUfunction kernel;
  check(cuModuleLoad(&module, argv[1]), "load");
  check(cuModuleGetFunction(&kernel, module, argv[2]), "kernel");
  constexpr std::size_t count = 1024, bytes = count * 4;
  std::vector<unsigned> in(count), zeros(count);
  for (unsigned i = 0; i < count; ++i) in[i] = i + 1;
  CUdeviceptr buffers[4];
  const bool rawIsUndefined = std::atoi(argv[5]) != 0;
  for (int k = 0; k < 4; ++k) {
    check(cuMemAlloc(&buffers[k], bytes), "alloc");
    if (k == 2 && rawIsUndefined) continue;
    check(cuMemcpyHtoD(buffers[k], k == 1 ? in.data() : zeros.data(), bytes), "copy");
  }
  void* arguments[] = {&buffers[0], &buffers[1], &buffers[2], &buffers[3]};
  check(cuLaunchKernel(kernel, std::atoi(argv[3]), 1, 1, std::atoi(argv[4]), 1, 1, 1024, nullptr, arguments, nullptr), "launch");
  check(cuCtxSynchronize(), "run");
  check(cuMemcpyDtoH(zeros.data(), buffers[0], bytes), "copy back");
  std::printf("DRIVER done\n");
  return 0;
}
