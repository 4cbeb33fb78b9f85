// SPDX-License-Identifier: Apache-2.0
//
// One request on its way through the steps that routes have in common. Strand only.
#pragma once

#include <gantry/agent_http/exchange.hpp>
#include <gantry/contracts/picture.hpp>
#include <gantry/errand.hpp>
#include <gantry/picture_text/matching.hpp>
#include <gantry/task.hpp>

#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "settings.hpp"

namespace gantry::perception_http {

using picture_text::Row;

/// What the routes of one plugin share.
struct Shared {
  Settings settings;
  RunningTasks running;
};

class PictureExchange final : public agent_http::Exchange {
 public:
  PictureExchange(Host& host, Shared& shared, Ref<HttpRequest> request,
                  std::function<void(HttpResponse)> reply)
      : Exchange(host, std::move(request), std::move(reply)), shared_(shared) {}

  [[nodiscard]] Shared& shared() { return shared_; }

 private:
  Shared& shared_;
};

/// Where a picture is from, and its pixels.
struct Source {
  std::string source_id;
  std::string artifact_id;  // empty: it stood in the request
  std::string content_type;
  Image image;
};

/// A step's refusal; nothing: go on.
using Refusal = std::optional<HttpResponse>;

struct Job {
  std::shared_ptr<PictureExchange> exchange;
  ErrandPtr errand = std::make_shared<Errand>();  // given up when the client goes
  Source source;
  std::vector<Row> rows;

  [[nodiscard]] const boost::json::object& body() const { return exchange->members(); }
  [[nodiscard]] Host& host() const { return exchange->host(); }
};

/// The picture that the body names, of the caller.
Task<Refusal> open_source(Job& job);
/// That, and its rows.
Task<Refusal> read_rows(Job& job);

/// A saved overlay.
struct Saved {
  ArtifactInfo info;
  std::size_t annotations = 0;
};
/// Draws on the job's picture and keeps the result as an artifact of the caller.
Task<Refusal> save_overlay(Job& job, VisionOverlayRequest drawing, Saved& saved);
/// Boxes around rows, with their texts and candidate ids if `labels`.
VisionOverlayRequest drawing_of(const std::vector<Row>& rows, bool labels);

/// 503 with the published words, and why besides them; other errors as they are everywhere.
HttpResponse service_failure(Job& job, const Error& error, std::string_view words);

}  // namespace gantry::perception_http
