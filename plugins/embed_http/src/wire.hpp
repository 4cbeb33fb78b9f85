// SPDX-License-Identifier: Apache-2.0
//
// Requests to a server and what it answers, for both protocols. Pure functions; messages hold
// nothing that the server said, which could be the key.
#pragma once

#include <gantry/contracts/embedding.hpp>
#include <gantry/http/fetch.hpp>
#include <gantry/result.hpp>

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "settings.hpp"

namespace gantry::embed_http {

[[nodiscard]] http::HttpRequest embed_request(const Settings& settings,
                                              std::span<const std::string> texts);
/// Only with remote-http.
[[nodiscard]] http::HttpRequest health_request(const Settings& settings);

struct Vectors {
  std::vector<EmbeddingVector> embeddings;
  EmbeddingSpace space;
};

/// The vectors of `count` texts. Errors: with an EmbeddingFailure, by status or because the answer
/// is none.
[[nodiscard]] Result<Vectors> read_vectors(const Settings& settings, const http::HttpAnswer& answer,
                                           std::size_t count);
[[nodiscard]] Result<EmbeddingSpace> read_health(const Settings& settings,
                                                 const http::HttpAnswer& answer);

/// What an error of the connection is.
[[nodiscard]] Error transport_failure(const Settings& settings, const Error& error);

/// Whether it speaks against the server rather than against the request.
[[nodiscard]] bool is_servers_fault(const Error& error);

/// How many texts from the front go into the next request: `batch`, and as many characters as a
/// service takes.
[[nodiscard]] std::size_t next_batch(const Settings& settings, std::span<const std::string> texts);

}  // namespace gantry::embed_http
