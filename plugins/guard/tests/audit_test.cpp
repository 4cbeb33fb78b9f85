// SPDX-License-Identifier: Apache-2.0
#include <catch2/catch.hpp>
#include <filesystem>
#include <fstream>
#include <gantry/testkit/temp_dir.hpp>
#include <iterator>

#include "audit_line.hpp"
#include "audit_log.hpp"
#include "settings.hpp"

namespace gantry::guard {
namespace {

std::string line_of(const GuardSettleRequest& call) {
  return audit_line(call, AuditSettings().redact_arg_keys, 1'500'000'000);
}

GuardSettleRequest call_of(std::string arguments) {
  GuardSettleRequest call;
  call.tool = "set_value";
  call.caller = "rest:127.0.0.1:5";
  call.step = 7;
  call.ok = true;
  call.arguments = Json(std::move(arguments));
  return call;
}

TEST_CASE("an audit line has the published form") {
  GuardSettleRequest call = call_of(R"({"selector":"Edit","value":"hunter2"})");
  call.changed = true;
  CHECK(line_of(call) ==
        "1970-01-01T00:00:01.500+00:00 step=7 caller=rest:127.0.0.1:5 tool=set_value ok=true "
        "changed=true args.selector=Edit redactions=[args.value]");
  call.ok = false;
  call.error_code = "PermissionDenied";
  call.step = 0;
  CHECK(line_of(call).find("step=? caller=rest:127.0.0.1:5 tool=set_value ok=false "
                           "error=PermissionDenied") != std::string::npos);
}

TEST_CASE("secrets are left out at any depth and in any case") {
  const std::string line = line_of(
      call_of(R"({"action":"set_value","args":{"VALUE":"hunter2","list":[{"Pwd":"hunter2"}]},)"
              R"("confirm_token":"ct:hunter2","Text":"hunter2","secrets":{"10":"hunter2"}})"));
  CHECK(line.find("hunter2") == std::string::npos);
  CHECK(line.find("args.args.VALUE") != std::string::npos);
  CHECK(line.find("args.args.list[0].Pwd") != std::string::npos);
}

TEST_CASE("what was typed in secret is left out, whatever keys are configured") {
  GuardSettleRequest call = call_of(
      R"({"text":"hunter2","keys":"h","args":{"value":"hunter2","option_name":"hunter2"}})");
  CHECK(audit_line(call, {}, 0).find("hunter2") != std::string::npos);
  call.secret = true;
  const std::string line = audit_line(call, {}, 0);
  CHECK(line.find("hunter2") == std::string::npos);
  CHECK(line.find("keys=h") == std::string::npos);
  CHECK(line.find("redactions=[args.text,args.keys,args.args.value,"
                  "args.args.option_name]") != std::string::npos);
}

TEST_CASE("no argument can forge a line or a field") {
  const std::string line =
      line_of(call_of(R"({"a":"x\n1970 step=1 tool=evil ok=true","b c=d":"1","e":"\u202e"})"));
  CHECK(line.find('\n') == std::string::npos);
  CHECK(line.find("args.a=\"x\\u000a1970 step=1") != std::string::npos);
  CHECK(line.find("args.\"b c=d\"=1") != std::string::npos);
  CHECK(line.find("\xE2\x80\xAE") == std::string::npos);
  GuardSettleRequest odd = call_of("{}");
  odd.tool = "no such\ntool";
  CHECK(line_of(odd).find("tool=\"no such\\u000atool\" ok=true") != std::string::npos);
}

TEST_CASE("long values are cut") {
  const std::string line = line_of(call_of(R"({"a":")" + std::string(5000, 'x') + "\"}"));
  CHECK(line.size() < 400);
}

std::string content(const std::string& path) {
  std::ifstream in(path);
  return {std::istreambuf_iterator<char>(in), {}};
}

TEST_CASE("the file rotates by size and keeps whole lines") {
  const testkit::TempDir dir;
  const AuditFile file{dir.path().string() + "/audit.log", 10, 2};
  REQUIRE(append_audit(file, {"one", "two", "three", "four", "five"}).ok());
  CHECK(content(file.path) == "four\nfive\n");
  CHECK(content(file.path + ".1") == "three\n");
  CHECK(content(file.path + ".2") == "one\ntwo\n");
  REQUIRE(append_audit(file, {"six", "a line that is longer than the file may be"}).ok());
  CHECK(content(file.path) == "a line that is longer than the file may be\n");
  CHECK(content(file.path + ".1") == "six\n");
  CHECK(content(file.path + ".2") == "four\nfive\n");
  CHECK_FALSE(std::filesystem::exists(file.path + ".3"));
  CHECK((std::filesystem::status(file.path).permissions() & std::filesystem::perms(077)) ==
        std::filesystem::perms::none);
}

TEST_CASE("without backups the file begins anew, and trouble is told") {
  const testkit::TempDir dir;
  const AuditFile file{dir.path().string() + "/audit.log", 5, 0};
  REQUIRE(append_audit(file, {"one", "two"}).ok());
  CHECK(content(file.path) == "two\n");
  const Result<void> failed = append_audit({dir.path().string() + "/none/audit.log", 5, 0}, {"x"});
  REQUIRE_FALSE(failed.ok());
  CHECK(failed.error().message.find("none/audit.log") != std::string::npos);
}

}  // namespace
}  // namespace gantry::guard
