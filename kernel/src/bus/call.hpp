// SPDX-License-Identifier: Apache-2.0
//
// Call: one request and its exactly one completion, from call() to the completion handler. The same
// object is the request in the server's queue, the timer of the deadline, the node in the tree of
// cancellation, and the completion in the caller's queue, so a call is one allocation.
//
// Who ends it first wins: the server's answer, the deadline, a cancellation, the end of either
// plugin. Everything that comes later is ignored; a second answer by the server is counted.
#pragma once

#include "bus/body.hpp"
#include "bus/contract.hpp"
#include "exec/context.hpp"
#include "exec/strand.hpp"
#include "exec/timers.hpp"

#include <gantry/abi/bus.h>

#include <memory>
#include <mutex>
#include <string>

struct gantry_incoming {};  // what plugins hold is the Call itself

namespace gantry::kernel {

struct CallConfig {
  gantry_host* caller = nullptr;
  Contract* contract = nullptr;
  // The contract, when it is in no table because no plugin could serve its name.
  std::unique_ptr<Contract> unlisted;
  BodyRef request;
  bool from_json = false;  // the request is JSON text for the serving plugin's own type
  gantry_completion_fn completion = nullptr;
  void* user = nullptr;
  bool complete_inline = false;
  Lane lane = Lane::interactive;
  std::int64_t timeout_ns = 0;  // > 0
  std::uint64_t key = 0;
  std::string target;
};

// Thread-safe.
class Call final : public gantry_incoming, public CancelNode, public Timer, public Demand {
 public:
  explicit Call(CallConfig config);
  ~Call() override;

  // Puts the call on its way. `out` gets the caller's handle before anything can happen to it.
  void start(gantry_handle* out);
  // The caller's own cancellation. Nothing when the call has ended already: what its server began
  // on the side goes on.
  void give_up();
  // Ends the call from outside the server: cancellation, death of a plugin.
  void abort(Failure failure);

  // The server's side.
  void answer(gantry_status status, const gantry_body* response, const gantry_error* error);
  bool given_up() const { return cancelled(); }
  void set_on_cancel(gantry_closure closure);
  void server_retain();
  void server_release();

  void offer(const Ref<Provider>& provider) override;
  void refuse(Failure failure) override { abort(std::move(failure)); }
  std::string_view target() const override { return config_.target; }
  std::uint32_t kind() const override { return GANTRY_CALL; }
  Contract& contract() const { return *config_.contract; }

 private:
  struct RequestItem final : Item {
    explicit RequestItem(Call& of) : call(of) {}
    void run() override;
    void drop() override;
    Call& call;
  };
  struct CompletionItem final : Item {
    explicit CompletionItem(Call& of) : call(of) {}
    void run() override;
    void drop() override { run(); }  // completions are owed also while the plugin ends
    Call& call;
  };

  void on_due() override;
  void on_cancelled() override;
  void serve();
  bool convert_request();
  // true: this was the first end. `by_server` tells an answer from an abort.
  bool finish(Failure failure, BodyRef response, bool by_server);
  void complete();
  void record() const;
  void run_or_drop_on_cancel(const gantry_closure& closure, bool run);

  CallConfig config_;
  Context caller_context_;
  Context context_;  // of the handler; its cancel node is set only while the handler runs
  Strand* completion_strand_ = nullptr;
  std::int64_t start_ns_ = 0;
  RequestItem request_item_{*this};
  CompletionItem completion_item_{*this};
  std::atomic<std::uint32_t> server_refs_{0};

  std::mutex mutex_;  // guards what follows
  bool finished_ = false;
  bool answered_ = false;
  bool has_on_cancel_ = false;
  gantry_closure on_cancel_{};
  gantry_handle handle_ = 0;
  std::uint64_t served_handle_ = 0;
  Ref<Provider> provider_;
  Strand* server_strand_ = nullptr;
  // Written once by finish(), read by complete().
  Failure failure_;
  BodyRef response_;
  std::int64_t end_ns_ = 0;
};

}  // namespace gantry::kernel
