// SPDX-License-Identifier: Apache-2.0
//
// What the routes do; each answers its exchange now or later.
#pragma once

#include "exchange.hpp"

namespace gantry::agent_http {

// install.cpp
void register_install(Exchange& exchange);
void who_am_i(Exchange& exchange);

// artifacts.cpp
void upload_artifact(Exchange& exchange);
void download_artifact(Exchange& exchange);

// embeddings.cpp
void embed(Exchange& exchange);
void embeddings_health(Exchange& exchange);

// language.cpp
void summarize(Exchange& exchange);
void make_title(Exchange& exchange);
void semantic_health(Exchange& exchange);

// introspection.cpp
void list_models(Exchange& exchange);
void list_tool_schemas(Exchange& exchange);
void describe_tool(Exchange& exchange);
void show_system_prompt(Exchange& exchange);
void preview_prompt(Exchange& exchange);
void plan_query(Exchange& exchange);

// runs.cpp
void create_run(Exchange& exchange);
void get_run(Exchange& exchange);
void get_run_events(Exchange& exchange);
void post_run_event(Exchange& exchange);
void control_run(Exchange& exchange);
void run_dispatched(Exchange& exchange);
void worker_heartbeat(Exchange& exchange);
void stop_all_runs(Exchange& exchange);

}  // namespace gantry::agent_http
