// Pairs of kernels: in *_bad a NaN or an infinity begins at the line that says HERE and comes out at the one that says THERE (or it is the
// same line); in *_ok none does, or it was meant. in[i] = i + 1.
#define KERNEL extern "C" __global__ void
#define ARGS float *out, const int *__restrict__ in, float *raw, float *sync
#define T threadIdx.x
#include "half.cuh"

KERNEL n_zero_bad(ARGS) {
  float x = in[T] - 5;
  out[T] = x / x;  // HERE
}
KERNEL n_zero_ok(ARGS) {
  float x = in[T] - 5;
  out[T] = x == 0 ? 1 : x / x;
}

KERNEL n_root_bad(ARGS) {
  float r = sqrtf((float)(in[T] - 9));  // HERE
  out[T] = r + 1;                       // THERE
}
KERNEL n_root_ok(ARGS) {
  float r = sqrtf((float)(in[T] - 1));
  out[T] = r + 1;
}

// exp of what was not shifted.
KERNEL n_exp_bad(ARGS) {
  float e = exp2f(in[T] * 4.0f);  // HERE
  out[T] = e / (1 + e);           // HERE
}
KERNEL n_exp_ok(ARGS) {
  float e = exp2f((in[T] - 64) * 4.0f);
  out[T] = e / (1 + e);
}

// The start value of a maximum is meant.
KERNEL n_maximum_bad(ARGS) {
  float m = -__int_as_float(0x7F800000);
  for (int k = 0; k < 4; ++k)
    if (in[T] > 1000) m = fmaxf(m, in[k]);
  out[T] = exp2f(m - m);  // HERE
}
KERNEL n_maximum_ok(ARGS) {
  float m = -__int_as_float(0x7F800000), s = 0;
  for (int k = 0; k < 4; ++k) m = fmaxf(m, in[(T + k) & 63]);
  for (int k = 0; k < 4; ++k) s += exp2f(in[(T + k) & 63] - m);
  raw[T] = -__int_as_float(0x7F800000);
  out[T] = s;
}

// By way of shared memory and another thread.
KERNEL n_shared_bad(ARGS) {
  __shared__ float s[64];
  s[T] = 1.0f / (in[T] - 7);  // HERE
  __syncthreads();
  out[T] = s[63 - T];  // THERE
}
KERNEL n_shared_ok(ARGS) {
  __shared__ float s[64];
  s[T] = 1.0f / (in[T] - 7);
  __syncthreads();
  out[T] = T == 57 ? 0 : s[63 - T];
}

// A sum over the lanes of a warp.
KERNEL n_sum_bad(ARGS) {
  float x = log2f((float)(in[T] - 2));  // HERE
  for (int d = 16; d > 0; d /= 2) x += __shfl_xor_sync(0xFFFFFFFF, x, d);
  if (T % 32 == 0) out[T] = x;  // THERE
}
KERNEL n_sum_ok(ARGS) {
  float x = log2f((float)in[T]);
  for (int d = 16; d > 0; d /= 2) x += __shfl_xor_sync(0xFFFFFFFF, x, d);
  if (T % 32 == 0) out[T] = x;
}

// Sixteen bits hold 65504.
KERNEL n_half_bad(ARGS) {
  unsigned short h = toHalf(in[T] * 2000.0f);  // HERE
  out[T] = fromHalf(h) * 2;                    // THERE
}
KERNEL n_half_ok(ARGS) {
  unsigned short h = toHalf(in[T] * 1000.0f);
  out[T] = fromHalf(h) * 2;
}

// Two halves in one register.
KERNEL n_halves_bad(ARGS) {
  unsigned x = pack(toHalf((float)in[T]), toHalf(300.0f));
  x = multiply(x, x);  // HERE
  ((unsigned*)out)[T] = x;  // THERE
}
KERNEL n_halves_ok(ARGS) {
  unsigned x = pack(toHalf((float)in[T]), toHalf(200.0f));
  x = multiply(x, x);
  ((unsigned*)out)[T] = x;
}

// An index from a number.
KERNEL n_index_bad(ARGS) {
  int i = (int)(0.0f / (in[T] - 3) * 10);  // HERE
  out[T] = in[i & 63];
}
KERNEL n_index_ok(ARGS) {
  int i = (int)(1.0f / (in[T] - 3) * 10);  // an infinity becomes the largest number
  out[T] = in[i & 63];
}

// Double precision.
KERNEL n_double_bad(ARGS) {
  double d = 1e300 * in[T];
  ((double*)raw)[T] = d * d;  // HERE
}
KERNEL n_double_ok(ARGS) {
  double d = 1e150 * in[T];
  ((double*)raw)[T] = d * d;
}

// What another launch, or the host, left there: bits of a NaN are in sync[3].
KERNEL n_input_bad(ARGS) {
  if (T == 3) ((int*)sync)[T] = in[T] + 0x7FC00000;
  __syncthreads();
  out[T] = sync[T] + 1;  // HERE
}
KERNEL n_input_ok(ARGS) {
  if (T == 3) ((int*)sync)[T] = in[T] + 0x3FC00000;
  __syncthreads();
  out[T] = sync[T] + 1;
}

// A matrix product of halves whose sum is too large for one.
KERNEL n_product_bad(ARGS) {
  unsigned a = pack(toHalf(100.0f * in[0]), toHalf(100.0f)), d[2];
  matrixProduct(d, a);  // HERE
  ((unsigned*)out)[T] = d[0];  // THERE
  ((unsigned*)raw)[T] = d[1];  // THERE
}
KERNEL n_product_ok(ARGS) {
  unsigned a = pack(toHalf(10.0f * in[0]), toHalf(10.0f)), d[2];
  matrixProduct(d, a);
  ((unsigned*)out)[T] = d[0];
  ((unsigned*)raw)[T] = d[1];
}

// A literal without an f.
KERNEL n_literal(ARGS) {
  float x = in[T];
  out[T] = x * 1.1 + 0.5;  // HERE
}
KERNEL n_literal_float(ARGS) {
  float x = in[T];
  out[T] = x * 1.1f + 0.5f;
}

// Too small for a normal number.
KERNEL n_small(ARGS) {
  float x = in[T] * 1e-38f, y;
  asm("mul.ftz.f32 %0, %1, %2;" : "=f"(y) : "f"(x), "f"(0.01f));  // HERE
  out[T] = y;
}
KERNEL n_small_kept(ARGS) {
  float x = in[T] * 1e-38f, y;
  asm("mul.f32 %0, %1, %2;" : "=f"(y) : "f"(x), "f"(0.01f));
  out[T] = y;
}
