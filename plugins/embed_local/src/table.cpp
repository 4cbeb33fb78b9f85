// SPDX-License-Identifier: Apache-2.0
#include "table.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <bit>
#include <cerrno>
#include <cmath>
#include <cstddef>
#include <cstring>
#include <utility>

namespace gantry::embed_local {
namespace {

static_assert(std::endian::native == std::endian::little, "the file is read as it is");

constexpr std::uint32_t kMostDimensions = 4096;
constexpr std::uint32_t kMostRows = 1U << 24U;
constexpr std::size_t kAlignment = 64;

Error damaged(std::string_view what) {
  return {Code::DataLoss, "the word table cannot be used: " + std::string(what), {}};
}

constexpr std::uint64_t kEmptySum = 0xcbf29ce484222325;

std::uint64_t add_to_sum(std::uint64_t sum, std::string_view bytes) {
  constexpr std::uint64_t kPrime = 0x100000001b3;
  for (; bytes.size() >= 8; bytes.remove_prefix(8)) {
    std::uint64_t word = 0;
    std::memcpy(&word, bytes.data(), 8);
    sum = (sum ^ word) * kPrime;
    sum ^= sum >> 32U;
  }
  for (const char byte : bytes) sum = (sum ^ static_cast<unsigned char>(byte)) * kPrime;
  return sum;
}

/// Whether `count` things of `size` bytes fit at `at`.
bool holds(std::string_view bytes, std::uint64_t at, std::uint64_t count, std::uint64_t size) {
  return at >= kHeaderBytes && at % kAlignment == 0 && at <= bytes.size() &&
         count <= (bytes.size() - at) / size;
}

template <class T>
std::span<const T> part(std::string_view bytes, std::uint64_t at, std::size_t count) {
  return {reinterpret_cast<const T*>(bytes.data() + at), count};
}

}  // namespace

std::uint64_t table_checksum(std::string_view file) {
  char header[kHeaderBytes];
  std::memcpy(header, file.data(), kHeaderBytes);
  std::memset(header + offsetof(TableHeader, checksum), 0, sizeof(TableHeader::checksum));
  const std::uint64_t sum = add_to_sum(kEmptySum, {header, kHeaderBytes});
  return add_to_sum(sum, file.substr(kHeaderBytes));
}

Result<Table> Table::open(const std::filesystem::path& file) {
  const int fd = ::open(file.c_str(), O_RDONLY | O_CLOEXEC);
  if (fd < 0) {
    return Error{errno == ENOENT || errno == ENOTDIR ? Code::NotFound : Code::DataLoss,
                 fmt::format("{}: {}", file.string(), std::strerror(errno)),
                 {}};
  }
  struct stat status {};
  const bool known = ::fstat(fd, &status) == 0 && S_ISREG(status.st_mode);
  const auto size = known ? static_cast<std::size_t>(status.st_size) : 0;
  void* bytes = size > 0 ? ::mmap(nullptr, size, PROT_READ, MAP_PRIVATE, fd, 0) : MAP_FAILED;
  ::close(fd);
  if (bytes == MAP_FAILED) return damaged(file.string() + " is empty or no file");
  Table table;
  table.bytes_ = {static_cast<const char*>(bytes), size};
  table.mapped_ = true;
  if (const auto fit = table.check(); !fit.ok()) return fit.error().with_context(file.string());
  // Checking read all of it; what is looked up comes back from the page cache.
  ::madvise(bytes, size, MADV_DONTNEED);
  ::madvise(bytes, size, MADV_RANDOM);
  return table;
}

Result<Table> Table::of(std::string_view bytes) {
  Table table;
  table.bytes_ = bytes;
  GANTRY_TRY(table.check());
  return table;
}

Table::Table(Table&& other) noexcept
    : header_(other.header_),
      bytes_(std::exchange(other.bytes_, {})),
      mapped_(std::exchange(other.mapped_, false)) {}

Table& Table::operator=(Table&& other) noexcept {
  std::swap(header_, other.header_);
  std::swap(bytes_, other.bytes_);
  std::swap(mapped_, other.mapped_);
  return *this;
}

Table::~Table() {
  if (mapped_) ::munmap(const_cast<char*>(bytes_.data()), bytes_.size());
}

Result<void> Table::check() {
  if (bytes_.size() < kHeaderBytes) return damaged("it is shorter than its header");
  std::memcpy(&header_, bytes_.data(), sizeof(header_));
  if (std::string_view(header_.magic, sizeof(header_.magic)) != kMagic) {
    return damaged("it is no word table");
  }
  if (header_.version != kTableVersion) {
    return damaged(fmt::format("it is of version {}, and this program reads version {}",
                               header_.version, kTableVersion));
  }
  if (header_.size != bytes_.size()) {
    return damaged(fmt::format("it has {} bytes and should have {}", bytes_.size(), header_.size));
  }
  const std::uint64_t dimensions = header_.dimensions, rows = header_.rows;
  const bool fits = dimensions > 0 && dimensions <= kMostDimensions && rows <= kMostRows &&
                    holds(bytes_, header_.common, dimensions, sizeof(float)) &&
                    holds(bytes_, header_.scales, rows, sizeof(float)) &&
                    holds(bytes_, header_.vectors, rows * dimensions, 1) &&
                    holds(bytes_, header_.words, header_.entries, sizeof(TableEntry)) &&
                    holds(bytes_, header_.texts, 0, 1);
  if (!fits) return damaged("its parts do not fit into it");
  if (table_checksum(bytes_) != header_.checksum) {
    return damaged("its checksum is wrong");
  }
  const auto finite = [&](std::uint64_t at, std::size_t count) {
    for (const float value : part<float>(bytes_, at, count)) {
      if (!std::isfinite(value)) return false;
    }
    return true;
  };
  if (!finite(header_.common, header_.dimensions) || !finite(header_.scales, header_.rows)) {
    return damaged("it holds numbers that are none");
  }
  std::string_view last;
  for (std::size_t i = 0; i < header_.entries; ++i) {
    const TableEntry here = entry(i);
    const std::string_view text = text_of(here);
    const bool good = here.row < header_.rows && !text.empty() && last < text &&
                      here.probability >= 0 && here.probability <= 1;
    if (!good) return damaged(fmt::format("its word {} is wrong or not in order", i));
    last = text;
  }
  return {};
}

TableEntry Table::entry(std::size_t index) const {
  TableEntry entry{};
  std::memcpy(&entry, bytes_.data() + header_.words + index * sizeof(entry), sizeof(entry));
  return entry;
}

std::string_view Table::text_of(const TableEntry& entry) const {
  const std::uint64_t at = header_.texts + entry.text;
  if (at >= bytes_.size()) return {};
  return bytes_.substr(at + 1, static_cast<unsigned char>(bytes_[at]));
}

std::span<const float> Table::common() const {
  return part<float>(bytes_, header_.common, header_.dimensions);
}

std::optional<Word> Table::find(std::string_view word) const {
  std::size_t low = 0, high = header_.entries;
  while (low < high) {
    const std::size_t middle = low + (high - low) / 2;
    const TableEntry here = entry(middle);
    const int order = text_of(here).compare(word);
    if (order == 0) {
      const auto scales = part<float>(bytes_, header_.scales, header_.rows);
      return Word{
          part<std::int8_t>(bytes_, header_.vectors + std::uint64_t{here.row} * header_.dimensions,
                            header_.dimensions),
          scales[here.row], here.probability};
    }
    (order < 0 ? low : high) = order < 0 ? middle + 1 : middle;
  }
  return std::nullopt;
}

}  // namespace gantry::embed_local
