// The part of CUDA C++ that the lessons' kernels use, in terms of clang's own builtins: no toolkit is needed to compile them to PTX.
// nvcc and NVRTC bring all this themselves, and this header then does nothing.
// Every function is `nodebug`, so that the line table of a kernel names the kernel's lines and never this file's.
#pragma once

#if defined(__clang__) && defined(__CUDA__) && !defined(__CUDACC_RTC__)

#define __global__ __attribute__((global))
#define __device__ __attribute__((device))
#define __host__ __attribute__((host))
#define __shared__ __attribute__((shared))
#define __constant__ __attribute__((constant))
#define __launch_bounds__(...) __attribute__((launch_bounds(__VA_ARGS__)))
#define __forceinline__ __inline__ __attribute__((always_inline))

#define WARP_CUDA_FUNCTION static __device__ __inline__ __attribute__((always_inline, nodebug))

typedef __SIZE_TYPE__ size_t;

struct uint3 {
  unsigned x, y, z;
};

struct dim3 {
  unsigned x, y, z;
  __host__ __device__ constexpr dim3(unsigned vx = 1, unsigned vy = 1, unsigned vz = 1) : x(vx), y(vy), z(vz) {}
};

// `threadIdx.x` reads a special register each time: a property without storage.
#define WARP_CUDA_INDEX(type, register)                                                                                   \
  struct type {                                                                                                           \
    __declspec(property(get = readX)) unsigned x;                                                                         \
    __declspec(property(get = readY)) unsigned y;                                                                         \
    __declspec(property(get = readZ)) unsigned z;                                                                         \
    static __device__ inline __attribute__((always_inline, nodebug)) unsigned readX() { return __nvvm_read_ptx_sreg_##register##_x(); } \
    static __device__ inline __attribute__((always_inline, nodebug)) unsigned readY() { return __nvvm_read_ptx_sreg_##register##_y(); } \
    static __device__ inline __attribute__((always_inline, nodebug)) unsigned readZ() { return __nvvm_read_ptx_sreg_##register##_z(); } \
  }

WARP_CUDA_INDEX(WarpCudaThreadIdx, tid);
WARP_CUDA_INDEX(WarpCudaBlockIdx, ctaid);
WARP_CUDA_INDEX(WarpCudaBlockDim, ntid);
WARP_CUDA_INDEX(WarpCudaGridDim, nctaid);
#undef WARP_CUDA_INDEX

extern const __device__ __attribute__((weak)) WarpCudaThreadIdx threadIdx;
extern const __device__ __attribute__((weak)) WarpCudaBlockIdx blockIdx;
extern const __device__ __attribute__((weak)) WarpCudaBlockDim blockDim;
extern const __device__ __attribute__((weak)) WarpCudaGridDim gridDim;
#define warpSize 32

struct __attribute__((aligned(8))) float2 {
  float x, y;
};
struct __attribute__((aligned(16))) float4 {
  float x, y, z, w;
};
WARP_CUDA_FUNCTION float2 make_float2(float x, float y) { return float2{x, y}; }
WARP_CUDA_FUNCTION float4 make_float4(float x, float y, float z, float w) { return float4{x, y, z, w}; }

WARP_CUDA_FUNCTION float fmaf(float a, float b, float c) { return __builtin_fmaf(a, b, c); }

#undef WARP_CUDA_FUNCTION

#endif
