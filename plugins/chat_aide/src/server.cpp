// SPDX-License-Identifier: Apache-2.0
#include "server.hpp"

#include <gantry/contract.hpp>
#include <gantry/contracts/identity.hpp>

#include <openssl/rand.h>

#include <algorithm>
#include <array>
#include <deque>
#include <utility>

#include "cookie.hpp"
#include "ids.hpp"

namespace gantry::chat_aide {
namespace {

constexpr std::int64_t kWallNsInMs = 1'000'000;
constexpr int kGoingAway = 1001;
constexpr int kPolicy = 1008;
constexpr std::size_t kLargeFrame = 256 << 10;

std::string path_value(const HttpRequest& request, std::string_view name) {
  for (const HttpParameter& parameter : request.path_parameters) {
    if (parameter.name == name) return parameter.value;
  }
  return {};
}

std::string problem_text(const Error& error) {
  return error.code == Code::Unavailable ? "Nobody can sign in at present: " + error.message
                                         : error.message;
}

std::int32_t problem_status(const Error& error) {
  switch (error.code) {
    case Code::Unauthenticated: return 401;
    case Code::ResourceExhausted: return 429;
    default: return 503;
  }
}

}  // namespace

std::string new_id() {
  std::array<unsigned char, 16> random{};
  if (RAND_bytes(random.data(), static_cast<int>(random.size())) != 1) std::abort();
  random[6] = static_cast<unsigned char>((random[6] & 0x0FU) | 0x40U);
  random[8] = static_cast<unsigned char>((random[8] & 0x3FU) | 0x80U);
  std::string id = hex_of({reinterpret_cast<const char*>(random.data()), random.size()});
  for (const std::size_t at : {8U, 13U, 18U, 23U}) id.insert(at, 1, '-');
  return id;
}

Server::Server(Host& host, Settings settings)
    : host_(host),
      settings_(std::move(settings)),
      users_(host),
      models_(host,
              [this] {
                for (const auto& [key, seat] : seats_) seat->show_models();
              }),
      refused_(host.counter("refused_total", "Log-ins and sockets that were refused.")) {}

std::int64_t Server::now_ms() const { return host_.wall_ns() / kWallNsInMs; }

void Server::close() {
  for (const auto& [key, seat] : std::exchange(seats_, {})) {
    seat->close(kGoingAway, "the server is going down");
  }
}

void Server::sign_out(const std::string& user) {
  const auto seats = seats_;
  for (const auto& [key, seat] : seats) {
    if (seat->who().user != user) continue;
    seat->close(kPolicy, "signed out");
    seats_.erase(key);
  }
}

void Server::authenticate(const HttpRequest& request,
                          std::function<void(Result<std::string>)> user) {
  if (open()) return user(std::string());
  users_.verify(cookie_named(header_of(request, "cookie"), kCookieName), std::move(user));
}

void Server::resolve(const std::string& user, std::function<void(Result<Who>)> who) {
  IdentityResolveRequest request;
  if (!user.empty()) request = {"aide", user};
  host_.bus().call<IdentityResolve>(std::move(request),
                                    [user, who](const Result<Ref<Principal>>& principal) {
                                      if (!principal.ok()) return who(principal.error());
                                      who(Who{user.empty() ? "local" : user, (*principal)->id});
                                    });
}

// ---- sockets ------------------------------------------------------------------------------------

/// A socket on its way to its seat, and the frames that wait for it.
struct Server::Arriving : std::enable_shared_from_this<Server::Arriving> {
  explicit Arriving(Host& of) : host(of) {}

  Host& host;
  std::string session;
  SocketPtr socket;
  std::shared_ptr<Seat> seat;
  std::deque<Ref<WsMessage>> frames;
  bool reading = false;
  bool gone = false;

  /// Takes frames in their order; a large one is read where that holds up nobody.
  void take_frames() {
    while (seat && !frames.empty() && !reading && !gone) {
      const Ref<WsMessage> frame = std::move(frames.front());
      frames.pop_front();
      if (frame->opcode == WsOpcode::Close) return leave();
      if (frame->opcode != WsOpcode::Text) {
        took(InvalidFrame{"binary frames are not part of this protocol"});
      } else if (frame->data.size() < kLargeFrame) {
        took(read_incoming(frame->data.text()));
      } else {
        reading = true;
        host.blocking([self = shared_from_this(), frame] {
          auto read = std::make_shared<Incoming>(read_incoming(frame->data.text()));
          self->host.post([self, read] {
            self->reading = false;
            if (!self->gone) self->took(*read);
            self->take_frames();
          });
        });
      }
    }
  }
  void took(const Incoming& incoming) {
    socket->grant();
    seat->receive(socket, incoming);
  }
  /// The client still listens: it gets what was sent before this, and what comes after it waits for
  /// whoever comes back. A last frame between the two would never be seen.
  void leave() {
    gone = true;
    seat->leave(socket);
    socket->end();
  }
};

StreamHandlers<WsMessage> Server::accept(const WsOpening& opening, Stream<WsMessage> down) {
  auto arriving = std::make_shared<Arriving>(host_);
  arriving->session = path_value(opening.request, "session_id");
  arriving->socket = std::make_shared<Socket>(std::move(down), waiting_);
  arriving->socket->cookie =
      digest_of(cookie_named(header_of(opening.request, "cookie"), kCookieName));
  const auto refuse = [this, arriving](const Error& error) {
    refused_.add();
    arriving->gone = true;
    arriving->socket->refuse(error);
  };
  StreamHandlers<WsMessage> handlers;
  handlers.on_chunk = [arriving](const Ref<WsMessage>& frame) {
    if (arriving->gone) return;
    arriving->frames.push_back(frame);
    arriving->take_frames();
  };
  handlers.on_writable = [arriving] { arriving->socket->flush(); };
  handlers.on_end = [arriving](const Error&) {
    arriving->gone = true;
    if (arriving->seat) arriving->seat->leave(arriving->socket);
  };
  if (!is_session_id(arriving->session)) {
    refuse(not_found("a session's id has 1 to 128 letters, digits and . _ : -"));
    return handlers;
  }
  authenticate(opening.request, [this, arriving, refuse](const Result<std::string>& user) {
    if (!user.ok()) return refuse(user.error());
    resolve(*user, [this, arriving, refuse](const Result<Who>& who) {
      if (!who.ok()) return refuse(who.error());
      if (!arriving->gone) seat(arriving, *who);
    });
  });
  return handlers;
}

void Server::seat(const std::shared_ptr<Arriving>& arriving, const Who& who) {
  const SeatKey key{who.principal, arriving->session};
  std::shared_ptr<Seat>& taken = seats_[key];
  if (!taken) {
    taken = std::make_shared<Seat>(host_, settings_, models_, who, new_id(), waiting_, [this, key] {
      // Not while it is at work: its own functions are below this one.
      host_.post([this, key] {
        const auto left = seats_.find(key);
        if (left != seats_.end() && left->second->abandoned()) seats_.erase(left);
      });
    });
  }
  arriving->seat = taken;
  arriving->socket->accept();
  arriving->seat->join(arriving->socket);
  arriving->take_frames();
}

// ---- pages --------------------------------------------------------------------------------------

void Server::handle(const HttpRequest& request, Reply<HttpHandle> reply) {
  if (request.route == "login") {
    if (request.method == "POST") return log_in(request, std::move(reply));
    return reply(login_page(200));
  }
  if (request.route == "link") return reply(login_page(200, {}, path_value(request, "token")));
  if (request.route == "logout") return log_out(request, std::move(reply));
  auto answer = std::make_shared<Reply<HttpHandle>>(std::move(reply));
  authenticate(request, [answer](const Result<std::string>& user) {
    if (user.ok()) return (*answer)(chat_page());
    if (user.error().code == Code::Unauthenticated) return (*answer)(redirect("/login"));
    answer->fail(user.error());
  });
}

/// The cookie is void from here on, also for whoever has a copy of it, and its sockets end.
void Server::log_out(const HttpRequest& request, Reply<HttpHandle> reply) {
  const std::string cookie(cookie_named(header_of(request, "cookie"), kCookieName));
  auto answer = std::make_shared<Reply<HttpHandle>>(std::move(reply));
  users_.sign_out(cookie, [this, answer, tls = request.tls,
                           digest = digest_of(cookie)](const Result<Done>& done) {
    if (!done.ok()) return answer->fail(done.error());
    // Without log-in nobody has a cookie, and nobody signs out.
    const auto seats = open() ? decltype(seats_)() : seats_;
    for (const auto& [key, seat] : seats) seat->sign_out(digest, kPolicy);
    HttpResponse response = redirect("/login");
    set_cookie(response, {}, 0, tls);
    (*answer)(std::move(response));
  });
}

void Server::log_in(const HttpRequest& request, Reply<HttpHandle> reply) {
  const bool json = is_json(request);
  const std::string address = address_of(request.peer);
  const std::int64_t wait =
      failures_.wait_ms(address, settings_.failures_per_minute, host_.monotonic_ns());
  const auto refusal = [json](std::int32_t status, const std::string& message) {
    return json ? json_answer(status, false, message) : login_page(status, message);
  };
  if (wait > 0) {
    HttpResponse response = refusal(429, "Too many failures from this address. Wait a minute.");
    response.headers.push_back({"Retry-After", std::to_string((wait + 999) / 1000)});
    refused_.add();
    return reply(std::move(response));
  }
  const std::optional<LoginFields> fields = read_login(request);
  if (!fields) {
    return reply(refusal(400, "Send username and password, as a form or as a JSON object."));
  }
  auto answer = std::make_shared<Reply<HttpHandle>>(std::move(reply));
  const bool secure = request.tls || settings_.public_url.starts_with("https://");
  const auto done = [this, answer, json, address, refusal,
                     secure](const Result<std::string>& cookie) {
    if (!cookie.ok()) {
      refused_.add();
      if (cookie.error().code == Code::Unauthenticated) {
        failures_.count(address, host_.monotonic_ns());
      }
      return (*answer)(refusal(problem_status(cookie.error()), problem_text(cookie.error())));
    }
    HttpResponse response = json ? json_answer(200, true, "signed in") : redirect("/");
    set_cookie(response, *cookie, settings_.session_lifetime, secure);
    (*answer)(std::move(response));
  };
  const std::int64_t expires = now_ms() + settings_.session_lifetime;
  if (!fields->token.empty()) return users_.redeem(fields->token, expires, done);
  users_.sign_in(fields->username, fields->password, expires, done);
}

}  // namespace gantry::chat_aide
