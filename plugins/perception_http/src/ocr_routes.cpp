// SPDX-License-Identifier: Apache-2.0
#include <gantry/ask.hpp>

#include <boost/json/parse.hpp>

#include <algorithm>

#include "handlers.hpp"
#include "views.hpp"

namespace gantry::perception_http {
namespace {

using agent_http::detail;
using agent_http::detail_object;
using agent_http::json_response;
using agent_http::text_of;
using picture_text::Unresolved;

namespace json = boost::json;

constexpr double kThreshold = 0.8;
constexpr std::int32_t kUsualRows = 10;

/// How a body wants its text to be matched.
struct Query {
  std::string text;
  double threshold = kThreshold;
  std::size_t most = 0;
};

Query query_of(const Job& job) {
  const json::object& body = job.body();
  return {text_of(body, "text"), agent_http::number_of(body, "threshold", kThreshold),
          static_cast<std::size_t>(agent_http::integer_of(body, "max_results", kUsualRows))};
}

bool wants_labels(const Job& job) { return agent_http::flag_of(job.body(), "show_labels", true); }

/// Many or long texts take their time.
Task<std::vector<Row>> rank(Job& job, const Query& query) {
  auto work = [&job, &query] { return ranked(job.rows, query.text); };
  co_return co_await aside<std::vector<Row>>(job.host(), work);
}

std::vector<Row> accepted_rows(const std::vector<Row>& ranked, const Query& query) {
  return first_of(ranked, std::min(query.most, accepted(ranked, query.threshold)));
}

const Row* candidate(const Job& job) {
  const std::string id = text_of(job.body(), "candidate_id");
  const auto found = std::find_if(job.rows.begin(), job.rows.end(),
                                  [&id](const Row& row) { return row.candidate_id == id; });
  return found == job.rows.end() ? nullptr : &*found;
}

json::object matches_view(const Job& job, const Query& query, const std::vector<Row>& rows) {
  return {{"image", image_view(job.source)},
          {"query", query.text},
          {"threshold", query.threshold},
          {"matches", rows_view(rows)}};
}

json::value resolution_error(const std::optional<Unresolved>& why) {
  if (!why) return nullptr;
  return json::object{{"status_code", why->status}, {"detail", json::parse(why->detail)}};
}

}  // namespace

Task<HttpResponse> run_ocr(Job& job) {
  if (Refusal refused = co_await read_rows(job)) co_return std::move(*refused);
  co_return json_response(
      200, json::object{{"image", image_view(job.source)}, {"results", rows_view(job.rows)}});
}

Task<HttpResponse> find_text(Job& job) {
  if (Refusal refused = co_await read_rows(job)) co_return std::move(*refused);
  const Query query = query_of(job);
  const std::vector<Row> all = co_await rank(job, query);
  co_return json_response(200, matches_view(job, query, accepted_rows(all, query)));
}

Task<HttpResponse> find_text_candidates(Job& job) {
  if (Refusal refused = co_await read_rows(job)) co_return std::move(*refused);
  const Query query = query_of(job);
  const std::vector<Row> all = co_await rank(job, query);
  co_return json_response(200, matches_view(job, query, first_of(all, query.most)));
}

Task<HttpResponse> resolve_text(Job& job) {
  if (Refusal refused = co_await read_rows(job)) co_return std::move(*refused);
  const Query query = query_of(job);
  const std::vector<Row> all = co_await rank(job, query);
  if (const auto why = unresolved(all, query.text, query.threshold)) {
    co_return detail_object(why->status, why->detail);
  }
  co_return json_response(200, json::object{{"image", image_view(job.source)},
                                            {"query", query.text},
                                            {"threshold", query.threshold},
                                            {"match", row_view(all.front())}});
}

Task<HttpResponse> resolve_candidate(Job& job) {
  if (Refusal refused = co_await read_rows(job)) co_return std::move(*refused);
  const Row* const row = candidate(job);
  if (row == nullptr) co_return detail(404, "OCR candidate not found for the provided image");
  co_return json_response(200, json::object{{"image", image_view(job.source)},
                                            {"candidate_id", row->candidate_id},
                                            {"match", row_view(*row)}});
}

Task<HttpResponse> overlay_ocr(Job& job) {
  if (Refusal refused = co_await read_rows(job)) co_return std::move(*refused);
  const Query query = query_of(job);
  std::vector<Row> rows;
  if (!text_of(job.body(), "candidate_id").empty()) {
    const Row* const row = candidate(job);
    if (row == nullptr) co_return detail(404, "OCR candidate not found for overlay");
    rows = {*row};
  } else if (!query.text.empty()) {
    const std::vector<Row> all = co_await rank(job, query);
    rows = accepted_rows(all, query);
  } else {
    rows = first_of(job.rows, query.most);
  }
  VisionOverlayRequest drawing = drawing_of(rows, wants_labels(job));
  Saved saved;
  if (Refusal refused = co_await save_overlay(job, std::move(drawing), saved)) {
    co_return std::move(*refused);
  }
  co_return json_response(200, overlay_view(job.source, saved, job.exchange->base_url()));
}

Task<HttpResponse> inspect_ocr(Job& job) {
  if (Refusal refused = co_await read_rows(job)) co_return std::move(*refused);
  const Query query = query_of(job);
  std::vector<Row> top;
  std::vector<Row> fitting;
  std::optional<Unresolved> why;
  if (!query.text.empty()) {
    const std::vector<Row> all = co_await rank(job, query);
    top = first_of(all, query.most);
    fitting = accepted_rows(all, query);
    why = unresolved(all, query.text, query.threshold);
  }
  json::object view{{"image", image_view(job.source)},
                    {"query", query.text.empty() ? json::value(nullptr) : json::value(query.text)},
                    {"threshold", query.threshold},
                    {"results", rows_view(job.rows)},
                    {"ranked_matches", rows_view(top)},
                    {"accepted_matches", rows_view(fitting)},
                    {"resolved_match", nullptr},
                    {"resolution_error", resolution_error(why)},
                    {"overlay", nullptr}};
  if (!query.text.empty() && !why) view["resolved_match"] = row_view(top.front());
  if (agent_http::flag_of(job.body(), "include_overlay", false)) {
    const std::vector<Row> drawn = query.text.empty() ? first_of(job.rows, query.most) : fitting;
    VisionOverlayRequest drawing = drawing_of(drawn, wants_labels(job));
    Saved saved;
    if (Refusal refused = co_await save_overlay(job, std::move(drawing), saved)) {
      co_return std::move(*refused);
    }
    view["overlay"] = overlay_view(job.source, saved, job.exchange->base_url());
  }
  co_return json_response(200, view);
}

}  // namespace gantry::perception_http
