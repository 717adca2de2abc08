// The device's own runtime: printf, malloc, free, assert, memcpy and memset.
#ifdef __clang__
#define __noinline__ __attribute__((noinline))
extern "C" __device__ int printf(const char*, ...);
extern "C" __device__ void* malloc(unsigned long);
extern "C" __device__ void free(void*);
extern "C" __device__ void __assertfail(const char*, const char*, unsigned, const char*, unsigned long);
#define assert(c) ((c) ? (void)0 : __assertfail(#c, "runtime.cu", __LINE__, __func__, 1))
#define memcpy __builtin_memcpy
#define memset __builtin_memset
#else
#include <cassert>
#include <cstdio>
#include <cstring>
#endif

extern "C" {
__global__ void prints(const int* in, int* out) {
  int t = threadIdx.x;
  int n = printf("thread %d of %u: %lld %5.2f %e %g %s %c %x %%\n", t, blockDim.x, (long long)t << 33, t * 1.5, t / 3.0, t * 1e-7, t & 1 ? "odd" : "even", 'a' + t, in[t]);
  out[t] = n;
  if (t == 3) printf("only three\n");
  if (t > 3) printf("%d: [%*d] [%-6d] [%+d] [%#x] [%05d] [%.3d] [% d] [%hd] [%hhd] [%o] [%i]\n", t, 6, t, t, t, t, t, t, t, 70000 + t, 300 + t, t, -t);
  else printf("%lu %llu %p %ld %s\n", (unsigned long)t, (unsigned long long)-1, (void*)0, -5L, "x");
}
__global__ void lists(int** table, int* out, int n) {
  int t = threadIdx.x;
  int* p = (int*)malloc((t + 1) * sizeof(int));
  for (int i = 0; i <= t; ++i) p[i] = i * t;
  table[t] = p;
  __syncthreads();
  int* q = table[(t + 1) % blockDim.x];
  int s = 0;
  for (int i = 0; i <= (t + 1) % (int)blockDim.x; ++i) s += q[i];
  out[t] = s;
  __syncthreads();
  free(p);
}
__global__ void asserts(const int* in, int n) {
  int t = threadIdx.x;
  assert(in[t] < n && "values are below n");
}
__global__ void copies(const char* in, char* out, int n) {
  char buf[64];
  memset(buf, threadIdx.x, 64);
  memcpy(buf, in + threadIdx.x, n);
  memcpy(out + threadIdx.x * 64, buf, 64);
}
__global__ void bad(int* out, int k) {
  int* p = (int*)malloc(40);
  out[1] = p != 0;
  p[0] = 7;
  if (k == 1) p[10] = 1;
  free(p);
  if (k == 2) out[0] = p[0];
  if (k == 3) free(p);
  if (k == 4) free(p + 1);
  if (k == 5) free(out);
}
__global__ void nothing(int* out, unsigned long long much) {
  int t = threadIdx.x;
  void* p = malloc(t == 0 ? 0 : t == 1 ? much : 8);
  out[t] = p != 0;
  free(p);
  free(0);
}
__global__ void numbers(double x, float y, long long n) {
  printf("%f %e %g %a %F %E %G\n", x, x, x, x, x, x, x);
  printf("%.0f %.3e %.10g %#.0f %#g %+f % f %012.3f %-12.3f|\n", x, x, x, x, x, x, x, x, x);
  printf("%f %g %e %5.1f\n", y, y, y, y);
  printf("%d %i %u %x %X %o %#o %c\n", (int)n, (int)n, (unsigned)n, (unsigned)n, (unsigned)n, (unsigned)n, (unsigned)n, (int)n);
  printf("%ld %lli %llu %llx %#llX %lo %zu %jd %td\n", (long)n, n, n, n, n, (long)n, (unsigned long)n, n, (long)n);
  printf("%hd %hu %hhd %hhu %hx\n", (int)n, (int)n, (int)n, (int)n, (int)n);
  printf("[%8d] [%-8d] [%08d] [%+d] [% d] [%.5d] [%8.5d] [%-8.5d] [%.0d]\n", (int)n, (int)n, (int)n, (int)n, (int)n, (int)n, (int)n, (int)n, 0);
  printf("[%s] [%10s] [%-10s] [%.2s] [%10.2s] [%c] [%%] [%5c]\n", "text", "text", "text", "text", "text", 'x', 'y');
  printf("[%*d] [%-*d] [%.*f] [%*.*f]\n", 7, (int)n, 7, (int)n, 2, x, 9, 1, x);
  printf("%p %p\n", (void*)0x1234, (void*)0);
  printf("%s %d\n", (const char*)0, 5);
}
}
