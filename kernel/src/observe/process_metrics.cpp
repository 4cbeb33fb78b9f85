// SPDX-License-Identifier: Apache-2.0
// Numbers of this process, from /proc/self.
#include <sys/resource.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

#include "observe/metrics.hpp"

namespace gantry::observe {
namespace {

std::int64_t count_entries(const char* dir) {
  std::int64_t count = 0;
  std::error_code error;
  for (std::filesystem::directory_iterator at(dir, error), end; !error && at != end;
       at.increment(error)) {
    ++count;
  }
  return count;
}

double processor_seconds() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  const auto seconds = [](const timeval& time) {
    return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_usec) / 1e6;
  };
  return seconds(usage.ru_utime) + seconds(usage.ru_stime);
}

}  // namespace

std::int64_t resident_bytes() {
  std::ifstream statm("/proc/self/statm");
  std::int64_t total = 0;
  std::int64_t resident = 0;
  if (!(statm >> total >> resident)) return 0;
  return resident * sysconf(_SC_PAGESIZE);
}

void collect_process(std::string& out) {
  append_sample(out, "gauge", {"process_resident_memory_bytes", "Resident memory.", ""},
                static_cast<double>(resident_bytes()));
  append_sample(out, "counter", {"process_cpu_seconds_total", "User and system time.", ""},
                processor_seconds());
  append_sample(out, "gauge", {"process_threads", "Threads.", ""},
                static_cast<double>(count_entries("/proc/self/task")));
  append_sample(out, "gauge", {"process_open_fds", "Open file descriptors.", ""},
                static_cast<double>(count_entries("/proc/self/fd")));
}

}  // namespace gantry::observe
