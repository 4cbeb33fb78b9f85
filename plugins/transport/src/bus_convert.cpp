// SPDX-License-Identifier: Apache-2.0
#include "bus_convert.hpp"

#include <gantry/http_status.hpp>

#include <span>

#include "head_parser.hpp"

namespace gantry::transport {
namespace {

/// name=value pairs in order. What is malformed is passed on as it is: refusing is the plugin's.
std::vector<HttpParameter> read_query(std::string_view query) {
  std::vector<HttpParameter> out;
  while (!query.empty()) {
    const size_t end = query.find('&');
    const std::string_view pair = query.substr(0, end);
    if (!pair.empty()) {
      const size_t equals = pair.find('=');
      const std::string_view name = pair.substr(0, equals);
      const std::string_view value =
          equals == std::string_view::npos ? std::string_view() : pair.substr(equals + 1);
      out.push_back({percent_decode(name, true).value_or(std::string(name)),
                     percent_decode(value, true).value_or(std::string(value))});
    }
    if (end == std::string_view::npos) break;
    query.remove_prefix(end + 1);
  }
  return out;
}

std::string peer_name(const PeerInfo& peer) {
  if (peer.address == "unix") return peer.address;
  const bool v6 = peer.address.find(':') != std::string::npos;
  return (v6 ? "[" + peer.address + "]" : peer.address) + ":" + std::to_string(peer.port);
}

}  // namespace

HttpRequest to_bus(const RequestPtr& request, const std::string& route) {
  const RequestHead& head = request->head;
  HttpRequest out;
  out.route = route;
  out.method = head.method;
  out.target = head.target;
  out.path = percent_decode(head.path).value_or(std::string(head.path));
  for (const auto& [name, value] : request->params) out.path_parameters.push_back({name, value});
  out.query = read_query(head.query);
  out.headers.reserve(head.fields.size());
  for (const auto& field : head.fields) {
    out.headers.push_back({lowered(field.name), std::string(field.value)});
  }
  if (!request->body.empty()) {
    const auto* data = reinterpret_cast<const std::uint8_t*>(request->body.data());
    out.body = Buffer::wrap(std::span(data, request->body.size()), [request] {});
  }
  out.listener = request->peer->listener;
  out.peer = peer_name(*request->peer);
  out.tls = request->peer->tls;
  out.connection = request->connection;
  return out;
}

Bytes to_bytes(const Buffer& buffer) {
  if (buffer.empty()) return {};
  auto held = std::make_shared<const Buffer>(buffer);
  const std::string_view view = held->text();
  return {std::move(held), view};
}

Response from_bus(const HttpResponse& response) {
  Response out;
  const bool sane = response.status >= 200 && response.status <= 599;
  out.head.status = sane ? response.status : 500;
  out.head.content_type = response.content_type;
  for (const auto& header : response.headers)
    out.head.headers.emplace_back(header.name, header.value);
  out.head.close = response.close;
  out.body = to_bytes(response.body);
  return out;
}

Response response_of(const Error& error) {
  return error_response(http_status_of(error.code), error.message);
}

}  // namespace gantry::transport
