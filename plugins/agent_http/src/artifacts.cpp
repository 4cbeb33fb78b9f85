// SPDX-License-Identifier: Apache-2.0
#include <gantry/multipart.hpp>

#include <algorithm>

#include <gantry/agent_http/text.hpp>
#include "handlers.hpp"

namespace gantry::agent_http {
namespace {

namespace json = boost::json;

const MultipartPart* file_of(const std::vector<MultipartPart>& parts) {
  // Of fields with one name the last counts.
  const auto found = std::find_if(parts.rbegin(), parts.rend(),
                                  [](const MultipartPart& part) { return part.name == "file"; });
  return found == parts.rend() ? nullptr : &*found;
}

HttpResponse no_file() { return invalid({missing({"body", "file"}, nullptr)}); }

HttpResponse text_for_file(std::string_view text) {
  return invalid({{"value_error",
                   {"body", "file"},
                   "Value error, Expected UploadFile, received: <class 'str'>",
                   json::string(text),
                   json::object{{"error", json::object()}}}});
}

/// Bytes of the request's body, kept by whoever has them.
Buffer part_of(const Ref<HttpRequest>& request, std::string_view content) {
  return Buffer::wrap({reinterpret_cast<const std::uint8_t*>(content.data()), content.size()},
                      [request] {});
}

}  // namespace

void upload_artifact(Exchange& exchange) {
  const HttpRequest& request = exchange.request();
  const auto boundary = multipart_boundary(header_of(request, "content-type"));
  if (!boundary) return exchange.answer(no_file());
  if (boundary->empty()) return exchange.answer(detail(400, "Missing boundary in multipart."));
  const auto parts = multipart_parts(request.body.text(), *boundary);
  if (!parts) return exchange.answer(detail(400, "There was an error parsing the body"));
  const MultipartPart* file = file_of(*parts);
  if (file == nullptr) return exchange.answer(no_file());
  if (!file->filename) return exchange.answer(text_for_file(file->content));
  if (!file->content_type || trim(*file->content_type).empty()) {
    return exchange.answer(detail(400, "Missing content type"));
  }
  ArtifactPutRequest put;
  put.owner = exchange.who->principal.id;
  put.content = part_of(exchange.request_ref(), file->content);
  put.content_type = *file->content_type;
  put.filename = *file->filename;
  exchange.call<ArtifactPut>(
      std::move(put),
      [base = exchange.base_url()](const ArtifactInfo& info) { return artifact_view(info, base); },
      &artifact_error);
}

void download_artifact(Exchange& exchange) {
  auto self = exchange.shared_from_this();
  exchange.host().bus().call<ArtifactGet>(
      {exchange.who->principal.id, exchange.parameter("artifact_id")},
      [self](const Result<Ref<ArtifactContent>>& found) {
        if (!found.ok()) return self->fail(found.error(), artifact_error(found.error()));
        const ArtifactContent& artifact = **found;
        HttpResponse response;
        response.content_type = artifact.info.content_type;
        response.body = artifact.content;
        response.headers = {{"etag", "\"" + artifact.info.sha256 + "\""},
                            {"last-modified", http_date(artifact.info.created_ms)},
                            {"x-content-type-options", "nosniff"}};
        self->answer(std::move(response));
      });
}

}  // namespace gantry::agent_http
