// Pairs of kernels: *_bad uses a value that nobody has written, *_ok is its near miss. The line that is told of says HERE. `raw` is a
// buffer that nothing was written to.
#define KERNEL extern "C" __global__ void
#define ARGS int *__restrict__ out, const int *__restrict__ in, int *raw, unsigned *sync
#define T threadIdx.x

template <bool ok> __device__ void shared(int* out, const int* in) {
  __shared__ int s[64];
  if (ok || T < 60) s[T] = in[T];
  __syncthreads();
  out[T] = s[63 - T];  // HERE
}
KERNEL u_shared_bad(ARGS) { shared<false>(out, in); }
KERNEL u_shared_ok(ARGS) { shared<true>(out, in); }

template <bool ok> __device__ void bins(int* out, const int* in) {
  __shared__ int s[16];
  if (ok && T < 16) s[T] = 0;
  __syncthreads();
  atomicAdd(&s[in[T] % 16], 1);  // HERE
  __syncthreads();
  if (T < 16) out[T] = s[T];
}
KERNEL u_bins_bad(ARGS) { bins<false>(out, in); }
KERNEL u_bins_ok(ARGS) { bins<true>(out, in); }

template <bool ok> __device__ void array(int* out, const int* in) {
  int a[8];
  for (int k = 0; k < (ok ? 8 : 7); ++k) a[(k + in[0]) % 8] = k;
  out[T] = a[(in[T] + 7) % 8];  // HERE
}
KERNEL u_local_bad(ARGS) { array<false>(out, in); }
KERNEL u_local_ok(ARGS) { array<true>(out, in); }

template <bool ok> __device__ void branch(int* out, const int* in) {
  __shared__ int s[64];
  if (ok) s[T] = in[T];
  __syncthreads();
  if (s[T ^ 1] > 3) asm volatile("st.global.u32 [%0], 1;" ::"l"(out + T) : "memory");  // HERE
}
KERNEL u_branch_bad(ARGS) { branch<false>(out, in); }
KERNEL u_branch_ok(ARGS) { branch<true>(out, in); }

template <bool ok> __device__ void index(int* out, const int* in) {
  __shared__ int s[64];
  s[T / 2] = in[T / 2];
  __syncthreads();
  int i = s[ok ? T / 2 : T];
  out[i & 63] = 1;  // HERE
}
KERNEL u_index_bad(ARGS) { index<false>(out, in); }
KERNEL u_index_ok(ARGS) { index<true>(out, in); }

template <bool ok> __device__ void buffer(int* out, const int* in, int* raw) {
  if (ok || T != 9) raw[T] = in[T];
  __syncthreads();
  out[T] = raw[63 - T] * 2;  // HERE
}
KERNEL u_buffer_bad(ARGS) { buffer<false>(out, in, raw); }
KERNEL u_buffer_ok(ARGS) { buffer<true>(out, in, raw); }

// Loaded, but chosen by none.
template <bool ok> __device__ void chosen(int* out, const int* in, int* raw) {
  int v, w = in[T];
  asm volatile("ld.global.u32 %0, [%1];" : "=r"(v) : "l"(raw + T));
  asm volatile("{ .reg .pred p; setp.lt.s32 p, %3, %4; selp.s32 %0, %1, %2, p; }" : "=r"(v) : "r"(w), "r"(v), "r"((int)T), "r"(ok ? 64 : 63));
  out[T] = v;  // HERE
}
KERNEL u_chosen_bad(ARGS) { chosen<false>(out, in, raw); }
KERNEL u_chosen_ok(ARGS) { chosen<true>(out, in, raw); }

// One lane has nothing; the others may take from anyone but it.
template <bool ok> __device__ void shuffled(int* out, const int* in) {
  __shared__ int s[32];
  if (T != 5) s[T] = in[T];
  __syncwarp();
  int v = __shfl_xor_sync(~0u, s[T], 1);
  if (T != 4 || !ok) out[T] = v;  // HERE
}
KERNEL u_shuffled_bad(ARGS) { shuffled<false>(out, in); }
KERNEL u_shuffled_ok(ARGS) { shuffled<true>(out, in); }

template <bool ok> __device__ void bytes(int* out, const int* in) {
  __shared__ __align__(4) volatile unsigned char s[4 * 32];
  for (int k = 0; k < 4; ++k)
    if (ok || k != 2) s[4 * T + k] = in[k];
  out[T] = *(volatile int*)&s[4 * T] + 1;  // HERE
}
KERNEL u_bytes_bad(ARGS) { bytes<false>(out, in); }
KERNEL u_bytes_ok(ARGS) { bytes<true>(out, in); }

// A masked load as Triton writes it.
template <bool ok> __device__ void masked(int* out, const int* in) {
  asm volatile(
      "{ .reg .pred p, q; .reg .b32 v;\n"
      "setp.lt.s32 p, %2, 50; setp.lt.s32 q, %2, %3;\n"
      "@p ld.global.b32 v, [%1]; add.s32 v, v, 1;\n"
      "@q st.global.b32 [%0], v; }"
      ::"l"(out + T), "l"(in + T), "r"((int)T), "r"(ok ? 50 : 51)  // HERE
      : "memory");
}
KERNEL u_masked_bad(ARGS) { masked<false>(out, in); }
KERNEL u_masked_ok(ARGS) { masked<true>(out, in); }

template <bool ok> __device__ void operand(int* out, const int* in) {
  __shared__ int s[64];
  if (ok || T > 3) s[T] = in[T];
  __syncthreads();
  atomicAdd(out, s[T]);  // HERE
}
KERNEL u_operand_bad(ARGS) { operand<false>(out, in); }
KERNEL u_operand_ok(ARGS) { operand<true>(out, in); }

// Padding is copied with the rest; a member that was forgotten is told of.
struct Pair { char c; int i; };
template <bool ok> __device__ void structure(int* out, const int* in) {
  __shared__ Pair s[32];
  s[T].c = (char)in[T];
  if (ok) s[T].i = in[T];
  long long v;
  asm volatile("ld.shared.u64 %0, [%1];" : "=l"(v) : "r"((unsigned)__cvta_generic_to_shared(&s[T])) : "memory");
  ((long long*)out)[T] = v;  // HERE
}
KERNEL u_padding_bad(ARGS) { structure<false>(out, in); }
KERNEL u_padding_ok(ARGS) { structure<true>(out, in); }

// Bits that a mask takes away do not matter.
template <bool ok> __device__ void bits(int* out, int* raw) {
  if (T % 2 == 0) ((volatile unsigned char*)raw)[4 * T] = 3;
  int v = ((volatile int*)raw)[T & ~1u];
  out[T] = (v & (ok ? 0xFF : 0xFFFF)) + 1;  // HERE
}
KERNEL u_bits_bad(ARGS) { bits<false>(out, raw); }
KERNEL u_bits_ok(ARGS) { bits<true>(out, raw); }

// Values on their way through half-words and back.
template <bool ok> __device__ void packed(int* out, const int* in) {
  __shared__ short s[2 * 64];
  s[2 * T] = in[T];
  if (ok) s[2 * T + 1] = 4;
  unsigned v;
  asm volatile("{ .reg .b16 a, b; ld.shared.u16 a, [%1]; ld.shared.u16 b, [%1+2]; mov.b32 %0, {a, b}; }" : "=r"(v) : "r"((unsigned)__cvta_generic_to_shared(&s[2 * T])) : "memory");
  out[T] = (v >> 16) + 1;  // HERE
}
KERNEL u_packed_bad(ARGS) { packed<false>(out, in); }
KERNEL u_packed_ok(ARGS) { packed<true>(out, in); }

// The sums of more warps than there are.
template <bool ok> __device__ void partials(int* out, const int* in) {
  __shared__ int s[32];
  int v = in[T];
  for (int h = 16; h > 0; h /= 2) v += __shfl_down_sync(~0u, v, h);
  if (T % 32 == 0) s[T / 32] = v;
  __syncthreads();
  if (T < 32) {
    v = T < (ok ? 2 : 3) ? s[T] : 0;
    for (int h = 16; h > 0; h /= 2) v += __shfl_down_sync(~0u, v, h);
    if (T == 0) out[0] = v;  // HERE
  }
}
KERNEL u_partials_bad(ARGS) { partials<false>(out, in); }
KERNEL u_partials_ok(ARGS) { partials<true>(out, in); }

// 64-bit values, of which one half is missing.
template <bool ok> __device__ void longs(int* out, const int* in) {
  __shared__ long long s[64];
  ((volatile int*)s)[2 * T] = in[T];
  if (ok) ((volatile int*)s)[2 * T + 1] = 0;
  long long v = *(volatile long long*)&s[T];
  out[T] = (int)(v >> 32);  // HERE
}
KERNEL u_longs_bad(ARGS) { longs<false>(out, in); }
KERNEL u_longs_ok(ARGS) { longs<true>(out, in); }

// A copy that arrives defines its target.
template <bool ok> __device__ void copied(int* out, const int* in) {
  __shared__ int s[64];
  if (ok || T < 32) asm volatile("cp.async.ca.shared.global [%0], [%1], 4; cp.async.wait_all;" ::"r"((unsigned)__cvta_generic_to_shared(&s[T])), "l"(in + T) : "memory");
  __syncthreads();
  out[T] = s[T];  // HERE
}
KERNEL u_copied_bad(ARGS) { copied<false>(out, in); }
KERNEL u_copied_ok(ARGS) { copied<true>(out, in); }
