// SPDX-License-Identifier: Apache-2.0
//
// gantry.host.bus/1: the C face of Bus, Call and StreamLink.
#include "bus/bus_table.hpp"

#include "bus/bus.hpp"
#include "bus/call.hpp"
#include "bus/stream.hpp"
#include "host.hpp"

namespace gantry::kernel {

namespace {

Call& call_of(gantry_incoming* incoming) { return *static_cast<Call*>(incoming); }

Failure end_of(gantry_status status, const gantry_error* error) {
  if (status < GANTRY_OK || status > GANTRY_UNAUTHENTICATED) status = GANTRY_UNKNOWN;
  return Failure::copy(status, error);
}

constexpr gantry_host_bus make_table() {
  gantry_host_bus t{};
  t.size = sizeof t;
  t.register_contract = [](gantry_host* host, const gantry_contract* contract,
                           gantry_error* error) {
    return host->bus->register_contract(*host, contract, error);
  };
  t.publish = [](gantry_host* host, std::uint64_t contract, const gantry_body* body,
                 const gantry_send_options* options) {
    return host->bus->publish(*host, contract, body, options);
  };
  t.subscribe = [](gantry_host* host, std::uint64_t contract,
                   const gantry_subscribe_options* options, gantry_event_fn handler, void* user,
                   void (*drop)(void*), gantry_handle* out, gantry_error* error) {
    return host->bus->subscribe(*host, contract, options, handler, user, drop, out, error);
  };
  t.unsubscribe = [](gantry_host* host, gantry_handle subscription) {
    host->bus->unsubscribe(*host, subscription);
  };
  t.serve = [](gantry_host* host, std::uint64_t contract, gantry_call_fn handler, void* user,
               void (*drop)(void*), gantry_error* error) {
    return host->bus->serve(*host, contract, handler, nullptr, user, drop, error);
  };
  t.call = [](gantry_host* host, std::uint64_t contract, const gantry_body* request,
              const gantry_call_options* options, gantry_completion_fn completion, void* user,
              gantry_handle* out) {
    return host->bus->call(*host, contract, request, options, completion, user, out);
  };
  t.cancel = [](gantry_host* host, gantry_handle call) { host->bus->cancel(*host, call); };
  t.complete = [](gantry_incoming* call, gantry_status status, const gantry_body* response,
                  const gantry_error* error) { call_of(call).answer(status, response, error); };
  t.incoming_cancelled = [](gantry_incoming* call) { return call_of(call).given_up() ? 1 : 0; };
  t.incoming_on_cancel = [](gantry_incoming* call, gantry_closure fn) {
    call_of(call).set_on_cancel(fn);
  };
  t.incoming_retain = [](gantry_incoming* call) { call_of(call).server_retain(); };
  t.incoming_release = [](gantry_incoming* call) { call_of(call).server_release(); };
  t.serve_stream = [](gantry_host* host, std::uint64_t contract, gantry_accept_fn accept,
                      void* user, void (*drop)(void*), gantry_error* error) {
    return host->bus->serve(*host, contract, nullptr, accept, user, drop, error);
  };
  t.open_stream = [](gantry_host* host, std::uint64_t contract, const gantry_body* opening,
                     const gantry_stream_options* options, const gantry_stream_events* events,
                     void* user, gantry_stream** out, gantry_error* error) {
    return host->bus->open_stream(*host, contract, opening, options, events, user, out, error);
  };
  t.stream_accept = StreamLink::accept;
  t.stream_send = StreamLink::send;
  t.stream_grant = StreamLink::grant;
  t.stream_close = [](gantry_stream* stream, gantry_status status, const gantry_error* error) {
    StreamLink::close(stream, end_of(status, error));
  };
  t.stream_retain = StreamLink::retain_side;
  t.stream_release = StreamLink::release_side;
  t.set_suitability = [](gantry_host* host, int score, gantry_str reason) {
    host->bus->set_suitability(*host, score, view(reason));
  };
  t.body_to_json = body_json;
  t.call_json = [](gantry_host* host, gantry_str name, gantry_str request,
                   const gantry_call_options* options, gantry_completion_fn completion, void* user,
                   gantry_handle* out) {
    return host->bus->call_json(*host, view(name), std::string(view(request)), options, completion,
                                user, out);
  };
  return t;
}

}  // namespace

constinit const gantry_host_bus kBusTable = make_table();

}  // namespace gantry::kernel
