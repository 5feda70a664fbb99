/**
 * Bounds that a PostgreSQL server keeps for this service's connections, so that one stuck query, lock or process does not
 * hold up the others for ever. The embedded database has one connection and one process: nobody waits on it there.
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

/** A connection for transactions is closed after this long, when nobody uses it: its server may want to move or grow lean. */
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
