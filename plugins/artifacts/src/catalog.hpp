// SPDX-License-Identifier: Apache-2.0
//
// Who owns which artifact, on the store. Strand only; completions run on it.
#pragma once

#include <gantry/contracts/artifact.hpp>
#include <gantry/host.hpp>

#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

namespace gantry::artifacts {

class Catalog {
 public:
  explicit Catalog(Host& host) : host_(host) {}

  template <class T>
  using Then = std::function<void(Result<T>)>;

  /// Writes a new artifact to the disk, under all the keys by which it is looked for.
  void add(const ArtifactInfo& info, Then<void> then);
  /// Error: not_found, also when it is somebody else's.
  void find(const ArtifactRequest& request, Then<ArtifactInfo> then);
  void remove(const ArtifactInfo& info, Then<void> then);
  void list(const ArtifactListRequest& request, Then<ArtifactPage> then);
  /// Bytes of all artifacts of an owner.
  void used_by(const std::string& owner, const Then<std::int64_t>& then);
  /// Artifacts that were made before `before_ms`, the oldest first; some at a time.
  void older_than(std::int64_t before_ms, Then<std::vector<ArtifactInfo>> then);
  /// Whether any artifact has these bytes.
  void is_used(const std::string& sha256, Then<bool> then);

  /// Room that an upload takes before it is in the catalogue; given back when it is or has failed.
  void reserve(const std::string& owner, std::int64_t bytes);

 private:
  struct Sum;
  [[nodiscard]] std::int64_t reserved(const std::string& owner) const;
  void sum_up(const std::shared_ptr<Sum>& sum);
  void read(std::vector<std::string> ids, Then<std::vector<ArtifactInfo>> then);

  Host& host_;
  std::map<std::string, std::int64_t> used_;      // by owner, once it was asked for
  std::map<std::string, std::int64_t> reserved_;  // by owner
};

}  // namespace gantry::artifacts
