// A sum in two passes, and a counter that lives in the module: launches of a sequence that share buffers.
#ifdef __clang__
extern "C" __device__ int printf(const char*, ...);
#else
#include <cstdio>
#endif
__device__ unsigned launches = 5;

extern "C" {
__global__ void partial(const float* x, float* sums, int n) {
  __shared__ float s[256];
  int t = threadIdx.x;
  float a = 0;
  for (int i = blockIdx.x * 256 + t; i < n; i += gridDim.x * 256) a += x[i];
  s[t] = a;
  for (int k = 128; k > 0; k /= 2) {
    __syncthreads();
    if (t < k) s[t] += s[t + k];
  }
  if (t == 0) sums[blockIdx.x] = s[0];
  if (t == 0 && blockIdx.x == 0) launches += 1;
}
__global__ void total(const float* sums, int n, float* out, unsigned* count) {
  if (threadIdx.x != 0) return;
  float a = 0;
  for (int i = 0; i < n; ++i) a += sums[i];
  out[0] = a;
  count[0] = ++launches;
  printf("the sum is %g\n", a);
}
}
