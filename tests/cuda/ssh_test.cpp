// `warpmill measure --host` over a real sshd on this machine's loopback, with keys of its own; without sshd there is nothing to test.
#include "cli/program.h"
#include "cuda/process.h"
#include "lesson/measured.h"
#include "catch.h"

#include <arpa/inet.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <filesystem>
#include <optional>
#include <thread>

using namespace warpmill;
using warpmill::testing::Ended;
using warpmill::testing::Variable;
using warpmill::testing::Workplace;

namespace {

bool has(const std::string& text, const std::string& what) { return text.find(what) != std::string::npos; }

// A port that was free a moment ago.
int freePort() {
  const int s = ::socket(AF_INET, SOCK_STREAM, 0);
  sockaddr_in at{};
  at.sin_family = AF_INET;
  at.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socklen_t size = sizeof at;
  const bool got = ::bind(s, reinterpret_cast<sockaddr*>(&at), size) == 0 && ::getsockname(s, reinterpret_cast<sockaddr*>(&at), &size) == 0;
  ::close(s);
  return got ? ntohs(at.sin_port) : 0;
}

// sshd for one user, whose home on "the other machine" is a folder of the workplace. Hosts: `gpu`; `wrongkey` with a key that it does not
// know; `stranger`, whose own key this side does not know.
class Sshd {
 public:
  explicit Sshd(const Workplace& w) : w_(w) {
    if (!std::filesystem::exists("/usr/sbin/sshd") || cuda::runProgram({"ssh", "-V"}, 10).ok() == false) return;
    if (::geteuid() == 0) ::mkdir("/run/sshd", 0755);   // its own place, which a system that never started it lacks
    for (const char* key : {"host", "key", "wrong"})
      if (const auto made = cuda::runProgram({"ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", w.path(key)}, 30); !made || made->exitCode != 0) return;
    const int port = freePort();
    std::filesystem::create_directories(w.path("home"));
    w.write("inside", "#!/bin/sh\ncd " + w.path("home") + " && exec sh -c \"$SSH_ORIGINAL_COMMAND\"\n");
    w.write("sshd_config", "Port " + std::to_string(port) + "\nListenAddress 127.0.0.1\nHostKey " + w.path("host") + "\nAuthorizedKeysFile " + w.path("key.pub") + "\nPidFile " + w.path("pid") +
                               "\nStrictModes no\nPasswordAuthentication no\nUsePAM no\nSubsystem sftp /bin/false\nForceCommand sh " + w.path("inside") + "\n");
    w.write("known", "[127.0.0.1]:" + std::to_string(port) + " " + w.read("host.pub"));
    std::string config;
    for (const auto& [host, key, known] : {std::tuple{"gpu", "key", "known"}, {"wrongkey", "wrong", "known"}, {"stranger", "key", "nobody"}})
      config += std::string("Host ") + host + "\n  HostName 127.0.0.1\n  Port " + std::to_string(port) + "\n  IdentitiesOnly yes\n  IdentityFile " + w.path(key) + "\n  UserKnownHostsFile " + w.path(known) + "\n";
    w.write("config", config);
    std::filesystem::create_directories(w.path("bin"));
    w.write("bin/ssh", "#!/bin/sh\nexec /usr/bin/ssh -F " + w.path("config") + " \"$@\"\n");
    w.write("bin/scp", "#!/bin/sh\nexec /usr/bin/scp -O -F " + w.path("config") + " \"$@\"\n");   // -O: through the command above
    for (const char* program : {"bin/ssh", "bin/scp"}) std::filesystem::permissions(w.path(program), std::filesystem::perms::owner_all);
    const auto started = cuda::runProgram({"/usr/sbin/sshd", "-f", w.path("sshd_config"), "-E", w.path("log")}, 30);
    for (int i = 0; started && started->exitCode == 0 && i < 100 && !w.has("pid"); ++i) ::usleep(20'000);
    runs_ = w.has("pid");
  }
  ~Sshd() {
    if (!runs_) return;
    ::kill(std::stoi(w_.read("pid")), SIGTERM);
    // It removes that file when it ends, which must not be while the folder goes.
    for (int tries = 0; tries < 200 && std::filesystem::exists(w_.path("pid")); ++tries) std::this_thread::sleep_for(std::chrono::milliseconds(10));
  }
  Sshd(const Sshd&) = delete;
  Sshd& operator=(const Sshd&) = delete;
  [[nodiscard]] bool runs() const { return runs_; }

 private:
  const Workplace& w_;
  bool runs_ = false;
};

}  // namespace

TEST_CASE("Over a real sshd the program and the launches are copied, measured there, and each failure is told apart") {
  const Workplace w;
  const Sshd sshd(w);
  if (!sshd.runs()) {
    WARN("no sshd to test with");
    return;
  }
  const Variable path("PATH", w.path("bin") + ":/usr/bin:/bin");
  const auto measure = [&](const std::string& host) { return w.run({"measure", "vec_add.json", "--host", host, "--json", "m.json"}); };
  {
    const Ended e = measure("gpu");   // nothing there says which driver
    INFO(e.err);
    CHECK(e.exitCode == 3);
    CHECK(has(e.err, "on gpu: no NVIDIA driver on this machine"));
    CHECK_FALSE(w.has("m.json"));
  }
  const std::string inside = w.read("inside");
  w.write("inside", "#!/bin/sh\nexport WARPMILL_CUDA_DRIVER=" FAKE_DRIVER "\n" + inside);
  {
    const Ended e = measure("gpu");
    INFO(e.err << e.out);
    REQUIRE(e.exitCode == 0);
    CHECK(has(e.out, "agree byte for byte"));
    const auto m = lesson::readMeasured(w.path("m.json"));
    REQUIRE(m.ok());
    CHECK(m->device == "Fake GPU");
    CHECK(m->ptxSha256.count("vec_add.ptx") == 1);
  }
  {
    const Ended e = measure("wrongkey");
    CHECK(e.exitCode == 3);
    CHECK(has(e.err, "cannot reach wrongkey"));
    CHECK(has(e.err, "Permission denied"));
  }
  {
    const Ended e = measure("stranger");
    CHECK(e.exitCode == 3);
    CHECK(has(e.err, "does not know that one yet"));
  }
  // The connection ends in the midst of measuring, with the process that serves it there.
  w.write("inside", "#!/bin/sh\ncase \"$SSH_ORIGINAL_COMMAND\" in *measure*) kill -9 $PPID; sleep 1;; esac\n" + inside);
  const Ended lost = measure("gpu");
  INFO(lost.err);
  CHECK(lost.exitCode == 3);
  CHECK(has(lost.err, "the connection to gpu was lost while it measured"));
  std::size_t left = 0;   // folders of runs
  for (const auto& at : std::filesystem::recursive_directory_iterator(w.path("home")))
    if (at.path().filename().string().starts_with("run")) ++left;
  CHECK(left == 0);
}
