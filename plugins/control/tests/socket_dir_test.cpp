// SPDX-License-Identifier: Apache-2.0
#include "socket_dir.hpp"

#include <sys/stat.h>
#include <unistd.h>
#include <catch2/catch.hpp>

#include <filesystem>

namespace gantry::control {
namespace {

namespace fs = std::filesystem;

TEST_CASE("the socket's folder is made private and checked") {
  std::string pattern = (fs::temp_directory_path() / "gantry-control-XXXXXX").string();
  REQUIRE(mkdtemp(pattern.data()) != nullptr);
  const fs::path root = pattern;
  const fs::path dir = root / "run/gantry";
  const std::string socket = dir / "control.sock";

  REQUIRE(prepare_socket_dir(socket).ok());
  struct stat info {};
  REQUIRE(stat(dir.c_str(), &info) == 0);
  CHECK((info.st_mode & 0777) == 0700);
  CHECK(prepare_socket_dir(socket).ok());

  chmod(dir.c_str(), 0777);
  CHECK(prepare_socket_dir(socket).error().message.find("others may write to") == 0);
  chmod(dir.c_str(), 0700);

  fs::create_directory_symlink(dir, root / "link");
  CHECK(prepare_socket_dir(root / "link/control.sock").error().message.find("is no folder") !=
        std::string::npos);
  CHECK(prepare_socket_dir("control.sock").error().code == Code::InvalidArgument);
  if (getuid() == 0) {
    REQUIRE(chown(dir.c_str(), 4711, 4711) == 0);
    CHECK(prepare_socket_dir(socket).error().message.find("belongs to user 4711") !=
          std::string::npos);
  }
  fs::remove_all(root);
}

}  // namespace
}  // namespace gantry::control
