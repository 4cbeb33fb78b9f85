// SPDX-License-Identifier: Apache-2.0
#include "private_bus.hpp"

#include <fcntl.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <utility>

namespace gantry::atspi::testing {

PrivateBus::PrivateBus() { start(); }

void PrivateBus::start() {
  int out[2];
  if (pipe2(out, O_CLOEXEC) != 0) return;
  pid_ = fork();
  if (pid_ == 0) {
    // Ended with the test even when the test is killed.
    prctl(PR_SET_PDEATHSIG, SIGTERM);
    dup2(out[1], 1);
    const std::string at = "--address=" + (address_.empty() ? "unix:tmpdir=/tmp" : address_);
    execlp("dbus-daemon", "dbus-daemon", "--session", "--nofork", "--nopidfile",
           "--print-address=1", at.c_str(), static_cast<char*>(nullptr));
    _exit(127);
  }
  close(out[1]);
  // Printed once it listens. The guid that follows is another one after a restart.
  std::string printed;
  char c = 0;
  while (read(out[0], &c, 1) == 1 && c != '\n') printed += c;
  close(out[0]);
  if (address_.empty()) address_ = printed.substr(0, printed.find(",guid="));
}

void PrivateBus::restart() {
  kill();
  start();
}

PrivateBus::~PrivateBus() { kill(); }

void PrivateBus::kill() {
  if (pid_ <= 0) return;
  ::kill(pid_, SIGTERM);
  waitpid(std::exchange(pid_, -1), nullptr, 0);
}

}  // namespace gantry::atspi::testing
