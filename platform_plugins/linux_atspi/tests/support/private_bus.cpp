// SPDX-License-Identifier: Apache-2.0
#include "private_bus.hpp"

#include <fcntl.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <utility>

namespace gantry::atspi::testing {

PrivateBus::PrivateBus() {
  int out[2];
  if (pipe2(out, O_CLOEXEC) != 0) return;
  pid_ = fork();
  if (pid_ == 0) {
    // Ended with the test even when the test is killed.
    prctl(PR_SET_PDEATHSIG, SIGTERM);
    dup2(out[1], 1);
    execlp("dbus-daemon", "dbus-daemon", "--session", "--nofork", "--nopidfile",
           "--print-address=1", static_cast<char*>(nullptr));
    _exit(127);
  }
  close(out[1]);
  char c = 0;
  while (read(out[0], &c, 1) == 1 && c != '\n') address_ += c;
  close(out[0]);
}

PrivateBus::~PrivateBus() { kill(); }

void PrivateBus::kill() {
  if (pid_ <= 0) return;
  ::kill(pid_, SIGTERM);
  waitpid(std::exchange(pid_, -1), nullptr, 0);
}

}  // namespace gantry::atspi::testing
