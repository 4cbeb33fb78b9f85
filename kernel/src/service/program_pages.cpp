// SPDX-License-Identifier: Apache-2.0
#include "service/program_pages.hpp"

#include <fcntl.h>
#include <link.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdint>

namespace gantry::service {
namespace {

// Bits of an entry of /proc/self/pagemap (Documentation/admin-guide/mm/pagemap.rst of Linux).
constexpr std::uint64_t kPresent = std::uint64_t{1} << 63;
constexpr std::uint64_t kOfFile = std::uint64_t{1} << 61;

std::size_t page_bytes() { return static_cast<std::size_t>(sysconf(_SC_PAGESIZE)); }

class PageMap {
 public:
  PageMap() : file_(open("/proc/self/pagemap", O_RDONLY | O_CLOEXEC)) {}
  ~PageMap() {
    if (file_ >= 0) close(file_);
  }
  PageMap(const PageMap&) = delete;
  PageMap& operator=(const PageMap&) = delete;
  PageMap(PageMap&&) = delete;
  PageMap& operator=(PageMap&&) = delete;

  using Entries = std::array<std::uint64_t, 512>;

  /// The entries of up to `pages` pages from page number `first` on; returns how many were read.
  std::size_t read(std::uint64_t first, std::size_t pages, Entries& out) const {
    const std::size_t wanted = std::min(pages, out.size()) * sizeof(out[0]);
    const ssize_t got =
        pread(file_, out.data(), wanted, static_cast<off_t>(first * sizeof(out[0])));
    return got < 0 ? 0 : static_cast<std::size_t>(got) / sizeof(out[0]);
  }

 private:
  int file_;
};

bool releasable(std::uint64_t entry) { return (entry & kPresent) != 0 && (entry & kOfFile) != 0; }

std::size_t release(const PageMap& map, std::uintptr_t from, std::size_t length) {
  const std::size_t page = page_bytes();
  std::size_t released = 0;
  PageMap::Entries entries;
  for (std::size_t done = 0; done < length;) {
    const std::size_t count = map.read((from + done) / page, (length - done) / page, entries);
    if (count == 0) break;
    for (std::size_t i = 0; i < count;) {
      std::size_t end = i;
      while (end < count && releasable(entries[end])) ++end;
      if (end > i) {
        // NOLINTNEXTLINE(performance-no-int-to-ptr): page numbers are what pagemap speaks.
        void* start = reinterpret_cast<void*>(from + done + i * page);
        if (madvise(start, (end - i) * page, MADV_DONTNEED) == 0) released += (end - i) * page;
      }
      i = end + 1;
    }
    done += count * page;
  }
  return released;
}

struct Walk {
  PageMap map;
  std::size_t released = 0;
};

int release_object(dl_phdr_info* object, std::size_t, void* context) {
  auto& walk = *static_cast<Walk*>(context);
  const std::size_t page = page_bytes();
  for (int i = 0; i < object->dlpi_phnum; ++i) {
    const ElfW(Phdr)& part = object->dlpi_phdr[i];
    if (part.p_type != PT_LOAD || (part.p_flags & PF_W) != 0) continue;
    const std::uintptr_t from = (object->dlpi_addr + part.p_vaddr) / page * page;
    const std::uintptr_t to =
        (object->dlpi_addr + part.p_vaddr + part.p_memsz + page - 1) / page * page;
    walk.released += release(walk.map, from, to - from);
  }
  return 0;
}

std::chrono::nanoseconds clock_now(clockid_t clock) {
  timespec now{};
  clock_gettime(clock, &now);
  return std::chrono::seconds(now.tv_sec) + std::chrono::nanoseconds(now.tv_nsec);
}

}  // namespace

std::size_t release_file_pages(const std::byte* from, std::size_t length) {
  return release(PageMap(), reinterpret_cast<std::uintptr_t>(from), length);
}

std::size_t release_program_pages() {
  // The loader's lock is held over the walk, so that no object goes away below it.
  Walk walk;
  dl_iterate_phdr(release_object, &walk);
  return walk.released;
}

bool ProgramPagesTrimmer::long_idle(std::chrono::nanoseconds now, std::chrono::nanoseconds used) {
  const bool first = last_.count() < 0;
  const bool idle = !first && (used - last_used_) * kIdleDivisor < now - last_;
  last_ = now;
  last_used_ = used;
  idle_periods_ = idle ? std::min(idle_periods_ + 1, kPeriods + 1) : 0;
  return idle_periods_ == kPeriods;
}

void ProgramPagesTrimmer::run() {
  if (long_idle(clock_now(CLOCK_MONOTONIC), clock_now(CLOCK_PROCESS_CPUTIME_ID))) {
    release_program_pages();
  }
}

}  // namespace gantry::service
