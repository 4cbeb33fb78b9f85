// SPDX-License-Identifier: Apache-2.0
#pragma once
// Approvals and questionnaires that wait for an answer. Each belongs to a session and a turn; who
// asked hears of its end once, whoever or whatever ended it. Strand only.

#include <gantry/contracts/approval.hpp>
#include <gantry/host.hpp>

#include <functional>
#include <map>
#include <memory>
#include <string>

namespace gantry::agent {

class Session;

class Questions {
 public:
  using Decided = std::function<void(const Approval&)>;
  using Answered = std::function<void(const Questionnaire&)>;

  explicit Questions(Host& host) : host_(host) {}

  /// Fills in id, session and times, logs the request and waits. `timeout_ms` 0: with the turn.
  void ask(const std::shared_ptr<Session>& session, Approval approval, std::int64_t timeout_ms,
           Decided decided);
  void ask(const std::shared_ptr<Session>& session, Questionnaire questionnaire,
           std::int64_t timeout_ms, Answered answered);

  [[nodiscard]] OpenQuestions list(const ApprovalListRequest& request) const;
  Result<Approval> answer(const ApprovalAnswerRequest& request);
  Result<Questionnaire> answer(const QuestionnaireAnswerRequest& request);
  /// Ends those of one turn, as denied and as skipped; who asked does not hear of it.
  void drop(const Session& session, const std::string& turn, const std::string& by);

 private:
  template <class T>
  struct Open {
    std::shared_ptr<Session> session;
    T question;
    std::function<void(const T&)> then;
    Timer timer;
  };
  template <class T>
  using Table = std::map<std::string, Open<T>>;

  template <class T>
  void open(Table<T>& table, const std::shared_ptr<Session>& session, T question,
            std::int64_t timeout_ms, std::function<void(const T&)> then);
  /// Logs how it ended and takes it out.
  template <class T>
  T close(Table<T>& table, const std::string& id, T question, bool tell);

  Host& host_;
  Table<Approval> approvals_;
  Table<Questionnaire> questionnaires_;
};

}  // namespace gantry::agent
