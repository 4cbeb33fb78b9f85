// SPDX-License-Identifier: Apache-2.0
//
// One user at one /ws/{session_id}: messages in line, the run under way, and the sockets that see
// it. Outlives its last socket for a while, so that whoever comes back receives the rest. Strand
// only.
#pragma once

#include <gantry/contracts/session.hpp>
#include <gantry/fair_share.hpp>
#include <gantry/host.hpp>

#include <cstdint>
#include <functional>
#include <list>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "incoming.hpp"
#include "models.hpp"
#include "run_view.hpp"
#include "settings.hpp"
#include "socket.hpp"

namespace gantry::chat_aide {

struct Who {
  std::string user;
  std::string principal;
};

class Seat : public std::enable_shared_from_this<Seat> {
 public:
  /// `waiting`: of all seats and sockets. `gone` runs when nobody needs the seat any more.
  Seat(Host& host, const Settings& settings, const Models& models, Who who, std::string fallback,
       std::shared_ptr<FairBudget> waiting, std::function<void()> gone);

  [[nodiscard]] const Who& who() const { return who_; }
  /// Nobody is there, and nothing is under way.
  [[nodiscard]] bool abandoned() const { return sockets_.empty() && !run_; }

  void join(const SocketPtr& socket);
  void leave(const SocketPtr& socket);
  void receive(const SocketPtr& socket, const Incoming& incoming);
  /// The list of models is another one.
  void show_models();
  /// Ends the sockets that came with this cookie.
  void sign_out(const std::string& cookie, int code);
  /// Ends all sockets and the run.
  void close(int code, const std::string& reason);

 private:
  struct Held {
    SocketPtr socket;
    std::string frame;
  };
  struct Waiting {
    SocketPtr socket;  // who said it
    ChatMessage message;
  };
  struct Gathering;

  void enqueue(const SocketPtr& socket, const ChatMessage& message);
  /// Whether so many bytes more may wait here, beside all that waits elsewhere.
  [[nodiscard]] bool hold(std::size_t more);
  void confirm(const Confirm& confirm);
  void refuse(const SocketPtr& socket, std::string message);
  void next();
  /// What was begun elsewhere is continued, never begun here; its workspace counts.
  void find_session(const std::shared_ptr<Gathering>& gathering);
  void gather(const std::shared_ptr<Gathering>& gathering);
  /// A PDF, as its text.
  void read(const std::shared_ptr<Gathering>& gathering, Attachment attachment);
  void keep(const std::shared_ptr<Gathering>& gathering, Attachment attachment);
  void start(TurnStartRequest turn);
  void watch(const TurnStartRequest& turn, std::uint64_t after);
  void drain();
  void show_image(const ImageRef& image);
  void fail(const std::string& message);
  void end_run();
  void abandon();
  void send(std::string frame);
  /// To one socket; one that reads too slowly is given up.
  void tell(const SocketPtr& socket, const std::string& frame);
  void answer(const std::string& approval, Decision decision);
  void deny_open();
  void stop_run(const std::string& reason);
  [[nodiscard]] SessionKey session(const std::string& id) const;

  Host& host_;
  const Settings& settings_;
  const Models& models_;
  const Who who_;
  const std::string fallback_;  // conversation of messages that name none
  std::function<void()> gone_;
  std::vector<SocketPtr> sockets_;
  // Lists and vectors: empty ones have no memory, and most seats are idle.
  std::list<Waiting> queue_;
  std::vector<Held> held_;           // errors that wait for the run's last frame
  std::vector<std::string> missed_;  // frames that nobody was there for
  std::size_t missed_bytes_ = 0;
  FairShare share_;               // of queue_ and missed_
  std::unique_ptr<RunView> run_;  // under way
  SessionKey run_session_;
  std::string run_turn_;  // empty: not started yet
  Stream<Nothing> watch_;
  std::list<SessionEvent> events_;  // that wait for a picture
  bool showing_ = false;
  std::uint64_t runs_ = 0;  // which one an answer belongs to
  Timer linger_;
};

}  // namespace gantry::chat_aide
