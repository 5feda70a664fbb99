/**
 * Uses of PGlite's internals (0.5).
 *
 * - Its two locks: statements that are sent as protocol messages must alternate with those of PGlite's own methods, and
 *   only `_runExclusiveQuery` and `_runExclusiveTransaction` take the same locks.
 * - Every statement of every method is sent by `execProtocol` or `execProtocolStream` of the object, so replacing these two
 *   sees the end of the server and keeps further statements from it. After a PANIC the module would go on in a state that
 *   PostgreSQL calls corrupted, and could change files.
 * - The files that its module holds open, which only `closeFs` closes when `close` must not run: it would let the ended
 *   server write a checkpoint.
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

/**
 * Calls `onEnd` once, when an answer says that the server has ended (PANIC or FATAL). That statement and every later one is
 * rejected with the error that `onEnd` returns, and none of them reaches the server.
 */
export function watchEnd(client: PGlite, onEnd: (cause: Error) => Error): void {
  let ended: Error | null = null
  const watched =
    <Words extends readonly unknown[], A>(send: (...words: Words) => Promise<A>) =>
    async (...words: Words): Promise<A> => {
      if (ended !== null) throw ended
      try {
        return await send(...words)
      } catch (cause) {
        if (isEnd(cause)) ended ??= onEnd(cause)
        throw ended ?? cause
      }
    }
  client.execProtocol = watched(client.execProtocol.bind(client))
  client.execProtocolStream = watched(client.execProtocolStream.bind(client))
}

/** Source: PostgreSQL, "Message Severity Levels": after these the server process ends. */
function isEnd(cause: unknown): cause is Error {
  return (
    cause instanceof Error &&
    "severity" in cause &&
    (cause.severity === "PANIC" || cause.severity === "FATAL")
  )
}

/** Closes the files of a client whose server has ended or did not start, and nothing else. */
export async function closeFiles({ fs }: PGlite): Promise<void> {
  await fs?.closeFs()
}
