// SPDX-License-Identifier: Apache-2.0
#include "images.hpp"

#include <gantry/contracts/artifact.hpp>

#include <chrono>
#include <utility>

namespace gantry::agent {
namespace {

constexpr std::chrono::seconds kKeepLimit{5};  // the end of a turn waits for it

const std::string& name_of(const ImageRef& image) {
  return image.artifact.empty() ? image.name : image.artifact;
}

}  // namespace

std::optional<Buffer> Images::find(const ImageRef& image) const {
  const auto found = bytes_.find(name_of(image));
  return found == bytes_.end() ? std::nullopt : std::optional(found->second);
}

void Images::keep(Buffer bytes, std::string media_type, std::function<void(ImageRef)> kept) {
  ArtifactPutRequest put;
  put.owner = owner_;
  put.content = bytes;
  put.content_type = media_type;
  ++keeping_;
  CallOptions options;
  options.timeout = kKeepLimit;
  const ContextScope scope = store_.detach();
  host_.bus().call<ArtifactPut>(
      std::move(put),
      [self = shared_from_this(), bytes = std::move(bytes), media_type = std::move(media_type),
       kept = std::move(kept)](const Result<Ref<ArtifactInfo>>& info) {
        ImageRef image;
        image.media_type = media_type;
        if (info.ok()) {
          image.artifact = (*info)->artifact_id;
          image.media_type = (*info)->content_type;
        } else {
          image.name = "picture_" + std::to_string(++self->shown_);
          self->host_.log().warn("a picture could not be kept", {{"reason", info.error().message}});
        }
        self->bytes_[name_of(image)] = bytes;
        kept(std::move(image));
        if (--self->keeping_ != 0) return;
        for (const auto& then : std::exchange(self->waiting_, {})) then();
      },
      options);
}

void Images::when_kept(std::function<void()> then) {
  if (!keeping()) return then();
  waiting_.push_back(std::move(then));
}

void Images::load(const std::vector<ImageRef>& wanted, std::function<void()> loaded) {
  std::vector<std::string> missing;
  for (const ImageRef& image : wanted) {
    if (!image.artifact.empty() && !find(image)) missing.push_back(image.artifact);
  }
  if (missing.empty()) return loaded();
  auto open = std::make_shared<std::size_t>(missing.size());
  const ContextScope scope = store_.detach();
  for (const std::string& id : missing) {
    host_.bus().call<ArtifactGet>({owner_, id}, [self = shared_from_this(), id, open, loaded](
                                                    const Result<Ref<ArtifactContent>>& content) {
      if (content.ok()) {
        self->bytes_[id] = (*content)->content;
      } else {
        self->host_.log().warn("a picture cannot be read",
                               {{"artifact", id}, {"reason", content.error().message}});
      }
      if (--*open == 0) loaded();
    });
  }
}

}  // namespace gantry::agent
