// SPDX-License-Identifier: Apache-2.0
#include "service/program_pages.hpp"

#include <sys/mman.h>
#include <unistd.h>

#include <catch2/catch.hpp>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <fstream>
#include <sstream>
#include <string>

using namespace gantry::service;
using namespace std::chrono_literals;

namespace {

/// Kilobytes of a kind ("Rss", …) that the mapping around `address` holds, from /proc/self/smaps.
long held_kb(const void* address, const std::string& kind) {
  std::ifstream file("/proc/self/smaps");
  const auto wanted = reinterpret_cast<std::uintptr_t>(address);
  std::string line;
  bool inside = false;
  while (std::getline(file, line)) {
    std::uintptr_t from = 0;
    std::uintptr_t to = 0;
    if (std::sscanf(line.c_str(), "%lx-%lx ", &from, &to) == 2)
      inside = wanted >= from && wanted < to;
    if (inside && line.starts_with(kind + ":")) return std::stol(line.substr(kind.size() + 1));
  }
  return -1;
}

struct Mapped {
  static constexpr std::size_t kPages = 8;
  std::size_t page = static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
  std::FILE* file = std::tmpfile();
  std::byte* data = nullptr;

  Mapped() {
    REQUIRE(file != nullptr);
    const std::string text(kPages * page, 'f');
    REQUIRE(std::fwrite(text.data(), 1, text.size(), file) == text.size());
    std::fflush(file);
    void* at = mmap(nullptr, kPages * page, PROT_READ | PROT_WRITE, MAP_PRIVATE, fileno(file), 0);
    REQUIRE(at != MAP_FAILED);
    data = static_cast<std::byte*>(at);
  }
  ~Mapped() {
    munmap(data, kPages * page);
    std::fclose(file);
  }
  char at(std::size_t number) const { return static_cast<char>(data[number * page]); }
};

}  // namespace

TEST_CASE("pages of a file are let go and come back, written ones stay") {
  Mapped map;
  std::memset(map.data + 3 * map.page, 'w', 1);
  for (std::size_t i = 0; i < Mapped::kPages; ++i) REQUIRE(map.at(i) == (i == 3 ? 'w' : 'f'));
  REQUIRE(held_kb(map.data, "Rss") == static_cast<long>(Mapped::kPages * map.page / 1024));

  const std::size_t released = release_file_pages(map.data, Mapped::kPages * map.page);

  CHECK(released == (Mapped::kPages - 1) * map.page);
  CHECK(held_kb(map.data, "Rss") == static_cast<long>(map.page / 1024));
  for (std::size_t i = 0; i < Mapped::kPages; ++i) CHECK(map.at(i) == (i == 3 ? 'w' : 'f'));
}

TEST_CASE("the program's own pages are let go, and it runs on") {
  // Runs through code of the C++ library, so that there is something to let go.
  std::ostringstream text;
  text << 1.5 << ' ' << std::hex << 255;
  const std::size_t released = release_program_pages();
  CHECK(released > 64 * 1024);
  text << ' ' << 16;
  CHECK(text.str() == "1.5 ff 10");
}

TEST_CASE("pages are let go once in a long idle time, and again in the next") {
  ProgramPagesTrimmer trimmer;
  CHECK_FALSE(trimmer.long_idle(0s, 0ms));     // begins
  CHECK_FALSE(trimmer.long_idle(10s, 100ms));  // 1 %: not idle
  CHECK_FALSE(trimmer.long_idle(20s, 199ms));
  CHECK_FALSE(trimmer.long_idle(30s, 200ms));
  CHECK(trimmer.long_idle(40s, 210ms));
  CHECK_FALSE(trimmer.long_idle(50s, 220ms));  // already done
  CHECK_FALSE(trimmer.long_idle(60s, 900ms));  // busy
  CHECK_FALSE(trimmer.long_idle(70s, 901ms));
  CHECK_FALSE(trimmer.long_idle(80s, 902ms));
  CHECK(trimmer.long_idle(90s, 903ms));
}
