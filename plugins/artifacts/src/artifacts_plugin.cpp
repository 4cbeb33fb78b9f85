// SPDX-License-Identifier: Apache-2.0
#include "artifacts_plugin.hpp"

#include <fmt/format.h>
#include <openssl/rand.h>

#include <array>
#include <utility>

#include "media_type.hpp"

namespace gantry::artifacts {
namespace {

constexpr std::chrono::hours kSweepEvery{1};
/// Bytes that no artifact has are kept for so long: an upload that is under way may want them.
constexpr std::int64_t kUnusedNs = 3'600'000'000'000;
constexpr std::int64_t kNsInMs = 1'000'000;
constexpr std::size_t kLongestName = 255;

Error refusal(Code code, std::string message, std::string_view reason) {
  return {code, std::move(message), fmt::format(R"({{"reason":"{}"}})", reason)};
}

Result<std::string> new_id(const MediaType& type) {
  std::array<std::uint8_t, 16> random{};
  if (RAND_bytes(random.data(), static_cast<int>(random.size())) != 1) {
    return unavailable("the system gave no random bytes", "see whether it has a source of them");
  }
  std::string id;
  for (const std::uint8_t byte : random) id += fmt::format("{:02x}", byte);
  return id + std::string(type.extension);
}

/// The type of the bytes, when the upload may be kept at all.
Result<const MediaType*> acceptable(const ArtifactPutRequest& request, std::int64_t max_bytes) {
  if (request.owner.empty()) {
    return invalid_argument("an artifact needs an owner; say whose it is");
  }
  if (request.filename.size() > kLongestName) {
    return invalid_argument(fmt::format("the file's name has {} bytes; {} are allowed",
                                        request.filename.size(), kLongestName));
  }
  if (std::cmp_greater(request.content.size(), max_bytes)) {
    return refusal(Code::OutOfRange,
                   fmt::format("the artifact has {} bytes; {} are allowed (artifacts.max_bytes)",
                               request.content.size(), max_bytes),
                   "too_large");
  }
  const MediaType* type = sniff(request.content.text());
  const bool said = request.content_type.empty() || declared(request.content_type) != nullptr;
  if (said && type != nullptr) return type;
  return refusal(Code::InvalidArgument,
                 "an artifact is a PNG, JPEG or WebP image or a PDF; this is none of them",
                 "unsupported_type");
}

Result<void> check_id(const std::string& id) {
  if (is_artifact_id(id)) return {};
  return invalid_argument("that is no id of an artifact; send the one that the upload answered");
}

}  // namespace

/// An upload on its way: bytes first, then the catalogue.
struct ArtifactsPlugin::Upload {
  Ref<ArtifactPutRequest> request;
  Reply<ArtifactPut> reply;
  ArtifactInfo info;
  bool reserved = false;
};

Result<void> ArtifactsPlugin::init() {
  GANTRY_TRY(reconfigure());
  blobs_ = std::make_shared<Blobs>(settings_.folder);
  uploads_ = host().counter("uploads_total", "Artifacts that were kept");
  upload_bytes_ = host().counter("upload_bytes_total", "Bytes of these");
  Bus& bus = host().bus();
  GANTRY_TRY(
      bus.serve<ArtifactPut>([this](const Ref<ArtifactPutRequest>& request, const CallInfo&,
                                    Reply<ArtifactPut> reply) { put(request, std::move(reply)); }));
  GANTRY_TRY(bus.serve<ArtifactGet>(
      [this](const Ref<ArtifactRequest>& request, const CallInfo&, Reply<ArtifactGet> reply) {
        get(*request, std::move(reply));
      }));
  return serve_catalog();
}

Result<void> ArtifactsPlugin::serve_catalog() {
  Bus& bus = host().bus();
  GANTRY_TRY(bus.serve<ArtifactStat>([this](const Ref<ArtifactRequest>& request, const CallInfo&,
                                            Reply<ArtifactStat> reply) {
    const Result<void> fits = check_id(request->artifact_id);
    if (!fits.ok()) return reply.fail(fits.error());
    auto answer = std::make_shared<Reply<ArtifactStat>>(std::move(reply));
    catalog_.find(*request, [answer](Result<ArtifactInfo> info) { (*answer)(std::move(info)); });
  }));
  GANTRY_TRY(bus.serve<ArtifactRemove>(
      [this](const Ref<ArtifactRequest>& request, const CallInfo&, Reply<ArtifactRemove> reply) {
        const Result<void> fits = check_id(request->artifact_id);
        if (!fits.ok()) return reply.fail(fits.error());
        auto answer = std::make_shared<Reply<ArtifactRemove>>(std::move(reply));
        catalog_.find(*request, [this, answer](const Result<ArtifactInfo>& info) {
          if (!info.ok()) return answer->fail(info.error());
          catalog_.remove(*info, [answer](const Result<void>& done) {
            if (!done.ok()) return answer->fail(done.error());
            (*answer)(Done{});
          });
        });
      }));
  return bus.serve<ArtifactList>([this](const Ref<ArtifactListRequest>& request, const CallInfo&,
                                        Reply<ArtifactList> reply) {
    auto answer = std::make_shared<Reply<ArtifactList>>(std::move(reply));
    catalog_.list(*request, [answer](Result<ArtifactPage> page) { (*answer)(std::move(page)); });
  });
}

Result<void> ArtifactsPlugin::start() {
  sweeper_ = host().every(kSweepEvery, [this] { sweep(); });
  sweep();
  return {};
}

Result<void> ArtifactsPlugin::reconfigure() {
  GANTRY_ASSIGN(settings_, read_settings(host().config_json()));
  return {};
}

std::int64_t ArtifactsPlugin::now_ms() const { return host().wall_ns() / kNsInMs; }

void ArtifactsPlugin::put(const Ref<ArtifactPutRequest>& request, Reply<ArtifactPut> reply) {
  const auto type = acceptable(*request, settings_.max_bytes);
  if (!type.ok()) return reply.fail(type.error());
  const auto id = new_id(**type);
  if (!id.ok()) return reply.fail(id.error());
  auto upload = std::make_shared<Upload>(Upload{request, std::move(reply), {}, false});
  upload->info.artifact_id = *id;
  upload->info.content_type = (*type)->content_type;
  upload->info.size_bytes = static_cast<std::int64_t>(request->content.size());
  upload->info.filename = request->filename;
  upload->info.owner = request->owner;
  upload->info.created_ms = now_ms();
  if (settings_.quota == 0) return keep(upload);
  catalog_.used_by(request->owner, [this, upload](const Result<std::int64_t>& used) {
    if (!used.ok()) return upload->reply.fail(used.error());
    if (*used + upload->info.size_bytes <= settings_.quota) return keep(upload);
    upload->reply.fail(refusal(
        Code::ResourceExhausted,
        fmt::format("{} of {} bytes are in use (artifacts.quota); remove what is not needed", *used,
                    settings_.quota),
        "quota"));
  });
}

void ArtifactsPlugin::keep(const std::shared_ptr<Upload>& upload) {
  catalog_.reserve(upload->info.owner, upload->info.size_bytes);
  host().blocking([this, upload, blobs = blobs_, now = host().wall_ns()] {
    const std::string_view bytes = upload->request->content.text();
    upload->info.sha256 = sha256_hex(bytes);
    const Result<void> kept = blobs->put(upload->info.sha256, bytes, now);
    host().post([this, upload, kept] { enter(upload, kept); });
  });
}

void ArtifactsPlugin::enter(const std::shared_ptr<Upload>& upload, const Result<void>& kept) {
  const auto finish = [this, upload](const Result<void>& done) {
    catalog_.reserve(upload->info.owner, -upload->info.size_bytes);
    if (!done.ok()) return upload->reply.fail(done.error());
    uploads_.add();
    upload_bytes_.add(static_cast<double>(upload->info.size_bytes));
    upload->reply(upload->info);
  };
  if (!kept.ok()) return finish(kept);
  catalog_.add(upload->info, finish);
}

void ArtifactsPlugin::get(const ArtifactRequest& request, Reply<ArtifactGet> reply) {
  const Result<void> fits = check_id(request.artifact_id);
  if (!fits.ok()) return reply.fail(fits.error());
  auto answer = std::make_shared<Reply<ArtifactGet>>(std::move(reply));
  catalog_.find(request, [this, answer](const Result<ArtifactInfo>& info) {
    if (!info.ok()) return answer->fail(info.error());
    host().blocking([answer, info = *info, blobs = blobs_] {
      Result<Buffer> content = blobs->get(info.sha256, info.size_bytes);
      if (!content.ok()) return answer->fail(content.error());
      (*answer)(ArtifactContent{info, std::move(*content)});
    });
  });
}

void ArtifactsPlugin::sweep() {
  if (settings_.retention > 0) sweep_expired();
  sweep_bytes();
}

/// What is older than it may be, some at a time until there is no more.
void ArtifactsPlugin::sweep_expired() {
  catalog_.older_than(
      now_ms() - settings_.retention, [this](const Result<std::vector<ArtifactInfo>>& old) {
        if (!old.ok()) return host().log().warn("old artifacts stay: " + old.error().message);
        for (const ArtifactInfo& info : *old) {
          const bool last = &info == &old->back();
          catalog_.remove(info, [this, last](const Result<void>& done) {
            if (!done.ok())
              return host().log().warn("an old artifact stays: " + done.error().message);
            if (last) sweep_expired();
          });
        }
      });
}

/// Files that no artifact names any more.
void ArtifactsPlugin::sweep_bytes() {
  const std::int64_t before = host().wall_ns() - kUnusedNs;
  host().blocking([this, before, blobs = blobs_] {
    for (const std::string& hash : blobs->unused_since(before)) {
      host().post([this, hash, before, blobs] {
        catalog_.is_used(hash, [this, hash, before, blobs](const Result<bool>& used) {
          if (!used.ok() || *used) return;
          host().blocking([blobs, hash, before] { blobs->remove(hash, before); });
        });
      });
    }
  });
}

}  // namespace gantry::artifacts
