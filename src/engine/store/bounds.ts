/**
 * Bounds that a PostgreSQL server enforces on this service's connections, so that one stuck query, lock or process does
 * not block the others. The embedded database has one connection and one process, so nothing waits there.
 */

/**
 * A statement that runs longer is canceled (57014). Every statement of this service reads or writes a few rows by an
 * index.
 */
export const STATEMENT_MS_MAX = 30_000

/** A longer wait for a row or a zone fails with 55P03: the command fails and may be retried. */
export const LOCK_WAIT_MS_MAX = 20_000

/**
 * A transaction whose process sends nothing for this long is ended and its locks are released: a node that was paused
 * or disconnected during a transaction. A killed process needs no such bound, since its connections close.
 */
export const IDLE_IN_TRANSACTION_MS_MAX = 30_000

/** Time limit of the server to accept a connection, and again to make it ready. After that it counts as away. */
export const CONNECT_MS_MAX = 2_000

/**
 * A connection that has been silent for this long while a statement waits makes the node check whether the server
 * responds.
 */
export const SILENT_MS_MAX = 1_000

/**
 * How often this is checked, and how often a server that is away is tried again. A session that shows sooner that it
 * cannot serve is kept until then, so that connections are opened at this pace at most.
 */
export const WATCH_EVERY_MS = 250
export const AWAY_RETRY_MS = 500

/**
 * A connection that is silent for longer is dead even if the server responds: the server would have ended its
 * statement.
 */
export const DEAD_CONNECTION_MS = STATEMENT_MS_MAX + 5_000

/** An idle connection is closed at this age, so that its server can be moved or free its memory. */
export const CONNECTION_LIFE_MS_MAX = 45 * 60_000

/**
 * Cost of a page read by an index, relative to one read in sequence. The server's default of 4 is for rotating disks;
 * with it, a table that is small when a statement is first planned is read completely, and still is after it has grown.
 */
export const RANDOM_PAGE_COST = 1.1

/** Statements that the embedded database keeps parsed, some 20 KB each; further ones are parsed at every use. */
export const EMBEDDED_STATEMENTS_MAX = 400

/** Groups that one transaction starts and writes as plain values; more are written as JSON, in one statement for any number. */
export const STARTED_AT_ONCE_MAX = 4

/**
 * Log that the embedded database writes between two checkpoints. A start after a kill replays little more; each
 * checkpoint pauses all other work for a moment.
 */
export const CHECKPOINT_LOG_BYTES = 16 * 1_048_576

/** Below this a disk counts as full, and no checkpoint is tried. */
export const CHECKPOINT_FREE_BYTES_MIN = 1_048_576

/** How often the length of the log is checked. */
export const CHECKPOINT_LOOK_MS = 1_000

/** Pause before each attempt to open the embedded database again after its server has ended. An attempt takes about half a second. */
export const REOPEN_PAUSE_MS = 2_000
