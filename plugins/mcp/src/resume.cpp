// SPDX-License-Identifier: Apache-2.0
#include "resume.hpp"

#include "asking_run.hpp"
#include "connection.hpp"

namespace gantry::mcp {

boost::json::object early_answers(const Call& call) {
  const boost::json::object* answers = object_member(call.params(), "inputResponses");
  return answers == nullptr || !call.revision().stateless ? boost::json::object() : *answers;
}

bool resume(Connection& connection, const std::shared_ptr<Call>& call, const std::string& name,
            const std::string& arguments) {
  namespace json = boost::json;
  if (!call->revision().stateless) return false;
  const json::value* state = member(call->params(), "requestState");
  const json::value* answers = member(call->params(), "inputResponses");
  if (answers != nullptr && !answers->is_object()) {
    call->invalid_params("`inputResponses` must be an object");
    return true;
  }
  if (state == nullptr) return false;
  Core& core = connection.core();
  const std::int64_t now = core.environment.now_ns();
  const auto id = state->is_string() ? core.sealer.open(state->get_string(), now,
                                                        run_binding(*call, name, arguments))
                                     : std::nullopt;
  const auto run = id ? core.parked.take(*id, now) : nullptr;
  if (run == nullptr) {
    call->invalid_params(
        "`requestState` is not one of this request's: it was changed, used before, has expired, or "
        "belongs to other arguments. Send the request without it to begin again");
    return true;
  }
  const json::object none;
  const std::string problem = run->take_answers(answers == nullptr ? none : answers->get_object());
  if (!problem.empty()) {
    run->give_up();
    call->invalid_params(problem);
    return true;
  }
  run->attach(call, connection.weak_from_this());
  return true;
}

}  // namespace gantry::mcp
