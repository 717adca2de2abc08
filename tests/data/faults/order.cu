// Pairs of kernels: *_bad waits for threads that do not come or exchanges with lanes that take no part, *_ok is its near miss. The faulty
// line says HERE (several may). compile.sh makes the PTX. Every kernel has the same parameters; shapes are in tests/faults/order_test.cpp.
#define KERNEL extern "C" __global__ void
#define ARGS int *__restrict__ out, const int *__restrict__ in, int *raw, unsigned *sync
#define T threadIdx.x
#define LANE (threadIdx.x % 32)
#define PAIR(name) \
  KERNEL name##_bad(ARGS) { name<false>(out, in, raw, sync); } \
  KERNEL name##_ok(ARGS) { name<true>(out, in, raw, sync); }

#define BARRIER(id, threads) asm volatile("bar.sync %0, %1;" ::"r"(id), "r"(threads) : "memory")
#define ARRIVE(id, threads) asm volatile("bar.arrive %0, %1;" ::"r"(id), "r"(threads) : "memory")
#define LANES_BARRIER(id) asm volatile("barrier.sync %0;" ::"r"(id) : "memory")

// ---- Barriers ----
// Those who skip it come to the next one; in the near miss they end.
template <bool ok> __device__ void b_branch(ARGS) {
  if (T % 32 < 16) __syncthreads();  // HERE
  out[T] = in[T];
  if (!ok) __syncthreads();  // HERE
  out[T + 64] = in[T];
}
PAIR(b_branch)

// Both arms of a branch have a barrier, each for a warp of its own.
template <bool ok> __device__ void b_arms(ARGS) {
  if (T < 32) {
    out[T] = 1;
    asm volatile("bar.sync 1;" ::: "memory");  // HERE
  } else {
    out[T] = 2;
    if (ok) asm volatile("bar.sync 1;" ::: "memory");
    else asm volatile("bar.sync 2;" ::: "memory");
  }
  out[T + 64] = 3;
}
PAIR(b_arms)

template <bool ok> __device__ void b_lanes(ARGS) {
  if (LANE < 16) {
    out[T] = 1;
    LANES_BARRIER(1);  // HERE
  } else {
    out[T] = 2;
    LANES_BARRIER(ok ? 1 : 2);  // HERE
  }
  out[T + 64] = 3;
}
PAIR(b_lanes)

template <bool ok> __device__ void b_count(ARGS) {
  BARRIER(1, ok ? 64 : 96);  // HERE
  out[T] = in[T];
}
PAIR(b_count)

template <bool ok> __device__ void b_odd(ARGS) {
  BARRIER(1, ok ? 64 : 48);  // HERE
  out[T] = in[T];
}
PAIR(b_odd)

template <bool ok> __device__ void b_counts(ARGS) {
  BARRIER(1, ok || T < 32 ? 64 : 96);  // HERE
  out[T] = in[T];
}
PAIR(b_counts)

// Threads that have ended are not waited for, unless a number is asked for.
template <bool ok> __device__ void b_exit(ARGS) {
  if (T >= 32) return;
  if (ok) __syncthreads();
  else BARRIER(0, 64);  // HERE
  out[T] = in[T];
}
PAIR(b_exit)

template <bool ok> __device__ void b_exit_lanes(ARGS) {
  if (LANE >= 20) return;
  BARRIER(1, ok ? 64 : 128);  // HERE
  out[T] = in[T];
}
PAIR(b_exit_lanes)

template <bool ok> __device__ void b_rounds(ARGS) {
  for (unsigned i = 0; i < 2 + (ok ? 0 : T / 32); ++i) {
    out[T] += in[T];
    BARRIER(1, 64);  // HERE
  }
  BARRIER(2, 64);  // HERE
  out[T + 64] = 1;
}
PAIR(b_rounds)

template <bool ok> __device__ void b_arrive(ARGS) {
  __shared__ int s[32];
  if (T < 32) {
    s[T] = in[T];
    ARRIVE(1, ok ? 64 : 96);
  } else {
    BARRIER(1, ok ? 64 : 96);  // HERE
    out[T] = s[T - 32];
  }
}
PAIR(b_arrive)

template <bool ok> __device__ void b_warp(ARGS) {
  if (LANE < 16) __syncwarp(ok ? 0xFFFFu : 0xFFFFFFFFu);  // HERE
  out[T] = in[T];
  __syncthreads();
  out[T + 64] = in[T];
}
PAIR(b_warp)

template <bool ok> __device__ void b_warp_caller(ARGS) {
  if (!ok || LANE < 16) __syncwarp(0xFFFF);  // HERE
  out[T] = in[T];
}
PAIR(b_warp_caller)

// ---- Warp collectives ----
template <bool ok> __device__ void w_caller(ARGS) {
  out[T] = __shfl_xor_sync(ok ? 0xFFFFFFFFu : 0xFFFFu, in[T], 1);  // HERE
}
PAIR(w_caller)

template <bool ok> __device__ void w_branch(ARGS) {
  int v = in[T];
  if (LANE < 16) v += __shfl_xor_sync(ok ? 0xFFFFu : 0xFFFFFFFFu, v, 1);  // HERE
  out[T] = v;
}
PAIR(w_branch)

template <bool ok> __device__ void w_rounds(ARGS) {
  int v = in[T];
  for (unsigned i = 0; i < 1 + LANE % 4; ++i) {
    const unsigned mask = ok ? __activemask() : 0xFFFFFFFFu;
    v += __shfl_sync(mask, v, __ffs(mask) - 1);  // HERE
    asm volatile("" ::: "memory");
  }
  out[T] = v;
}
PAIR(w_rounds)

template <bool ok> __device__ void w_vote(ARGS) {
  const unsigned mask = __ballot_sync(0xFFFFFFFFu, T % 3 == 0);
  int v = 0;
  if (T % 3 == 0) v = __any_sync(ok ? mask : 0xFFFFFFFFu, in[T] > 40);  // HERE
  out[T] = v;
}
PAIR(w_vote)

template <bool ok> __device__ void w_match(ARGS) {
  const unsigned mask = __ballot_sync(0xFFFFFFFFu, T % 3 == 0);
  unsigned v = 0;
  if (T % 3 == 0) v = __match_any_sync(ok ? mask : 0xFFFFFFFFu, T % 2);  // HERE
  out[T] = v;
}
PAIR(w_match)

template <bool ok> __device__ void w_redux(ARGS) {
  const unsigned group = __match_any_sync(0xFFFFFFFFu, T % 3);
  int v = 0;
  if (ok || T % 3 == 0) v = __reduce_add_sync(ok ? group : 0xFFFFFFFFu, in[T]);  // HERE
  out[T] = v;
}
PAIR(w_redux)

template <bool ok> __device__ void w_active(ARGS) {
  unsigned mask = __activemask();
  int v = in[T];
  if (LANE % 2 == 1) {
    if (ok) mask = __activemask();
    v = __shfl_sync(mask, v, 1);  // HERE
  }
  out[T] = v;
}
PAIR(w_active)

// The others wait for this warp at the block's barrier.
template <bool ok> __device__ void w_waits(ARGS) {
  int v = in[T];
  if (LANE < 16) {
    v = __shfl_xor_sync(ok ? 0xFFFFu : 0xFFFFFFFFu, v, 1);  // HERE
    LANES_BARRIER(1);
  } else {
    LANES_BARRIER(1);
  }
  out[T] = v;
}
PAIR(w_waits)

// Values from lanes that take no part, which are stored or not.
template <bool ok> __device__ void w_source(ARGS) {
  int v = 0;
  if (LANE < 16) v = __shfl_sync(0xFFFF, in[T], ok ? 4 : 20);  // HERE
  out[T] = v;
}
PAIR(w_source)

template <bool ok> __device__ void w_ended(ARGS) {
  if (LANE >= 16) return;
  const int v = __shfl_down_sync(0xFFFFFFFF, in[T], 8);  // HERE
  if (!ok || LANE < 8) out[T] = v;
}
PAIR(w_ended)

template <bool ok> __device__ void w_reduce(ARGS) {
  if (LANE < (ok ? 8 : 6)) {
    const unsigned mask = ok ? 0xFF : 0x3F;
    int v = in[T];
    for (int d = 4; d > 0; d /= 2) v += __shfl_down_sync(mask, v, d);  // HERE
    if (LANE == 0) out[T] = v;
  }
}
PAIR(w_reduce)

// ---- Hangs ----
template <bool ok> __device__ void h_loop(ARGS) {
  int sum = 0;
  for (int k = 0; k < 10;) {  // HERE
    sum += in[k];  // HERE
    asm volatile("" ::: "memory");  // HERE
    if (ok) ++k;  // HERE
  }
  out[T] = sum;
}
PAIR(h_loop)

// Counts down past zero.
template <bool ok> __device__ void h_unsigned(ARGS) {
  int sum = 0;
  for (unsigned k = 9; ok ? k > 0 : k >= 0; --k) {  // HERE
    sum += in[k % 64];  // HERE
    asm volatile("" ::: "memory");  // HERE
  }
  out[T] = sum;
}
PAIR(h_unsigned)

template <bool ok> __device__ void h_flag(ARGS) {
  volatile unsigned* flag = sync;
  if (blockIdx.x == 0 && T == 0) {
    while (*flag == 0) {}  // HERE
    out[0] = 1;
  }
  if (ok && blockIdx.x == 3 && T == 0) *flag = 1;
}
PAIR(h_flag)

// How often it has looked does not matter, unless it stops for that.
template <bool ok> __device__ void h_counted(ARGS) {
  volatile unsigned* flag = sync;
  int n = 0;
  while (*flag == 0 && (!ok || n < 5000)) ++n;  // HERE
  out[T] = n;
}
PAIR(h_counted)

// The lane that has the lock waits for lanes that wait for the lock.
template <bool ok> __device__ void h_warp_lock(ARGS) {
  if (ok) {
    for (bool done = false; !done;) {
      if (atomicCAS(sync, 0u, 1u) == 0) {
        __threadfence();
        raw[0] += 1;
        __threadfence();
        atomicExch(sync, 0u);
        done = true;
      }
    }
  } else {
    while (atomicCAS(sync, 0u, 1u) != 0) {}  // HERE
    __syncwarp();
    atomicExch(sync, 0u);
  }
}
PAIR(h_warp_lock)

__device__ void take(unsigned* lock) {
  while (atomicCAS(lock, 0u, 1u) != 0) {}  // HERE
  __threadfence();
}
__device__ void give(unsigned* lock) {
  __threadfence();
  atomicExch(lock, 0u);
}
// Two blocks that have one lock each and want the other's.
template <bool ok> __device__ void h_order(ARGS) {
  if (T != 0) return;
  const unsigned first = ok || blockIdx.x == 0 ? 1 : 2, second = 3 - first;
  take(sync + first);
  if (!ok) {  // so that it happens whoever comes first
    atomicAdd(sync, 1u);
    while (*(volatile unsigned*)sync < 2) {}
  }
  take(sync + second);
  raw[0] += 1;
  give(sync + second);
  give(sync + first);
}
PAIR(h_order)

// One warp waits for a flag of another that waits for it at the barrier.
template <bool ok> __device__ void h_barrier(ARGS) {
  __shared__ volatile int flag;
  if (T == 0) flag = 0;
  __syncthreads();
  if (T >= 32) {
    if (!ok) __syncthreads();
    if (T == 32) flag = 1;
    if (ok) __syncthreads();
  } else {
    if (T == 0)
      while (flag == 0) {}  // HERE
    __syncthreads();
  }
  out[T] = in[T];
}
PAIR(h_barrier)

// A barrier of all blocks; the device holds four of them at a time.
__device__ void everyBlock(unsigned* count) {
  __syncthreads();
  if (T == 0) {
    __threadfence();
    atomicAdd(count, 1u);
    while (*(volatile unsigned*)count < gridDim.x) {}  // HERE
    __threadfence();
  }
  __syncthreads();
}
KERNEL h_grid_bad(ARGS) {
  if (T == 0) raw[blockIdx.x] = in[T];
  everyBlock(sync);
  if (T == 0) out[blockIdx.x] = raw[(blockIdx.x + 1) % gridDim.x];
}

// An mbarrier that counts one thread more than there are.
template <bool ok> __device__ void h_mbarrier(ARGS) {
  __shared__ unsigned long long bar;
  const unsigned at = (unsigned)__cvta_generic_to_shared(&bar);
  if (T == 0) asm volatile("mbarrier.init.shared.b64 [%0], %1;" ::"r"(at), "r"(ok ? 64 : 65) : "memory");
  __syncthreads();
  asm volatile("{ .reg .b64 s; mbarrier.arrive.shared.b64 s, [%0]; }" ::"r"(at) : "memory");
  unsigned done = 0;
  while (done == 0)  // HERE
    asm volatile("{ .reg .pred p; mbarrier.test_wait.parity.shared.b64 p, [%1], 0; selp.u32 %0, 1, 0, p; }" : "=r"(done) : "r"(at) : "memory");  // HERE
  out[T] = in[T];
}
PAIR(h_mbarrier)
