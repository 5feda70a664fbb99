/**
 * The server inside the embedded database. It may end while the process goes on: after a PANIC, such as a checkpoint on
 * a full disk, PGlite (0.5) answers each further statement as if there were no rows. Therefore a client whose server has
 * ended is never used again, and a new client opens the same files (src/DECISIONS.md §362).
 */

import type { PGlite } from "@electric-sql/pglite"
import { Clock, Deferred, Effect, FiberId } from "effect"
import type { Scope } from "effect"
import { closeFiles, watchEnd } from "../library-internals/pglite.ts"
import { SECOND_MS } from "../../model/values/time.ts"
import { REOPEN_PAUSE_MS } from "./bounds.ts"
import { ConnectionLost } from "./connection.ts"
import { embeddedQueries } from "./embedded-queries.ts"
import type { EmbeddedClient } from "./embedded-queries.ts"

export interface EmbeddedServer {
  /** The client at this moment. Once its server has ended, it rejects every statement with a `ConnectionLost`. */
  readonly client: () => PGlite
}

export interface EmbeddedOpening<E, R> {
  readonly open: Effect.Effect<PGlite, E, R>
  /** Opens the same files again; null for a database in memory, which is lost with its server. */
  readonly reopen: Effect.Effect<PGlite, unknown, R> | null
}

/** Opens the database, opens it again whenever its server has ended, and closes it with the scope. */
export function embeddedServer<E, R>({
  open,
  reopen,
}: EmbeddedOpening<E, R>): Effect.Effect<EmbeddedServer, E, R | Scope.Scope> {
  return Effect.gen(function* () {
    const state: Current = yield* Effect.acquireRelease(
      Effect.map(open, (client) => ({ session: sessionOf(client) })),
      closed,
    )
    const following = Effect.gen(function* () {
      const { client, end } = state.session
      const cause = yield* Deferred.await(end)
      yield* Effect.logError(`the embedded database ended and is opened again: ${cause.message}`)
      yield* Effect.ignore(Effect.tryPromise(() => closeFiles(client)))
      if (reopen === null) return yield* Effect.never
      yield* reopened(state, reopen)
    })
    yield* Effect.forkScoped(Effect.forever(following))
    return { client: () => state.session.client }
  })
}

interface Session {
  readonly client: PGlite
  /** Done when the server has ended, with the reason. */
  readonly end: Deferred.Deferred<Error>
}

interface Current {
  session: Session
}

function sessionOf(client: PGlite): Session {
  const end = Deferred.unsafeMake<Error>(FiberId.none)
  watchEnd(client, (cause) => {
    Deferred.unsafeDone(end, Effect.succeed(cause))
    return new ConnectionLost("the embedded database has ended", { cause })
  })
  return { client, end }
}

/** Tries until it succeeds. An attempt is not interrupted, so that no client stays open. */
function reopened<R>(
  state: Current,
  reopen: Effect.Effect<PGlite, unknown, R>,
): Effect.Effect<void, never, R> {
  return Effect.gen(function* () {
    const beganMs = yield* Clock.currentTimeMillis
    const attempt = Effect.uninterruptible(
      Effect.map(reopen, (client) => {
        state.session = sessionOf(client)
      }),
    )
    let known = ""
    for (;;) {
      yield* Effect.sleep(REOPEN_PAUSE_MS)
      const problem = yield* Effect.match(attempt, { onSuccess: () => null, onFailure: textOf })
      if (problem === null) break
      if (problem !== known)
        yield* Effect.logError(`the embedded database cannot be opened again yet: ${problem}`)
      known = problem
    }
    const seconds = ((yield* Clock.currentTimeMillis) - beganMs) / SECOND_MS
    yield* Effect.logInfo(`the embedded database is open again, ${seconds.toFixed(1)} s after it ended`)
  })
}

function textOf(cause: unknown): string {
  return cause instanceof Error ? cause.message : String(cause)
}

function closed({ session: { client, end } }: Current): Effect.Effect<void> {
  return Effect.flatMap(Deferred.isDone(end), (hasEnded) =>
    Effect.ignore(Effect.tryPromise(() => (hasEnded ? closeFiles(client) : client.close()))),
  )
}

/** The statements of the service, each on the client of its moment; a transaction stays on one client. */
export function queriesOf({ client }: EmbeddedServer): EmbeddedClient {
  let [known, queries] = [client(), embeddedQueries(client())]
  const current = (): EmbeddedClient => {
    if (client() !== known) [known, queries] = [client(), embeddedQueries(client())]
    return queries
  }
  return {
    query: (...words) => current().query(...words),
    transaction: (body) => current().transaction(body),
  }
}
