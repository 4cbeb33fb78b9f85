// SPDX-License-Identifier: Apache-2.0
#include "job.hpp"

#include <gantry/contracts/vision.hpp>
#include <gantry/errand.hpp>

#include <utility>

#include "source.hpp"

namespace gantry::perception_http {
namespace {

using agent_http::detail;

namespace json = boost::json;

constexpr std::string_view kNoOcr = "OCR service not available";

HttpResponse logged_failure(Job& job, const Error& error) {
  if (error.code == Code::Cancelled) return agent_http::failure(error);  // nobody is told
  job.host().log().warn("a request failed", {{"route", job.exchange->found.route->path},
                                             {"code", code_name(error.code)},
                                             {"reason", error.message}});
  return agent_http::failure(error);
}

HttpResponse picture_failure(Job& job, const Error& error) {
  if (error.detail.find("no_picture") != std::string::npos) {
    return detail(422, "Image source is not a valid image");
  }
  if (error.detail.find("too_large") != std::string::npos) {
    return detail(422, "Image source is too large: " + error.message);
  }
  return service_failure(job, error, "Image service not available");
}

/// The file that the body names or carries.
Task<Refusal> fetch_file(Job& job, Buffer& file) {
  const json::object& image = job.body().at("image").get_object();
  const std::string artifact = agent_http::text_of(image, "artifact_id");
  if (artifact.empty()) {
    auto bytes = inline_bytes(agent_http::text_of(image, "image_base64"));
    if (!bytes) co_return detail(422, "Invalid image_base64 payload");
    file = std::move(*bytes);
    job.source.source_id = "inline_" + picture_text::short_sha1(file.text());
    job.source.content_type = "image/png";
    co_return std::nullopt;
  }
  ArtifactRequest wish{job.exchange->who->principal.id, artifact};
  const auto found = co_await ask<ArtifactGet>(job.host(), job.errand, std::move(wish));
  if (!found.ok()) {
    auto said = agent_http::artifact_error(found.error());
    co_return said ? std::move(*said) : logged_failure(job, found.error());
  }
  file = (*found)->content;
  job.source.source_id = artifact;
  job.source.artifact_id = artifact;
  job.source.content_type = (*found)->info.content_type;
  co_return std::nullopt;
}

}  // namespace

HttpResponse service_failure(Job& job, const Error& error, std::string_view words) {
  HttpResponse response = logged_failure(job, error);
  const bool full = error.code == Code::ResourceExhausted;  // 507 is of those who keep things
  if (response.status != 503 && !full) return response;
  return agent_http::json_response(
      503, json::object{{"detail", json::string(words)}, {"reason", error.message}});
}

Task<Refusal> open_source(Job& job) {
  PictureOpenRequest wish;
  if (Refusal refused = co_await fetch_file(job, wish.file)) co_return refused;
  const auto opened = co_await ask<PictureOpen>(job.host(), job.errand, std::move(wish));
  if (!opened.ok()) co_return picture_failure(job, opened.error());
  job.source.image = (*opened)->image;
  co_return std::nullopt;
}

Task<Refusal> read_rows(Job& job) {
  if (Refusal refused = co_await open_source(job)) co_return refused;
  PictureTextRequest wish;
  wish.image = job.source.image;
  wish.languages = job.exchange->shared().settings.languages;
  const auto read = co_await ask<PictureText>(job.host(), job.errand, std::move(wish));
  if (!read.ok()) co_return service_failure(job, read.error(), kNoOcr);
  job.rows = picture_text::rows_of(**read, job.source.source_id);
  co_return std::nullopt;
}

VisionOverlayRequest drawing_of(const std::vector<Row>& rows, bool labels) {
  VisionOverlayRequest drawing;
  for (const Row& row : rows) {
    OverlayBox box;
    box.bbox = row.bbox;
    box.dot = true;
    if (labels) box.label = row.text + " [" + row.candidate_id + "]";
    drawing.boxes.push_back(std::move(box));
  }
  return drawing;
}

Task<Refusal> save_overlay(Job& job, VisionOverlayRequest drawing, Saved& saved) {
  drawing.image = job.source.image;
  saved.annotations = drawing.boxes.size() + drawing.points.size();
  const auto drawn = co_await ask<VisionOverlay>(job.host(), job.errand, std::move(drawing));
  if (!drawn.ok()) {
    if (drawn.error().code == Code::InvalidArgument) co_return detail(422, drawn.error().message);
    co_return service_failure(job, drawn.error(), "Overlay service not available");
  }
  ArtifactPutRequest put;
  put.owner = job.exchange->who->principal.id;
  put.content = (*drawn)->png;
  put.content_type = "image/png";
  put.filename = "overlay.png";
  const auto kept = co_await ask<ArtifactPut>(job.host(), job.errand, std::move(put));
  if (!kept.ok()) {
    auto said = agent_http::artifact_error(kept.error());
    co_return said ? std::move(*said) : logged_failure(job, kept.error());
  }
  saved.info = **kept;
  co_return std::nullopt;
}

}  // namespace gantry::perception_http
