// SPDX-License-Identifier: Apache-2.0
//
// The bytes of artifacts on the disk, each content once, named by its hash. A file is either whole
// or not there: it is written beside its place, brought to the disk, and renamed.
//
// Any thread; everything here waits for the disk. Times are the caller's (nanoseconds since the
// epoch) and become the files' times, so that the host's clock rules.
#pragma once

#include <gantry/buffer.hpp>
#include <gantry/result.hpp>

#include <cstdint>
#include <filesystem>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

namespace gantry::artifacts {

/// Hexadecimal SHA-256.
std::string sha256_hex(std::string_view bytes);

class Blobs {
 public:
  explicit Blobs(std::filesystem::path folder) : folder_(std::move(folder)) {}

  /// Keeps the bytes and says that they were wanted at `now_ns`. Errors: resource_exhausted (no
  /// room), unavailable.
  Result<void> put(const std::string& sha256, std::string_view bytes, std::int64_t now_ns);
  /// Errors: data_loss (they are gone, or are others).
  Result<Buffer> get(const std::string& sha256, std::int64_t size) const;
  /// The hashes of what was last wanted before `before_ns`. Left-overs of writes that were
  /// interrupted before then are removed on the way.
  std::vector<std::string> unused_since(std::int64_t before_ns);
  /// Removes one, unless it has been wanted since `before_ns`.
  void remove(const std::string& sha256, std::int64_t before_ns);

 private:
  [[nodiscard]] std::filesystem::path path_of(const std::string& sha256) const;

  std::filesystem::path folder_;
  // Between looking at a file's time and removing it, nobody may come to want it.
  std::mutex mutex_;
};

}  // namespace gantry::artifacts
