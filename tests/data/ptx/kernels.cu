// What compilers make of calls, tables of functions, shared memory, switches, locks: input of tests/ptx, compiled by kernels.sh.
__constant__ float coefficients[4] = {1, 2, 3, 4.5f};
__device__ int counter = 7;
__device__ const char* message = "hello";
extern __shared__ float dynamicShared[];

struct Pair {
  int a;
  double b;
  char c[5];
};

typedef float (*Operation)(float);
__device__ __attribute__((noinline)) float addOne(float x) { return x + 1; }
__device__ __attribute__((noinline)) float twice(float x) { return x * 2; }
__device__ Operation operations[2] = {addOne, twice};
__device__ __attribute__((noinline)) float weigh(float x, Pair p) { return x * static_cast<float>(p.a) + static_cast<float>(p.b) + p.c[1]; }

extern "C" __global__ void calls(float* __restrict__ out, const float* __restrict__ in, int n, Pair pair) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = weigh(in[i], pair) + coefficients[i & 3];
}

extern "C" __global__ void indirect(float* values, int which) {
  values[threadIdx.x] = operations[which](values[threadIdx.x]);
  counter = message[0];
}

extern "C" __global__ void lockInLoop(int* lock, int* count) {
  bool done = false;
  while (!done) {
    if (__nvvm_atom_cas_gen_i(lock, 0, 1) == 0) {
      *count += 1;
      __nvvm_membar_gl();
      *(volatile int*)lock = 0;
      done = true;
    }
  }
}

extern "C" __global__ void lockThenWork(int* lock, int* count) {
  while (__nvvm_atom_cas_gen_i(lock, 0, 1) != 0) {
  }
  *count += 1;
  __nvvm_membar_gl();
  *(volatile int*)lock = 0;
}

extern "C" __global__ void histogram(const int* in, int* bins, int n) {
  for (int i = threadIdx.x; i < n; i += blockDim.x) __nvvm_atom_add_gen_i(&bins[in[i] & 255], 1);
}

extern "C" __global__ void __launch_bounds__(256, 2) shared(int* data, int n) {
  __shared__ int tile[256];
  tile[threadIdx.x] = data[threadIdx.x];
  __syncthreads();
  int x = tile[255 - threadIdx.x], r;
  switch (x) {
    case 0: r = 5; break;
    case 1: r = x * 7; break;
    case 2: r = data[3]; break;
    case 3: r = n; break;
    default: return;
  }
  for (int i = 0; i < n; ++i) {
    if (i & 1) {
      r += tile[i];
    } else {
      if (r > 100) break;
      r ^= tile[i];
    }
  }
  data[threadIdx.x] = r;
}

extern "C" __global__ void dynamic(float* data) {
  __shared__ float small[10];
  small[threadIdx.x] = data[threadIdx.x];
  dynamicShared[threadIdx.x] = data[threadIdx.x + 10];
  __syncthreads();
  data[threadIdx.x] = small[9 - threadIdx.x] + dynamicShared[9 - threadIdx.x];
}
