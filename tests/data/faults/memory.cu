// Pairs of kernels: in *_bad an access goes where it must not, at the line that says HERE; *_ok is its near miss. in[i] = i + 1, and every
// buffer has 1024 integers.
#define KERNEL extern "C" __global__ void
#define ARGS int *__restrict__ out, const int *__restrict__ in, int *raw, unsigned *sync
#define T threadIdx.x

// From one array of shared memory into the next.
KERNEL m_neighbour_bad(ARGS) {
  __shared__ int a[64], b[64];
  a[T] = in[T];
  b[T] = in[T] * 2;
  __syncthreads();
  out[T] = a[T + in[0]] + b[T];  // HERE
}
KERNEL m_neighbour_ok(ARGS) {
  __shared__ int a[64], b[64];
  a[T] = in[T];
  b[T] = in[T] * 2;
  __syncthreads();
  out[T] = a[63 - (T + in[0]) % 64] + b[T];
}

// Before the beginning: of the one that comes second.
KERNEL m_halo_bad(ARGS) {
  __shared__ int left[32], tile[64];
  if (T < 32) left[T] = in[T];
  tile[T] = in[T];
  __syncthreads();
  out[T] = tile[(int)T - in[0]] + left[T % 32];  // HERE
}
KERNEL m_halo_ok(ARGS) {
  __shared__ int left[32], tile[64];
  if (T < 32) left[T] = in[T];
  tile[T] = in[T];
  __syncthreads();
  out[T] = (T > 0 ? tile[(int)T - in[0]] : 0) + left[T % 32];
}

// From a static array into the dynamic one.
extern __shared__ int dynamic[];
KERNEL m_dynamic_bad(ARGS) {
  __shared__ int bins[16];
  if (T < 16) bins[T] = 0;
  dynamic[T] = 0;
  __syncthreads();
  atomicAdd(&bins[in[T] / 4], 1);  // HERE
  __syncthreads();
  out[T] = bins[T % 16] + dynamic[T];
}
KERNEL m_dynamic_ok(ARGS) {
  __shared__ int bins[17];
  if (T < 17) bins[T] = 0;
  dynamic[T] = 0;
  __syncthreads();
  atomicAdd(&bins[in[T] / 4], 1);
  __syncthreads();
  out[T] = bins[T % 16] + dynamic[T];
}

// Rows of one array may run into each other, which is all the same to C.
KERNEL m_rows_bad(ARGS) {
  __shared__ int a[8][8], sum[8];
  a[T / 8][T % 8] = in[T];
  if (T < 8) sum[T] = 0;
  __syncthreads();
  out[T] = a[T / 8][T % 8 + in[7] - 7] + sum[T % 8];  // HERE
}
KERNEL m_rows_ok(ARGS) {
  __shared__ int a[9][8], sum[8];
  a[T / 8][T % 8] = in[T];
  if (T < 8) a[8][T] = sum[T] = 0;
  __syncthreads();
  out[T] = a[T / 8][T % 8 + in[7] - 7] + sum[T % 8];
}

// A pointer that may be to either is held against neither.
KERNEL m_either_bad(ARGS) {
  __shared__ int a[64], b[64];
  a[T] = b[T] = in[T];
  __syncthreads();
  int* p = a + in[0];
  p += T;
  out[T] = *p + b[T];  // HERE
}
KERNEL m_either_ok(ARGS) {
  __shared__ int a[64], b[64];
  a[T] = b[T] = in[T];
  __syncthreads();
  const int* p = in[T] % 2 == 0 ? a : b;
  out[T] = p[T] + b[T];
}

// Past all of shared memory.
KERNEL m_shared_bad(ARGS) {
  __shared__ int a[64];
  a[T] = in[T];
  __syncthreads();
  out[T] = a[T + in[1023]];  // HERE
}
KERNEL m_shared_ok(ARGS) {
  __shared__ int a[64];
  a[T] = in[T];
  __syncthreads();
  out[T] = a[T + in[1023] - 1024];
}

// One past the end, where the next buffer does not begin yet.
KERNEL m_past_bad(ARGS) { out[T] = in[T + 961]; }  // HERE
KERNEL m_past_ok(ARGS) { out[T] = in[T + 960]; }

KERNEL m_before_bad(ARGS) { out[T] = in[(int)T - 1]; }  // HERE
KERNEL m_before_ok(ARGS) { out[T] = in[T == 0 ? 0 : (int)T - 1]; }

// Far past the end, where the next buffer may be.
KERNEL m_far_bad(ARGS) { out[T + 16384 * in[0]] = in[T]; }  // HERE
KERNEL m_far_ok(ARGS) { out[T + 16384 * in[0] - 16384] = in[T]; }

// A vector that begins inside and ends behind it.
__device__ int* filled(int bytes, const int* in) {
  int* p = (int*)malloc(bytes);
  for (int k = 0; k < bytes / 4; ++k) p[k] = in[k];
  return p;
}
KERNEL m_straddle_bad(ARGS) {
  int* p = filled(24, in);
  int4 v = ((int4*)p)[1];  // HERE
  out[T] = v.x + v.y + v.z + v.w;
  free(p);
}
KERNEL m_straddle_ok(ARGS) {
  int* p = filled(32, in);
  int4 v = ((int4*)p)[1];
  out[T] = v.x + v.y + v.z + v.w;
  free(p);
}

KERNEL m_null_bad(ARGS) {
  const int* p = in[T] > 60 ? nullptr : in;
  asm volatile("" : "+l"(p));
  out[T] = *p;  // HERE
}
KERNEL m_null_ok(ARGS) {
  const int* p = in[T] > 60 ? nullptr : in;
  out[T] = p == nullptr ? 0 : *p;
}

KERNEL m_aligned_bad(ARGS) { ((int2*)out)[T] = *(const int2*)(in + T); }  // HERE
KERNEL m_aligned_ok(ARGS) { ((int2*)out)[T] = *(const int2*)(in + 2 * T); }

// An array of the thread's own.
KERNEL m_local_bad(ARGS) {
  int a[8];
  for (int k = 0; k < 8; ++k) a[k ^ (in[0] - 1)] = k;
  out[T] = a[in[T] % 8 + 1048576 * (in[T] / 64)];  // HERE
}
KERNEL m_local_ok(ARGS) {
  int a[8];
  for (int k = 0; k < 8; ++k) a[k ^ (in[0] - 1)] = k;
  out[T] = a[in[T] % 8];
}

// Constants are for reading.
__constant__ int table[64];
KERNEL m_const_bad(ARGS) {
  int* p = (int*)table;
  asm volatile("" : "+l"(p));
  p[T] = in[T];  // HERE
}
KERNEL m_const_ok(ARGS) {
  int* p = (int*)table;
  asm volatile("" : "+l"(p));
  out[T] = p[T];
}

KERNEL m_freed_bad(ARGS) {
  int* p = (int*)malloc(8);
  p[0] = p[1] = in[T];
  free(p);
  out[T] = ((volatile int*)p)[1];  // HERE
}
KERNEL m_freed_ok(ARGS) {
  int* p = (int*)malloc(8);
  p[0] = p[1] = in[T];
  out[T] = ((volatile int*)p)[1];
  free(p);
}

KERNEL m_twice_bad(ARGS) {
  int* p = (int*)malloc(8);
  p[0] = in[T];
  out[T] = p[0];
  free(p);
  if (T == 7) free(p);  // HERE
}
KERNEL m_twice_ok(ARGS) {
  int* p = (int*)malloc(8);
  p[0] = in[T];
  out[T] = p[0];
  free(p);
  if (T == 7) free(nullptr);
}

KERNEL m_middle_bad(ARGS) {
  int* p = (int*)malloc(8);
  p[0] = in[T];
  out[T] = p[0];
  free(p + in[0]);  // HERE
}
KERNEL m_middle_ok(ARGS) {
  int* p = (int*)malloc(8);
  p[0] = in[T];
  out[T] = p[0];
  free(p + in[0] - 1);
}

KERNEL m_foreign_bad(ARGS) {
  if (T == 0) free(raw);  // HERE
  out[T] = in[T];
}
KERNEL m_foreign_ok(ARGS) {
  if (T == 0) free(malloc(16));
  out[T] = in[T];
}

// Behind a block of the heap.
KERNEL m_heap_bad(ARGS) {
  int* p = (int*)malloc(8);
  p[0] = in[T];
  p[in[1]] = in[T];  // HERE
  out[T] = p[0];
  free(p);
}
KERNEL m_heap_ok(ARGS) {
  int* p = (int*)malloc(8);
  p[0] = in[T];
  p[in[0]] = in[T];
  out[T] = p[0];
  free(p);
}
