// SPDX-License-Identifier: Apache-2.0
#include "http.hpp"

#include <gantry/codec.hpp>
#include <gantry/contracts/artifact.hpp>
#include <gantry/http_status.hpp>
#include <gantry/multipart.hpp>
#include <gantry/task.hpp>

#include <boost/json/parse.hpp>

#include <algorithm>
#include <array>
#include <charconv>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "ask.hpp"
#include "call.hpp"
#include "frame.hpp"
#include "identity.hpp"
#include "models.hpp"
#include "rows.hpp"
#include "server.hpp"

namespace gantry::gateway {
namespace {

namespace json = boost::json;

constexpr std::string_view kSessionPath = "/v1/sessions/{key}";
constexpr const char* kHttpRefusal = R"({"error":{"code":"INVALID_REQUEST","message":{message}}})";

std::string header(const HttpRequest& request, std::string_view name) {
  const auto found = std::find_if(request.headers.begin(), request.headers.end(),
                                  [name](const HttpHeader& row) { return row.name == name; });
  return found == request.headers.end() ? std::string() : found->value;
}

std::string bearer(const HttpRequest& request) {
  constexpr std::string_view kScheme = "Bearer ";
  const std::string field = header(request, "authorization");
  return field.starts_with(kScheme) ? field.substr(kScheme.size()) : std::string();
}

HttpResponse json_response(std::int32_t status, const json::value& body) {
  HttpResponse response;
  response.status = status;
  response.content_type = "application/json";
  response.body = Buffer::of(codec::serialize(body));
  return response;
}

HttpResponse http_refusal(std::int32_t status, std::string_view code, std::string_view message) {
  return json_response(status,
                       json::object{{"error", json::object{{"code", code}, {"message", message}}}});
}

std::optional<std::int64_t> number_of(const std::string& text) {
  std::int64_t out = 0;
  const char* const end = text.data() + text.size();
  const auto [at, problem] = std::from_chars(text.data(), end, out);
  if (text.empty() || problem != std::errc() || at != end) return std::nullopt;
  return out;
}

/// A refusal of the protocol as a status of HTTP.
std::int32_t status_of(std::string_view code) {
  if (code == wire::kUnauthorized) return 401;
  if (code == wire::kTenantRevoked) return 403;
  if (code == wire::kNotFound) return 404;
  if (code == wire::kInternal) return 500;
  if (code == wire::kResourceExhausted) return 429;
  return code == wire::kUnavailable ? 503 : 400;
}

/// One request on its way.
struct Exchange {
  Server& server;
  Ref<HttpRequest> request;
  Identity who;
};
using ExchangePtr = std::shared_ptr<Exchange>;

Task<HttpResponse> http_health(ExchangePtr) {
  co_return json_response(200, json::object{{"status", "ok"}, {"protocol", kProtocol}});
}

Task<HttpResponse> edition(ExchangePtr exchange) {
  co_return json_response(200, json::object{{"name", "standard"},
                                            {"max_agents", exchange->server.agents().all().size()},
                                            {"max_teams", 0}});
}

Task<HttpResponse> agents(ExchangePtr exchange) {
  auto listing = list_models(exchange->server.host());
  const std::vector<LlmModel> models = co_await std::move(listing);
  json::array rows;
  const Agents& agents = exchange->server.agents();
  for (const AgentPtr& agent : agents.all()) {
    rows.push_back(agent_http_row(*agent, "system", agent == agents.usual(), models));
  }
  co_return json_response(200, json::object{{"agents", std::move(rows)}});
}

Task<HttpResponse> providers(ExchangePtr exchange) {
  auto listing = list_models(exchange->server.host());
  const std::vector<LlmModel> models = co_await std::move(listing);
  co_return json_response(200, json::object{{"providers", provider_rows(models)}});
}

/// The file of an upload; nullptr: there is none.
const MultipartPart* file_of(const std::vector<MultipartPart>& parts) {
  const auto found = std::find_if(parts.begin(), parts.end(), [](const MultipartPart& part) {
    return part.name == "file" && part.filename.has_value();
  });
  return found == parts.end() ? nullptr : &*found;
}

HttpResponse upload_failure(const Error& error) {
  if (error.detail.find("\"unsupported_type\"") != std::string::npos) {
    return http_refusal(415, wire::kInvalidRequest, error.message);
  }
  if (error.detail.find("\"too_large\"") != std::string::npos) {
    return http_refusal(413, wire::kInvalidRequest, error.message);
  }
  return http_refusal(http_status_of(error.code), wire_code(error.code), error.message);
}

Task<HttpResponse> upload(ExchangePtr exchange) {
  const HttpRequest& request = *exchange->request;
  const auto boundary = multipart_boundary(header(request, "content-type"));
  const auto parts = multipart_parts(request.body.text(), boundary.value_or(""));
  const MultipartPart* file = !boundary || boundary->empty() || !parts ? nullptr : file_of(*parts);
  if (file == nullptr) {
    co_return http_refusal(400, wire::kInvalidRequest,
                           "send multipart/form-data with a part named file");
  }
  if (exchange->who.principal.empty()) {
    co_return http_refusal(400, wire::kInvalidRequest, "X-GoClaw-User-Id is required");
  }
  ArtifactPutRequest put;
  put.owner = exchange->who.principal;
  put.content = Buffer::copy(file->content);
  put.content_type = file->content_type.value_or("");
  put.filename = *file->filename;
  const auto kept = co_await ask<ArtifactPut>(exchange->server.host(), std::move(put));
  if (!kept.ok()) co_return upload_failure(kept.error());
  co_return json_response(200, json::object{{"path", (*kept)->artifact_id},
                                            {"mime_type", (*kept)->content_type},
                                            {"filename", (*kept)->filename}});
}

/// A method of the protocol, asked over HTTP; what it says of the session is in the path.
Task<HttpResponse> by_method(ExchangePtr exchange, Handler handler, std::string method) {
  Frame frame;
  frame.method = std::move(method);
  if (!exchange->request->body.text().empty()) {
    json::error_code problem;
    const json::value body = json::parse(exchange->request->body.text(), problem);
    if (problem || !body.is_object()) {
      co_return http_refusal(400, wire::kInvalidRequest, "the body must be a JSON object");
    }
    frame.params = body.get_object();
  }
  for (const HttpParameter& one : exchange->request->query) {
    const auto number = number_of(one.value);
    frame.params[one.name] = number ? json::value(*number) : json::value(one.value);
  }
  for (const HttpParameter& one : exchange->request->path_parameters) {
    // What the path names is meant, whatever else the query or the body call a session.
    for (const char* name : {"sessionKey", "session_key"}) frame.params.erase(name);
    frame.params[one.name] = one.value;
  }
  auto call = std::make_shared<Call>(
      Call{exchange->server, nullptr, exchange->who, std::move(frame), {}, {}, {}});
  auto answering = handler(std::move(call));
  const Answer answer = co_await std::move(answering);
  if (!answer.ok) {
    co_return http_refusal(status_of(answer.code), answer.code, answer.message);
  }
  co_return json_response(200, answer.payload);
}

Task<HttpResponse> http_sessions(ExchangePtr exchange) {
  return by_method(std::move(exchange), &sessions_list, "sessions.list");
}

Task<HttpResponse> http_session(ExchangePtr exchange) {
  return by_method(std::move(exchange), &on_session<sessions_preview>, "sessions.preview");
}

Task<HttpResponse> http_label(ExchangePtr exchange) {
  return by_method(std::move(exchange), &on_session<sessions_patch>, "sessions.patch");
}

Task<HttpResponse> http_delete(ExchangePtr exchange) {
  return by_method(std::move(exchange), &on_session<sessions_delete>, "sessions.delete");
}

struct RouteRow {
  std::string_view method;
  std::string_view path;
  Role least;  // None: it is open
  Scope scope;
  Task<HttpResponse> (*handler)(ExchangePtr);
};

constexpr std::array kRoutes{
    RouteRow{"GET", "/health", Role::None, Scope::None, &http_health},
    RouteRow{"GET", "/v1/edition", Role::None, Scope::None, &edition},
    RouteRow{"GET", "/v1/agents", Role::Viewer, Scope::Read, &agents},
    RouteRow{"GET", "/v1/providers", Role::Viewer, Scope::Read, &providers},
    RouteRow{"GET", "/v1/sessions", Role::Viewer, Scope::Read, &http_sessions},
    RouteRow{"GET", kSessionPath, Role::Viewer, Scope::Read, &http_session},
    RouteRow{"PATCH", kSessionPath, Role::Operator, Scope::Write, &http_label},
    RouteRow{"DELETE", kSessionPath, Role::Operator, Scope::Write, &http_delete},
    RouteRow{"POST", "/v1/media/upload", Role::Operator, Scope::Write, &upload},
};

const RouteRow* find_route(const HttpRequest& request) {
  const std::string_view given = request.method;
  const std::string_view method = given == "HEAD" ? std::string_view("GET") : given;
  const auto found = std::find_if(kRoutes.begin(), kRoutes.end(), [&](const RouteRow& row) {
    return row.path == request.route && row.method == method;
  });
  return found == kRoutes.end() ? nullptr : &*found;
}

Task<HttpResponse> serve_route(ExchangePtr exchange) {
  const HttpRequest& request = *exchange->request;
  const RouteRow* route = find_route(request);
  if (route == nullptr) {
    co_return http_refusal(404, wire::kNotFound,
                           "there is no " + request.method + " " + request.path);
  }
  if (route->least != Role::None) {
    Claim claim;
    claim.token = bearer(request);
    claim.user = header(request, "x-goclaw-user-id");
    claim.sender = header(request, "x-goclaw-sender-id");
    claim.tenant = header(request, "x-goclaw-tenant-id");
    claim.peer = request.peer;
    auto recognising = recognise(exchange->server, std::move(claim));
    Recognised found = co_await std::move(recognising);
    if (!found.who) {
      co_return http_refusal(status_of(found.refusal.code), found.refusal.code,
                             found.refusal.message);
    }
    if (!found.who->at_least(route->least) || !found.who->may(route->scope)) {
      co_return http_refusal(403, wire::kUnauthorized,
                             "permission denied: requires " + std::string(role_name(route->least)) +
                                 " role and scope " + std::string(scope_name(route->scope)));
    }
    exchange->who = std::move(*found.who);
  }
  auto answering = route->handler(exchange);
  co_return co_await std::move(answering);
}

}  // namespace

MountRequest mounts(const Settings& settings, std::int64_t max_frame) {
  MountRequest mount;
  mount.listener = settings.listener;
  mount.own_authentication = true;
  mount.error_template = kHttpRefusal;
  mount.not_found_id = "none";
  HttpRoute socket;
  socket.kind = MountKind::WebSocket;
  socket.path = "/ws";
  socket.id = "ws";
  socket.max_message = max_frame;
  mount.routes.push_back(std::move(socket));
  for (const RouteRow& row : kRoutes) {
    if (mount.routes.back().path == row.path) {
      mount.routes.back().methods.emplace_back(row.method);
      continue;
    }
    HttpRoute route;
    route.methods = {std::string(row.method)};
    route.path = row.path;
    route.id = row.path;
    if (row.method == "POST") {
      route.max_body = settings.max_upload;
      route.require_json_for_browsers = false;  // uploads are forms; they need a token
    }
    mount.routes.push_back(std::move(route));
  }
  return mount;
}

void answer_http(Server& server, const Ref<HttpRequest>& request, Reply<HttpHandle> reply) {
  auto sent = std::make_shared<Reply<HttpHandle>>(std::move(reply));
  const auto exchange = std::make_shared<Exchange>(Exchange{server, request, {}});
  server.run(serve_route(exchange),
             [sent](HttpResponse response) { (*sent)(std::move(response)); });
}

}  // namespace gantry::gateway
