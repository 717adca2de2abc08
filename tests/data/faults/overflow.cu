// Pairs of kernels: in *_bad a sum or product of 32 bits or fewer wraps on its way to an address; in *_ok none does, or the wrap does no
// harm. The line of the wrap says HERE, that of the access THERE where it is another one. in[i] = i + 1, 1024 of them.
#define KERNEL extern "C" __global__ void
#define ARGS int *__restrict__ out, const int *__restrict__ in, int *raw, unsigned *sync
#define T threadIdx.x
typedef unsigned int u32;
typedef unsigned short u16;
typedef unsigned long long u64;

// A row times its pitch, 2 to the 26th: row 64 is found where row 0 is, which is in bounds and the wrong element.
KERNEL o_row_bad(ARGS) {
  int pitch = in[1023] << 16, row = in[T];
  if (row % 64 == 0) out[T] = in[row * pitch + row];  // HERE
}
KERNEL o_row_ok(ARGS) {
  int pitch = in[15] << 2;
  int row = in[T] / 32;
  out[T] = in[row * pitch + in[T]];
}

// A plain product.
KERNEL o_product_bad(ARGS) {
  u32 i = (u32)in[T] * (u32)(in[1023] << 22);  // HERE
  out[T] = in[i];                              // THERE
}
KERNEL o_product_ok(ARGS) {  // as a hash is meant to
  u32 i = (u32)in[T] * 2654435761u;
  out[T] = in[i % 1000u] + in[i >> 22];
}

// Two that are in range, and their sum is not.
KERNEL o_sum_bad(ARGS) {
  int a = in[T] + 0x40000000, b = in[T] + 0x3FFFFFFF;
  asm volatile("" : "+r"(a), "+r"(b));
  out[T] = in[a + b];  // HERE
}
KERNEL o_sum_ok(ARGS) {  // halfway it is too large, and comes back
  int a = in[T] + 0x40000000, b = in[T] + 0x3FFFFFFF, c = 0x40000000, d = 0x3FFFFFFF;
  asm volatile("" : "+r"(a), "+r"(b), "+r"(c), "+r"(d));
  out[T] = in[(u32)a + (u32)b - (u32)c - (u32)d];
}

// One below zero, without a sign.
KERNEL o_below_bad(ARGS) {
  u32 i = T - (u32)in[0];  // HERE
  out[T] = in[i];          // THERE
}
KERNEL o_below_ok(ARGS) {
  u32 i = T - (u32)in[0];
  asm volatile("" : "+r"(i));
  out[T] = in[i + 1u];
}

// A guard tests the sum that has wrapped already.
KERNEL o_guard_bad(ARGS) {
  int base = in[1] * 0x3FFFFFFF, i = base + (int)T;  // HERE
  asm volatile("" : "+r"(i));
  if (i < 1024) out[T] = in[i + 10];  // THERE
}
KERNEL o_guard_ok(ARGS) {
  int base = in[1] * 0x3FFFFFFF, i = base + (int)T;
  asm volatile("" : "+r"(i));
  if (i >= 0 && i < 1024) out[T] = in[i + 10];
}

// Bits that a shift drops.
KERNEL o_shift_bad(ARGS) {
  u32 i = (u32)in[T] << 30;  // HERE
  out[T] = in[i];            // THERE
}
KERNEL o_shift_ok(ARGS) {
  u32 i = (u32)in[T] << 30 >> 30;
  out[T] = in[i];
}

// Sixteen bits.
KERNEL o_short_bad(ARGS) {
  u16 a = (u16)in[T], b = 2000, i;
  asm("{ .reg .b16 t; mul.lo.u16 t, %1, %2; mov.b16 %0, t; }" : "=h"(i) : "h"(a), "h"(b));  // HERE
  if (i < 1024) out[T] = in[i];  // THERE
}
KERNEL o_short_ok(ARGS) {
  u16 a = (u16)in[T], b = 10, i;
  asm("{ .reg .b16 t; mul.lo.u16 t, %1, %2; mov.b16 %0, t; }" : "=h"(i) : "h"(a), "h"(b));
  out[T] = in[i];
}

// A loop with a stride that leads past the largest number.
KERNEL o_loop_bad(ARGS) {
  int step = in[1023] << 20, sum = 0;
  for (int i = T, n = 0; n < 3; ++n) {
    if (i < 1024) sum += in[i + n];  // THERE
    asm volatile("add.s32 %0, %0, %1;" : "+r"(i) : "r"(step));  // HERE
  }
  out[T] = sum;
}
KERNEL o_loop_ok(ARGS) {
  int step = in[63], sum = 0;
  for (int i = T; i < 1024; i += step) sum += in[i];
  out[T] = sum;
}

// The offset in shared memory.
KERNEL o_shared_bad(ARGS) {
  __shared__ int s[64];
  s[T] = in[T];
  __syncthreads();
  u32 stride = (u32)in[1023] << 20;
  out[T] = s[T + stride * 4];  // HERE
}
KERNEL o_shared_ok(ARGS) {
  __shared__ int s[64];
  s[T] = in[T];
  __syncthreads();
  u32 stride = (u32)in[7];
  out[T] = s[T - (T & 7) + (stride - 1 - (T & 7))];
}

// One of two is chosen.
KERNEL o_chosen_bad(ARGS) {
  int far = in[T] * 0x40000000, near = in[T];
  asm volatile("" : "+r"(near));
  asm volatile("mad.lo.s32 %0, %1, %2, %3;" : "=r"(far) : "r"(in[T]), "r"(0x40000000), "r"(near));  // HERE
  int i = in[T] % 4 == 0 ? far : near;
  out[T] = in[i];  // THERE
}
KERNEL o_chosen_ok(ARGS) {
  int far, near = in[T];
  asm volatile("" : "+r"(near));
  asm volatile("mad.lo.s32 %0, %1, %2, %3;" : "=r"(far) : "r"(in[T]), "r"(0x40000000), "r"(near));
  int i = in[T] > 2000 ? far : near;
  out[T] = in[i];
}

// Another lane's index.
KERNEL o_handed_bad(ARGS) {
  int i = in[T] * 0x40000000 + in[T];  // HERE
  i = __shfl_sync(0xFFFFFFFF, i, 3);
  out[T] = in[i];  // THERE
}
KERNEL o_handed_ok(ARGS) {
  int i = T == 5 ? in[T] * 0x40000000 : in[T];
  i = __shfl_sync(0xFFFFFFFF, i, 3);
  out[T] = in[i];
}

// Where an atomic operation goes.
KERNEL o_atomic_bad(ARGS) {
  u32 bin = (u32)in[T] * 0x80000000u;  // HERE
  if (in[T] % 2 == 0) atomicAdd(&out[bin], 1);  // THERE
}
KERNEL o_atomic_ok(ARGS) {
  u32 bin = ((u32)in[T] * 0x80000001u) & 63u;
  atomicAdd(&out[bin], 1);
}

// Where an asynchronous copy comes from.
KERNEL o_async_bad(ARGS) {
  __shared__ int s[64];
  u32 i = (u32)in[T] * 0x40000000u;  // HERE
  if (in[T] % 4 == 0) {
    u32 to = (u32)__cvta_generic_to_shared(&s[T]);
    asm volatile("cp.async.ca.shared.global [%0], [%1], 4;" ::"r"(to), "l"(in + i));  // THERE
  }
  asm volatile("cp.async.wait_all;" ::: "memory");
  if (in[T] % 4 == 0) out[T] = s[T];
}
KERNEL o_async_ok(ARGS) {
  __shared__ int s[64];
  u32 i = (u32)in[T] * 4u;
  u32 to = (u32)__cvta_generic_to_shared(&s[T]);
  asm volatile("cp.async.ca.shared.global [%0], [%1], 4;" ::"r"(to), "l"(in + i));
  asm volatile("cp.async.wait_all;" ::: "memory");
  out[T] = s[T];
}

// Planes, rows and columns in one expression.
KERNEL o_volume_bad(ARGS) {
  int x = in[T], y = in[1023] * 4, z = in[1023] * 1024;
  out[T] = in[(z * y + y) * 1024 - y * 1024 + x];  // HERE
}
KERNEL o_volume_ok(ARGS) {
  int x = T & 7, y = T / 8 & 3, z = T / 32;
  out[T] = in[(z * 4 + y) * in[7] + x];
}

// The pointer goes on in 64 bits, from an offset that was not computed in them.
KERNEL o_pointer_bad(ARGS) {
  const int* p = in + (u32)((u32)in[T] * 0x40000000u);  // HERE
  p += in[T];
  if (in[T] % 4 == 0) out[T] = p[1];  // THERE
}
KERNEL o_pointer_ok(ARGS) {
  const int* p = in + (u64)in[T] * 0x40000000ull;
  p += in[T];
  p -= (u64)in[T] * 0x40000000ull;
  out[T] = p[1];
}

// A remainder that is taken by a division, as compilers take it.
KERNEL o_random_bad(ARGS) {
  u32 x = (u32)in[T];
  for (int k = 0; k < 3; ++k) x = x * 1664525u + 1013904223u;  // HERE
  out[T] = in[x];  // THERE
}
KERNEL o_random_ok(ARGS) {
  u32 x = (u32)in[T];
  int sum = 0;
  for (int k = 0; k < 3; ++k) {
    x = x * 1664525u + 1013904223u;
    sum += in[x % 1000u] + in[x & 255u] + in[(x ^ x >> 15) % 77u] + in[(int)(x >> 1) % 99];
  }
  out[T] = sum;
}
