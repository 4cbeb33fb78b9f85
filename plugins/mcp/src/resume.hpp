// SPDX-License-Identifier: Apache-2.0
#pragma once
// The second and later rounds of a request that ended as `input_required`.

#include <boost/json/object.hpp>
#include <memory>
#include <string>

namespace gantry::mcp {

class Call;
class Connection;

/// Answers to questions that a first request brings along; none without.
[[nodiscard]] boost::json::object early_answers(const Call& call);

/// Goes on with the run that the request's `requestState` names, or refuses the request. False: it
/// has none, and begins anew.
bool resume(Connection& connection, const std::shared_ptr<Call>& call, const std::string& name,
            const std::string& arguments);

}  // namespace gantry::mcp
