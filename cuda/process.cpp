#include "cuda/process.h"

#include "base/error_with.h"

#include <fmt/format.h>

#include <fcntl.h>
#include <poll.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstring>

extern char** environ;

namespace warpmill::cuda {
namespace {

// Both outputs until both are closed. False: too late.
bool gather(std::array<pollfd, 2>& ends, std::array<std::string*, 2> texts, std::chrono::steady_clock::time_point until) {
  while (ends[0].fd >= 0 || ends[1].fd >= 0) {
    const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(until - std::chrono::steady_clock::now()).count();
    if (left <= 0) return false;
    if (::poll(ends.data(), ends.size(), static_cast<int>(std::min<long long>(left, 1'000'000))) <= 0) continue;
    for (std::size_t i = 0; i < ends.size(); ++i) {
      if (ends[i].fd < 0 || ends[i].revents == 0) continue;
      char chunk[65536];
      const ssize_t n = ::read(ends[i].fd, chunk, sizeof chunk);
      if (n < 0 && errno == EINTR) continue;
      if (n > 0) {
        texts[i]->append(chunk, static_cast<std::size_t>(n));
        continue;
      }
      ::close(ends[i].fd);
      ends[i].fd = -1;
    }
  }
  return true;
}

}  // namespace

Result<ProgramRun> runProgram(const std::vector<std::string>& words, double limitSeconds) {
  std::vector<char*> argv;
  for (const std::string& w : words) argv.push_back(const_cast<char*>(w.c_str()));
  argv.push_back(nullptr);
  int out[2], err[2];
  if (::pipe2(out, O_CLOEXEC) != 0) return errorWith("no pipe to another program can be made");
  if (::pipe2(err, O_CLOEXEC) != 0) return ::close(out[0]), ::close(out[1]), errorWith("no pipe to another program can be made");
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
  posix_spawn_file_actions_adddup2(&actions, out[1], STDOUT_FILENO);
  posix_spawn_file_actions_adddup2(&actions, err[1], STDERR_FILENO);
  pid_t pid = -1;
  const int error = ::posix_spawnp(&pid, argv[0], &actions, nullptr, argv.data(), environ);
  posix_spawn_file_actions_destroy(&actions);
  ::close(out[1]);
  ::close(err[1]);
  ProgramRun run;
  std::array<pollfd, 2> ends{{{out[0], POLLIN, 0}, {err[0], POLLIN, 0}}};
  const auto until = std::chrono::steady_clock::now() + std::chrono::duration_cast<std::chrono::steady_clock::duration>(std::chrono::duration<double>(limitSeconds));
  const bool inTime = error != 0 || gather(ends, {&run.out, &run.err}, until);
  for (const pollfd& end : ends)
    if (end.fd >= 0) ::close(end.fd);
  if (error != 0) return errorWith(fmt::format("'{}' cannot be started: {}", words[0], std::strerror(error)));
  if (!inTime) ::kill(pid, SIGKILL);
  int status = 0;
  while (::waitpid(pid, &status, 0) < 0 && errno == EINTR) {}
  if (!inTime) return errorWith(fmt::format("'{}' did not end in {:g} seconds", words[0], limitSeconds));
  run.exitCode = WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
  return run;
}

std::string ownProgram() {
  std::array<char, 4096> path{};
  const ssize_t n = ::readlink("/proc/self/exe", path.data(), path.size() - 1);
  return n > 0 ? std::string(path.data(), static_cast<std::size_t>(n)) : std::string("warpmill");
}

}  // namespace warpmill::cuda
