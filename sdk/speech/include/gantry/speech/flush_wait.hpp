// SPDX-License-Identifier: Apache-2.0
//
// When a flush counts as answered by a server that has no word for it. Strand only.
#pragma once

#include <gantry/host.hpp>

#include <functional>

namespace gantry::speech {

class FlushWait {
 public:
  /// `answered` is called once for each begin(), `limit` after it at the latest.
  FlushWait(Host& host, Duration limit, std::function<void()> answered);

  void begin();
  /// It is answered unless unsettle() comes within `quiet`; nothing where no flush waits.
  void settle(Duration quiet);
  void unsettle() { settle_timer_.cancel(); }
  /// It is answered now.
  void finish();
  /// Nothing is told any more.
  void cancel();

 private:
  Host& host_;
  Duration limit_;
  std::function<void()> answered_;
  bool waiting_ = false;
  Timer limit_timer_;
  Timer settle_timer_;
};

}  // namespace gantry::speech
