// SPDX-License-Identifier: Apache-2.0
#pragma once
// The way back of one POST. Strand only.

#include <cstddef>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "connection.hpp"
#include "environment.hpp"
#include "http_session.hpp"
#include "sse.hpp"

namespace gantry::mcp {

struct OutletOptions {
  bool may_stream = true;    ///< The client takes event streams.
  bool must_stream = false;  ///< It takes nothing else, or the answer is one.
  bool priming = false;
  std::vector<HttpHeader> headers;
};

class HttpOutlet final : public Outlet, public std::enable_shared_from_this<HttpOutlet> {
 public:
  /// `session` may be null: then nobody can come back.
  HttpOutlet(std::shared_ptr<PartWriter> writer, SessionPtr session, OutletOptions options)
      : writer_(std::move(writer)), session_(std::move(session)), options_(std::move(options)) {}

  [[nodiscard]] bool streams() const override { return options_.may_stream; }
  void send(std::string message) override;
  void respond(std::string message, int status) override;
  void come_back(std::int64_t ms) override;
  /// Ends the stream, or answers 202 without a body: the protocol has no response for this.
  void unanswered() override;

  /// A request takes long: the client learns that it is being worked on.
  void keep_alive();
  /// 202 without a body.
  void accept();
  /// The connection is gone. True when the client may come back for the rest.
  bool hung_up();
  [[nodiscard]] bool done() const { return done_; }

 private:
  void begin_stream();

  std::shared_ptr<PartWriter> writer_;
  SessionPtr session_;
  OutletOptions options_;
  std::shared_ptr<EventStream> events_;
  bool done_ = false;
};

/// Collects the answers of a batch into one array. They are sent together, so they are kept until
/// the last one is there, and have a limit.
class BatchAnswers {
 public:
  /// With so many bytes of answers nothing more of the batch is begun.
  static constexpr std::size_t kEnough = 4U << 20U;
  /// An answer with which there would be more gives way to an error, unless it is the first.
  static constexpr std::size_t kMost = 16U << 20U;

  /// Gets the array, unless it is empty.
  explicit BatchAnswers(std::shared_ptr<Outlet> outlet) : outlet_(std::move(outlet)) {}
  void expect() { ++missing_; }
  [[nodiscard]] bool enough() const { return bytes_ >= kEnough; }
  /// `id`: JSON text of the request's, or empty.
  void add(const std::string& id, std::string message);
  /// One that was expected does not come.
  void leave_out();
  /// All requests were handed over. True when none of them is answered.
  bool seal();

 private:
  void finish_if_complete();
  std::shared_ptr<Outlet> outlet_;
  std::vector<std::string> answers_;
  std::size_t bytes_ = 0;
  std::size_t missing_ = 0;
  bool sealed_ = false;
};

class BatchOutlet final : public Outlet {
 public:
  BatchOutlet(std::shared_ptr<BatchAnswers> answers, std::string id)
      : answers_(std::move(answers)), id_(std::move(id)) {
    answers_->expect();
  }
  [[nodiscard]] bool streams() const override { return false; }
  void send(std::string) override {}
  void respond(std::string message, int) override { answers_->add(id_, std::move(message)); }
  void come_back(std::int64_t) override {}
  void unanswered() override { answers_->leave_out(); }

 private:
  std::shared_ptr<BatchAnswers> answers_;
  std::string id_;
};

/// Hands the messages of a batch to `connection`. The ids of the requests among them.
std::vector<std::string> hand_over_batch(Connection& connection, std::vector<Message> messages,
                                         const std::shared_ptr<BatchAnswers>& answers,
                                         const Headers& headers);

}  // namespace gantry::mcp
