// What the kernels of numbers.cu need of halves and matrices.
__device__ inline unsigned short toHalf(float x) {
  unsigned short h;
  asm("cvt.rn.f16.f32 %0, %1;" : "=h"(h) : "f"(x));
  return h;
}
__device__ inline float fromHalf(unsigned short h) {
  float x;
  asm("cvt.f32.f16 %0, %1;" : "=f"(x) : "h"(h));
  return x;
}
__device__ inline unsigned pack(unsigned short low, unsigned short high) { return low | (unsigned)high << 16; }
__device__ inline unsigned multiply(unsigned a, unsigned b) {
  unsigned d;
  asm("mul.rn.f16x2 %0, %1, %2;" : "=r"(d) : "r"(a), "r"(b));
  return d;
}
// D = A * B, 16 by 8 by 8, where all of A and B are the two halves of `a`.
__device__ inline void matrixProduct(unsigned d[2], unsigned a) {
  asm("mma.sync.aligned.m16n8k8.row.col.f16.f16.f16.f16 {%0, %1}, {%2, %3}, {%4}, {%5, %6};"
      : "=r"(d[0]), "=r"(d[1])
      : "r"(a), "r"(a), "r"(a), "r"(0), "r"(0));
}
