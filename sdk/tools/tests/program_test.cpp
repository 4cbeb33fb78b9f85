// SPDX-License-Identifier: Apache-2.0
#include <gantry/tools/program.hpp>

#include <catch2/catch.hpp>

#include <sys/resource.h>

#include <csignal>
#include <cstdint>
#include <string>
#include <utility>

namespace gantry::tools {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

constexpr seconds kPatience{60};

ProgramStart shell(const std::string& script) { return {{"/bin/sh", "-c", script}, {}, true}; }

std::span<const std::uint8_t> bytes_of(const std::string& text) {
  return {reinterpret_cast<const std::uint8_t*>(text.data()), text.size()};
}

TEST_CASE("a program reads what it is given, and is heard to its end") {
  const std::string long_text(300'000, 'x');
  const auto ended =
      run_program(shell("cat; echo oops >&2; exit 3"), bytes_of(long_text), 1 << 20, kPatience);
  REQUIRE(ended.ok());
  CHECK(ended->output == long_text);
  CHECK(ended->complaint == "oops\n");
  CHECK(ended->code == 3);
  CHECK_FALSE(ended->cut);
}

TEST_CASE("complaints that nobody reads to their end do not hold a program up") {
  const auto ended =
      run_program(shell("head -c 1000000 /dev/zero >&2; echo done"), {}, 100, kPatience);
  REQUIRE(ended.ok());
  CHECK(ended->output == "done\n");
  CHECK(ended->complaint.size() == 4096);
}

TEST_CASE("a program that says too much, or takes too long, is ended with all that it started") {
  const auto cut = run_program(shell("yes"), {}, 10, kPatience);
  REQUIRE(cut.ok());
  CHECK(cut->cut);
  CHECK(cut->output == "y\ny\ny\ny\ny\n");
  CHECK(run_program(shell("sleep 600 & sleep 600"), {}, 10, milliseconds(200)).error().code ==
        Code::DeadlineExceeded);
}

/// A program whose output has ended, and that has not.
Program silent_program() {
  auto program = Program::start(shell("exec >&- 2>&-; sleep 600"), {});
  REQUIRE(program.ok());
  char byte = 0;
  REQUIRE(program->read(&byte, 1, kPatience).value_or(1) == 0);
  return std::move(*program);
}

TEST_CASE("a program that goes on after its output is ended") {
  Program silent = silent_program();
  CHECK(silent.wait(milliseconds(50)) == -SIGKILL);
}

TEST_CASE("a program is waited for in vain also when no descriptors are left") {
  Program silent = silent_program();
  rlimit usual{};
  REQUIRE(::getrlimit(RLIMIT_NOFILE, &usual) == 0);
  rlimit none = usual;
  none.rlim_cur = 0;
  REQUIRE(::setrlimit(RLIMIT_NOFILE, &none) == 0);
  const int code = silent.wait(milliseconds(50));
  REQUIRE(::setrlimit(RLIMIT_NOFILE, &usual) == 0);
  CHECK(code == -SIGKILL);
}

TEST_CASE("a program that complains all the time is given up in time") {
  CHECK(run_program(shell("yes >&2 & yes >&2"), {}, 10, milliseconds(200)).error().code ==
        Code::DeadlineExceeded);
}

TEST_CASE("a program gets nothing of this one's environment and descriptors") {
  const auto ended =
      run_program(shell("echo \"$HOME|$ONE\"; ls /proc/self/fd | wc -l"), {}, 100, kPatience);
  REQUIRE(ended.ok());
  CHECK(ended->output == "|\n4\n");  // 0, 1, 2, and the folder that is listed
  ProgramStart given = shell("echo \"$HOME|$ONE\"");
  given.environment = {"ONE=1"};
  CHECK(run_program(given, {}, 100, kPatience)->output == "|1\n");
}

TEST_CASE("a program that is missing is named with its package") {
  const auto missing = find_program("no-such-program", "some-package");
  REQUIRE_FALSE(missing.ok());
  CHECK(missing.error().code == Code::Unavailable);
  CHECK(missing.error().message.find("some-package") != std::string::npos);
  CHECK(find_program("sh", "dash").ok());
  CHECK(find_program("/bin/sh", "dash").ok());
  CHECK(run_program({{"/nowhere/program"}, {}, false}, {}, 10, kPatience).error().code ==
        Code::Unavailable);
}

}  // namespace
}  // namespace gantry::tools
