// SPDX-License-Identifier: Apache-2.0
#include <gantry/embedding/answers.hpp>

#include <gantry/codec.hpp>
#include <gantry/embedding/vectors.hpp>

#include <boost/json/object.hpp>

namespace gantry::embedding {

std::string healthy_text(const EmbeddingSpace& space) {
  std::string body = R"({"status":"healthy",)";
  append_space(space, body);
  body += '}';
  return body;
}

std::string failure_text(const EmbeddingFailure& failure, std::string_view message) {
  return codec::serialize(boost::json::object{{"code", failure.code},
                                              {"message", message},
                                              {"provider_id", failure.provider_id},
                                              {"status_code", failure.status_code},
                                              {"retryable", failure.retryable}});
}

}  // namespace gantry::embedding
