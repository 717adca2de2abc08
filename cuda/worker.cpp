#include "cuda/worker.h"

#include "base/error_with.h"
#include "base/json.h"

#include <fmt/format.h>

#include <fcntl.h>
#include <poll.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstring>
#include <optional>

namespace warpmill::cuda {
namespace {

using lesson::Measured;
using lesson::MeasuredError;
using lesson::MeasuredResult;

// ---- In the child: a letter and one line a message ----
// n MESSAGE\tHINT: no GPU.   h JSON: the record's head.   b NUMBER: the launch begins.   r JSON: its result.   e JSON: the head again, at the end.

void say(int pipe, char what, const std::string& text) {
  std::string line = what + text + '\n';
  for (std::size_t at = 0; at < line.size();) {
    const ssize_t n = ::write(pipe, line.data() + at, line.size() - at);
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) ::_exit(1);   // nobody reads any more
    at += static_cast<std::size_t>(n);
  }
}

std::string oneLine(std::string text) {
  for (char& c : text)
    if (c == '\n' || c == '\t') c = ' ';
  return text;
}

[[noreturn]] void childMain(int pipe, const std::vector<launch::Launch>& launches, std::size_t first, const MeasureOptions& how) {
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  // What the kernels print would come once a repeat, in the midst of our own output.
  if (const int nowhere = ::open("/dev/null", O_WRONLY); nowhere >= 0) ::dup2(nowhere, STDOUT_FILENO);
  auto gpu = Gpu::open(how);
  if (!gpu) {
    const Diagnostic& d = gpu.diagnostics().front();
    say(pipe, 'n', oneLine(d.message) + '\t' + oneLine(d.hint));
    ::_exit(0);
  }
  say(pipe, 'h', oneLine(measuredJson((*gpu)->describe())));
  for (std::size_t i = first; i < launches.size() && !(*gpu)->isLost(); ++i) {
    say(pipe, 'b', std::to_string(i));
    say(pipe, 'r', lesson::resultJson((*gpu)->measure(launches[i])));
  }
  if (!(*gpu)->isLost()) {
    Measured end;
    end.after = (*gpu)->clocks();
    say(pipe, 'e', oneLine(measuredJson(end)));
  }
  ::_exit(0);   // without the driver's own clean-up, which may wait for a kernel that never ends
}

// ---- In the parent ----

class Child {
 public:
  bool start(const std::vector<launch::Launch>& launches, std::size_t first, const MeasureOptions& how) {
    int ends[2];
    if (::pipe2(ends, O_CLOEXEC) != 0) return false;
    pid_ = ::fork();
    if (pid_ == 0) {
      ::close(ends[0]);
      childMain(ends[1], launches, first, how);
    }
    ::close(ends[1]);
    pipe_ = ends[0];
    return pid_ > 0;
  }
  ~Child() { finish(true); }
  Child() = default;
  Child(const Child&) = delete;
  Child& operator=(const Child&) = delete;

  enum class Read : std::uint8_t { Line, End, Late };
  // The next line, waited for at most so long.
  Read line(std::string& text, double seconds) {
    const auto until = std::chrono::steady_clock::now() + std::chrono::duration_cast<std::chrono::steady_clock::duration>(std::chrono::duration<double>(seconds));
    for (;;) {
      if (const auto end = buffer_.find('\n'); end != std::string::npos) {
        text = buffer_.substr(0, end);
        buffer_.erase(0, end + 1);
        return Read::Line;
      }
      const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(until - std::chrono::steady_clock::now()).count();
      if (left <= 0) return Read::Late;
      pollfd p{pipe_, POLLIN, 0};
      const int ready = ::poll(&p, 1, static_cast<int>(std::min<long long>(left, 1'000'000)));
      if (ready <= 0) continue;
      char chunk[65536];
      const ssize_t n = ::read(pipe_, chunk, sizeof chunk);
      if (n < 0 && errno == EINTR) continue;
      if (n <= 0) return Read::End;
      buffer_.append(chunk, static_cast<std::size_t>(n));
    }
  }
  // Waits for its end, after a kill where it is to be ended. Gives the signal that ended it, or 0.
  int finish(bool kill) {
    if (pipe_ >= 0) ::close(pipe_);
    pipe_ = -1;
    if (pid_ <= 0) return 0;
    if (kill) ::kill(pid_, SIGKILL);
    int status = 0;
    while (::waitpid(pid_, &status, 0) < 0 && errno == EINTR) {}
    pid_ = -1;
    return WIFSIGNALED(status) ? WTERMSIG(status) : 0;
  }

 private:
  pid_t pid_ = -1;
  int pipe_ = -1;
  std::string buffer_;
};

// One child's life. `next`: the launch to go on with afterwards.
std::optional<Diagnostic> live(Child& child, const std::vector<launch::Launch>& launches, const WorkerOptions& options, std::size_t& next, Measured& measured,
                               const std::function<void(const MeasuredResult&)>& tell) {
  const std::size_t first = next;
  std::optional<std::size_t> running;
  const auto keep = [&](MeasuredResult result) {
    next = measured.results.size() + 1;
    measured.results.push_back(std::move(result));
    running.reset();
    if (tell) tell(measured.results.back());
  };
  std::string line;
  for (;;) {
    const Child::Read read = child.line(line, options.limitSeconds);
    if (read == Child::Read::Line && !line.empty()) {
      const std::string text = line.substr(1);
      if (line[0] == 'n') return errorWith(text.substr(0, text.find('\t')), text.substr(text.find('\t') + 1));
      if (line[0] == 'b') running = next;
      if (line[0] == 'h' || line[0] == 'e') {
        auto head = lesson::parseMeasured(text, "");
        if (!head) continue;
        if (line[0] == 'e') measured.after = head->after;
        else if (measured.device.empty()) {
          head->results = std::move(measured.results);
          measured = std::move(*head);
          measured.file.clear();
        }
      }
      if (line[0] == 'r') {
        auto result = lesson::parseResult(text);
        if (result) keep(std::move(*result));
      }
      continue;
    }
    const int signal = child.finish(read == Child::Read::Late);
    if (read == Child::Read::End && !running && next != first) return std::nullopt;   // done, or lost after a fault: the rest gets a new child
    if (!running && measured.results.empty())
      return errorWith(read == Child::Read::Late ? "the GPU does not answer" : fmt::format("the process that uses the GPU ended at its start (signal {})", signal), "nvidia-smi shows whether the GPU answers");
    MeasuredResult failed;
    failed.name = launches[running.value_or(next)].name;
    if (read == Child::Read::Late)
      failed.error = MeasuredError{"hang", fmt::format("not finished after {:g} seconds: it was ended", options.limitSeconds),
                                   "'warpmill run' says who waits for whom; --limit gives a long launch more time"};
    else
      failed.error = MeasuredError{"driver", signal != 0 ? fmt::format("the process that ran it was ended by a signal ({})", ::strsignal(signal)) : "the process that ran it ended without a word",
                                   "'warpmill run' looks for the kernel's own faults"};
    keep(std::move(failed));
    return std::nullopt;
  }
}

}  // namespace

Result<Measured> measureApart(const std::vector<launch::Launch>& launches, const WorkerOptions& options,
                              const std::function<void(const MeasuredResult&)>& tell) {
  Measured measured;
  std::size_t next = 0;
  do {
    const std::size_t before = next;
    Child child;
    if (!child.start(launches, next, options.how)) return errorWith("no process can be started for the GPU", "too many processes, or too little memory");
    if (auto error = live(child, launches, options, next, measured, tell)) return std::move(*error);
    WM_ASSERT(next > before || launches.empty(), "a child without a result");
  } while (next < launches.size());
  return measured;
}

}  // namespace warpmill::cuda
