/**
 * Uses of PGlite's internals (0.5).
 *
 * - Its two locks: statements that are sent as protocol messages must alternate with those of PGlite's own methods, and
 *   only `_runExclusiveQuery` and `_runExclusiveTransaction` take the same locks.
 * - The memory of its WebAssembly module, which no public method returns. It never shrinks, so operators monitor it.
 */

import type { PGlite } from "@electric-sql/pglite"

/** Runs exclusively among the queries of a transaction. */
export function alone<A>(client: PGlite, run: () => Promise<A>): Promise<A> {
  return client._runExclusiveQuery(run)
}

/** Runs exclusively among transactions and single queries. */
export function aloneAsTransaction<A>(client: PGlite, run: () => Promise<A>): Promise<A> {
  return client._runExclusiveTransaction(run)
}

/** The size of the database's memory; null once it is closed. */
export function memoryBytesOf(client: PGlite): number | null {
  return client.closed ? null : (client.Module["HEAPU8"] as Uint8Array).length
}
