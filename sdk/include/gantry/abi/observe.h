/* SPDX-License-Identifier: Apache-2.0
 *
 * gantry.host.log/1, gantry.host.metrics/1, gantry.host.health/1, gantry.host.config/1:
 * what a plugin says about itself, and what it is told.
 */
#pragma once

#include <gantry/abi/types.h>

#ifdef __cplusplus
extern "C" {
#endif

#define GANTRY_HOST_LOG_1 "gantry.host.log/1"
#define GANTRY_HOST_METRICS_1 "gantry.host.metrics/1"
#define GANTRY_HOST_HEALTH_1 "gantry.host.health/1"
#define GANTRY_HOST_CONFIG_1 "gantry.host.config/1"

enum gantry_log_level {
  GANTRY_LOG_TRACE = 0,
  GANTRY_LOG_DEBUG = 1,
  GANTRY_LOG_INFO = 2,
  GANTRY_LOG_WARN = 3,
  GANTRY_LOG_ERROR = 4
};

enum { GANTRY_FIELD_PLAIN = 0, GANTRY_FIELD_SECRET = 1 /* the value is printed as *** */ };

typedef struct gantry_log_field {
  gantry_str key;
  gantry_str value;
  uint32_t flags;
  uint32_t reserved;
} gantry_log_field;

typedef struct gantry_host_log {
  size_t size;
  /* Cheap; lets the caller skip formatting. [thread: any] [owner: -] [may block: no] */
  int (*enabled)(gantry_host*, int level);
  /* `site` identifies the place in the code for rate limiting (any stable non-zero number, or 0).
   * [thread: any] [owner: all borrowed] [may block: no] */
  void (*write)(gantry_host*, int level, uint64_t site, gantry_str message,
                const gantry_log_field* fields, size_t field_count);
} gantry_host_log;

enum gantry_metric_kind { GANTRY_COUNTER = 1, GANTRY_GAUGE = 2, GANTRY_HISTOGRAM = 3 };

typedef struct gantry_metric gantry_metric;

typedef struct gantry_host_metrics {
  size_t size;
  /* The metric of that name (created at first use, prefixed gantry_<plugin>_ by the host unless
   * the name begins with "gantry_"). `labels` is "k=v,k2=v2" or empty; `buckets` only for
   * histograms, ascending upper bounds. Lives as long as the process.
   * [thread: any] [owner: borrowed; metric belongs to the host] [may block: no] */
  gantry_metric* (*get)(gantry_host*, int kind, gantry_str name, gantry_str help, gantry_str labels,
                        const double* buckets, size_t bucket_count);
  /* Counter: adds (>= 0). Gauge: adds. Histogram: observes.
   * [thread: any] [owner: -] [may block: no] */
  void (*add)(gantry_metric*, double value);
  /* Gauges only. [thread: any] [owner: -] [may block: no] */
  void (*set)(gantry_metric*, double value);
} gantry_host_metrics;

enum gantry_health_state {
  GANTRY_HEALTH_OK = 0,
  GANTRY_HEALTH_DEGRADED = 1,
  GANTRY_HEALTH_FAILED = 2
};

typedef struct gantry_host_health {
  size_t size;
  /* State of one component of this plugin, with the reason and the cure in plain words.
   * [thread: any] [owner: borrowed] [may block: no] */
  void (*set)(gantry_host*, gantry_str component, int state, gantry_str reason, gantry_str cure);
} gantry_host_health;

typedef struct gantry_host_config {
  size_t size;
  /* The plugin's validated configuration as a JSON object, defaults filled in, secrets in clear.
   * Durations are milliseconds and sizes bytes, both numbers.
   * [thread: any] [owner: caller releases out] [may block: no] */
  void (*json)(gantry_host*, gantry_buf* out);
} gantry_host_config;

#ifdef __cplusplus
} /* extern "C" */
#endif
