// SPDX-License-Identifier: Apache-2.0
#pragma once
// A tool or a prompt under way that may ask its client. With a session the questions are requests
// to the client; without one they end the request as `input_required`, the run waits (parked), and
// a later request with the answers goes on with it. Strand only.

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "call.hpp"
#include "core.hpp"
#include "source.hpp"
#include "wire.hpp"

namespace gantry::mcp {

class Connection;

/// What is asked for, in all rounds the same.
struct RunSubject {
  std::string method;
  std::string name;
  std::string binding;  ///< Method, name, digest of the arguments, principal.
};

class AskingRun : public std::enable_shared_from_this<AskingRun> {
 public:
  /// Sends the result to the call that is there when it comes.
  using Finish = std::function<void(Call&)>;

  AskingRun(Core& core, RunSubject subject) : core_(core), subject_(std::move(subject)) {}

  /// The call that it answers to from now on.
  void attach(const std::shared_ptr<Call>& call, std::weak_ptr<Connection> connection);
  void set_run(std::shared_ptr<Run> run);
  [[nodiscard]] const RunSubject& subject() const { return subject_; }

  /// Answers that came with the first request, before anything was asked; used as questions come.
  void expect(boost::json::object answers) { early_ = std::move(answers); }

  /// The client's answers to open questions; those that nobody asked are ignored. An error text
  /// when one of them has not the form of an answer; then nothing was taken.
  [[nodiscard]] std::string take_answers(const boost::json::object& answers);

  void on_progress(const ToolProgress& progress);
  void on_notice(const ToolNotice& notice);
  void on_asks(const std::vector<Ask>& asks);
  void on_come_back(std::int64_t ms);
  void on_end(const Error& error);
  /// It is done: `finish` answers the call, now or when one comes.
  void on_result(Finish finish);

  /// Nobody wants its result any more.
  void give_up();

 private:
  void ask_client(const Ask& ask);
  void answered(AskAnswer answer);
  [[nodiscard]] bool take_early();
  void refuse(AskKind kind);
  void fail_missing(Call& call, const std::string& needed, const std::string& message);
  void park();
  [[nodiscard]] std::string input_requests() const;

  Core& core_;
  RunSubject subject_;
  std::shared_ptr<Run> run_;
  std::shared_ptr<Call> call_;
  std::shared_ptr<void> share_;  // of Load: what was asked for is kept while it waits, too
  std::weak_ptr<Connection> connection_;
  std::vector<Ask> open_;  // questions without an answer
  boost::json::object early_;
  Finish result_;  // came while nobody was there
  std::shared_ptr<void> patience_;
  bool ended_ = false;
};

/// method + name + digest + principal.
[[nodiscard]] std::string run_binding(const Call& call, std::string_view name,
                                      const std::string& arguments);

}  // namespace gantry::mcp
