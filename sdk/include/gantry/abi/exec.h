/* SPDX-License-Identifier: Apache-2.0
 *
 * gantry.host.exec/1: where and when code runs. Strand, blocking pool, timers, clock, context.
 */
#pragma once

#include <gantry/abi/types.h>

#ifdef __cplusplus
extern "C" {
#endif

#define GANTRY_HOST_EXEC_1 "gantry.host.exec/1"

typedef struct gantry_context gantry_context; /* trace, deadline and cancellation of some work */

typedef struct gantry_host_exec {
  size_t size;
  /* Queues work on the plugin's strand (the shard of `key` when it has several).
   * The current context goes with it. [thread: any] [owner: closure] [may block: no] */
  void (*post)(gantry_host*, uint64_t key, uint32_t lane, gantry_closure work);
  /* Runs work on a thread where waiting is allowed. The current context goes with it.
   * [thread: any] [owner: closure] [may block: no] */
  void (*blocking)(gantry_host*, gantry_closure work);
  /* Calls work on the strand after delay_ns, then every period_ns (0: once). Timers start with a
   * fresh context. Returns 0 after stop. [thread: any] [owner: closure] [may block: no] */
  uint64_t (*timer_start)(gantry_host*, int64_t delay_ns, int64_t period_ns, uint64_t key,
                          gantry_closure work);
  /* After it returns the work will not begin again; drop follows on the strand.
   * [thread: any] [owner: -] [may block: no] */
  void (*timer_cancel)(gantry_host*, uint64_t timer);
  /* Nanoseconds of a clock that never jumps; injectable in tests.
   * [thread: any] [owner: -] [may block: no] */
  int64_t (*monotonic_ns)(gantry_host*);
  /* Nanoseconds since 1970; injectable in tests. [thread: any] [owner: -] [may block: no] */
  int64_t (*wall_ns)(gantry_host*);
  /* 1 when the calling thread is one where waiting is allowed (blocking pool, dedicated strand or a
   * thread of the plugin's own). [thread: any] [owner: -] [may block: no] */
  int (*may_block)(gantry_host*);
  /* The context of the calling thread, retained; never NULL.
   * [thread: any] [owner: caller releases] [may block: no] */
  gantry_context* (*context_current)(gantry_host*);
  /* Makes `context` current on this thread and returns the previous one, which must be given back
   * to context_enter before the thread leaves. [thread: any] [owner: borrowed] [may block: no] */
  gantry_context* (*context_enter)(gantry_host*, gantry_context* context);
  /* [thread: any] [owner: gives one reference back] [may block: no] */
  void (*context_release)(gantry_context* context);
  /* On the monotonic clock; INT64_MAX: none. [thread: any] [owner: -] [may block: no] */
  int64_t (*context_deadline_ns)(const gantry_context*);
  /* 1 when whoever asked for the work gave it up. [thread: any] [owner: -] [may block: no] */
  int (*context_cancelled)(const gantry_context*);
  /* Trace id as two words, for logs. [thread: any] [owner: caller's words] [may block: no] */
  void (*context_trace)(const gantry_context*, uint64_t* hi, uint64_t* lo, uint64_t* span);
} gantry_host_exec;

#ifdef __cplusplus
} /* extern "C" */
#endif
