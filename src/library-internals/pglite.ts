/**
 * Reaches into PGlite (0.5).
 *
 * - Its two locks: statements that are sent as messages of the protocol must take turns with those of PGlite's own methods,
 *   and only `_runExclusiveQuery` and `_runExclusiveTransaction` take the same locks.
 * - The memory of its WebAssembly module, which no method gives. It only grows, so operators watch it.
 */

import type { PGlite } from "@electric-sql/pglite"

/** Runs alone among the queries of a transaction. */
export function alone<A>(client: PGlite, run: () => Promise<A>): Promise<A> {
  return client._runExclusiveQuery(run)
}

/** Runs alone among transactions and single queries. */
export function aloneAsTransaction<A>(client: PGlite, run: () => Promise<A>): Promise<A> {
  return client._runExclusiveTransaction(run)
}

/** The memory that the database has taken; null once it is closed. */
export function memoryBytesOf(client: PGlite): number | null {
  return client.closed ? null : (client.Module["HEAPU8"] as Uint8Array).length
}
