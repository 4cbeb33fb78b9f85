// SPDX-License-Identifier: Apache-2.0
#pragma once
// Lines on two descriptors, on a thread of its own. Nothing here knows the protocol. Ends when the
// input ends, when nobody reads the output any more, or, where they are this process's standard
// input and output, when the process that started this one is gone.

#include <atomic>
#include <cstddef>
#include <deque>
#include <functional>
#include <mutex>
#include <string>
#include <thread>

namespace gantry::mcp {

class LinePipe {
 public:
  struct Handlers {
    std::function<void(std::string)> line;          ///< Each line, without its end.
    std::function<void(const std::string&)> ended;  ///< Once, with the reason.
    /// A line had more bytes than may be; it is left out, and stands where it stood. None: whoever
    /// gets the lines is handed one that is no JSON.
    std::function<void()> too_long = {};
  };
  struct Limits {
    std::size_t line = 10U << 20U;
    std::size_t queue = 16U << 20U;
    bool parent = true;  ///< Ends with the process that started this one.
    /// Bytes of lines that may have been handed over and not been taken(); with more nothing is
    /// read, so that who writes has to wait. 0: no bound, and taken() is not called.
    std::size_t ahead = 0;
  };
  /// Takes over neither of the two descriptors.
  LinePipe(int input, int output, Limits limits, Handlers handlers);
  ~LinePipe() { stop(); }
  LinePipe(const LinePipe&) = delete;
  LinePipe& operator=(const LinePipe&) = delete;

  /// False when descriptors for it could not be had.
  bool start();
  /// A line of that size has been treated.
  void taken(std::size_t size);
  /// Queues a line. False: the reader is too slow, and the pipe ends.
  bool send(std::string line);
  /// Writes what is queued, for a moment at most, and ends the thread. Not from a handler.
  void stop();

 private:
  void run();
  bool read_some();
  bool write_some();
  void take_lines();
  void hand_over(std::string line);
  void leave_out();
  [[nodiscard]] bool may_read() const { return limits_.ahead == 0 || ahead_ <= limits_.ahead; }
  void end(const std::string& reason);

  int input_, output_;
  Limits limits_;
  Handlers handlers_;
  int wake_ = -1;
  int parent_ = -1;
  std::thread thread_;
  std::atomic<bool> stopping_{false};
  std::atomic<std::size_t> ahead_{0};
  std::string partial_;    // thread only
  bool skipping_ = false;  // the rest of a line that was too long
  std::mutex mutex_;
  std::deque<std::string> queue_;
  std::size_t queued_bytes_ = 0;
  std::size_t written_ = 0;  // of the front
  bool ended_ = false;       // thread only
  bool broken_ = false;      // nobody reads the output; thread only
};

}  // namespace gantry::mcp
