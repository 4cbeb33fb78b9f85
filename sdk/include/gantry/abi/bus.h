/* SPDX-License-Identifier: Apache-2.0
 *
 * gantry.host.bus/1: events, calls and streams between plugins.
 *
 * A contract is a versioned name ("gantry.window.list/1") with the types of its messages. Its id is
 * the 64-bit FNV-1a hash of the name. Several plugins may serve the same contract: a call goes to
 * `target` when it names a plugin, otherwise to the provider that the configuration prefers, then
 * to the one with the highest suitability, then to the one that was loaded first.
 *
 * Handlers and completions run on the plugin's own strand unless a function says otherwise, one at
 * a time (or one at a time per key when the manifest asks for several strands). The thread that
 * runs a handler carries its context (trace, deadline, cancellation): calls made from it inherit
 * the trace and the earlier deadline, and are cancelled with it.
 *
 * `user` and its `drop`: whoever is given both calls `drop` exactly once, when no callback will
 * come any more, also when the function that took them failed. `drop` may be NULL. Callbacks must
 * not throw. An out-parameter gantry_error is written only on failure and may be NULL.
 */
#pragma once

#include <gantry/abi/body.h>

#ifdef __cplusplus
extern "C" {
#endif

#define GANTRY_HOST_BUS_1 "gantry.host.bus/1"

enum gantry_contract_kind { GANTRY_EVENT = 1, GANTRY_CALL = 2, GANTRY_STREAM = 3 };

typedef struct gantry_contract {
  size_t size;
  uint32_t kind; /* gantry_contract_kind */
  uint32_t reserved;
  gantry_str name; /* gantry.<area>.<verb>/<major> */
  uint64_t id;     /* FNV-1a 64 of name; the host checks it */
  gantry_str doc;  /* one sentence */
  /* The message types as this plugin was compiled to see them. A plugin that only speaks JSON (one
   * in C) leaves them all NULL and sends and gets JSON bodies, see body_to_json(). */
  const gantry_type* first;  /* event payload | call request | stream opening */
  const gantry_type* second; /* NULL | call response | chunk from the serving to the opening side */
  const gantry_type* third;  /* NULL | NULL | chunk from the opening to the serving side */
} gantry_contract;

/* Scheduling lanes. Control work is never queued behind the other two and has a worker of its own,
 * so a full pool cannot starve it. */
enum gantry_lane { GANTRY_LANE_CONTROL = 0, GANTRY_LANE_INTERACTIVE = 1, GANTRY_LANE_BULK = 2 };

enum gantry_overflow {
  GANTRY_OVERFLOW_REJECT = 0,      /* the new item is refused and counted */
  GANTRY_OVERFLOW_DROP_OLDEST = 1, /* the oldest item makes room */
  GANTRY_OVERFLOW_COALESCE = 2,    /* a queued item with the same key is replaced, else reject */
  GANTRY_OVERFLOW_CLOSE = 3        /* the subscription ends, its drop function is called */
};

/* What the receiver may know of a message. Valid for the duration of the handler. */
typedef struct gantry_envelope {
  size_t size;
  uint64_t contract;
  uint64_t trace_hi, trace_lo, span, parent_span;
  int64_t deadline_ns; /* on the host's monotonic clock; INT64_MAX: none */
  uint64_t key;
  uint32_t lane;
  uint32_t reserved;
  gantry_str sender; /* name of the sending plugin */
} gantry_envelope;

typedef uint64_t gantry_handle; /* 0 is never valid */

typedef struct gantry_send_options {
  size_t size;
  uint32_t lane; /* gantry_lane */
  uint32_t reserved;
  uint64_t key; /* orders and coalesces items with the same key; 0: none */
} gantry_send_options;

typedef struct gantry_subscribe_options {
  size_t size;
  uint32_t max_items; /* 0: the host's default (1024) */
  uint32_t overflow;  /* gantry_overflow */
  size_t max_bytes;   /* 0: no limit in bytes */
} gantry_subscribe_options;

enum {
  GANTRY_CALL_COMPLETE_INLINE = 1u /* completion runs on the completing thread, must be brief */
};

typedef struct gantry_call_options {
  size_t size;
  uint32_t lane;
  uint32_t flags;
  int64_t timeout_ns; /* <= 0: the host's default; the inherited deadline still bounds it */
  uint64_t key;
  gantry_str target; /* plugin name, or empty */
} gantry_call_options;

/* A call that is being served. One reference belongs to the handler that received it. */
typedef struct gantry_incoming gantry_incoming;
/* One side of an open stream. One reference belongs to the side that opened or accepted it. */
typedef struct gantry_stream gantry_stream;

/* [thread: subscriber's strand] [owner: body and envelope borrowed] [may block: no] */
typedef void (*gantry_event_fn)(void* user, const gantry_body* body,
                                const gantry_envelope* envelope);
/* The handler must lead to exactly one complete() and one incoming_release(), now or later.
 * [thread: server's strand] [owner: request, envelope borrowed; call given] [may block: no] */
typedef void (*gantry_call_fn)(void* user, gantry_incoming* call, const gantry_body* request,
                               const gantry_envelope* envelope);
/* Exactly once for each call() that returned GANTRY_OK. `response` is NULL unless status is OK,
 * `error` is NULL when it is. [thread: caller's strand, or the completing thread when
 * GANTRY_CALL_COMPLETE_INLINE] [owner: both borrowed] [may block: no] */
typedef void (*gantry_completion_fn)(void* user, gantry_status status, const gantry_body* response,
                                     const gantry_error* error);

/* Callbacks of one side of a stream. After on_end nothing else is called but drop. */
typedef struct gantry_stream_events {
  size_t size;
  /* [thread: own strand] [owner: chunk borrowed] [may block: no] */
  void (*on_chunk)(void* user, const gantry_body* chunk);
  /* Credit came back after a send was refused. [thread: own strand] [owner: -] [may block: no] */
  void (*on_writable)(void* user);
  /* The other side closed, or died. [thread: own strand] [owner: error borrowed] [may block: no] */
  void (*on_end)(void* user, gantry_status status, const gantry_error* error);
  /* Nothing will be called any more. [thread: any] [owner: frees user] [may block: no] */
  void (*drop)(void* user);
} gantry_stream_events;

typedef struct gantry_stream_options {
  size_t size;
  uint32_t receive_credit; /* chunks the other side may have in flight to us; 0: 16 */
  uint32_t manual_credit;  /* 1: credit returns only through stream_grant() */
  uint32_t lane;
  uint32_t reserved;
  uint64_t key;      /* shard of the handlers; 0: by stream */
  gantry_str target; /* open_stream only */
} gantry_stream_options;

/* A stream was opened on us. Answer with stream_accept() or stream_close(), now or later.
 * [thread: server's strand] [owner: stream given, opening borrowed] [may block: no] */
typedef void (*gantry_accept_fn)(void* user, gantry_stream* stream, const gantry_body* opening,
                                 const gantry_envelope* envelope);

typedef struct gantry_host_bus {
  size_t size;

  /* Makes a contract known to this plugin. The same name with another kind, or another name with
   * the same id, is GANTRY_ALREADY_EXISTS. Repeating it is harmless.
   * [thread: any] [owner: contract must be static; caller releases error] [may block: no] */
  gantry_status (*register_contract)(gantry_host*, const gantry_contract* contract,
                                     gantry_error* error);

  /* Delivers to every subscriber's mailbox; never blocks.
   * [thread: any] [owner: body borrowed] [may block: no] */
  gantry_status (*publish)(gantry_host*, uint64_t contract, const gantry_body* body,
                           const gantry_send_options* options);
  /* [thread: any] [owner: user until drop; caller releases error] [may block: no] */
  gantry_status (*subscribe)(gantry_host*, uint64_t contract,
                             const gantry_subscribe_options* options, gantry_event_fn handler,
                             void* user, void (*drop)(void*), gantry_handle* out,
                             gantry_error* error);
  /* Items that were queued are discarded; drop runs on the strand after the last handler.
   * [thread: any] [owner: -] [may block: no] */
  void (*unsubscribe)(gantry_host*, gantry_handle subscription);

  /* [thread: any] [owner: user until drop; caller releases error] [may block: no] */
  gantry_status (*serve)(gantry_host*, uint64_t contract, gantry_call_fn handler, void* user,
                         void (*drop)(void*), gantry_error* error);
  /* Returns GANTRY_OK when the completion will be called (also for `unavailable` and the like).
   * [thread: any] [owner: request borrowed, user until the completion] [may block: no] */
  gantry_status (*call)(gantry_host*, uint64_t contract, const gantry_body* request,
                        const gantry_call_options* options, gantry_completion_fn completion,
                        void* user, gantry_handle* out_call);
  /* Asks the server to stop and completes the call with GANTRY_CANCELLED at once.
   * [thread: any] [owner: -] [may block: no] */
  void (*cancel)(gantry_host*, gantry_handle call);

  /* Answers a call. A second answer is ignored, counted against the plugin and logged.
   * [thread: any] [owner: response, error borrowed] [may block: no] */
  void (*complete)(gantry_incoming* call, gantry_status status, const gantry_body* response,
                   const gantry_error* error);
  /* 1 when the caller gave up or its deadline passed. [thread: any] [owner: -] [may block: no] */
  int (*incoming_cancelled)(gantry_incoming* call);
  /* Runs `fn` on the strand when the call is cancelled (at once if it already is). At most one.
   * [thread: any] [owner: closure] [may block: no] */
  void (*incoming_on_cancel)(gantry_incoming* call, gantry_closure fn);
  /* [thread: any] [owner: one more reference for the caller] [may block: no] */
  void (*incoming_retain)(gantry_incoming* call);
  /* Releasing the last reference of an unanswered call answers it GANTRY_INTERNAL "dropped".
   * [thread: any] [owner: gives one reference back] [may block: no] */
  void (*incoming_release)(gantry_incoming* call);

  /* [thread: any] [owner: user until drop; caller releases error] [may block: no] */
  gantry_status (*serve_stream)(gantry_host*, uint64_t contract, gantry_accept_fn accept,
                                void* user, void (*drop)(void*), gantry_error* error);
  /* The stream exists at once; chunks sent before the other side accepted use its default credit.
   * A missing provider shows as on_end(GANTRY_UNAVAILABLE).
   * [thread: any] [owner: opening borrowed; user until events->drop; stream given] [may block: no]
   */
  gantry_status (*open_stream)(gantry_host*, uint64_t contract, const gantry_body* opening,
                               const gantry_stream_options* options,
                               const gantry_stream_events* events, void* user, gantry_stream** out,
                               gantry_error* error);
  /* `events` is copied. GANTRY_FAILED_PRECONDITION: the stream has ended or was accepted before.
   * [thread: any] [owner: user until events->drop] [may block: no] */
  gantry_status (*stream_accept)(gantry_stream*, const gantry_stream_options* options,
                                 const gantry_stream_events* events, void* user);
  /* GANTRY_RESOURCE_EXHAUSTED: no credit, nothing was sent, on_writable will come.
   * GANTRY_FAILED_PRECONDITION: the stream has ended.
   * [thread: any] [owner: chunk borrowed] [may block: no] */
  gantry_status (*stream_send)(gantry_stream*, const gantry_body* chunk);
  /* Lets the other side send so many chunks more; only with manual_credit.
   * [thread: any] [owner: -] [may block: no] */
  void (*stream_grant)(gantry_stream*, uint32_t chunks);
  /* Ends both directions; what was sent before still arrives, then the other side's on_end. Closing
   * a stream that has ended changes nothing.
   * [thread: any] [owner: error borrowed, may be NULL] [may block: no] */
  void (*stream_close)(gantry_stream*, gantry_status status, const gantry_error* error);
  /* [thread: any] [owner: one more reference for the caller] [may block: no] */
  void (*stream_retain)(gantry_stream*);
  /* Does not close: call stream_close() before giving the last reference back.
   * [thread: any] [owner: gives one reference back] [may block: no] */
  void (*stream_release)(gantry_stream*);

  /* How well this plugin suits the machine it is on, 0 (cannot work) to 100, for the choice among
   * several providers; `reason` is shown to people. [thread: any] [owner: borrowed] [may block: no]
   */
  void (*set_suitability)(gantry_host*, int score, gantry_str reason);

  /* JSON text of any body, for plugins without a type of their own.
   * [thread: any] [owner: caller releases out] [may block: no] */
  gantry_status (*body_to_json)(const gantry_body* body, gantry_buf* out);

  /* Calls a contract by its name with a JSON request, converting through the types that the serving
   * plugin registered; the response body may be an object or JSON (see body_to_json).
   * [thread: any] [owner: as call] [may block: no] */
  gantry_status (*call_json)(gantry_host*, gantry_str contract_name, gantry_str request_json,
                             const gantry_call_options* options, gantry_completion_fn completion,
                             void* user, gantry_handle* out_call);
} gantry_host_bus;

#ifdef __cplusplus
} /* extern "C" */
#endif
