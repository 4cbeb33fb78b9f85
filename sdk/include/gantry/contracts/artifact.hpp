// SPDX-License-Identifier: Apache-2.0
//
// Artifacts: images and documents that messages name instead of carrying them. An artifact belongs
// to the principal that put it there; to everybody else it does not exist.
#pragma once

#include <gantry/buffer.hpp>
#include <gantry/contracts/common.hpp>

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace gantry {

struct ArtifactInfo {
  std::string artifact_id;   // 32 hexadecimal digits and ".png", ".jpg", ".webp" or ".pdf"
  std::string content_type;  // of what the bytes are: image/png, image/jpeg, …
  std::int64_t size_bytes = 0;
  std::string sha256;  // 64 hexadecimal digits
  std::string filename;
  std::string owner;
  std::int64_t created_ms = 0;  // milliseconds since the epoch
};
BOOST_DESCRIBE_STRUCT(ArtifactInfo, (),
                      (artifact_id, content_type, size_bytes, sha256, filename, owner, created_ms))

struct ArtifactPutRequest {
  std::string owner;  // Principal::id
  Buffer content;
  std::string content_type;  // as declared; empty: not known, the bytes alone say it
  std::string filename;      // for people; may be empty
};
BOOST_DESCRIBE_STRUCT(ArtifactPutRequest, (), (owner, content, content_type, filename))

/// Answered when it is on the disk. Errors: invalid_argument (no owner, or no known type; detail
/// {"reason":"unsupported_type"}), out_of_range (larger than `max_bytes`: {"reason":"too_large"}),
/// resource_exhausted ({"reason":"quota"} of the owner, or "disk"), unavailable.
struct ArtifactPut {
  static constexpr std::string_view kName = "gantry.artifact.put/1";
  static constexpr std::string_view kDoc = "Keeps an image or a document.";
  using Request = ArtifactPutRequest;
  using Response = ArtifactInfo;
};

struct ArtifactRequest {
  std::string owner;  // Principal::id of whoever asks
  std::string artifact_id;
};
BOOST_DESCRIBE_STRUCT(ArtifactRequest, (), (owner, artifact_id))

struct ArtifactContent {
  ArtifactInfo info;
  Buffer content;
};
BOOST_DESCRIBE_STRUCT(ArtifactContent, (), (info, content))

/// Errors: invalid_argument (that is no id), not_found (nor is somebody else's), data_loss (the
/// bytes are gone or others than were put), unavailable.
struct ArtifactGet {
  static constexpr std::string_view kName = "gantry.artifact.get/1";
  static constexpr std::string_view kDoc = "Reads an artifact.";
  using Request = ArtifactRequest;
  using Response = ArtifactContent;
};

/// Errors: invalid_argument, not_found, unavailable.
struct ArtifactStat {
  static constexpr std::string_view kName = "gantry.artifact.stat/1";
  static constexpr std::string_view kDoc = "Says what an artifact is, without its bytes.";
  using Request = ArtifactRequest;
  using Response = ArtifactInfo;
};

/// Errors: invalid_argument, not_found, unavailable.
struct ArtifactRemove {
  static constexpr std::string_view kName = "gantry.artifact.remove/1";
  static constexpr std::string_view kDoc = "Removes an artifact.";
  using Request = ArtifactRequest;
  using Response = Done;
};

struct ArtifactListRequest {
  std::string owner;
  std::string after;         // an artifact_id, to go on
  std::int32_t limit = 200;  // 1 to 1000
};
BOOST_DESCRIBE_STRUCT(ArtifactListRequest, (), (owner, after, limit))

struct ArtifactPage {
  std::vector<ArtifactInfo> artifacts;  // by id
  bool more = false;
  std::int64_t total_bytes = 0;  // of all that this owner has
};
BOOST_DESCRIBE_STRUCT(ArtifactPage, (), (artifacts, more, total_bytes))

struct ArtifactList {
  static constexpr std::string_view kName = "gantry.artifact.list/1";
  static constexpr std::string_view kDoc = "Lists an owner's artifacts.";
  using Request = ArtifactListRequest;
  using Response = ArtifactPage;
};

}  // namespace gantry
