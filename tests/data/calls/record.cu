// Runs calls.cu and runtime.cu on a GPU and prints what comes out: nvcc -arch=sm_90 record.cu -o record && ./record > h200.txt
// One line an output buffer: its name and values; what kernels print stands between "begin NAME" and "end NAME".
#include "calls.cu"
#include "runtime.cu"

#include <cstdlib>
#include <vector>

namespace {

template <class T> struct Buffer {
  T* device = nullptr;
  std::vector<T> host;
  explicit Buffer(std::vector<T> values) : host(std::move(values)) {
    cudaMalloc(&device, host.size() * sizeof(T));
    cudaMemcpy(device, host.data(), host.size() * sizeof(T), cudaMemcpyHostToDevice);
  }
  void show(const char* name, const char* format) {
    cudaMemcpy(host.data(), device, host.size() * sizeof(T), cudaMemcpyDeviceToHost);
    std::printf("%s", name);
    for (T v : host) std::printf(format, v);
    std::printf("\n");
  }
};

std::vector<int> iota(int n) {
  std::vector<int> v(n);
  for (int i = 0; i < n; ++i) v[i] = i;
  return v;
}

void wait(const char* name) {
  const cudaError_t e = cudaDeviceSynchronize();
  if (e != cudaSuccess) std::printf("error %s %s\n", name, cudaGetErrorName(e));
  std::fflush(stdout);
}

}  // namespace

int main(int argc, char** argv) {
  const int only = argc > 1 ? std::atoi(argv[1]) : 0;
  Buffer<int> out(std::vector<int>(64)), in(iota(64));
  Buffer<float> fout(std::vector<float>(64));
  if (only == 1) { asserts<<<1, 32>>>(in.device, 30); wait("asserts"); return 0; }
  if (only >= 2 && only <= 6) { bad<<<1, 1>>>(out.device, only - 1); wait("bad"); out.show("bad", " %d"); return 0; }
  if (only == 7) { recursion<<<1, 32>>>(nullptr); wait("null"); return 0; }

  recursion<<<1, 32>>>(out.device); wait("recursion"); out.show("recursion", " %d");
  pointers<<<1, 32>>>(out.device, in.device); wait("pointers"); out.show("pointers", " %d");
  for (int k = 0; k < 3; ++k) { chosen<<<1, 32>>>(out.device, k); wait("chosen"); out.show(k == 0 ? "chosen0" : k == 1 ? "chosen1" : "chosen2", " %d"); }
  structs<<<1, 32>>>(out.device, fout.device); wait("structs"); out.show("structs", " %d"); fout.show("structs_f", " %a");
  frames<<<1, 32>>>(out.device); wait("frames"); out.show("frames", " %d");
  virtuals<<<1, 32>>>(fout.device, out.device); wait("virtuals"); fout.show("virtuals_f", " %a"); out.show("virtuals", " %d");
  early<<<1, 32>>>(out.device); wait("early"); out.show("early", " %d");

  std::printf("begin prints\n"); std::fflush(stdout);
  prints<<<1, 40>>>(in.device, out.device); wait("prints");
  std::printf("end prints\n"); out.show("prints", " %d");
  std::printf("begin numbers\n"); std::fflush(stdout);
  numbers<<<1, 1>>>(3.14159265358979, 2.5f, 123456789012345ll); wait("numbers");
  numbers<<<1, 1>>>(-1e300 * 1e10, -0.0f, -7ll); wait("numbers");
  numbers<<<1, 1>>>(6.02214076e23, __builtin_nanf(""), 200ll); wait("numbers");
  numbers<<<1, 1>>>(0.0, -__builtin_inff(), 0ll); wait("numbers");
  std::printf("end numbers\n");
  int** table = nullptr;
  cudaMalloc(&table, 64 * sizeof(int*));
  lists<<<1, 40>>>(table, out.device, 0); wait("lists"); out.show("lists", " %d");
  nothing<<<1, 4>>>(out.device, 1ull << 40); wait("nothing"); out.show("nothing", " %d");
  Buffer<char> text(std::vector<char>(128, 'q')), copied(std::vector<char>(64 * 4));
  copies<<<1, 4>>>(text.device, copied.device, 9); wait("copies"); copied.show("copies", " %d");
  return 0;
}
