#include "cli/program.h"

#include "catch.h"

#include <fcntl.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <fstream>
#include <sstream>

namespace warpmill::testing {

const char* const vecAddPtx = R"(.version 8.0
.target sm_80
.address_size 64
.visible .entry vec_add(.param .u64 a, .param .u64 b, .param .u64 c, .param .u32 n)
{
  .reg .pred %p;
  .reg .f32 %f<4>;
  .reg .b32 %r<5>;
  .reg .b64 %rd<8>;
  ld.param.u64 %rd1, [a];
  ld.param.u64 %rd2, [b];
  ld.param.u64 %rd3, [c];
  ld.param.u32 %r1, [n];
  mov.u32 %r2, %ctaid.x;
  mov.u32 %r3, %ntid.x;
  mov.u32 %r4, %tid.x;
  mad.lo.s32 %r4, %r2, %r3, %r4;
  setp.ge.s32 %p, %r4, %r1;
  @%p bra done;
  mul.wide.s32 %rd4, %r4, 4;
  add.s64 %rd5, %rd1, %rd4;
  add.s64 %rd6, %rd2, %rd4;
  add.s64 %rd7, %rd3, %rd4;
  ld.global.f32 %f1, [%rd5];
  ld.global.f32 %f2, [%rd6];
  add.f32 %f3, %f1, %f2;
  st.global.f32 [%rd7], %f3;
done:
  ret;
}
.visible .entry forever()
{
again:
  bra again;
}
)";

const char* const vecAddLaunch = R"({
  "name": "vec_add/n1000",
  "ptx": "vec_add",
  "kernel": "vec_add",
  "grid": [4, 1, 1], "block": [256, 1, 1],
  "args": [
    {"type": "buffer", "dtype": "f32", "count": 1000, "init": "iota", "name": "a"},
    {"type": "buffer", "dtype": "f32", "count": 1000, "init": "ones"},
    {"type": "buffer", "dtype": "f32", "count": 1000, "init": "zeros", "name": "c"},
    {"type": "i32", "value": 1000}
  ],
  "work": {"bytes": 12000, "flops": 1000},
  "expect": {"verdict": "ok", "output_arg": 2, "output": [1, 2, 3, 4], "tolerance": 0}
}
)";

namespace {

std::string drained(int descriptor) {
  std::string text;
  std::array<char, 4096> buffer;
  for (ssize_t n = 0; (n = ::read(descriptor, buffer.data(), buffer.size())) > 0;) text.append(buffer.data(), static_cast<std::size_t>(n));
  ::close(descriptor);
  return text;
}

}  // namespace

Workplace::Workplace() {
  std::string name = (std::filesystem::temp_directory_path() / "warpmill-cli-XXXXXX").string();
  REQUIRE(::mkdtemp(name.data()) != nullptr);
  folder_ = name;
  write("vec_add.ptx", vecAddPtx);
  write("vec_add.json", vecAddLaunch);
}

Workplace::~Workplace() {
  std::filesystem::remove_all(folder_);
}

void Workplace::write(const std::string& name, const std::string& text) const {
  std::ofstream(folder_ / name, std::ios::binary) << text;
}

void Workplace::writeLaunch(const std::string& name, const std::string& from, const std::string& to) const {
  std::string text = vecAddLaunch;
  const std::size_t at = text.find(from);
  REQUIRE(at != std::string::npos);
  write(name, text.replace(at, from.size(), to));
}

std::string Workplace::read(const std::string& name) const {
  std::ostringstream out;
  out << std::ifstream(folder_ / name, std::ios::binary).rdbuf();
  return out.str();
}

std::size_t Workplace::fileCount() const {
  return static_cast<std::size_t>(std::distance(std::filesystem::directory_iterator(folder_), std::filesystem::directory_iterator()));
}

Ended Workplace::run(const std::vector<std::string>& arguments) const {
  return runInto("", arguments);
}

Ended Workplace::runInto(const std::string& standardOutput, const std::vector<std::string>& arguments) const {
  std::array<int, 2> out{}, err{};
  REQUIRE(::pipe(out.data()) == 0);
  // Errors go to a file: reading two pipes one after the other could block the program.
  const std::string errors = path(".stderr");
  err[1] = ::open(errors.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0600);
  const pid_t child = ::fork();
  if (child == 0) {
    if (!standardOutput.empty() && standardOutput != "|") out[1] = ::open(standardOutput.c_str(), O_WRONLY);
    ::dup2(out[1], STDOUT_FILENO);
    ::dup2(err[1], STDERR_FILENO);
    ::close(out[0]);
    if (::chdir(folder_.c_str()) != 0) ::_exit(126);
    if (standardOutput == "|") ::usleep(1000);
    std::vector<char*> argv{const_cast<char*>(WARPMILL_PROGRAM)};
    for (const std::string& a : arguments) argv.push_back(const_cast<char*>(a.c_str()));
    argv.push_back(nullptr);
    ::execv(WARPMILL_PROGRAM, argv.data());
    ::_exit(127);
  }
  ::close(out[1]);
  ::close(err[1]);
  Ended ended;
  if (standardOutput == "|")
    ::close(out[0]);
  else
    ended.out = drained(out[0]);
  int status = 0;
  ::waitpid(child, &status, 0);
  ended.exitCode = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
  ended.err = read(".stderr");
  std::filesystem::remove(errors);
  return ended;
}

}  // namespace warpmill::testing
