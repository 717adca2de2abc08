// Pairs of kernels: *_bad has a race with an asynchronous copy or between the blocks of a cluster, *_ok is its near miss. The faulty line says
// HERE, the other party's THERE. Parameters as in races.cu.
#define KERNEL extern "C" __global__ void
#define ARGS int *__restrict__ out, const int *__restrict__ in, int *raw, unsigned *sync
#define T threadIdx.x
#define PAIR(name) \
  KERNEL name##_bad(ARGS) { name<false>(out, in, raw, sync); } \
  KERNEL name##_ok(ARGS) { name<true>(out, in, raw, sync); }
#define CLUSTER_PAIR(name) \
  KERNEL __cluster_dims__(2, 1, 1) name##_bad(ARGS) { name<false>(out, in, raw, sync); } \
  KERNEL __cluster_dims__(2, 1, 1) name##_ok(ARGS) { name<true>(out, in, raw, sync); }

__device__ __forceinline__ unsigned sharedAddress(const void* p) { return (unsigned)__cvta_generic_to_shared(p); }
#define COPY(to, from) asm volatile("cp.async.ca.shared.global [%0], [%1], 4;" ::"r"(sharedAddress(to)), "l"(from) : "memory")
#define WAIT_ALL asm volatile("cp.async.wait_all;" ::: "memory")
#define MBARRIER_INIT(bar, count) asm volatile("mbarrier.init.shared.b64 [%0], %1;" ::"r"(sharedAddress(bar)), "r"(count) : "memory")
#define MBARRIER_ARRIVE(bar) asm volatile("{ .reg .b64 s; mbarrier.arrive.shared.b64 s, [%0]; }" ::"r"(sharedAddress(bar)) : "memory")
#define MBARRIER_WAIT(bar) \
  asm volatile("{ .reg .pred p; again: mbarrier.try_wait.parity.shared.b64 p, [%0], 0; @!p bra again; }" ::"r"(sharedAddress(bar)) : "memory")
#define CLUSTER_BARRIER asm volatile("barrier.cluster.arrive.aligned; barrier.cluster.wait.aligned;" ::: "memory")

// The thread's own copy.
template <bool ok> __device__ void a_own(ARGS) {
  __shared__ int s[64];
  COPY(s + T, in + T);  // THERE
  if (ok) WAIT_ALL;
  out[T] = s[T];  // HERE
}
PAIR(a_own)

template <bool ok> __device__ void a_own_store(ARGS) {
  __shared__ int s[64];
  COPY(s + T, in + T);  // THERE
  if (ok) WAIT_ALL;
  s[T] = 5;  // HERE
  WAIT_ALL;
  out[T] = s[T];
}
PAIR(a_own_store)

// Another thread's, which has waited only for itself.
template <bool ok> __device__ void a_other(ARGS) {
  __shared__ int s[64];
  COPY(s + T, in + T);  // HERE THERE
  if (ok) WAIT_ALL;
  __syncthreads();
  if (!ok) WAIT_ALL;
  out[T] = s[63 - T];  // HERE THERE
}
PAIR(a_other)

// The next copy goes where others still read the last one.
template <bool ok> __device__ void a_reuse(ARGS) {
  __shared__ int s[64];
  int sum = 0;
  for (int k = 0; k < 3; ++k) {
    COPY(s + T, in + k * 64 + T);  // HERE THERE
    WAIT_ALL;
    __syncthreads();
    sum += s[63 - T];  // THERE
    if (ok) __syncthreads();
  }
  out[T] = sum;
}
PAIR(a_reuse)

// A copy in bulk, which only the mbarrier tells the end of.
template <bool ok> __device__ void a_bulk(ARGS) {
  __shared__ alignas(16) int s[64];
  __shared__ alignas(8) unsigned long long bar;
  if (T == 0) MBARRIER_INIT(&bar, 1);
  __syncthreads();
  if (T == 0) {
    asm volatile("{ .reg .b64 s; mbarrier.arrive.expect_tx.shared.b64 s, [%0], 256; }" ::"r"(sharedAddress(&bar)) : "memory");
    asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], 256, [%2];" ::"r"(sharedAddress(s)), "l"(in), "r"(sharedAddress(&bar)) : "memory");  // THERE
  }
  if (ok || T < 32) MBARRIER_WAIT(&bar);
  out[T] = s[T];  // HERE
}
PAIR(a_bulk)

// An mbarrier in the place of __syncthreads: also between threads of one warp.
template <bool ok> __device__ void a_mbarrier(ARGS) {
  __shared__ int s[64];
  __shared__ alignas(8) unsigned long long bar;
  if (T == 0) MBARRIER_INIT(&bar, 64);
  __syncthreads();
  s[T] = in[T];  // THERE
  MBARRIER_ARRIVE(&bar);
  if (ok) MBARRIER_WAIT(&bar);
  else if (T < 32) MBARRIER_WAIT(&bar);
  out[T] = s[(T + 17) % 64];  // HERE
}
KERNEL a_mbarrier_ok(ARGS) { a_mbarrier<true>(out, in, raw, sync); }

__device__ __forceinline__ unsigned neighbour(const void* p) {
  unsigned rank, at;
  asm("mov.u32 %0, %%cluster_ctarank;" : "=r"(rank));
  asm("mapa.shared::cluster.u32 %0, %1, %2;" : "=r"(at) : "r"(sharedAddress(p)), "r"(rank ^ 1));
  return at;
}
#define REMOTE_LOAD(v, at) asm volatile("ld.shared::cluster.u32 %0, [%1];" : "=r"(v) : "r"(at) : "memory")
#define REMOTE_STORE(at, v) asm volatile("st.shared::cluster.u32 [%0], %1;" ::"r"(at), "r"(v) : "memory")

template <bool ok> __device__ void c_read(ARGS) {
  __shared__ int s[64];
  s[T] = in[T] + blockIdx.x;  // HERE THERE
  if (ok) CLUSTER_BARRIER;
  else __syncthreads();
  int v;
  REMOTE_LOAD(v, neighbour(s + (T + 1) % 64));  // HERE THERE
  out[blockIdx.x * 64 + T] = v;
  CLUSTER_BARRIER;
}
CLUSTER_PAIR(c_read)

template <bool ok> __device__ void c_write(ARGS) {
  __shared__ int s[64];
  CLUSTER_BARRIER;
  REMOTE_STORE(neighbour(s + 63 - T), in[T]);  // HERE THERE
  if (ok) CLUSTER_BARRIER;
  else __syncthreads();
  out[blockIdx.x * 64 + T] = s[T];  // HERE THERE
  if (!ok) CLUSTER_BARRIER;
}
CLUSTER_PAIR(c_write)
