#include "base/text_file.h"

#include "catch.h"

#include <stdlib.h>
#include <sys/stat.h>

#include <filesystem>
#include <fstream>

using namespace warpmill;
namespace fs = std::filesystem;

namespace {

struct Folder {
  fs::path path;
  Folder() {
    std::string name = (fs::temp_directory_path() / "warpmill-test-XXXXXX").string();
    REQUIRE(::mkdtemp(name.data()) != nullptr);
    path = name;
  }
  ~Folder() { fs::remove_all(path); }
  [[nodiscard]] std::string file(const char* name) const { return (path / name).string(); }
  [[nodiscard]] std::size_t count() const {
    return static_cast<std::size_t>(std::distance(fs::directory_iterator(path), fs::directory_iterator()));
  }
};

}  // namespace

TEST_CASE("What was written is read back") {
  const Folder folder;
  REQUIRE_FALSE(writeFile(folder.file("a"), "one\ntwo"));
  REQUIRE(readTextFile(folder.file("a")).value() == "one\ntwo");
  REQUIRE_FALSE(writeFile(folder.file("a"), ""));
  REQUIRE(readTextFile(folder.file("a")).value().empty());
  REQUIRE(folder.count() == 1);  // no temporary file is left
}

TEST_CASE("Replacing a file keeps its mode and the link that leads to it") {
  const Folder folder;
  REQUIRE_FALSE(writeFile(folder.file("a"), "old"));
  fs::permissions(folder.file("a"), fs::perms::owner_read | fs::perms::owner_write);
  fs::create_symlink("a", folder.file("link"));
  REQUIRE_FALSE(writeFile(folder.file("link"), "new"));
  REQUIRE(fs::is_symlink(folder.file("link")));
  REQUIRE(readTextFile(folder.file("a")).value() == "new");
  REQUIRE(fs::status(folder.file("a")).permissions() == (fs::perms::owner_read | fs::perms::owner_write));
}

TEST_CASE("Missing files, folders and files over the limit are errors that name the file") {
  const Folder folder;
  const auto missing = readTextFile(folder.file("nothing"));
  REQUIRE_FALSE(missing.ok());
  REQUIRE(missing.diagnostics()[0].file == folder.file("nothing"));
  REQUIRE(missing.diagnostics()[0].message.find("No such file") != std::string::npos);
  REQUIRE(readTextFile(folder.path.string()).diagnostics()[0].message.find("folder") != std::string::npos);
  REQUIRE_FALSE(writeFile(folder.file("big"), "0123456789"));
  REQUIRE(readTextFile(folder.file("big"), 10).ok());
  REQUIRE_FALSE(readTextFile(folder.file("big"), 9).ok());
  REQUIRE_FALSE(readBinaryFile("/dev/zero", 1000).ok());
}

TEST_CASE("A file that cannot be written is an error and leaves nothing behind") {
  const Folder folder;
  const auto error = writeFile(folder.file("no/such/folder"), "x");
  REQUIRE(error);
  REQUIRE(error->hint.find("folder") != std::string::npos);
  REQUIRE(writeFile(folder.path.string(), "x"));
  REQUIRE(checkWritable(folder.file("no/such/folder")));
  REQUIRE(checkWritable(folder.path.string()));
  REQUIRE_FALSE(checkWritable(folder.file("new")));
  REQUIRE_FALSE(checkWritable("/dev/null"));
  REQUIRE(writeFile("/dev/full", "x"));
  REQUIRE(folder.count() == 0);
}
