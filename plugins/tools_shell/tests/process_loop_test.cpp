// SPDX-License-Identifier: Apache-2.0
// Commands without a sandbox: start, output, input, signals, the end of everything.
#include <fcntl.h>
#include <catch2/catch.hpp>

#include <csignal>
#include <cstdlib>
#include <future>
#include <memory>
#include <string>

#include "process_loop.hpp"
#include "support.hpp"

using namespace gantry;
using namespace gantry::shell;
using namespace gantry::shell::testing;
using std::chrono::milliseconds;

namespace {

SpawnPlan sh_plan(const std::string& command, bool input = false) {
  SpawnPlan plan;
  plan.program = "/bin/sh";
  plan.arguments = {"/bin/sh", "-c", command};
  plan.environment = {"PATH=/usr/bin:/bin", "ONLY=this"};
  plan.wants_input = input;
  return plan;
}

Result<void> write_to(ProcessLoop& loop, const Started& command, std::string bytes, bool last) {
  auto told = std::make_shared<std::promise<Result<void>>>();
  auto answer = told->get_future();
  loop.write(command.id, std::move(bytes), last, [told](Result<void> r) { told->set_value(r); });
  REQUIRE(answer.wait_for(kLimit) == std::future_status::ready);
  return answer.get();
}

}  // namespace

TEST_CASE("output and exit code of a command") {
  ProcessLoop loop;
  Started command(loop, sh_plan("echo out; echo err >&2; exit 3"));
  const auto end = command.end();
  REQUIRE(end.ok());
  CHECK(end->code == 3);
  CHECK(end->signal == 0);
  CHECK(command.text() == "out\nerr\n");
}

TEST_CASE("a command that a signal ends") {
  ProcessLoop loop;
  Started command(loop, sh_plan("kill -9 $$"));
  CHECK(command.end()->signal == SIGKILL);
}

TEST_CASE("a program that is not there") {
  ProcessLoop loop;
  SpawnPlan plan = sh_plan("");
  plan.program = "/nonexistent/program";
  Started command(loop, std::move(plan));
  CHECK(command.end().error().code == Code::NotFound);
}

TEST_CASE("a command gets nothing of the process that starts it") {
  ProcessLoop loop;
  ::setenv("A_SECRET_OF_THE_DAEMON", "hush", 1);
  const UniqueFd leak(::open("/dev/null", O_RDONLY));  // without O_CLOEXEC
  SpawnPlan plan = sh_plan(
      "env; ls -l /proc/self/fd | wc -l; grep -E '^Sig(Blk|Ign)' /proc/self/status; ps -o sid= $$; "
      "echo $$; cat");
  plan.folder.reset(::open("/usr", O_PATH | O_CLOEXEC));
  Started command(loop, std::move(plan));
  REQUIRE(command.end().ok());
  ::unsetenv("A_SECRET_OF_THE_DAEMON");
  const std::string text = command.text();
  INFO(text);
  CHECK(text.find("hush") == std::string::npos);
  CHECK(text.find("ONLY=this\n") != std::string::npos);
  CHECK(text.find("PWD=/usr\n") != std::string::npos);
  CHECK(text.find("\n5\n") != std::string::npos);  // "total", 0, 1, 2 and the folder that ls reads
  CHECK(text.find("SigBlk:\t0000000000000000") != std::string::npos);
  CHECK(text.find("SigIgn:\t0000000000000000") != std::string::npos);
}

TEST_CASE("what a command leaves running ends with it") {
  ProcessLoop loop;
  Started command(loop, sh_plan("sleep 1000 & echo $!"));
  REQUIRE(command.end().ok());
  CHECK(goes_away(std::stoi(command.text())));
}

TEST_CASE("ending asks first, and the whole group") {
  ProcessLoop loop;
  Started command(loop, sh_plan("trap 'echo bye; exit 7' TERM; sh -c 'echo $$; exec sleep 1000' & "
                                "wait; wait"));
  REQUIRE(eventually([&] { return command.text().ends_with("\n"); }));
  const pid_t grandchild = std::stoi(command.text());
  loop.signal(command.id, SIGTERM);
  CHECK(command.end()->code == 7);
  CHECK(command.text().ends_with("bye\n"));
  CHECK(goes_away(grandchild));
}

TEST_CASE("who does not listen is killed with its children") {
  ProcessLoop loop;
  Started command(loop, sh_plan("trap '' TERM; sh -c 'echo $$; sleep 1000; sleep 1001' & wait"));
  REQUIRE(eventually([&] { return command.text().ends_with("\n"); }));
  const pid_t grandchild = std::stoi(command.text());
  loop.signal(command.id, SIGTERM);
  loop.signal(command.id, SIGKILL);
  CHECK(command.end()->signal == SIGKILL);
  CHECK(goes_away(grandchild));
}

TEST_CASE("stopping leaves nothing behind, also of those that do not listen") {
  pid_t deaf = 0;
  pid_t plain = 0;
  {
    ProcessLoop loop;
    Started one(loop, sh_plan("trap '' TERM; echo $$; while :; do sleep 1000; done"));
    Started two(loop, sh_plan("echo $$; exec sleep 1000"));
    REQUIRE(eventually([&] { return one.text().ends_with("\n") && two.text().ends_with("\n"); }));
    deaf = std::stoi(one.text());
    plain = std::stoi(two.text());
    loop.stop(milliseconds(10));
    // They are reaped already: nobody else could.
    CHECK(::kill(deaf, 0) != 0);
    CHECK(::kill(plain, 0) != 0);
  }
  ProcessLoop stopped;
  stopped.stop(milliseconds(0));
  Started late(stopped, sh_plan("echo never"));
  CHECK_FALSE(late.process->end().has_value());
}

TEST_CASE("standard input is written, and closed") {
  ProcessLoop loop;
  Started command(loop, sh_plan("cat; echo end", true));
  CHECK(write_to(loop, command, "one\n", false).ok());
  REQUIRE(eventually([&] { return command.text() == "one\n"; }));
  CHECK(write_to(loop, command, std::string(300'000, 'x'), true).ok());
  CHECK(command.end()->code == 0);
  CHECK(command.process->total() == 4 + 300'000 + 4);
  CHECK(write_to(loop, command, "late", false).error().code == Code::FailedPrecondition);
}

TEST_CASE("what nobody reads is bounded, and a closed input is told") {
  ProcessLoop loop;
  Started deaf(loop, sh_plan("exec sleep 1000", true));
  CHECK(write_to(loop, deaf, std::string(ProcessLoop::kInputLimit, 'x'), false).ok());
  CHECK(write_to(loop, deaf, std::string(ProcessLoop::kInputLimit, 'x'), false).error().code ==
        Code::ResourceExhausted);
  Started closed(loop, sh_plan("exec <&-; echo closed; exec sleep 1000", true));
  REQUIRE(eventually([&] { return closed.text() == "closed\n"; }));
  CHECK(write_to(loop, closed, "x", false).error().code == Code::FailedPrecondition);
}

TEST_CASE("output without end is cut, and the program is not held up") {
  ProcessLoop loop;
  Started command(loop, sh_plan("head -c 20000000 /dev/zero; echo done"), 3000);
  CHECK(command.end()->code == 0);
  CHECK(command.process->total() == 20'000'005);
  const OutputText text = command.process->text();
  CHECK(text.text.size() < 6000);
  CHECK(text.text.ends_with("done\n"));
  CHECK(text.dropped > 19'990'000);
}

TEST_CASE("many commands side by side") {
  ProcessLoop loop;
  std::vector<std::unique_ptr<Started>> all;
  for (int i = 0; i < 40; ++i) {
    all.push_back(std::make_unique<Started>(loop, sh_plan("echo " + std::to_string(i))));
  }
  for (int i = 0; i < 40; ++i) {
    auto& command = *all[static_cast<std::size_t>(i)];
    CHECK(command.end()->code == 0);
    CHECK(command.text() == std::to_string(i) + "\n");
  }
}
