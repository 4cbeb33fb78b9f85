// SPDX-License-Identifier: Apache-2.0
#include <gantry/base64.hpp>
#include <gantry/contract.hpp>
#include <gantry/contracts/artifact.hpp>
#include <gantry/contracts/session.hpp>

#include <memory>
#include <set>
#include <utility>
#include <vector>

#include "api_wire.hpp"
#include "chats.hpp"
#include "history_view.hpp"
#include "routes.hpp"
#include "workspaces.hpp"

namespace gantry::chat_cortask {
namespace {

constexpr std::int32_t kPage = 1000;
constexpr std::size_t kMostPictures = 32U << 20;  // bytes in base64 of one answer

/// The workspace that the query names; answers when there is none.
std::optional<std::string> workspace_of(Exchange& exchange) {
  auto id = exchange.query("workspaceId");
  if (!id || id->empty()) {
    exchange.error(400, "workspaceId query param required");
    return std::nullopt;
  }
  if (exchange.services().workspaces.find(*id) != nullptr) return id;
  exchange.error(404, "Workspace not found");
  return std::nullopt;
}

/// Reads page after page, as many as were asked for.
class Listing : public std::enable_shared_from_this<Listing> {
 public:
  Listing(ExchangePtr exchange, std::string workspace)
      : exchange_(std::move(exchange)),
        workspace_(std::move(workspace)),
        most_(exchange_->number("limit", 100'000, 1, 100'000)),
        offset_(exchange_->number("offset", 0, 0, 1'000'000'000)) {}

  void next() {
    SessionListRequest request;
    request.principal = kPrincipal;
    request.workspace = workspace_;
    const auto left = most_ - static_cast<std::int64_t>(rows_.size());
    request.limit = static_cast<std::int32_t>(std::min<std::int64_t>(left, kPage));
    request.offset = offset_;
    exchange_->host().bus().call<SessionList>(
        std::move(request), [self = shared_from_this()](const Result<Ref<SessionInfoList>>& page) {
          if (!page.ok()) return self->exchange_->fail(page.error());
          self->take(**page);
        });
  }

 private:
  void take(const SessionInfoList& page) {
    for (const SessionInfo& info : page.sessions) rows_.push_back(session_row(info));
    offset_ += static_cast<std::int64_t>(page.sessions.size());
    const bool more = !page.sessions.empty() && offset_ < page.total &&
                      static_cast<std::int64_t>(rows_.size()) < most_;
    if (more) return next();
    exchange_->json(to_json(rows_));
  }

  ExchangePtr exchange_;
  std::string workspace_;
  std::int64_t most_;
  std::int64_t offset_;
  std::vector<SessionRow> rows_;
};

/// A session with its messages: what it is, its history, its pictures.
class Reading : public std::enable_shared_from_this<Reading> {
 public:
  Reading(ExchangePtr exchange, SessionKey session)
      : exchange_(std::move(exchange)), session_(std::move(session)) {}

  void start() {
    SessionOpenRequest request;
    request.session = session_;
    request.create = false;
    exchange_->host().bus().call<SessionOpen>(
        std::move(request), [self = shared_from_this()](const Result<Ref<SessionInfo>>& info) {
          if (!info.ok()) return self->fail(info.error());
          self->row_ = session_row(**info);
          self->read_history();
        });
  }

 private:
  void fail(const Error& problem) {
    if (problem.code == Code::NotFound) return exchange_->error(404, "Session not found");
    exchange_->fail(problem);
  }

  void read_history() {
    exchange_->host().bus().call<SessionHistory>(
        {session_}, [self = shared_from_this()](const Result<Ref<SessionHistoryRows>>& history) {
          if (!history.ok()) return self->fail(history.error());
          self->rows_ = (*history)->rows;
          std::set<std::string> wanted;
          for (const HistoryRow& row : self->rows_) {
            if (row.role != RowRole::User) continue;
            for (const ImageRef& image : row.images) wanted.insert(image.artifact);
          }
          self->wanted_.assign(wanted.begin(), wanted.end());
          self->next_picture();
        });
  }

  void next_picture() {
    if (wanted_.empty() || bytes_ > kMostPictures) return answer();
    const std::string artifact = std::move(wanted_.back());
    wanted_.pop_back();
    exchange_->host().bus().call<ArtifactGet>(
        {kPrincipal, artifact},
        [self = shared_from_this(), artifact](const Result<Ref<ArtifactContent>>& found) {
          if (found.ok()) {
            std::string& text = self->pictures_[artifact];
            text = base64_of((*found)->content.bytes());
            self->bytes_ += text.size();
          }
          self->next_picture();
        });
  }

  void answer() {
    SessionView view;
    view.id = row_.id;
    view.title = row_.title;
    view.createdAt = row_.createdAt;
    view.updatedAt = row_.updatedAt;
    view.channel = row_.channel;
    view.messages = messages_of(rows_, pictures_);
    exchange_->json(to_json(view));
  }

  ExchangePtr exchange_;
  SessionKey session_;
  SessionRow row_;
  std::vector<HistoryRow> rows_;
  std::vector<std::string> wanted_;
  Pictures pictures_;
  std::size_t bytes_ = 0;
};

}  // namespace

void list_sessions(Exchange& exchange) {
  auto workspace = workspace_of(exchange);
  if (!workspace) return;
  std::make_shared<Listing>(exchange.shared_from_this(), std::move(*workspace))->next();
}

void read_session(Exchange& exchange) {
  auto workspace = workspace_of(exchange);
  if (!workspace) return;
  SessionKey session{kPrincipal, std::move(*workspace), exchange.parameters[0]};
  std::make_shared<Reading>(exchange.shared_from_this(), std::move(session))->start();
}

void delete_session(Exchange& exchange) {
  auto workspace = workspace_of(exchange);
  if (!workspace) return;
  exchange.host().bus().call<SessionDelete>(
      {{kPrincipal, std::move(*workspace), exchange.parameters[0]}},
      [self = exchange.shared_from_this()](const Result<Ref<Done>>& gone) {
        if (!gone.ok() && gone.error().code != Code::NotFound) return self->fail(gone.error());
        self->nothing();
      });
}

}  // namespace gantry::chat_cortask
