/** Bounds of the live host. */

/** Calls of one node under way at once. A receiver that never answers holds its calls for their whole time limit. */
export const CALLS_AT_ONCE_MAX = 2_000

/** Of those, calls to one origin: a quarter, so that one that never answers leaves the rest to the others. */
export const ORIGIN_CALLS_MAX = 500

/** Of those, calls to one endpoint: a fifth, so that an endpoint that never answers leaves the rest to its neighbours. */
export const ENDPOINT_CALLS_MAX = 100

/** Calls of one node that wait in memory for one endpoint. Further ones are deferred: they wait in the database. */
export const ENDPOINT_WAITING_MAX = 500

/** The same where a call is never deferred: one that comes behind so many would not leave within its lease. */
export const UNQUEUED_WAITING_MAX = 4_000

/** Failures in a row that open the circuit breaker of an endpoint. */
export const BREAKER_FAILURES = 5

/** Calls wait in memory for an endpoint that fails as long as they would leave within this time. Others are deferred. */
export const OPEN_LINE_MS = 1_000

/** And no more of them than this, however quickly the endpoint refuses them. */
export const OPEN_LINE_MAX = 50

/** An endpoint that had no call for so long is forgotten with its breaker: it may have been deleted. */
export const BREAKER_IDLE_MS = 3_600_000

/** How often a node looks for deferred calls of any node. Its own go when a call to their endpoint ends. */
export const DEFERRED_LOOK_MS = 1_000

/** Deferred calls of one endpoint that leave by one transaction. */
export const DEFERRED_RELEASED_MAX = 50

/** Endpoints whose deferred calls are let go at once. */
export const DEFERRED_ENDPOINTS_AT_ONCE = 4

/** Calls of one node that wait for receivers with a full share. With more the wake-up takes up nothing new. */
export const CALLS_HELD_UP_MAX = 10_000

/** Runs of one transaction that loses against others. */
export const TRANSACTION_RUNS_MAX = 6

/** Groups that the wake-up takes in one transaction. */
export const WAKE_UP_GROUPS_MAX = 50

/** Batches of the wake-up under way at once. PGlite runs them one after the other. */
export const WAKE_UP_BATCHES_MAX = 4

/** Results of calls that one transaction takes. */
export const RESULTS_PER_BATCH_MAX = 50

/** How long a result waits for others, to share their transaction. */
export const RESULTS_WAIT_MS = 20

/** Transactions at once that take results; a further one is begun when as many results wait as it takes. */
export const RESULT_BATCHES_MAX = 2

/** The wake-up looks again after this long, whatever it knows: another node may have armed something. */
export const WAKE_UP_MS_MAX = 500

/** How often a node says that it runs. */
export const NODE_BEAT_MS = 1_000

/** A node that has not beaten for so long is gone. One that was only slow makes a call twice, under the same ids. */
export const NODE_GONE_MS = 5_000

/** Groups of gone nodes that one transaction takes. */
export const RESENT_AT_ONCE_MAX = 50

/** How long a stopping node waits for its calls. What is left then returns through its lease timer. */
export const DRAIN_MS_MAX = 15_000

/** And not before this long when others hold all that is due. */
export const WAKE_UP_MS_MIN = 20

/** How long a stopping service waits for the requests that were open; what is left then is cut off. */
export const STOP_REQUESTS_MS_MAX = 15_000

/** How long a whole stop may take: requests, then calls, then the database. */
export const STOP_MS_MAX = 45_000

/** How long a probe waits for the database. */
export const PROBE_MS_MAX = 2_000

/** A wake-up that has not come around for this long counts as not running. Its usual pause is `WAKE_UP_MS_MAX`. */
export const WAKE_UP_SILENT_MS_MAX = 30_000

/** Connections of the thread that sends webhooks, out of the node's. A node with fewer than three times as many has none. */
export const CALL_THREAD_CONNECTIONS = 4

/** Heap of the thread that sends webhooks, in MiB. One that needs more ends and is followed by another; its calls leave again. */
export const CALL_THREAD_HEAP_MIB = 384

/** The same for its new objects. Node's usual size is twice as large. */
export const CALL_THREAD_YOUNG_MIB = 24

/** How long calls wait for others that go to the thread with them. */
export const CALL_THREAD_GATHERS_MS = 10

/** How often the thread tells, at most, what it has counted and how much of it is free. */
export const CALL_THREAD_TELLS_MS = 50

/** A thread that ended by itself is followed by another no sooner than this; twice as long where that one was never ready. */
export const CALL_THREAD_PAUSE_MS_MIN = 1_000
export const CALL_THREAD_PAUSE_MS_MAX = 60_000

/** What a stopping thread has beyond the wait for its calls: for results that are being written, and for its connections. */
export const CALL_THREAD_STOP_MS = 3_000

/** Lines of the log that wait for a slow reader, in bytes. Further ones are dropped and counted. */
export const LOG_BYTES_MAX = 8 * 1024 * 1024

/** How long the log waits before it tries a full pipe again. */
export const LOG_RETRY_MS = 10

/** When a replay of the embedded database's log is first reported, and how often after that. A usual replay is shorter. */
export const RECOVERY_FIRST_MS = 2_000
export const RECOVERY_NEXT_MS = 5_000

/** How long an ending process waits for a reader that takes nothing. */
export const LOG_FLUSH_MS_MAX = 1_000

/** How long a process that has stopped may live on because of something left open. */
export const END_MS_MAX = 2_000

/** Requests that are worked on at once: at the start, at least, and at most. Between these the number follows the database. */
export const ADMISSION_LIMIT_FIRST = 64
export const ADMISSION_LIMIT_MIN = 8
export const ADMISSION_LIMIT_MAX = 512

/** How often that number is looked at. */
export const ADMISSION_INTERVAL_MS = 100

/** With more requests at once, work waits longer than this for a transaction and nothing is won. */
export const TRANSACTION_WAIT_MS_WANTED = 50

/** Requests of one process that wait to be worked on. */
export const ADMISSION_WAITING_MAX = 1_000

/** A queue that has not been empty for this long is no burst. */
export const ADMISSION_STANDING_MS = 1_000

/** How long a request waits in a burst, and in a queue that stands. */
export const ADMISSION_WAIT_BURST_MS_MAX = 1_500
export const ADMISSION_WAIT_STANDING_MS_MAX = 500

/** Overload is over when no request has been turned away for this long. */
export const OVERLOAD_PAUSE_MS_MAX = 2_000

/** A process that has turned requests away for this long says that it is not ready. A burst is shorter. */
export const OVERLOADED_MS_MAX = 10_000

/** Work that held the event loop for this long has kept new connections waiting; so long at most they are then taken in. */
export const LOOP_HELD_MS_MIN = 5
export const LISTENING_MS_MAX = 20

/** How often a node asks whether calls are held. */
export const CALL_HOLD_LOOK_MS = 1_000

/** How long one batch of spans may take to reach its collector; less than a stop has. */
export const SPAN_EXPORT_MS_MAX = 5_000
