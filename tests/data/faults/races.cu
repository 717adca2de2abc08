// Pairs of kernels: *_bad has a race, *_ok is its near miss. The faulty line says HERE, the other party's THERE (several may).
// compile.sh makes the PTX. Every kernel has the same parameters; `blocks` of `threads` are given in tests/faults/pairs.h.
#include <cuda_pipeline.h>
#define KERNEL extern "C" __global__ void
#define ARGS int *__restrict__ out, const int *__restrict__ in, int *raw, unsigned *sync
#define T threadIdx.x

// ---- Shared memory ----
template <bool ok> __device__ void barrier(int* out, const int* in) {
  __shared__ int s[256];
  s[T] = in[T];  // THERE
  if (ok) __syncthreads();
  out[T] = s[255 - T];  // HERE THERE
}
KERNEL s_barrier_bad(ARGS) { barrier<false>(out, in); }
KERNEL s_barrier_ok(ARGS) { barrier<true>(out, in); }

template <bool ok> __device__ void tiles(int* out, const int* in) {
  __shared__ int s[64];
  int sum = 0;
  for (int k = 0; k < 4; ++k) {
    s[T] = in[k * 64 + T];  // HERE
    __syncthreads();
    for (int i = 0; i < 64; i += 9) sum += s[i];  // THERE
    if (ok) __syncthreads();
  }
  out[T] = sum;
}
KERNEL s_tiles_bad(ARGS) { tiles<false>(out, in); }
KERNEL s_tiles_ok(ARGS) { tiles<true>(out, in); }

template <bool ok> __device__ void reduce(int* out, const int* in) {
  __shared__ int s[128];
  s[T] = in[T];
  __syncthreads();
  for (int h = 64; h > 0; h /= 2) {
    if (T < h) s[T] += s[T + h];  // HERE THERE
    if (ok) __syncthreads();
  }
  if (T == 0) out[0] = s[0];
}
KERNEL s_reduce_bad(ARGS) { reduce<false>(out, in); }
KERNEL s_reduce_ok(ARGS) { reduce<true>(out, in); }

template <bool ok> __device__ void lanes(int* out, const int* in) {
  __shared__ int s[32];
  s[T] = in[T];  // THERE
  if (ok) __syncwarp();
  out[T] = s[T ^ 1];  // HERE
}
KERNEL s_lanes_bad(ARGS) { lanes<false>(out, in); }
KERNEL s_lanes_ok(ARGS) { lanes<true>(out, in); }

// Only the low half of the warp meets.
template <bool ok> __device__ void half(int* out, const int* in) {
  __shared__ int s[32];
  s[T] = in[T];  // THERE
  if (T < 16) {
    __syncwarp(0xFFFF);
    out[T] = s[ok ? 15 - T : 31 - T];  // HERE
  }
}
KERNEL s_half_bad(ARGS) { half<false>(out, in); }
KERNEL s_half_ok(ARGS) { half<true>(out, in); }

// All store to one place: different values, or the same.
KERNEL s_one_place_bad(ARGS) {
  __shared__ int s;
  s = in[T];  // HERE THERE
  __syncthreads();
  out[T] = s;
}
KERNEL s_one_place_ok(ARGS) {
  __shared__ int s;
  if (in[T] >= 0) s = 7;
  __syncthreads();
  out[T] = s;
}

template <bool ok> __device__ void count(int* out, const int* in) {
  __shared__ int s;
  if (T == 0) s = 0;  // THERE
  if (ok) __syncthreads();
  atomicAdd(&s, in[T]);  // HERE
  __syncthreads();
  out[T] = s;
}
KERNEL s_atomic_bad(ARGS) { count<false>(out, in); }
KERNEL s_atomic_ok(ARGS) { count<true>(out, in); }

template <bool ok> __device__ void bytes(int* out, const int* in) {
  __shared__ unsigned char s[64];
  s[T] = (unsigned char)in[T];  // THERE
  __syncwarp();
  out[T] = s[ok ? T : (T + 32) % 64];  // HERE
}
KERNEL s_bytes_bad(ARGS) { bytes<false>(out, in); }
KERNEL s_bytes_ok(ARGS) { bytes<true>(out, in); }

template <bool ok> __device__ void halves(int* out, const int* in) {
  __shared__ short s[65];
  s[T] = (short)in[T];  // THERE
  if (!ok && T % 32 == 31) s[T + 1] = 5;  // HERE
  __syncthreads();
  out[T] = s[T];
}
KERNEL s_halves_bad(ARGS) { halves<false>(out, in); }
KERNEL s_halves_ok(ARGS) { halves<true>(out, in); }

// Warp 0 produces, warp 1 consumes: bar.arrive and bar.sync.
template <bool ok> __device__ void hand(int* out, const int* in) {
  __shared__ int s[32];
  if (T < 32) {
    s[T] = in[T];  // THERE
    if (ok) asm volatile("bar.arrive 1, 64;" ::: "memory");
  } else {
    if (ok) asm volatile("bar.sync 1, 64;" ::: "memory");
    out[T] = s[T - 32];  // HERE
  }
}
KERNEL s_hand_bad(ARGS) { hand<false>(out, in); }
KERNEL s_hand_ok(ARGS) { hand<true>(out, in); }

// A barrier that not both warps share orders nothing between them.
template <bool ok> __device__ void named(int* out, const int* in) {
  __shared__ int s[64];
  s[T] = in[T];  // THERE
  if (ok) asm volatile("bar.sync 2, 64;" ::: "memory");
  else if (T < 32) asm volatile("bar.sync 2, 32;" ::: "memory");
  else asm volatile("bar.sync 3, 32;" ::: "memory");
  out[T] = s[63 - T];  // HERE
}
KERNEL s_named_bad(ARGS) { named<false>(out, in); }
KERNEL s_named_ok(ARGS) { named<true>(out, in); }

template <bool ok> __device__ void copies(int* out, const int* in) {
  __shared__ int s[64];
  __pipeline_memcpy_async(&s[T], &in[T], 4);  // THERE
  __pipeline_commit();
  __pipeline_wait_prior(0);
  if (ok) __syncthreads();
  out[T] = s[63 - T];  // HERE
}
KERNEL s_copies_bad(ARGS) { copies<false>(out, in); }
KERNEL s_copies_ok(ARGS) { copies<true>(out, in); }

template <bool ok> __device__ void buffers(int* out, const int* in) {
  __shared__ int s[2][64];
  int sum = 0;
  s[0][T] = in[T];
  __syncthreads();
  for (int k = 1; k < 4; ++k) {
    s[ok ? k % 2 : 0][T] = in[k * 64 + T];  // HERE THERE
    sum += s[ok ? (k + 1) % 2 : 0][63 - T];  // HERE THERE
    __syncthreads();
  }
  out[T] = sum;
}
KERNEL s_buffers_bad(ARGS) { buffers<false>(out, in); }
KERNEL s_buffers_ok(ARGS) { buffers<true>(out, in); }

template <bool ok> __device__ void scan(int* out, const int* in) {
  __shared__ int s[64];
  s[T] = in[T];
  __syncthreads();
  for (int d = 1; d < 64; d *= 2) {
    int v = T >= d ? s[T - d] : 0;  // THERE
    if (ok) __syncthreads();
    s[T] += v;  // HERE
    __syncthreads();
  }
  out[T] = s[T];
}
KERNEL s_scan_bad(ARGS) { scan<false>(out, in); }
KERNEL s_scan_ok(ARGS) { scan<true>(out, in); }

template <bool ok> __device__ void voted(int* out, const int* in) {
  __shared__ int s[64];
  s[T] = in[T];  // THERE
  int n = ok ? __syncthreads_count(in[T] > 5) : __popc(__ballot_sync(~0u, in[T] > 5));
  out[T] = s[63 - T] + n;  // HERE
}
KERNEL s_voted_bad(ARGS) { voted<false>(out, in); }
KERNEL s_voted_ok(ARGS) { voted<true>(out, in); }

template <bool ok> __device__ void wide(int* out, const int* in) {
  __shared__ int4 s[32];
  s[T] = make_int4(in[T], 1, 2, 3);  // THERE
  if (ok) __syncwarp();
  out[T] = ((int*)s)[T];  // HERE
}
KERNEL s_wide_bad(ARGS) { wide<false>(out, in); }
KERNEL s_wide_ok(ARGS) { wide<true>(out, in); }

// Volatile accesses do not race with each other.
KERNEL s_volatile_bad(ARGS) {
  __shared__ int s[64];
  s[T] = in[T];
  __syncthreads();
  if (T < 32)
    for (int h = 16; h > 0; h /= 2) s[T] += s[T + h];  // HERE THERE
  if (T == 0) out[0] = s[0];
}
KERNEL s_volatile_ok(ARGS) {
  __shared__ volatile int s[64];
  s[T] = in[T];
  __syncthreads();
  if (T < 32)
    for (int h = 16; h > 0; h /= 2) s[T] += s[T + h];
  if (T == 0) out[0] = s[0];
}

// A flag between two warps, with the fence of a block.
template <bool ok> __device__ void flag(int* out, const int* in) {
  __shared__ int data;
  __shared__ volatile int ready;
  if (T == 0) ready = 0;
  __syncthreads();
  if (T == 0) {
    data = in[5];  // THERE
    if (ok) __threadfence_block();
    ready = 1;
  }
  if (T == 32) {
    while (ready == 0) {}
    __threadfence_block();
    out[0] = data;  // HERE
  }
}
KERNEL s_flag_bad(ARGS) { flag<false>(out, in); }
KERNEL s_flag_ok(ARGS) { flag<true>(out, in); }

template <bool ok> __device__ void total(int* out, const int* in) {
  __shared__ int s;
  if (T == 0) s = 0;
  __syncthreads();
  if (T < 32) atomicAdd(&s, in[T]);  // THERE
  if (ok) __syncthreads();
  if (T >= 32) out[T] = s;  // HERE
}
KERNEL s_total_bad(ARGS) { total<false>(out, in); }
KERNEL s_total_ok(ARGS) { total<true>(out, in); }

// Each warp adds up by shuffles and leaves its sum to the first one.
template <bool ok> __device__ void partials(int* out, const int* in) {
  __shared__ int s[2];
  int v = in[T];
  for (int h = 16; h > 0; h /= 2) v += __shfl_down_sync(~0u, v, h);
  if (T % 32 == 0) s[T / 32] = v;  // HERE THERE
  if (ok) __syncthreads();
  if (T == 0) out[0] = s[0] + s[1];  // HERE THERE
}
KERNEL s_partials_bad(ARGS) { partials<false>(out, in); }
KERNEL s_partials_ok(ARGS) { partials<true>(out, in); }

template <bool ok> __device__ void turned(int* out, const int* in) {
  extern __shared__ int dynamic[];
  const int x = T % 8, y = T / 8;
  dynamic[y * 9 + x] = in[T];  // HERE THERE
  if (ok) __syncthreads();
  out[T] = dynamic[x * 9 + y];  // HERE THERE
}
KERNEL s_turned_bad(ARGS) { turned<false>(out, in); }
KERNEL s_turned_ok(ARGS) { turned<true>(out, in); }

// Half of a block goes another way, and meets the rest only at the end.
template <bool ok> __device__ void ways(int* out, const int* in) {
  __shared__ int s[64];
  if (T < 32) {
    s[T] = in[T];  // HERE THERE
    if (ok) asm volatile("barrier.sync 4, 64;" ::: "memory");
  } else {
    if (ok) asm volatile("barrier.sync 4, 64;" ::: "memory");
    s[T - 32] = 3;  // HERE THERE
  }
  __syncthreads();
  out[T] = s[T % 32];
}
KERNEL s_ways_bad(ARGS) { ways<false>(out, in); }
KERNEL s_ways_ok(ARGS) { ways<true>(out, in); }

// ---- Global memory ----
#define G (blockIdx.x * blockDim.x + threadIdx.x)
KERNEL g_neighbour_bad(ARGS) {
  raw[G] = in[G];  // HERE THERE
  __syncthreads();
  out[G] = raw[(G + 64) % 256];  // HERE THERE
}
KERNEL g_neighbour_ok(ARGS) {
  raw[G] = in[G];
  __syncthreads();
  out[G] = raw[G ^ 63];
}
KERNEL g_sum_bad(ARGS) { raw[0] += in[G]; }  // HERE THERE
KERNEL g_sum_ok(ARGS) { atomicAdd(&raw[0], in[G]); }

KERNEL g_block_bad(ARGS) {
  raw[G] = in[G];  // THERE
  out[G] = raw[G ^ 63];  // HERE THERE
}
KERNEL g_block_ok(ARGS) {
  raw[G] = in[G];
  __syncthreads();
  out[G] = raw[G ^ 63];
}

// The last block to arrive adds up what the others left.
enum { Good, NoFence, BlockFence, NoBarrier };
template <int how> __device__ void lastBlock(int* out, const int* in, int* raw, unsigned* sync) {
  __shared__ bool last;
  raw[G] = in[G];  // THERE
  if (how == Good) __threadfence();
  if (how == BlockFence) __threadfence_block();
  if (how != NoBarrier) __syncthreads();
  if (T == 0) {
    if (how == NoBarrier) __threadfence();
    last = atomicAdd(&sync[0], 1u) == gridDim.x - 1;
    __threadfence();
  }
  __syncthreads();
  if (last) {
    out[T] = raw[T] + raw[T + 64] + raw[T + 128] + raw[T + 192];  // HERE
    if (T == 0) sync[0] = 0;
  }
}
KERNEL g_last_bad(ARGS) { lastBlock<NoFence>(out, in, raw, sync); }
KERNEL g_last_ok(ARGS) { lastBlock<Good>(out, in, raw, sync); }
KERNEL g_last_scope_bad(ARGS) { lastBlock<BlockFence>(out, in, raw, sync); }
KERNEL g_last_barrier_bad(ARGS) { lastBlock<NoBarrier>(out, in, raw, sync); }

template <bool ok> __device__ void gridBarrier(int* out, const int* in, int* raw, unsigned* sync) {
  raw[G] = in[G];  // THERE
  __syncthreads();
  if (T == 0) {
    if (ok) __threadfence();
    atomicAdd(&sync[0], 1u);
    while (*(volatile unsigned*)&sync[0] < gridDim.x) {}
    if (ok) __threadfence();
  }
  __syncthreads();
  out[G] = raw[(G + 64) % 256];  // HERE
}
KERNEL g_grid_bad(ARGS) { gridBarrier<false>(out, in, raw, sync); }
KERNEL g_grid_ok(ARGS) { gridBarrier<true>(out, in, raw, sync); }

template <bool ok> __device__ void lock(const int* in, int* raw, unsigned* sync) {
  if (T == 0) {
    while (atomicCAS(&sync[0], 0u, 1u) != 0) {}
    if (ok) __threadfence();
    raw[0] += in[blockIdx.x];  // HERE THERE
    if (ok) __threadfence();
    atomicExch(&sync[0], 0u);
  }
}
KERNEL g_lock_bad(ARGS) { lock<false>(in, raw, sync); }
KERNEL g_lock_ok(ARGS) { lock<true>(in, raw, sync); }

// Each block waits for the sum of those before it.
template <bool ok> __device__ void lookBack(int* out, const int* in, int* raw, unsigned* sync) {
  if (T == 0) {
    int sum = in[blockIdx.x];
    if (blockIdx.x > 0) {
      while (*(volatile unsigned*)&sync[blockIdx.x - 1] == 0) {}
      __threadfence();
      sum += raw[blockIdx.x - 1];  // HERE
    }
    raw[blockIdx.x] = sum;  // THERE
    if (ok) __threadfence();
    *(volatile unsigned*)&sync[blockIdx.x] = 1;
    out[blockIdx.x] = sum;
  }
}
KERNEL g_lookback_bad(ARGS) { lookBack<false>(out, in, raw, sync); }
KERNEL g_lookback_ok(ARGS) { lookBack<true>(out, in, raw, sync); }

KERNEL g_scope_bad(ARGS) { atomicAdd_block(&sync[0], 1u); }  // HERE THERE
KERNEL g_scope_ok(ARGS) { atomicAdd_block(&sync[blockIdx.x], 1u); }

// Release and acquire by name.
template <bool ok> __device__ void message(int* out, const int* in, int* raw, unsigned* sync) {
  if (T != 0) return;
  if (blockIdx.x == 0) {
    raw[0] = in[3];  // THERE
    if (ok) asm volatile("st.release.gpu.u32 [%0], 1;" ::"l"(sync) : "memory");
    else asm volatile("st.relaxed.gpu.u32 [%0], 1;" ::"l"(sync) : "memory");
  } else {
    unsigned seen = 0;
    do {
      if (ok) asm volatile("ld.acquire.gpu.u32 %0, [%1];" : "=r"(seen) : "l"(sync) : "memory");
      else asm volatile("ld.relaxed.gpu.u32 %0, [%1];" : "=r"(seen) : "l"(sync) : "memory");
    } while (seen == 0);
    out[blockIdx.x] = raw[0];  // HERE
  }
}
KERNEL g_message_bad(ARGS) { message<false>(out, in, raw, sync); }
KERNEL g_message_ok(ARGS) { message<true>(out, in, raw, sync); }

KERNEL g_same_value_bad(ARGS) {
  if (in[G] > 0) raw[0] = blockIdx.x;  // HERE THERE
}
KERNEL g_same_value_ok(ARGS) {
  if (in[G] > 0) raw[0] = 1;
}
KERNEL g_stencil_bad(ARGS) {
  int v = raw[(G + 255) % 256] + raw[(G + 1) % 256];  // HERE THERE
  raw[G] = v;  // HERE THERE
}
KERNEL g_stencil_ok(ARGS) { out[G] = raw[(G + 255) % 256] + raw[(G + 1) % 256]; }

KERNEL g_read_bad(ARGS) {
  if (blockIdx.x == 0) atomicAdd(&sync[0], 1u);  // HERE THERE
  else out[G] = sync[0];  // HERE THERE
}
KERNEL g_read_ok(ARGS) {
  if (blockIdx.x == 0) atomicAdd(&sync[0], 1u);
  else out[G] = *(volatile unsigned*)&sync[0];
}
// The receiver takes the flag back by a plain store: it comes behind the store that it has seen.
template <bool ok> __device__ void reset(int* out, const int* in, int* raw, unsigned* sync) {
  if (T != 0) return;
  if (blockIdx.x == 0) {
    raw[0] = in[3];
    __threadfence();
    *(volatile unsigned*)&sync[0] = 1;  // THERE
  } else if (blockIdx.x == 1) {
    if (ok) while (*(volatile unsigned*)&sync[0] == 0) {}
    __threadfence();
    sync[0] = 0;  // HERE
  }
}
KERNEL g_reset_bad(ARGS) { reset<false>(out, in, raw, sync); }
KERNEL g_reset_ok(ARGS) { reset<true>(out, in, raw, sync); }

KERNEL g_wide_bad(ARGS) {
  if (blockIdx.x == 0) ((int4*)raw)[T] = make_int4(1, 2, 3, 4);  // HERE THERE
  else raw[64 + G % 64 * 3] = 9;  // HERE THERE
}
KERNEL g_wide_ok(ARGS) {
  if (blockIdx.x == 0) ((int4*)raw)[T] = make_int4(1, 2, 3, 4);
  else raw[256 + G] = 9;
}

KERNEL g_overlap_bad(ARGS) {
  raw[G] = blockIdx.x + 1;  // HERE THERE
  if (T == 63 && blockIdx.x < 3) raw[G + 1] = 77;  // HERE THERE
}
KERNEL g_overlap_ok(ARGS) {
  raw[G] = blockIdx.x + 1;
  if (T == 63) raw[G] = 77;
}
KERNEL g_bytes_bad(ARGS) { ((unsigned char*)raw)[(G + 1) / 2] = (unsigned char)G; }  // HERE THERE
KERNEL g_bytes_ok(ARGS) { ((unsigned char*)raw)[G * 2 + blockIdx.x % 2] = (unsigned char)G; }

KERNEL g_exchange_bad(ARGS) {
  if (T == 0) {
    raw[blockIdx.x] = in[blockIdx.x];  // THERE
    unsigned n = atomicAdd(&sync[0], 1u);
    if (n > 0) out[blockIdx.x] = raw[0];  // HERE
  }
}
KERNEL g_exchange_ok(ARGS) {
  if (T == 0) {
    raw[blockIdx.x] = in[blockIdx.x];
    __threadfence();
    unsigned n = atomicAdd(&sync[0], 1u);
    __threadfence();
    if (n > 0) out[blockIdx.x] = raw[0];
  }
}
