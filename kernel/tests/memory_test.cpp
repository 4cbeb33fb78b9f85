// SPDX-License-Identifier: Apache-2.0
#include "service/memory.hpp"

#include <fmt/format.h>
#include <malloc.h>
#include <sys/mman.h>
#include <catch2/catch.hpp>

#include <filesystem>
#include <fstream>
#include <memory>
#include <string>
#include <vector>

using namespace gantry;
using namespace gantry::service;

namespace {

constexpr std::size_t kPiece = 4000;  // small: from an arena, not from the system

/// So many bytes of the heap in small pieces.
std::vector<std::unique_ptr<char[]>> pieces(std::size_t bytes) {
  std::vector<std::unique_ptr<char[]>> out;
  for (std::size_t i = 0; i < bytes / kPiece; ++i) out.push_back(std::make_unique<char[]>(kPiece));
  return out;
}

/// Memory of a size that huge pages are used for. A page that nobody may touch keeps it a mapping
/// of its own.
class MappedMemory {
 public:
  MappedMemory() {
    REQUIRE(start_ != MAP_FAILED);
    REQUIRE(mprotect(start_, kBytes, PROT_READ | PROT_WRITE) == 0);
  }
  ~MappedMemory() { munmap(start_, kBytes + kGuard); }
  MappedMemory(const MappedMemory&) = delete;
  MappedMemory& operator=(const MappedMemory&) = delete;
  MappedMemory(MappedMemory&&) = delete;
  MappedMemory& operator=(MappedMemory&&) = delete;

  /// The line "VmFlags: rd wr … " of /proc/self/smaps (proc(5)).
  [[nodiscard]] std::string flags() const {
    std::ifstream maps("/proc/self/smaps");
    bool found = false;
    const std::string head = fmt::format("{:x}-", reinterpret_cast<std::uintptr_t>(start_));
    for (std::string line; std::getline(maps, line);) {
      if (line.starts_with(head)) found = true;
      if (found && line.starts_with("VmFlags:")) return line;
    }
    return {};
  }

 private:
  static constexpr std::size_t kBytes = 8 << 20;
  static constexpr std::size_t kGuard = 4096;
  void* start_ =
      mmap(nullptr, kBytes + kGuard, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
};

}  // namespace

TEST_CASE("what is freed while memory is given back is given back the next time") {
  if (mallinfo2().uordblks == 0) {
    SUCCEED("skipped: a sanitizer's allocator tells nothing of itself");
    return;
  }
  MemoryTrimmer trimmer;
  auto early = pieces(8 << 20);
  auto late = pieces(8 << 20);
  const auto holds_a_place = std::make_unique<char[]>(kPiece);  // else the heap's end is given back
  early.clear();
  REQUIRE(trimmer.run([&] { late.clear(); }));
  int trims = 0;
  CHECK(trimmer.run([&] { ++trims; }));
  CHECK(trims == 1);
  CHECK_FALSE(trimmer.run([&] { ++trims; }));  // nothing has changed since
  CHECK(trims == 1);
}

TEST_CASE("a heap with little to give back is left alone") {
  MemoryTrimmer trimmer;
  trimmer.run();
  trimmer.run();
  const auto few = pieces(MemoryTrimmer::kWorthwhile / 2);
  CHECK_FALSE(trimmer.run([] { FAIL("there was nothing to give back"); }));
}

TEST_CASE("what is mapped stays in small pages, what is mapped later need not") {
  if (!std::filesystem::exists("/sys/kernel/mm/transparent_hugepage")) {
    SUCCEED("skipped: this kernel has no huge pages");
    return;
  }
  const MappedMemory before;
  keep_pages_small();
  const MappedMemory after;
  CHECK(before.flags().find(" nh ") != std::string::npos);
  REQUIRE_FALSE(after.flags().empty());
  CHECK(after.flags().find(" nh ") == std::string::npos);
}
