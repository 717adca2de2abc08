#include "base/text_file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <system_error>

namespace warpmill {
namespace {

class Descriptor {
 public:
  explicit Descriptor(int fd) : fd_(fd) {}
  ~Descriptor() {
    if (fd_ >= 0) ::close(fd_);
  }
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;
  [[nodiscard]] int get() const { return fd_; }
  int close() {
    const int result = ::close(fd_);
    fd_ = -1;
    return result;
  }

 private:
  int fd_;
};

Diagnostic fileError(const std::string& path, const std::string& what, int error, std::string hint = {}) {
  Diagnostic d;
  d.file = path;
  d.message = what;
  if (error != 0) d.message += ": " + std::generic_category().message(error);
  d.hint = std::move(hint);
  return d;
}

// For a missing file: says where it was looked for when the name is relative.
std::string missingHint(const std::string& path) {
  if (path.empty()) return "no file name was given";
  std::error_code ignored;
  const std::filesystem::path asked(path);
  if (asked.is_absolute()) return {};
  return "looked in " + std::filesystem::current_path(ignored).string();
}

template <class Bytes>
Result<Bytes> readAll(const std::string& path, std::uint64_t limitBytes) {
  const Descriptor file(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
  if (file.get() < 0) return fileError(path, "cannot read this file", errno, errno == ENOENT ? missingHint(path) : "");
  struct stat status {};
  if (::fstat(file.get(), &status) != 0) return fileError(path, "cannot read this file", errno);
  if (S_ISDIR(status.st_mode)) return fileError(path, "this is a folder, not a file", 0);
  const auto tooLarge = [&] {
    return fileError(path, "this file is larger than the limit of " + std::to_string(limitBytes) + " bytes", 0);
  };
  if (S_ISREG(status.st_mode) && static_cast<std::uint64_t>(status.st_size) > limitBytes) return tooLarge();
  Bytes bytes;
  if (S_ISREG(status.st_mode)) bytes.reserve(static_cast<std::size_t>(status.st_size) + 1);
  std::vector<char> buffer(1 << 16);
  while (true) {
    const ssize_t n = ::read(file.get(), buffer.data(), buffer.size());
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) return fileError(path, "reading this file failed", errno);
    if (n == 0) return bytes;
    bytes.insert(bytes.end(), buffer.data(), buffer.data() + n);
    if (bytes.size() > limitBytes) return tooLarge();
  }
}

bool writeAll(int fd, std::span<const std::uint8_t> bytes) {
  while (!bytes.empty()) {
    const ssize_t n = ::write(fd, bytes.data(), std::min<std::size_t>(bytes.size(), 1u << 30));
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) return false;
    bytes = bytes.subspan(static_cast<std::size_t>(n));
  }
  return true;
}

std::optional<Diagnostic> writeDirectly(const std::string& path, std::span<const std::uint8_t> bytes) {
  Descriptor file(::open(path.c_str(), O_WRONLY | O_CLOEXEC));
  if (file.get() < 0) return fileError(path, "cannot write here", errno);
  if (!writeAll(file.get(), bytes)) return fileError(path, "writing failed", errno);
  return std::nullopt;
}

}  // namespace

Result<std::string> readTextFile(const std::string& path, std::uint64_t limitBytes) {
  return readAll<std::string>(path, limitBytes);
}

Result<std::vector<std::uint8_t>> readBinaryFile(const std::string& path, std::uint64_t limitBytes) {
  return readAll<std::vector<std::uint8_t>>(path, limitBytes);
}

std::optional<Diagnostic> writeFile(const std::string& path, std::span<const std::uint8_t> bytes) {
  std::string target = path;
  ::mode_t mode = 0666;
  struct stat status {};
  const bool exists = ::stat(path.c_str(), &status) == 0;
  if (exists) {
    if (S_ISDIR(status.st_mode)) return fileError(path, "this is a folder, not a file", 0);
    if (!S_ISREG(status.st_mode)) return writeDirectly(path, bytes);
    if (::access(path.c_str(), W_OK) != 0) return fileError(path, "cannot write this file", errno);
    mode = status.st_mode & 07777;
    std::error_code error;  // behind a symbolic link the file itself is replaced, and the link stays
    if (const auto real = std::filesystem::canonical(path, error); !error) target = real.string();
  }
  const std::string temporary = target + ".tmp" + std::to_string(::getpid());
  Descriptor file(::open(temporary.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, mode));
  if (file.get() < 0)
    return fileError(path, "cannot write this file", errno, errno == ENOENT ? "does its folder exist?" : "the folder must be writable too");
  const bool written = writeAll(file.get(), bytes) && (!exists || ::fchmod(file.get(), mode) == 0);
  if (!written || file.close() != 0 || ::rename(temporary.c_str(), target.c_str()) != 0) {
    const int error = errno;
    ::unlink(temporary.c_str());
    return fileError(path, "writing this file failed; it is as it was", error);
  }
  return std::nullopt;
}

std::optional<Diagnostic> writeFile(const std::string& path, std::string_view text) {
  return writeFile(path, std::span(reinterpret_cast<const std::uint8_t*>(text.data()), text.size()));
}

std::optional<Diagnostic> checkWritable(const std::string& path) {
  struct stat status {};
  const bool exists = ::stat(path.c_str(), &status) == 0;
  if (exists && S_ISDIR(status.st_mode)) return fileError(path, "this is a folder, not a file", 0);
  if (exists && ::access(path.c_str(), W_OK) != 0) return fileError(path, "cannot write this file", errno);
  const std::filesystem::path folder = std::filesystem::path(path).parent_path();
  if ((!exists || S_ISREG(status.st_mode)) && ::access(folder.empty() ? "." : folder.c_str(), W_OK) != 0)
    return fileError(path, "cannot write this file", errno, errno == ENOENT ? "does its folder exist?" : "the folder must be writable");
  return std::nullopt;
}

void addSourceLines(Diagnostics& diagnostics) {
  std::string name, text;
  for (Diagnostic& d : diagnostics) {
    if (d.file.empty() || d.position.line == 0 || !d.sourceLine.empty()) continue;
    if (d.file != name) {
      auto read = readTextFile(d.file);
      name = d.file;
      text = read.ok() ? std::move(*read) : std::string();
    }
    d.sourceLine = lineOf(text, d.position.line);
  }
}

}  // namespace warpmill
