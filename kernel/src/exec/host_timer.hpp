// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "exec/strand.hpp"
#include "exec/timers.hpp"

#include <gantry/abi/types.h>

#include <mutex>

namespace gantry::kernel {

class StrandGroup;

// A plugin's timer: when due it posts itself to its strand. A period that comes round while the
// last run is still queued is skipped, not piled up.
class HostTimer final : public Timer, private Item {
 public:
  HostTimer(gantry_host& host, StrandGroup& group, Strand& strand, std::int64_t period_ns,
            gantry_closure work);

  // Enters the group's table and arms; returns the number there. Once.
  std::uint64_t start(std::int64_t now_ns, std::int64_t delay_ns);
  // After it returns the work will not begin again. [thread: any]
  void cancel();

 private:
  void on_due() override;
  void run() override;
  void drop() override;
  void finish(std::unique_lock<std::mutex>& lock);

  gantry_host& host_;
  StrandGroup& group_;
  Strand& strand_;
  const std::int64_t period_ns_;
  gantry_closure work_;
  std::uint64_t id_ = 0;
  std::int64_t expiry_ns_ = 0;
  std::mutex mutex_;
  bool queued_ = false;  // in the strand, which then holds a reference
  bool running_ = false;
  bool cancelled_ = false;
  bool finished_ = false;  // the closure was dropped, or is about to be
};

}  // namespace gantry::kernel
