#include "cuda/remote.h"

#include "base/error_with.h"
#include "base/sha256.h"
#include "base/text_file.h"
#include "cuda/process.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <filesystem>
#include <functional>
#include <map>

namespace warpmill::cuda {
namespace {

namespace fs = std::filesystem;

std::string lastLine(const std::string& text) {
  std::size_t end = text.find_last_not_of("\r\n ");
  if (end == std::string::npos) return "";
  const std::size_t begin = text.find_last_of('\n', end);
  return text.substr(begin == std::string::npos ? 0 : begin + 1, end - (begin == std::string::npos ? 0 : begin + 1) + 1);
}

// What our own program said there was wrong: its first error, with the hint below it. Nothing: it said none.
std::optional<Diagnostic> errorIn(const std::string& text) {
  constexpr std::string_view mark = "error: ", hint = "hint: ";
  const std::size_t at = text.find(mark);
  if (at == std::string::npos) return std::nullopt;
  const auto lineFrom = [&](std::size_t begin) { return text.substr(begin, text.find('\n', begin) - begin); };
  Diagnostic d = errorWith(lineFrom(at + mark.size()));
  const std::size_t next = text.find('\n', at);
  if (next == std::string::npos) return d;
  const std::string below = lineFrom(next + 1);
  if (const std::size_t found = below.find(hint); found != std::string::npos && below.find_first_not_of(' ') == found) d.hint = below.substr(found + hint.size());
  return d;
}

// A program over ssh that has to succeed.
Result<std::string> succeed(const std::vector<std::string>& words, double limitSeconds, const std::string& doing, const std::string& hint) {
  auto ran = runProgram(words, limitSeconds);
  if (!ran) return ran.diagnostics();
  if (ran->exitCode == 0) return ran->out;
  const std::string why = lastLine(ran->err.empty() ? ran->out : ran->err);
  const bool isStranger = why.find("Host key verification failed") != std::string::npos;
  return errorWith(fmt::format("{}: {}", doing, why), isStranger ? "this machine does not know that one yet: log in once by hand and say yes to its key" : hint);
}

// Ends on the host: a name that the shell there needs no quotes for.
bool isPlainHost(const std::string& host) {
  return !host.empty() && host[0] != '-' && host.find_first_not_of("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789.-_@:[]%") == std::string::npos;
}

}  // namespace

Result<std::string> packLaunches(const std::vector<std::string>& launchFiles, const std::string& target) {
  auto all = nlohmann::ordered_json::array();
  std::map<std::string, std::string> copied;   // path to name in `target`
  std::optional<Diagnostic> error;
  fs::path folder;
  const auto take = [&](const std::string& path, const std::string& ending) {
    const fs::path from = fs::path(path).is_absolute() ? fs::path(path) : folder / path;
    const auto [at, isNew] = copied.emplace(from.string(), fmt::format("file{}{}", copied.size(), ending));
    std::error_code failed;
    if (isNew && !error) fs::copy_file(from, fs::path(target) / at->second, fs::copy_options::overwrite_existing, failed);
    if (failed) error = errorWith(fmt::format("cannot copy '{}': {}", from.string(), failed.message()));
    return at->second;
  };
  const std::function<void(nlohmann::ordered_json&)> walk = [&](nlohmann::ordered_json& value) {
    if (value.is_object())
      for (auto& [key, member] : value.items()) {
        if (key == "ptx" && member.is_string()) {
          const auto path = member.get<std::string>();
          member = take(path.ends_with(".ptx") ? path : path + ".ptx", ".ptx");
        } else if (key == "init" && member.is_string() && member.get<std::string>().starts_with("file:")) {
          member = "file:" + take(member.get<std::string>().substr(5), ".bin");
        } else {
          walk(member);
        }
      }
    else if (value.is_array())
      for (auto& element : value) walk(element);
  };
  for (const std::string& file : launchFiles) {
    const auto text = readTextFile(file);
    if (!text) return text.diagnostics();
    auto json = nlohmann::ordered_json::parse(*text, nullptr, false);
    if (json.is_discarded()) return errorWith(file + " is no JSON");
    folder = fs::path(file).parent_path();
    walk(json);
    if (json.is_array()) all.insert(all.end(), json.begin(), json.end());
    else all.push_back(std::move(json));
  }
  if (error) return *error;
  return all.dump(1);
}

Result<lesson::Measured> measureOnHost(const std::string& packedFolder, const RemoteOptions& options) {
  if (!isPlainHost(options.host)) return errorWith("'" + options.host + "' is no name of a host", "as in --host user@gpu.example.org, or a Host of ~/.ssh/config");
  const std::vector<std::string> ssh{"ssh", "-o", "BatchMode=yes", "-o", "ConnectTimeout=15", options.host};
  const auto over = [&](const std::string& command) {
    auto words = ssh;
    words.push_back(command);
    return words;
  };
  const std::string login = "'ssh " + options.host + "' has to work without a password being asked for";
  const std::string program = ownProgram();
  const auto bytes = readBinaryFile(program, 1ull << 30);
  if (!bytes) return bytes.diagnostics();
  // By its contents: several versions may lie side by side, and one that is there is not sent again.
  const std::string home = ".cache/warpmill/" + sha256Hex(*bytes).substr(0, 16);
  const auto there = succeed(over("mkdir -p " + home + " && mktemp -d " + home + "/runXXXXXX && test -x " + home + "/warpmill && echo here || true"), 60, "cannot reach " + options.host, login);
  if (!there) return there.diagnostics();
  const std::string folder = there->substr(0, there->find('\n'));
  if (folder.find(home) != 0) return errorWith("cannot make a folder on " + options.host + ": " + lastLine(*there), login);
  if (there->find("\nhere") == std::string::npos) {
    const auto sent = succeed({"scp", "-q", "-o", "BatchMode=yes", program, options.host + ":" + folder + "/program"}, 600, "cannot copy the program to " + options.host, login);
    if (!sent) return sent.diagnostics();
    const auto renamed = succeed(over("chmod +x " + folder + "/program && mv " + folder + "/program " + home + "/warpmill"), 60, "cannot install the program on " + options.host, login);
    if (!renamed) return renamed.diagnostics();
  }
  const auto leave = [&] { (void)runProgram(over("rm -rf " + folder), 60); };
  // File by file: "FOLDER/." is refused where scp still speaks its old protocol (OpenSSH before 9).
  std::vector<std::string> copy{"scp", "-q", "-o", "BatchMode=yes"};
  for (const auto& file : fs::directory_iterator(packedFolder)) copy.push_back(file.path().string());
  std::sort(copy.begin() + 4, copy.end());
  copy.push_back(options.host + ":" + folder + "/");
  const auto sent = succeed(copy, 3600, "cannot copy the launches to " + options.host, login);
  if (!sent) return leave(), sent.diagnostics();
  std::string command = "cd " + folder + " && ../warpmill measure launch.json --json record.json --no-simulator";
  for (const std::string& a : options.arguments) command += " " + a;
  auto ran = runProgram(over(command), options.limitSeconds);
  if (!ran) return leave(), ran.diagnostics();
  const std::string& said = ran->err.empty() ? ran->out : ran->err;
  if (ran->exitCode == 126 || ran->exitCode == 127)
    return leave(), errorWith(fmt::format("the program does not run on {}: {}", options.host, lastLine(said)), "build it with -DWARPMILL_PORTABLE=ON, then it needs no libraries there");
  constexpr int ofSshItself = 255;
  if (ran->exitCode == ofSshItself)
    return leave(), errorWith(fmt::format("the connection to {} was lost while it measured: {}", options.host, lastLine(said)), "start it again; what was running there ends with its launch");
  const auto record = succeed(over("cat " + folder + "/record.json; rm -rf " + folder), 600, "cannot fetch the record from " + options.host, login);
  if (!record || record->empty()) {
    const auto told = errorIn(ran->err);
    if (told) return errorWith(fmt::format("on {}: {}", options.host, told->message), told->hint);
    return errorWith(fmt::format("no record came from {}: {}", options.host, lastLine(said)), "try 'warpmill measure' on that machine itself");
  }
  auto measured = lesson::parseMeasured(*record, options.host + ":record.json");
  if (measured) measured->file.clear();
  return measured;
}

}  // namespace warpmill::cuda
