// SPDX-License-Identifier: Apache-2.0
#include "service/memory.hpp"

#include <malloc.h>
#include <sys/mman.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cstdint>
#include <fstream>
#include <optional>
#include <string>
#include <string_view>

namespace gantry::service {
namespace {

/// Whether two readings differ by more than the noise of an idle process (log lines, timers).
bool moved(std::size_t before, std::size_t now) {
  const std::size_t distance = before > now ? before - now : now - before;
  return distance > std::size_t{64} * 1024;
}

/// The next word of a line; it is taken from the front of it.
std::string_view take_word(std::string_view& line) {
  const std::size_t begin = std::min(line.find_first_not_of(' '), line.size());
  const std::size_t end = std::min(line.find(' ', begin), line.size());
  const std::string_view word = line.substr(begin, end - begin);
  line.remove_prefix(end);
  return word;
}

struct Mapping {
  std::uintptr_t from = 0;
  std::uintptr_t to = 0;
};

/// The mapping of a line of /proc/self/maps (proc(5)): "from-to permissions offset device inode
/// name", when it is memory that malloc() and threads' stacks use or keep for later.
std::optional<Mapping> anonymous_mapping(std::string_view line) {
  const std::string_view range = take_word(line);
  const std::string_view permissions = take_word(line);
  std::array<std::string_view, 3> offset_device_inode;
  for (std::string_view& word : offset_device_inode) word = take_word(line);
  const std::string_view name = take_word(line);
  const bool ours = offset_device_inode[2] == "0" && (name.empty() || name == "[heap]");
  if (!ours || (permissions != "rw-p" && permissions != "---p")) return std::nullopt;
  Mapping out;
  const std::size_t dash = range.find('-');
  if (dash == std::string_view::npos) return std::nullopt;
  std::from_chars(range.data(), range.data() + dash, out.from, 16);
  std::from_chars(range.data() + dash + 1, range.data() + range.size(), out.to, 16);
  return out;
}

}  // namespace

void bound_allocator() {
  constexpr int kThreshold = 1 << 20;
  mallopt(M_MMAP_THRESHOLD, kThreshold);
  mallopt(M_TRIM_THRESHOLD, kThreshold);
}

void keep_pages_small() {
  std::ifstream maps("/proc/self/maps");
  for (std::string line; std::getline(maps, line);) {
    const auto mapping = anonymous_mapping(line);
    if (!mapping) continue;
    // NOLINTNEXTLINE(performance-no-int-to-ptr): the file speaks of addresses.
    void* const start = reinterpret_cast<void*>(mapping->from);
    // Refused for a mapping that has gone meanwhile, and where the kernel knows no huge pages.
    (void)madvise(start, mapping->to - mapping->from, MADV_NOHUGEPAGE);
  }
}

bool MemoryTrimmer::run() {
  return run([] { malloc_trim(0); });
}

bool MemoryTrimmer::run(const std::function<void()>& trim) {
  const struct mallinfo2 now = mallinfo2();
  const bool changed = moved(heap_, now.arena + now.hblkhd) || moved(used_, now.uordblks);
  if (!changed || now.fordblks < kWorthwhile) return false;
  // What is freed while this trims may be in an arena that was passed already. Remembering how it
  // was before, not after, makes the next run look again.
  heap_ = now.arena + now.hblkhd;
  used_ = now.uordblks;
  trim();
  return true;
}

}  // namespace gantry::service
