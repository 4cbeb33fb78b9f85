// SPDX-License-Identifier: Apache-2.0
#include "shm.hpp"

#include <sys/ipc.h>
#include <sys/mman.h>
#include <sys/shm.h>
#include <unistd.h>

#include <algorithm>

namespace gantry::x11 {

Result<std::shared_ptr<ShmSegment>> ShmSegment::create(const SessionPtr& session,
                                                       std::size_t size) {
  if (!session->extensions().shm) {
    return unavailable("the X server has no MIT-SHM extension");
  }
  std::shared_ptr<ShmSegment> segment(new ShmSegment(session, size));
  if (session->extensions().shm_by_fd && segment->attach_by_fd().ok()) return segment;
  GANTRY_TRY(segment->attach_sysv());
  return segment;
}

Result<void> ShmSegment::attach_by_fd() {
  xcb_connection_t* xcb = session_->xcb();
  const xcb_shm_seg_t id = xcb_generate_id(xcb);
  GANTRY_ASSIGN(const auto reply,
                fetch<xcb_shm_create_segment_reply>(
                    xcb, xcb_shm_create_segment(xcb, id, static_cast<std::uint32_t>(size_), 0),
                    "sharing memory with the X server"));
  const int fd = reply->nfd == 1 ? xcb_shm_create_segment_reply_fds(xcb, reply.get())[0] : -1;
  void* memory =
      fd < 0 ? MAP_FAILED : mmap(nullptr, size_, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
  if (fd >= 0) close(fd);
  if (memory == MAP_FAILED) {
    xcb_shm_detach(xcb, id);
    return unavailable("the X server's shared memory cannot be mapped");
  }
  id_ = id;
  memory_ = static_cast<std::uint8_t*>(memory);
  mapped_by_fd_ = true;
  return {};
}

Result<void> ShmSegment::attach_sysv() {
  const int shmid = shmget(IPC_PRIVATE, size_, IPC_CREAT | 0600);
  if (shmid < 0) {
    return Error{Code::ResourceExhausted,
                 "no SysV shared memory of " + std::to_string(size_) + " bytes",
                 {}};
  }
  void* memory = shmat(shmid, nullptr, 0);
  const bool mapped = reinterpret_cast<std::intptr_t>(memory) != -1;
  xcb_connection_t* xcb = session_->xcb();
  const xcb_shm_seg_t id = xcb_generate_id(xcb);
  Result<void> attached =
      mapped ? check(xcb, xcb_shm_attach_checked(xcb, id, static_cast<std::uint32_t>(shmid), 0),
                     "sharing memory with the X server")
             : Result<void>(unavailable("the SysV segment cannot be mapped"));
  // Marked for removal at once: it lives until both sides have let go, also after a crash.
  shmctl(shmid, IPC_RMID, nullptr);
  if (!attached) {
    if (mapped) shmdt(memory);
    return unavailable(attached.error().message);
  }
  id_ = id;
  memory_ = static_cast<std::uint8_t*>(memory);
  return {};
}

ShmSegment::~ShmSegment() {
  if (memory_ == nullptr) return;
  xcb_shm_detach(session_->xcb(), id_);
  session_->flush();
  if (mapped_by_fd_) {
    munmap(memory_, size_);
  } else {
    shmdt(memory_);
  }
}

Result<std::shared_ptr<ShmSegment>> ShmPool::take(const SessionPtr& session, std::size_t size) {
  const std::lock_guard lock(mutex_);
  // Segments of a dead session only cost memory; a changed size makes the small ones useless.
  std::erase_if(segments_,
                [&](const auto& s) { return s->session() != session && s.use_count() == 1; });
  for (const auto& segment : segments_) {
    const bool fits =
        segment->bytes().size() >= size && segment->bytes().size() <= 2 * size + 65536;
    if (segment.use_count() == 1 && fits && segment->session() == session) return segment;
  }
  auto created = ShmSegment::create(session, size);
  constexpr std::size_t kKept = 3;
  if (created) {
    const auto idle = std::find_if(segments_.begin(), segments_.end(),
                                   [](const auto& s) { return s.use_count() == 1; });
    if (segments_.size() >= kKept && idle != segments_.end()) segments_.erase(idle);
    if (segments_.size() < kKept) segments_.push_back(*created);
  }
  return created;
}

void ShmPool::trim() {
  const std::lock_guard lock(mutex_);
  std::erase_if(segments_, [](const auto& s) { return s.use_count() == 1; });
}

}  // namespace gantry::x11
