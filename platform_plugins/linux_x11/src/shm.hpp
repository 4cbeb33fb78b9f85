// SPDX-License-Identifier: Apache-2.0
//
// Shared memory between us and the X server, kept in a small pool. A grab lands in a segment and
// the segment itself becomes the image's bytes: nothing is copied, and it returns to the pool when
// the last holder lets go.
#pragma once

#include "session.hpp"

#include <xcb/shm.h>

#include <memory>
#include <mutex>
#include <span>
#include <vector>

namespace gantry::x11 {

/// One attached segment. Detached and unmapped by the destructor.
class ShmSegment {
 public:
  /// By file descriptor (MIT-SHM 1.2), else as a SysV segment. Errors: unavailable when the server
  /// cannot share memory with us (it runs on another machine or in another container).
  static Result<std::shared_ptr<ShmSegment>> create(const SessionPtr& session, std::size_t size);
  ~ShmSegment();
  ShmSegment(const ShmSegment&) = delete;
  ShmSegment& operator=(const ShmSegment&) = delete;

  [[nodiscard]] xcb_shm_seg_t id() const { return id_; }
  [[nodiscard]] std::span<std::uint8_t> bytes() const { return {memory_, size_}; }
  [[nodiscard]] const SessionPtr& session() const { return session_; }

 private:
  ShmSegment(SessionPtr session, std::size_t size) : session_(std::move(session)), size_(size) {}
  Result<void> attach_by_fd();
  Result<void> attach_sysv();

  SessionPtr session_;
  xcb_shm_seg_t id_ = 0;
  std::uint8_t* memory_ = nullptr;
  std::size_t size_;
  bool mapped_by_fd_ = false;
};

/// Thread safe. Images may outlive the pool.
class ShmPool {
 public:
  /// A segment of this session with room for `size` bytes that nobody reads.
  Result<std::shared_ptr<ShmSegment>> take(const SessionPtr& session, std::size_t size);
  /// Gives the memory of unused segments back to the system. Called when capturing has paused.
  void trim();

 private:
  std::mutex mutex_;
  std::vector<std::shared_ptr<ShmSegment>> segments_;  // in use while the use count is above one
};

}  // namespace gantry::x11
