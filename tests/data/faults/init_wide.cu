// Pairs of kernels, as in init.cu, for what takes more than a load of its own: the heap, matrices, copies in bulk. For sm_90.
#include <cstdio>
#define KERNEL extern "C" __global__ void
#define ARGS int *__restrict__ out, const int *__restrict__ in, int *raw, unsigned *sync
#define T threadIdx.x

// Memory from malloc.
KERNEL u_heap_bad(ARGS) {
  int* p = (int*)malloc(16);
  if (p == nullptr) return;
  p[0] = in[T];
  out[T] = p[0] + p[1];  // HERE
  free(p);
}
KERNEL u_heap_ok(ARGS) {
  int* p = (int*)malloc(16);
  if (p == nullptr) return;
  p[0] = in[T];
  p[1] = 3;
  out[T] = p[0] + p[1];
  free(p);
}

// A local array beside a call of the system.
KERNEL u_printed_bad(ARGS) {
  int a[8];
  for (int k = 0; k < 7; ++k) a[(k + in[0]) % 8] = k;
  if (in[T] > 2000) printf("%d\n", in[T]);
  out[T] = a[(in[T] + 7) % 8];  // HERE
}
KERNEL u_printed_ok(ARGS) {
  int a[8];
  for (int k = 0; k < 8; ++k) a[(k + in[0]) % 8] = k;
  if (in[T] > 2000) printf("%d\n", in[T]);
  out[T] = a[(in[T] + 7) % 8];
}

// Matrices: an accumulator that nobody has set, in one column.
__device__ void product(float d[4], unsigned a0, unsigned a1, unsigned b) {
  asm("mma.sync.aligned.m16n8k8.row.col.f32.f16.f16.f32 {%0, %1, %2, %3}, {%4, %5}, {%6}, {%0, %1, %2, %3};"
      : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])
      : "r"(a0), "r"(a1), "r"(b));
}
KERNEL u_accumulator_bad(ARGS) {
  __shared__ float s[128];
  if (T < 31) for (int k = 0; k < 4; ++k) s[4 * T + k] = in[T];
  __syncwarp();
  float d[4];
  for (int k = 0; k < 4; ++k) d[k] = s[4 * T + k];
  product(d, in[T], in[T + 1], in[T + 2]);
  out[T] = (int)(d[0] + d[1] + d[2] + d[3]);  // HERE
}
KERNEL u_accumulator_ok(ARGS) {
  __shared__ float s[128];
  if (T < 31) for (int k = 0; k < 4; ++k) s[4 * T + k] = in[T];
  __syncwarp();
  float d[4];
  for (int k = 0; k < 4; ++k) d[k] = s[4 * T + k];
  product(d, in[T], in[T + 1], in[T + 2]);
  if (T < 31) out[T] = (int)(d[0] + d[1] + d[2] + d[3]);
}

// Row 3 of the first matrix: of use in rows 3 only.
KERNEL u_operand_row_bad(ARGS) {
  __shared__ unsigned s[32];
  if (T / 4 != 3) s[T] = in[T];
  __syncwarp();
  float d[4] = {};
  product(d, s[T], in[T + 1], in[T + 2]);
  if (T / 4 != 5) out[T] = (int)d[0];  // HERE
}
KERNEL u_operand_row_ok(ARGS) {
  __shared__ unsigned s[32];
  if (T / 4 != 3) s[T] = in[T];
  __syncwarp();
  float d[4] = {};
  product(d, s[T], in[T + 1], in[T + 2]);
  out[T] = (int)d[2] + (T / 4 != 3 ? (int)d[0] : 0);
}

// A tile that is loaded as a matrix.
__device__ unsigned matrix(const void* row) {
  unsigned r;
  asm volatile("ldmatrix.sync.aligned.m8n8.x1.shared.b16 {%0}, [%1];" : "=r"(r) : "r"((unsigned)__cvta_generic_to_shared(row)) : "memory");
  return r;
}
KERNEL u_matrix_bad(ARGS) {
  __shared__ __align__(16) unsigned s[32];
  if (T != 13) s[T] = in[T];
  __syncwarp();
  out[T] = matrix(s + 4 * (T % 8));  // HERE
}
KERNEL u_matrix_ok(ARGS) {
  __shared__ __align__(16) unsigned s[32];
  if (T != 13) s[T] = in[T];
  __syncwarp();
  unsigned r = matrix(s + 4 * (T % 8));
  if (T != 13) out[T] = r;
}

// What a copy in bulk brings and takes.
KERNEL u_taken_bad(ARGS) {
  __shared__ __align__(16) int s[64];
  if (T < 56) s[T] = in[T];
  __syncthreads();
  if (T != 0) return;
  asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
  asm volatile("cp.async.bulk.global.shared::cta.bulk_group [%0], [%1], 256;" ::"l"(__cvta_generic_to_global(out)), "r"((unsigned)__cvta_generic_to_shared(s)) : "memory");  // HERE
  asm volatile("cp.async.bulk.commit_group; cp.async.bulk.wait_group 0;" ::: "memory");
}
KERNEL u_taken_ok(ARGS) {
  __shared__ __align__(16) int s[64];
  if (T < 56) s[T] = in[T];
  __syncthreads();
  if (T != 0) return;
  asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
  asm volatile("cp.async.bulk.global.shared::cta.bulk_group [%0], [%1], 224;" ::"l"(__cvta_generic_to_global(out)), "r"((unsigned)__cvta_generic_to_shared(s)) : "memory");
  asm volatile("cp.async.bulk.commit_group; cp.async.bulk.wait_group 0;" ::: "memory");
}
KERNEL u_brought_bad(ARGS) {
  __shared__ __align__(16) int s[64];
  __shared__ __align__(8) unsigned long long ready;
  unsigned bar = (unsigned)__cvta_generic_to_shared(&ready);
  if (T == 0) asm volatile("mbarrier.init.shared::cta.b64 [%0], 1;" ::"r"(bar) : "memory");
  __syncthreads();
  if (T == 0) {
    asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], 192;" ::"r"(bar) : "memory");
    asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], 192, [%2];" ::"r"((unsigned)__cvta_generic_to_shared(s)), "l"(__cvta_generic_to_global(in)), "r"(bar) : "memory");
  }
  int done = 0;
  while (done == 0) asm volatile("{ .reg .pred p; mbarrier.try_wait.parity.shared::cta.b64 p, [%1], 0; selp.s32 %0, 1, 0, p; }" : "=r"(done) : "r"(bar) : "memory");
  out[T] = s[T];  // HERE
}
KERNEL u_brought_ok(ARGS) {
  __shared__ __align__(16) int s[64];
  __shared__ __align__(8) unsigned long long ready;
  unsigned bar = (unsigned)__cvta_generic_to_shared(&ready);
  if (T == 0) asm volatile("mbarrier.init.shared::cta.b64 [%0], 1;" ::"r"(bar) : "memory");
  __syncthreads();
  if (T == 0) {
    asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], 256;" ::"r"(bar) : "memory");
    asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], 256, [%2];" ::"r"((unsigned)__cvta_generic_to_shared(s)), "l"(__cvta_generic_to_global(in)), "r"(bar) : "memory");
  }
  int done = 0;
  while (done == 0) asm volatile("{ .reg .pred p; mbarrier.try_wait.parity.shared::cta.b64 p, [%1], 0; selp.s32 %0, 1, 0, p; }" : "=r"(done) : "r"(bar) : "memory");
  out[T] = s[T];
}

// Through functions that are really called.
__device__ __noinline__ int pick(const int* a, int i) { return a[i & 7]; }
KERNEL u_called_bad(ARGS) {
  int a[8];
  for (int k = 0; k < 7; ++k) a[(k + in[0]) % 8] = k;
  out[T] = pick(a, in[T] + 7);  // HERE
}
KERNEL u_called_ok(ARGS) {
  int a[8];
  for (int k = 0; k < 8; ++k) a[(k + in[0]) % 8] = k;
  out[T] = pick(a, in[T] + 7);
}

// A frame that an earlier call has filled is no value of the next one.
__device__ __noinline__ int sum(int n, int from, int to) {
  volatile int a[8];
  for (int k = from; k < to; ++k) a[k] = n + k;
  const int rest = n > 0 ? sum(n - 1, from, to) : 0;
  return n > 0 ? rest + a[n & 7] : 0;
}
KERNEL u_frame_bad(ARGS) {
  int first = sum(0, 0, in[7]);
  out[T] = sum(5, in[0] - 1, 5) + first;  // HERE
}
KERNEL u_frame_ok(ARGS) {
  int first = sum(0, 0, in[7]);
  out[T] = sum(5, in[0] - 1, 6) + first;
}
