// SPDX-License-Identifier: Apache-2.0
//
// One request on its way: who asks, what was sent, and the answer that is still owed. Strand only.
#pragma once

#include <gantry/agent_http/answers.hpp>
#include <gantry/agent_http/routes.hpp>
#include <gantry/contracts/http.hpp>
#include <gantry/contracts/identity.hpp>
#include <gantry/host.hpp>

#include <boost/json/object.hpp>
#include <boost/json/value.hpp>

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

namespace gantry::agent_http {

/// Always in a shared_ptr; whoever answers later keeps one. A plugin may add what its routes share.
class Exchange : public std::enable_shared_from_this<Exchange> {
 public:
  Exchange(Host& host, Ref<HttpRequest> request, std::function<void(HttpResponse)> reply)
      : host_(host), request_(std::move(request)), reply_(std::move(reply)) {}
  virtual ~Exchange() = default;
  Exchange(const Exchange&) = delete;
  Exchange& operator=(const Exchange&) = delete;

  [[nodiscard]] const HttpRequest& request() const { return *request_; }
  [[nodiscard]] const Ref<HttpRequest>& request_ref() const { return request_; }
  [[nodiscard]] Host& host() { return host_; }

  /// Whose token it was; none on routes that need no token.
  std::optional<IdentityVerified> who;
  Found found;
  boost::json::value body;  // checked against the route's model

  [[nodiscard]] const boost::json::object& members() const { return body.get_object(); }
  [[nodiscard]] const std::string& parameter(std::string_view name) const {
    return found.parameters.find(name)->second;
  }
  /// "http://127.0.0.1:8765", as the client calls this server.
  [[nodiscard]] std::string base_url() const;

  /// Answers, once.
  void answer(HttpResponse response) {
    if (reply_) std::exchange(reply_, nullptr)(std::move(response));
  }

  /// What ends the work for an answer that nobody waits for any more.
  void when_gone(std::function<void()> stop) { stop_ = std::move(stop); }
  void gone() {
    if (stop_) std::exchange(stop_, nullptr)();
  }

  /// Calls a contract and hands on what it says: `view` makes the JSON of it, `on_error` may have
  /// words of its own for an error (else failure() has).
  template <class C, class View>
  void call(typename C::Request request, View view,
            std::optional<HttpResponse> (*on_error)(const Error&) = nullptr) {
    auto self = shared_from_this();
    host_.bus().call<C>(std::move(request),
                        [self, view, on_error](const Result<Ref<typename C::Response>>& done) {
                          if (done.ok()) return self->answer(json_response(200, view(**done)));
                          std::optional<HttpResponse> said;
                          if (on_error != nullptr) said = on_error(done.error());
                          self->fail(done.error(), std::move(said));
                        });
  }
  /// Answers with `said`, else with what the error is everywhere; logs what nobody is told.
  void fail(const Error& error, std::optional<HttpResponse> said = std::nullopt);

 private:
  Host& host_;
  Ref<HttpRequest> request_;
  std::function<void(HttpResponse)> reply_;
  std::function<void()> stop_;
};

}  // namespace gantry::agent_http
