/** Bounds of the live host. */

/** Calls of one node in flight at once. A receiver that never answers occupies its slots for the whole time limit. */
export const CALLS_AT_ONCE_MAX = 2_000

/** Calls of the sandbox in flight: three quarters, so that slow receivers of strangers leave slots for production. */
export const SANDBOX_CALLS_MAX = 1_500

/**
 * Webhooks of one organization in one environment in flight: a quarter, so that slow receivers of one leave slots for the others. Calls
 * without a breaker are not counted: somebody at a door does not wait for webhooks.
 */
export const ORGANIZATION_CALLS_MAX = 500

/** Calls of one environment in flight to one origin: a quarter, so that an origin that never answers leaves slots for the others. */
export const ORIGIN_CALLS_MAX = 500

/**
 * Calls in flight to one endpoint: a fifth, so that an endpoint that never answers leaves slots for others of its
 * origin.
 */
export const ENDPOINT_CALLS_MAX = 100

/** Calls of one node that wait in memory for one endpoint. Further calls are deferred: they wait in the database. */
export const ENDPOINT_WAITING_MAX = 500

/**
 * The same bound for calls that are never deferred: with more calls ahead of it, a call could not be sent within its
 * lease.
 */
export const UNQUEUED_WAITING_MAX = 4_000

/** Consecutive failures that open the circuit breaker of an endpoint. */
export const BREAKER_FAILURES = 5

/** While a breaker is open, calls wait in memory only if they can be sent within this time. Others are deferred. */
export const OPEN_LINE_MS = 1_000

/** Maximum number of these waiting calls, however fast the endpoint fails. */
export const OPEN_LINE_MAX = 50

/** An endpoint without calls for this long is removed from memory with its breaker: it may have been deleted. */
export const BREAKER_IDLE_MS = 3_600_000

/** How often a node polls for deferred calls of all nodes. Its own are released when a call to their endpoint ends. */
export const DEFERRED_LOOK_MS = 1_000

/** Deferred calls of one endpoint that one transaction releases. */
export const DEFERRED_RELEASED_MAX = 50

/** Endpoints whose deferred calls are released concurrently. */
export const DEFERRED_ENDPOINTS_AT_ONCE = 4

/**
 * Calls of one node that wait in memory for endpoints with a breaker, by environment, and of one organization in it. Further calls
 * are deferred. In a full environment an organization still has the last number.
 */
export const ENVIRONMENT_WAITING_MAX = { production: 6_000, sandbox: 4_000 } as const
export const ORGANIZATION_WAITING_MAX = 1_000
export const ORGANIZATION_WAITING_MIN = 20

/** Attempts of one transaction that is aborted by conflicts with others. */
export const TRANSACTION_RUNS_MAX = 6

/** Groups that the wake-up takes in one transaction. */
export const WAKE_UP_GROUPS_MAX = 50

/** Concurrent batches of the wake-up. PGlite runs them one after the other. */
export const WAKE_UP_BATCHES_MAX = 4

/** Results of calls that one transaction takes. */
export const RESULTS_PER_BATCH_MAX = 50

/** How long a result waits for others, to share their transaction. */
export const RESULTS_WAIT_MS = 20

/** Concurrent transactions that take results; a further one begins when enough results wait to fill it. */
export const RESULT_BATCHES_MAX = 2

/** Longest pause of the wake-up: another node may have armed a timer meanwhile. */
export const WAKE_UP_MS_MAX = 500

/** How long the move of a clock pauses while results of calls are outstanding. */
export const CLOCK_MOVE_PAUSE_MS = 10

/** A difference between the node's clock and the database's from which operators are warned. */
export const CLOCK_NOTED_MS = 2_000

/** Comparisons of the two clocks at a start, of which the one with the least difference counts. */
export const CLOCK_TRIES = 3

/** How often a node writes its heartbeat. */
export const NODE_BEAT_MS = 1_000

/**
 * A node without a heartbeat for this long is considered stopped. If it was only slow, its calls are made twice, under
 * the same ids.
 */
export const NODE_GONE_MS = 5_000

/** Groups of stopped nodes that one transaction takes. */
export const RESENT_AT_ONCE_MAX = 50

/** How long a stopping node waits for its calls. The rest is retried after the end of their leases. */
export const DRAIN_MS_MAX = 15_000

/** Shortest pause of the wake-up when other nodes hold everything that is due. */
export const WAKE_UP_MS_MIN = 20

/** How long a stopping service waits for open requests before it closes their connections. */
export const STOP_REQUESTS_MS_MAX = 15_000

/** Time limit of a whole stop: requests, then calls, then the database. */
export const STOP_MS_MAX = 45_000

/** How long a probe waits for the database. */
export const PROBE_MS_MAX = 2_000

/**
 * A wake-up that has not completed a round for this long counts as not running. Its normal pause is at most
 * `WAKE_UP_MS_MAX`.
 */
export const WAKE_UP_SILENT_MS_MAX = 30_000

/**
 * Connections of the webhook thread, taken from the node's pool. A node with fewer than three times as many connections
 * has no such thread.
 */
export const CALL_THREAD_CONNECTIONS = 4

/** Heap of the webhook thread, in MiB. A thread that exceeds it ends and is replaced; its calls are sent again. */
export const CALL_THREAD_HEAP_MIB = 384

/** Size of the heap for new objects. Node's default is twice as large. */
export const CALL_THREAD_YOUNG_MIB = 24

/** How long calls are buffered so that they are passed to the thread together. */
export const CALL_THREAD_GATHERS_MS = 10

/** Shortest interval between the thread's reports of its counts and free slots. */
export const CALL_THREAD_TELLS_MS = 50

/**
 * Shortest pause before a thread that ended unexpectedly is replaced; doubled each time a thread ends before it is
 * ready.
 */
export const CALL_THREAD_PAUSE_MS_MIN = 1_000
export const CALL_THREAD_PAUSE_MS_MAX = 60_000

/** What a stopping thread may take in addition to the wait for its calls: to write results and close connections. */
export const CALL_THREAD_STOP_MS = 3_000

/** Buffered log bytes for a slow reader. Further lines are dropped and counted. */
export const LOG_BYTES_MAX = 8 * 1024 * 1024

/** How long the log waits before it tries a full pipe again. */
export const LOG_RETRY_MS = 10

/**
 * When the recovery of the embedded database is first reported, and how often after that. A normal recovery is shorter.
 */
export const RECOVERY_FIRST_MS = 2_000
export const RECOVERY_NEXT_MS = 5_000

/** How long an ending process waits for a log reader that does not read. */
export const LOG_FLUSH_MS_MAX = 1_000

/** How long a stopped process may stay alive because of an open handle. */
export const END_MS_MAX = 2_000

/**
 * Requests processed at once: at the start, at least, and at most. Between the bounds the limit adapts to the database.
 */
export const ADMISSION_LIMIT_FIRST = 64
export const ADMISSION_LIMIT_MIN = 8
export const ADMISSION_LIMIT_MAX = 512

/** How often that limit is adapted. */
export const ADMISSION_INTERVAL_MS = 100

/** A longer wait for a transaction means that more concurrency gains nothing. */
export const TRANSACTION_WAIT_MS_WANTED = 50

/** Requests of one process that wait for admission. */
export const ADMISSION_WAITING_MAX = 1_000

/** A queue that was not empty for this long is standing, not a burst. */
export const ADMISSION_STANDING_MS = 1_000

/** How long a request waits during a burst, and in a standing queue. */
export const ADMISSION_WAIT_BURST_MS_MAX = 1_500
export const ADMISSION_WAIT_STANDING_MS_MAX = 500

/** How long a request of an organization waits that is not the one to fill the queue. Clients wait ten seconds or more. */
export const ADMISSION_WAIT_CALM_MS_MAX = 5_000

/** Overload is over when no request was rejected for this long. */
export const OVERLOAD_PAUSE_MS_MAX = 2_000

/** A process that has rejected requests for this long reports that it is not ready. A burst is shorter. */
export const OVERLOADED_MS_MAX = 10_000

/**
 * Work that blocked the event loop for this long has delayed new connections. The second figure is the longest time to
 * accept them before the next request is admitted.
 */
export const LOOP_HELD_MS_MIN = 5
export const LISTENING_MS_MAX = 20

/** How often a node checks whether calls are held. */
export const CALL_HOLD_LOOK_MS = 1_000

/** Time limit to send one batch of spans to the collector; shorter than the time limit of a stop. */
export const SPAN_EXPORT_MS_MAX = 5_000

/** How long a forecast of a site is current. A site is computed at most once in this time, while somebody asks. */
export const FORECAST_FRESH_MS = 60_000

/** A forecast that is older than this is not shown any more: the present has changed. */
export const FORECAST_OLD_MS = 5 * 60_000

/** How long what was learned from a site's past is used. */
export const FORECAST_MODEL_MS = 3_600_000

/** How long a site without enough history is not read again. */
export const FORECAST_NO_HISTORY_MS = 10 * 60_000

/** Time limit of one computation, with its reads. A thread that takes longer is stopped. */
export const FORECAST_MS_MAX = 60_000

/** Pause after a computation that failed. */
export const FORECAST_RETRY_MS = 5 * 60_000

/** The share of one processor that forecasts may take: after a computation the thread rests for as long as that needs. */
export const FORECAST_SHARE = 0.2

/** Forecasts that one process keeps. The one that was requested least recently is forgotten first. */
export const FORECASTS_KEPT_MAX = 200

/** Replications of a site's first forecast, so that it comes soon, and of later ones. */
export const FORECAST_FIRST_RUNS = 20
export const FORECAST_RUNS = 50

/** No further replication begins after this time or this many turns; the forecast is then of those that were made. */
export const FORECAST_RUNS_MS_MAX = 20_000
export const FORECAST_TURNS_MAX = 150_000

/** Agents of older quotes have left: a quote without a hold ends before that. */
export const FORECAST_QUOTES_MS = 3_600_000

/** Heap of the thread, in MiB. A thread that exceeds it ends. */
export const FORECAST_HEAP_MIB = 512

/** Size of the thread's heap for new objects. Node's default is larger, and the process would grow by it. */
export const FORECAST_YOUNG_MIB = 24

/** Groups whose journals are read at once, and the pause between two such reads, in which requests go first. */
export const FORECAST_GROUPS_AT_ONCE = 25
export const FORECAST_READ_PAUSE_MS = 10

/**
 * Sets of environment, method, route and status with figures of their own, so that `/metrics` stays short. Answers to strangers, before a
 * key, token, session or phone is known, have bounds of their own: strangers can cause a 401, a 421 or a 400 on every route. One status of
 * 4xx or 5xx gets at most a part of them, because a flood causes a 503 on every route.
 */
export const ROUTES_MAX = {
  known: { served: 210, refused: 90, failed: 24 },
  stranger: { served: 48, refused: 30, failed: 24 },
} as const
export const ROUTES_PART_OF_STATUS = 1 / 3

/** How long the course of a site's day is current. It is made at most once in this time, while somebody asks. */
export const SITE_DAY_FRESH_MS = 4_000

/** Time limit of making one, with its reads. */
export const SITE_DAY_MS_MAX = 60_000

/** Days that one process keeps. The one that was requested least recently is forgotten first. */
export const SITE_DAYS_KEPT_MAX = 10

/** Reservations, deliveries and vehicles of a day, each: what a day has beyond that is not in its course. */
export const SITE_DAY_GROUPS_MAX = 2_500

/** Entries of a vehicle that are read when its day is read first: some days of runs. */
export const SITE_DAY_ENTRIES_OF_VEHICLE_MAX = 500

/** Groups whose entries are read at once, entries and vehicles after which other work has its turn: a few milliseconds. */
export const SITE_DAY_GROUPS_AT_ONCE = 25
export const SITE_DAY_TEXTS_AT_ONCE = 100
export const SITE_DAY_VEHICLES_AT_ONCE = 2

/** Cases whose moments are found or wait for it at once: one is computed, and one waits. Others are asked to come again. */
export const MOMENTS_AT_ONCE = 2

/** Time limit of one, with its reads. A thread that takes longer is stopped. */
export const MOMENT_MS_MAX = 5 * 60_000

/** Futures from each moment at most, and how wide their interval may be where fewer are enough. */
export const MOMENT_FUTURES = 200
export const MOMENT_WIDTH = 0.2

/** No further future begins after so many turns in all; the curve is then coarse. A bound of time would make answers differ. */
export const MOMENT_TURNS_MAX = 1_000_000

/** Groups of a kind that are open while the case is, and their entries, which the thread keeps in memory. */
export const MOMENT_GROUPS_MAX = 1_000
export const MOMENT_ENTRIES_MAX = 40_000

/** Entries this long after the case was decided are read too, because messages that were under way then arrive later. */
export const MOMENT_AFTER_MS = 60_000

/** Moments that one process keeps. The one that was requested least recently is forgotten first. */
export const MOMENTS_KEPT_MAX = 200

/** How long a moment that could not be found, or was not needed, is not computed again. */
export const MOMENT_RETRY_MS = 60_000

/** While one is made, or others are. */
export const MOMENT_ASK_AGAIN_MS = 2_000

/** A waiting one that was not requested for so long is dropped: its readers have left. */
export const MOMENT_UNASKED_MS = 30_000
