/**
 * The last use of each API key. A request only notes it in memory; a batch writes the notes afterwards, so that no
 * request waits for them. Uses that wait when the process ends are lost.
 */

import { Effect, Layer } from "effect"
import {
  KEY_USES_AT_ONCE_MAX,
  KEY_USES_WAITING_MAX,
  KEY_USES_WRITTEN_MS,
  KEY_USE_NOTED_MS,
} from "../../model/values/limits.ts"
import type { EpochMs } from "../../model/values/time.ts"
import { ActorHost } from "../../engine/services/host.ts"
import { Routine } from "../../engine/services/routine.ts"
import { service } from "../../engine/services/service.ts"
import { AccessRows } from "./rows.ts"
import type { ApiKeyUse } from "./rows.ts"

export class KeyUses extends service<KeyUses>()(
  "KeyUses",
  Effect.sync(() => {
    const noted = new NotedUses()
    return {
      /** Writes nothing: at most one use a minute of each key waits for the next batch. */
      note: (use: ApiKeyUse) => Routine.sync(() => noted.add(use)),
      write: write(noted),
    }
  }),
) {}

/** Writes batches while the service runs, and a last one at its end. A batch that fails is dropped. */
export const layerKeyUseWriter: Layer.Layer<never, never, KeyUses> = Layer.scopedDiscard(
  Effect.gen(function* () {
    const uses = yield* KeyUses
    const attempt = Effect.catchAllCause(uses.write, (cause) =>
      Effect.logWarning("the last uses of API keys were not written", cause),
    )
    yield* Effect.addFinalizer(() => attempt)
    const writing = Effect.forever(Routine.zipRight(Effect.sleep(KEY_USES_WRITTEN_MS), attempt))
    yield* Effect.forkScoped(Effect.interruptible(writing))
  }),
)

/** Uses that wait, and the times of those that were taken within the last minute. */
class NotedUses {
  readonly #waiting = new Map<string, ApiKeyUse>()
  readonly #takenAtMs = new Map<string, EpochMs>()

  add(use: ApiKeyUse): void {
    const takenAtMs = this.#takenAtMs.get(use.keyId)
    if (this.#waiting.has(use.keyId) || this.#waiting.size >= KEY_USES_WAITING_MAX) return
    if (takenAtMs !== undefined && use.usedAtMs - takenAtMs < KEY_USE_NOTED_MS) return
    this.#waiting.set(use.keyId, use)
  }

  /** In the order of keys, so that two nodes lock rows in the same order. */
  take(nowMs: EpochMs): readonly ApiKeyUse[] {
    const uses = [...this.#waiting.values()].toSorted((a, b) => (a.keyId < b.keyId ? -1 : 1))
    this.#waiting.clear()
    for (const [keyId, atMs] of this.#takenAtMs) {
      if (nowMs - atMs >= KEY_USE_NOTED_MS) this.#takenAtMs.delete(keyId)
    }
    for (const { keyId, usedAtMs } of uses) this.#takenAtMs.set(keyId, usedAtMs)
    return uses
  }
}

/** Writes what waits, in transactions of bounded size. */
const write = Routine.fn(function* (noted: NotedUses) {
  const rows = yield* AccessRows
  const host = yield* ActorHost
  const uses = noted.take(yield* Routine.nowMs)
  for (let at = 0; at < uses.length; at += KEY_USES_AT_ONCE_MAX) {
    const batch = uses.slice(at, at + KEY_USES_AT_ONCE_MAX)
    yield* host.run({
      name: "note uses of API keys",
      locks: {},
      body: () => Routine.forEach(batch, (use) => rows.putKeyUse(use), { discard: true }),
    })
  }
})
