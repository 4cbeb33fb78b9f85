// SPDX-License-Identifier: Apache-2.0
// The daemon as a process of its own, for what must end a process: signals, hangs, what it maps.
#pragma once

#include <sys/types.h>

#include <chrono>
#include <string>
#include <vector>

namespace gantry::test {

struct Exit {
  bool exited = false;  ///< by itself; otherwise by a signal, or still running
  int code = -1;
  double seconds = 0;  ///< from the wait's begin
};

class DaemonProcess {
 public:
  /// Starts `gantry <arguments>` with standard error in a pipe.
  explicit DaemonProcess(const std::vector<std::string>& arguments);
  ~DaemonProcess();
  DaemonProcess(const DaemonProcess&) = delete;
  DaemonProcess& operator=(const DaemonProcess&) = delete;

  pid_t pid() const { return pid_; }
  /// Reads the log until the text appears (or the daemon ends, or 20 s pass).
  bool wait_for(const std::string& text);
  void send(int signal) const;
  /// Waits for the end, at most so long.
  Exit wait(std::chrono::seconds limit = std::chrono::seconds(20));
  /// What it wrote so far.
  const std::string& log() const { return log_; }

 private:
  bool read_some(int timeout_ms);
  int output_ = -1;  // before pid_, whose initialiser sets it
  pid_t pid_ = -1;
  std::string log_;
};

/// Runs `gantry <arguments>` to its end; `output` gets standard output.
int run_gantry(const std::vector<std::string>& arguments, std::string& output);

}  // namespace gantry::test
