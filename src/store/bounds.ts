/**
 * Bounds that a PostgreSQL server keeps for this service's connections, so that one stuck query, lock or process does not
 * hold up the others for ever. The embedded database has one connection and one process: nothing waits on it there.
 */

/** A statement that runs longer is canceled (57014). Every one of ours reads or writes a few rows by an index. */
export const STATEMENT_MS_MAX = 30_000

/** A wait for a row or a zone that is longer ends with 55P03: the command fails and may be sent again. */
export const LOCK_WAIT_MS_MAX = 20_000

/**
 * A transaction whose process says nothing for this long is ended and its locks are free: a node that was stopped or cut
 * off in the middle of one. A killed process needs no such bound, since its connections close.
 */
export const IDLE_IN_TRANSACTION_MS_MAX = 30_000

/** How long the server may take to accept a connection, and again to make it ready. Then it counts as away. */
export const CONNECT_MS_MAX = 2_000

/** A connection that has been silent for this long while a statement waits makes the node ask whether the server is there. */
export const SILENT_MS_MAX = 1_000

/** How often that is looked at, and how often a server that is away is tried again. */
export const WATCH_EVERY_MS = 250
export const AWAY_RETRY_MS = 500

/** A connection that is silent for longer is dead, though the server is there: the server would have ended its statement. */
export const DEAD_CONNECTION_MS = STATEMENT_MS_MAX + 5_000

/** A connection is closed after this long, when it is idle: its server may want to move or grow lean. */
export const CONNECTION_LIFE_MS_MAX = 45 * 60_000

/**
 * What a page by an index costs in units of one that is read in order. The server's own 4 is that of turning disks; with it
 * a table that is small when a statement is first planned is read from end to end, and still is when it has grown.
 */
export const RANDOM_PAGE_COST = 1.1

/** Statements that the embedded database keeps parsed, some 20 KB each; further ones are parsed at every use. */
export const EMBEDDED_STATEMENTS_MAX = 400

/** Groups that one transaction starts and writes as plain values; more are written as JSON, in one statement for any number. */
export const STARTED_AT_ONCE_MAX = 4

/** Log that the embedded database writes between two checkpoints. A start after a kill replays little more; each stops all else for a moment. */
export const CHECKPOINT_LOG_BYTES = 16 * 1_048_576

/** How often the length of the log is looked at. */
export const CHECKPOINT_LOOK_MS = 1_000
