// SPDX-License-Identifier: Apache-2.0
#include <catch2/catch.hpp>
#include <gantry/contract.hpp>
#include <gantry/counted.hpp>
#include <gantry/cure.hpp>
#include <gantry/http_status.hpp>
#include <gantry/result.hpp>

#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <fstream>
#include <map>
#include <memory>
#include <regex>
#include <set>
#include <string>

namespace gantry {
namespace {

Result<int> half(int number) {
  if (number % 2 != 0) return invalid_argument("cannot halve " + std::to_string(number));
  return number / 2;
}

Result<int> quarter(int number) {
  GANTRY_ASSIGN(const int first, half(number));
  return half(first);
}

Result<void> check_even(int number) {
  GANTRY_TRY(half(number));
  return {};
}

Result<std::unique_ptr<int>> boxed(int number) { return std::make_unique<int>(number); }

TEST_CASE("things are counted as people do") {
  CHECK(counted(0, "key") == "0 keys");
  CHECK(counted(1, "key") == "1 key");
  CHECK(counted(2, "key") == "2 keys");
  CHECK(counted(1, "key was", "keys were") == "1 key was");
  CHECK(counted(7, "key was", "keys were") == "7 keys were");
}

TEST_CASE("a Result holds a value or an error") {
  CHECK(half(4).ok());
  CHECK(*half(4) == 2);
  const auto failed = half(3);
  REQUIRE_FALSE(failed);
  CHECK(failed.error().code == Code::InvalidArgument);
  CHECK(failed.error().message == "cannot halve 3");
  CHECK(failed.value_or(7) == 7);
  CHECK(half(8).value_or(7) == 4);
}

TEST_CASE("GANTRY_ASSIGN and GANTRY_TRY pass errors on") {
  CHECK(*quarter(8) == 2);
  CHECK(quarter(6).error().message == "cannot halve 3");
  CHECK(check_even(2).ok());
  CHECK(check_even(1).error().code == Code::InvalidArgument);
}

TEST_CASE("reading what a Result does not hold ends the process") {
  const auto ends = [](auto&& misuse) {
    const pid_t child = ::fork();
    if (child == 0) {
      const rlimit no_core{0, 0};
      ::setrlimit(RLIMIT_CORE, &no_core);
      ::signal(SIGABRT, SIG_DFL);  // Catch2 would report it as a failure
      misuse();
      ::_exit(0);
    }
    int status = 0;
    ::waitpid(child, &status, 0);
    return WIFSIGNALED(status) && WTERMSIG(status) == SIGABRT;
  };
  CHECK(ends([] { (void)half(3).value(); }));
  CHECK(ends([] { (void)half(4).error(); }));
  CHECK(ends([] { (void)check_even(2).error(); }));
  CHECK_FALSE(ends([] { (void)check_even(1).error(); }));
}

TEST_CASE("values that can only be moved go through a Result") {
  auto box = boxed(5);
  const std::unique_ptr<int> taken = std::move(box).value();
  CHECK(*taken == 5);
}

TEST_CASE("errors carry context and cures") {
  CHECK(not_found("no file").with_context("reading a.yaml").message == "reading a.yaml: no file");
  CHECK(unavailable("no display", "export DISPLAY").message == "no display (cure: export DISPLAY)");
  CHECK(unavailable("no display").code == Code::Unavailable);
}

TEST_CASE("every code has a name of its own") {
  std::set<std::string_view> names;
  for (gantry_status code = GANTRY_OK; code <= GANTRY_UNAUTHENTICATED; ++code) {
    names.insert(code_name(static_cast<Code>(code)));
  }
  CHECK(names.size() == 17);
  CHECK(code_name(Code::NotFound) == "not_found");
  CHECK(code_name(static_cast<Code>(99)) == "unknown");
  CHECK(code_name(static_cast<Code>(-1)) == "unknown");
}

TEST_CASE("an error survives the C form") {
  const Error before{Code::DataLoss, "half of it is gone", R"({"bytes":12})"};
  const Error after = adopt_error(export_error(before));
  CHECK(after.code == before.code);
  CHECK(after.message == before.message);
  CHECK(after.detail == before.detail);
}

TEST_CASE("the cure is taken out of an unavailable error") {
  const Error error = unavailable("DISPLAY is not set", "start a desktop (any)");
  CHECK(split_cure(error.message) ==
        std::pair<std::string, std::string>("DISPLAY is not set", "start a desktop (any)"));
  CHECK(split_cure("plain (cure: open").first == "plain (cure: open");
  CHECK(split_cure("").first.empty());
}

TEST_CASE("a failure never turns into a success on its way through C") {
  CHECK(BorrowedError(Error{Code::Ok, "confused", {}}).code() == GANTRY_INTERNAL);
  CHECK(adopt_error(GANTRY_NOT_FOUND, gantry_error{}).code == Code::NotFound);
  CHECK(adopt_error(gantry_error{}).code == Code::Internal);
  CHECK(failure_code(1234) == Code::Unknown);
  CHECK(failure_code(-1) == Code::Unknown);
  CHECK(share_error(GANTRY_OK, nullptr).code == Code::Ok);  // a stream that ended normally
}

TEST_CASE("every code has the HTTP status that docs/errors.md says") {
  std::ifstream page(GANTRY_DOCS "/errors.md");
  std::map<std::string, int> documented;
  for (std::string line; std::getline(page, line);) {
    std::smatch row;
    if (std::regex_match(line, row, std::regex(R"(\| `(\w+)` \| (\d+) \|.*)"))) {
      documented[row[1]] = std::stoi(row[2]);
    }
  }
  for (int number = 1; number <= GANTRY_UNAUTHENTICATED; ++number) {
    const auto code = static_cast<Code>(number);
    INFO(code_name(code));
    REQUIRE(documented.count(std::string(code_name(code))) == 1);
    CHECK(documented[std::string(code_name(code))] == http_status_of(code));
  }
  CHECK(http_status_of(Code::Ok) == 200);
}

}  // namespace
}  // namespace gantry
