// SPDX-License-Identifier: Apache-2.0
#include <gantry/embedding/answers.hpp>
#include <gantry/embedding/failure.hpp>

#include <catch2/catch.hpp>
#include <string>
#include <vector>

namespace gantry::embedding {
namespace {

EmbedRequest texts(std::vector<std::string> list, std::string model = {}) {
  return {std::move(list), std::move(model)};
}

std::string many(const std::string& what, std::size_t times) {
  std::string out;
  for (std::size_t i = 0; i < times; ++i) out += what;
  return out;
}

TEST_CASE("the limits of a request are characters, not bytes") {
  struct Row {
    const char* name;
    EmbedRequest request;
    const char* problem;  // empty: none
  };
  const std::string longest = many("é", kLongestText);
  const Row rows[] = {
      {"one", texts({"a"}), ""},
      {"none", texts({}), "texts: 1 to 256"},
      {"256", texts(std::vector<std::string>(256, "a")), ""},
      {"257", texts(std::vector<std::string>(257, "a")), "texts: 1 to 256"},
      {"an empty one", texts({"a", ""}), "texts[1]: 1 to 8192"},
      {"the longest", texts({longest}), ""},
      {"longer", texts({longest + "e"}), "texts[0]: 1 to 8192"},
      {"all", texts(std::vector<std::string>(8, longest)), ""},
      {"more", texts([&] {
         std::vector<std::string> list(8, longest);
         list.emplace_back("a");
         return list;
       }()),
       "texts: 65536 characters"},
      {"a model's name", texts({"a"}, many("é", 128)), ""},
      {"a longer one", texts({"a"}, many("é", 129)), "model_name"},
  };
  for (const Row& row : rows) {
    INFO(row.name);
    const auto result = check_request(row.request);
    CHECK(result.ok() == (*row.problem == '\0'));
    if (result.ok()) continue;
    CHECK(result.error().code == Code::InvalidArgument);
    CHECK(result.error().message.find(row.problem) == 0);
  }
}

TEST_CASE("a provider's failure says what it is, in code and in status") {
  struct Row {
    Trouble trouble;
    Code code;
    const char* name;
    std::int32_t status;
    bool retryable;
  };
  for (const Row& row : {
           Row{Trouble::Unavailable, Code::Unavailable, "provider_unavailable", 503, true},
           Row{Trouble::CircuitOpen, Code::Unavailable, "circuit_open", 503, true},
           Row{Trouble::Capacity, Code::ResourceExhausted, "capacity_exceeded", 503, true},
           Row{Trouble::Timeout, Code::DeadlineExceeded, "provider_timeout", 504, true},
           Row{Trouble::RateLimited, Code::ResourceExhausted, "rate_limited", 429, true},
           Row{Trouble::InvalidResponse, Code::DataLoss, "invalid_response", 502, false},
           Row{Trouble::Refused, Code::FailedPrecondition, "provider_error", 502, false},
       }) {
    INFO(row.name);
    const Error error = failure(row.trouble, "p", "why");
    CHECK(error.code == row.code);
    CHECK(error.message == "why");
    const auto said = failure_of(error);
    REQUIRE(said.has_value());
    CHECK(said->code == row.name);
    CHECK(said->status_code == row.status);
    CHECK(said->retryable == row.retryable);
    CHECK(said->provider_id == "p");
  }
}

TEST_CASE("an error of something else is no provider's") {
  CHECK_FALSE(failure_of(unavailable("nobody")).has_value());
  CHECK_FALSE(failure_of({Code::Internal, "x", "not json"}).has_value());
  CHECK_FALSE(failure_of({Code::Internal, "x", R"({"code_":"y"})"}).has_value());
  CHECK(missing("p", "no table", "build it").message == "no table (cure: build it)");
}

TEST_CASE("spaces and failures as JSON") {
  const EmbeddingSpace space = make_space("p", "m/1", "M \"one\"", 2);
  CHECK(space.embedding_space_version == "p:m/1:2");
  CHECK(healthy_text(space) ==
        R"({"status":"healthy","provider_id":"p","model_id":"m/1","model_name":"M \"one\"",)"
        R"("dimension":2,"embedding_space_version":"p:m/1:2"})");
  CHECK(failure_text({"circuit_open", "p", 503, true}, "say \"why\"") ==
        R"({"code":"circuit_open","message":"say \"why\"","provider_id":"p",)"
        R"("status_code":503,"retryable":true})");
}

}  // namespace
}  // namespace gantry::embedding
