// SPDX-License-Identifier: Apache-2.0
#include "images.hpp"

#include <gantry/contracts/artifact.hpp>
#include <gantry/contracts/document.hpp>
#include <gantry/contracts/picture.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <string_view>
#include <utility>

namespace gantry::agent {
namespace {

constexpr std::chrono::seconds kKeepLimit{5};  // the end of a turn waits for it
constexpr std::chrono::seconds kFitLimit{10};
constexpr std::chrono::seconds kDocumentLimit{30};
constexpr std::string_view kPdf = "application/pdf";
// Agent contract 2.13: what a model is shown of a picture.
constexpr std::int32_t kMostEdge = 2048;
constexpr std::int64_t kMostBytes = 768 << 10;

const std::string& name_of(const ImageRef& image) {
  return image.artifact.empty() ? image.name : image.artifact;
}

/// A model that points at something in a smaller picture means a place in the original.
std::string scale_note(const FittedPicture& picture) {
  if (picture.width == picture.original_width) return {};
  return fmt::format(
      "[the picture is shown at {}x{} of its {}x{} pixels: positions in the original are {:.4g} "
      "times those in it]",
      picture.width, picture.height, picture.original_width, picture.original_height,
      static_cast<double>(picture.original_width) / picture.width);
}

}  // namespace

bool is_document(const ImageRef& image) { return image.media_type == kPdf; }

std::int64_t document_room(std::int64_t context_window) {
  constexpr std::int64_t kMost = 128 << 10;
  // A token is about four bytes, and a quarter of them may be documents.
  return std::min(context_window, kMost);
}

std::optional<ShownImage> Images::find(const ImageRef& image) const {
  const auto found = held_.find(name_of(image));
  return found == held_.end() ? std::nullopt : std::optional(found->second.shown);
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
        self->held_[name_of(image)] = {{bytes, image.media_type, {}, {}}, false};
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

void Images::load(const std::vector<ImageRef>& wanted, std::int64_t document_room,
                  std::function<void()> loaded) {
  // One more than there are, so that the last is counted when all have begun.
  auto open = std::make_shared<std::size_t>(1);
  const auto done = [open, loaded = std::move(loaded)] {
    if (--*open == 0) loaded();
  };
  const auto documents = std::count_if(wanted.begin(), wanted.end(), is_document);
  most_text_ = document_room / std::max<std::int64_t>(documents, 1);
  const ContextScope scope = store_.detach();
  for (const ImageRef& image : wanted) {
    const auto held = held_.find(name_of(image));
    if (held != held_.end()) {
      if (held->second.fitted) continue;
      ++*open;
      fit(held->first, done);
    } else if (!image.artifact.empty()) {
      ++*open;
      read(image.artifact, done);
    }
  }
  done();
}

void Images::read(const std::string& id, std::function<void()> done) {
  host_.bus().call<ArtifactGet>(
      {owner_, id}, [self = shared_from_this(), id,
                     done = std::move(done)](const Result<Ref<ArtifactContent>>& content) {
        if (!content.ok()) {
          self->host_.log().warn("a picture cannot be read",
                                 {{"artifact", id}, {"reason", content.error().message}});
          return done();
        }
        self->held_[id] = {{(*content)->content, (*content)->info.content_type, {}, {}}, false};
        self->fit(id, done);
      });
}

void Images::fit(const std::string& name, std::function<void()> done) {
  Held& held = held_.at(name);
  held.fitted = true;
  if (held.shown.media_type.starts_with("image/")) return make_smaller(name, std::move(done));
  if (held.shown.media_type == kPdf) return read_document(name, std::move(done));
  done();
}

void Images::read_document(const std::string& name, std::function<void()> done) {
  CallOptions options;
  options.timeout = kDocumentLimit;
  host_.bus().call<DocumentText>(
      {held_.at(name).shown.bytes, most_text_},
      [self = shared_from_this(), name,
       done = std::move(done)](const Result<Ref<DocumentTextAnswer>>& read) {
        ShownImage& shown = self->held_.at(name).shown;
        if (read.ok()) {
          shown.text = (*read)->text;
          if ((*read)->truncated) shown.text += "\n[the document goes on]";
        } else {
          shown.note = read.error().message;
        }
        done();
      },
      options);
}

void Images::make_smaller(const std::string& name, std::function<void()> done) {
  CallOptions options;
  options.timeout = kFitLimit;
  host_.bus().call<PictureFit>(
      {held_.at(name).shown.bytes, kMostEdge, kMostBytes},
      [self = shared_from_this(), name,
       done = std::move(done)](const Result<Ref<FittedPicture>>& fitted) {
        if (fitted.ok()) {
          const FittedPicture& picture = **fitted;
          self->held_[name].shown = {picture.file, picture.media_type, scale_note(picture), {}};
        } else {
          // It is shown as it is, or named where it is larger than image_limit.
          self->host_.log().debug("a picture is not made smaller",
                                  {{"picture", name}, {"reason", fitted.error().message}});
        }
        done();
      },
      options);
}

}  // namespace gantry::agent
