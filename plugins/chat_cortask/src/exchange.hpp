// SPDX-License-Identifier: Apache-2.0
#pragma once
// One request of the HTTP API on its way: what was asked, and the answer that is still owed. Strand
// only. Whoever answers later keeps its shared_ptr.

#include <gantry/contracts/http.hpp>
#include <gantry/host.hpp>
#include <gantry/result.hpp>

#include <boost/json/object.hpp>

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "settings.hpp"

namespace gantry::chat_cortask {

class Workspaces;
class Chats;
class Records;
class ArtifactShelf;

/// What the handlers of requests work with. All outlive every exchange.
struct Services {
  Host& host;
  const Settings& settings;
  Workspaces& workspaces;
  Chats& chats;
  Records& records;
  ArtifactShelf& artifacts;
};

class Exchange : public std::enable_shared_from_this<Exchange> {
 public:
  using Reply = std::function<void(HttpResponse)>;

  Exchange(Services& services, Ref<HttpRequest> request, Reply reply)
      : services_(services), request_(std::move(request)), reply_(std::move(reply)) {}

  [[nodiscard]] Services& services() { return services_; }
  [[nodiscard]] Host& host() { return services_.host; }
  [[nodiscard]] const HttpRequest& request() const { return *request_; }

  std::vector<std::string> parameters;  // of the path, in order
  boost::json::object body;             // empty when none was sent

  [[nodiscard]] std::optional<std::string> query(std::string_view name) const;
  /// A whole number of the query within limits; what is none is `usual`.
  [[nodiscard]] std::int64_t number(std::string_view name, std::int64_t usual, std::int64_t low,
                                    std::int64_t high) const;
  /// A text member of the body; none when it is missing or something else.
  [[nodiscard]] std::optional<std::string> text(std::string_view name) const;

  // ---- answers; the first counts
  void answer(HttpResponse response);
  void json(std::string text, int status = 200);
  void error(int status, std::string_view text);
  /// The status that says the same, and the error's own words.
  void fail(const Error& error);
  void nothing();  // 204

  /// For work that is done or failed: `json_text` when it is done.
  [[nodiscard]] std::function<void(Result<void>)> then_json(std::string json_text);

 private:
  Services& services_;
  Ref<HttpRequest> request_;
  Reply reply_;
};
using ExchangePtr = std::shared_ptr<Exchange>;

/// The value of a header, whose name is in lower case; empty: there is none.
[[nodiscard]] std::string_view header(const HttpRequest& request, std::string_view name);

}  // namespace gantry::chat_cortask
