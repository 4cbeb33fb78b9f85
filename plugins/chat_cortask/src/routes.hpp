// SPDX-License-Identifier: Apache-2.0
#pragma once
// The HTTP API: which handler answers which request.

#include <string_view>

#include "exchange.hpp"

namespace gantry::chat_cortask {

/// Answers a request: preflights, the API, and what is neither.
void serve(const ExchangePtr& exchange);

/// Pages whose origin the listener has let in may read the answer.
void allow_origin(const HttpRequest& request, HttpResponse& response);

// ---- handlers, by the file that has them
// api_start.cpp
void health(Exchange& exchange);
void check_updates(Exchange& exchange);
void onboarding_status(Exchange& exchange);
void complete_onboarding(Exchange& exchange);
void read_config(Exchange& exchange);
void change_config(Exchange& exchange);
void list_channels(Exchange& exchange);
void start_channel(Exchange& exchange);
void stop_channel(Exchange& exchange);
// api_workspaces.cpp
void list_workspaces(Exchange& exchange);
void create_workspace(Exchange& exchange);
void sort_workspaces(Exchange& exchange);
void read_workspace(Exchange& exchange);
void change_workspace(Exchange& exchange);
void delete_workspace(Exchange& exchange);
void open_workspace(Exchange& exchange);
// api_files.cpp
void list_files(Exchange& exchange);
void show_tree(Exchange& exchange);
void read_memory(Exchange& exchange);
void write_memory(Exchange& exchange);
void get_file(Exchange& exchange);
void put_file(Exchange& exchange);
void rename_file(Exchange& exchange);
void delete_file(Exchange& exchange);
// api_sessions.cpp
void list_sessions(Exchange& exchange);
void read_session(Exchange& exchange);
void delete_session(Exchange& exchange);
// api_models.cpp
void list_providers(Exchange& exchange);
void choose_provider(Exchange& exchange);
void test_provider(Exchange& exchange);
void available_models(Exchange& exchange);
void enabled_models(Exchange& exchange);
void enable_model(Exchange& exchange);
void disable_model(Exchange& exchange);
void complete_prompt(Exchange& exchange);
// api_cron.cpp
void list_jobs(Exchange& exchange);
void create_job(Exchange& exchange);
void read_job(Exchange& exchange);
void change_job(Exchange& exchange);
void delete_job(Exchange& exchange);
void run_job(Exchange& exchange);
// api_records.cpp
void list_templates(Exchange& exchange);
void create_template(Exchange& exchange);
void change_template(Exchange& exchange);
void delete_template(Exchange& exchange);
void list_credentials(Exchange& exchange);
void put_credential(Exchange& exchange);
void read_credential(Exchange& exchange);
void delete_credential(Exchange& exchange);
void show_usage(Exchange& exchange);
void usage_history(Exchange& exchange);
void list_artifacts(Exchange& exchange);
void read_artifact(Exchange& exchange);
// api_memory.cpp
void search_memory(Exchange& exchange);
void memory_entries(Exchange& exchange);
void test_embedding(Exchange& exchange);
// api_skills.cpp
void list_skills(Exchange& exchange);
void create_skill(Exchange& exchange);
void change_skill(Exchange& exchange);
void read_skill(Exchange& exchange);
void delete_skill(Exchange& exchange);
void install_skill(Exchange& exchange);
void skill_without_login(Exchange& exchange);

}  // namespace gantry::chat_cortask
