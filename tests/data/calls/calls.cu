// Functions that stay calls: recursion, pointers to functions, virtual functions, structs by value, variable arrays.

#ifdef __clang__
#define __noinline__ __attribute__((noinline))
#endif

struct Pair { int a; long long b; float c[3]; };
typedef int (*Unary)(int);

__device__ __noinline__ int fib(int n) { return n < 2 ? n : fib(n - 1) + fib(n - 2); }
__device__ int isOdd(int n);
__device__ __noinline__ int isEven(int n) { return n == 0 ? 1 : isOdd(n - 1); }
__device__ __noinline__ int isOdd(int n) { return n == 0 ? 0 : isEven(n - 1) + 2; }
__device__ __noinline__ int twice(int x) { return 2 * x; }
__device__ __noinline__ int square(int x) { return x * x; }
__device__ __noinline__ int negate(int x) { return -x; }
__device__ Unary table[4] = {twice, square, negate, fib};
__constant__ Unary constTable[2] = {square, twice};

__device__ __noinline__ Pair mixed(Pair p, int k) {
  Pair q;
  q.a = p.a + k;
  q.b = p.b * k;
  for (int i = 0; i < 3; ++i) q.c[i] = p.c[i] + (float)(i * k);
  return q;
}
// Each activation has an array of its own, and passes a pointer to it on.
__device__ __noinline__ int sumDown(int n, const int* upper) {
  int own[4];
  for (int i = 0; i < 4; ++i) own[i] = n * 10 + i + (upper ? upper[3 - i] : 0);
  if (n == 0) return own[0] + own[3];
  int below = sumDown(n - 1, own);
  return below + own[n & 3];
}

__device__ __noinline__ int climb(int n, int k) {
  if (n > 20) return k;
  if (n % 2) return climb(n + 3, k + 1) * 2;
  for (int i = 0; i < n % 4; ++i) {
    k += climb(n + 7, i);
    if (k > 30) return k - n;
  }
  return k + n;
}

struct Shape {
  __device__ virtual float area() const = 0;
  __device__ virtual int corners() const { return 0; }
};
struct Square : Shape {
  float side;
  __device__ Square(float s) : side(s) {}
  __device__ float area() const override { return side * side; }
  __device__ int corners() const override { return 4; }
};
struct Circle : Shape {
  float radius;
  __device__ Circle(float r) : radius(r) {}
  __device__ float area() const override { return 3.0f * radius * radius; }
};

extern "C" {
__global__ void recursion(int* out) {
  int t = threadIdx.x;
  out[t] = fib(t % 12);
  out[t + blockDim.x] = isEven(t);
}
__global__ void pointers(int* out, const int* which) {
  int t = threadIdx.x;
  out[t] = table[which[t] & 3](t % 10);
  out[t + blockDim.x] = constTable[t & 1](t);
}
__global__ void chosen(int* out, int k) {
  Unary f = k == 0 ? twice : k == 1 ? square : negate;
  out[threadIdx.x] = f(threadIdx.x);
}
__global__ void structs(int* out, float* fout) {
  int t = threadIdx.x;
  Pair p{t, t * 3ll, {1.0f, 2.0f, (float)t}};
  Pair q = mixed(p, t + 1);
  out[t] = q.a + (int)q.b;
  fout[t] = q.c[0] + q.c[1] * q.c[2];
}
__global__ void frames(int* out) { out[threadIdx.x] = sumDown(threadIdx.x % 5, nullptr); }
__global__ void virtuals(float* out, int* corners) {
  int t = threadIdx.x;
  Square sq(t);
  Circle c(t);
  Shape* s = (t & 1) ? (Shape*)&sq : (Shape*)&c;
  out[t] = s->area();
  corners[t] = s->corners();
}
__global__ void early(int* out) {  // lanes return at different places, and at different depths
  __shared__ int all[32];
  int t = threadIdx.x;
  int r = 0;
  if (t % 3 == 0) r = climb(t, 0);
  else r = climb(t / 2, 1) + 1000;
  all[t] = r;
  __syncthreads();
  out[t] = r + all[t ^ 1];
}
}
