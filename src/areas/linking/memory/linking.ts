/** Counters of the limits of linking, in memory. */

import { Effect, Layer } from "effect"
import { grantRowsOver, plainlyHeld } from "../linking-repository.ts"
import { GrantRows, LinkingLimitRows } from "../rows.ts"
import type { Allowance, Taken } from "../rows.ts"
import { SealedTables, Tables } from "../../../engine/services/tables/tables.ts"
import { Routine } from "../../../engine/services/routine.ts"
import type { MemoryStore } from "../../../engine/memory/memory-store.ts"

export const layerMemoryGrantRows: Layer.Layer<GrantRows, never, SealedTables | Tables> = Layer.effect(
  GrantRows,
  Effect.map(Effect.all([Tables, SealedTables]), ([tables, sealedTables]) =>
    grantRowsOver(tables, plainlyHeld(sealedTables)),
  ),
)

export function layerMemoryLinkingLimits(store: MemoryStore): Layer.Layer<LinkingLimitRows> {
  return Layer.succeed(LinkingLimitRows, limitsIn(store))
}

function limitsIn(store: MemoryStore): LinkingLimitRows["Type"] {
  const taken = store.table<{ readonly atMs: readonly number[]; readonly endsAtMs: number }>("linking-limits")
  const liveIn = ({ bucket, nowMs, windowMs }: Allowance): readonly number[] =>
    (taken.get(bucket)?.atMs ?? []).filter((atMs) => atMs > nowMs - windowMs)
  const answer = (live: readonly number[], { max, windowMs }: Allowance): Taken => ({
    isTaken: live.length < max,
    freeAtMs: live.length === 0 ? null : Math.min(...live) + windowMs,
  })
  return {
    take: (allowance) =>
      Routine.sync(() => {
        const { bucket, max, nowMs, windowMs } = allowance
        const live = liveIn(allowance)
        const now = live.length < max ? [...live, nowMs] : live
        const endsAtMs = Math.max(taken.get(bucket)?.endsAtMs ?? 0, nowMs + windowMs)
        taken.put(bucket, { atMs: now, endsAtMs })
        return { ...answer(now, allowance), isTaken: live.length < max }
      }),
    look: (allowance) => Routine.sync(() => answer(liveIn(allowance), allowance)),
    purge: ({ beforeMs, limit }) =>
      Routine.sync(() => {
        const old = taken.entries().filter(([, { endsAtMs }]) => endsAtMs <= beforeMs)
        for (const [bucket] of old.slice(0, limit)) taken.delete(bucket)
        return Math.min(old.length, limit)
      }),
  }
}
