// A grid of any size covers an array of any size: each thread goes on in steps of the whole grid.
extern "C" __global__ void vec_add_grid_stride(const float* a, const float* b, float* c, int n) {
  int step = gridDim.x * blockDim.x;
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += step) {
    float x = a[i];
    float y = b[i];
    c[i] = x + y;
  }
}
