/** The connector's switch: while it is paused, its paths answer 404, and users stay linked. */

import type { EpochMs } from "../../model/values/time.ts"
import { ActorHost, Transaction } from "../../engine/services/host.ts"
import { Routine } from "../../engine/services/routine.ts"
import { service } from "../../engine/services/service.ts"
import { ClientRows, LinkedUserRows } from "./rows.ts"

export interface ConnectorStatus {
  readonly isPaused: boolean
  readonly pausedAtMs: EpochMs | null
  readonly enabledPhones: number
  readonly allowedRedirects: number
}

export class ConnectorSwitch extends service<ConnectorSwitch>()("ConnectorSwitch", () => ({
  /** Read at every request, from the database, because any node may change it. */
  isPaused: Routine.gen(function* () {
    return (yield* (yield* ClientRows).pausedAtMs) !== null
  }),
  pause,
  resume,
  status,
})) {}

const status = Routine.gen(function* () {
  const rows = yield* ClientRows
  const pausedAtMs = yield* rows.pausedAtMs
  const enabled = (yield* (yield* LinkedUserRows).users).filter(({ isEnabled }) => isEnabled)
  return {
    isPaused: pausedAtMs !== null,
    pausedAtMs,
    enabledPhones: enabled.length,
    allowedRedirects: (yield* rows.redirects).length,
  } satisfies ConnectorStatus
})

/** A repeat changes nothing and keeps the first instant. */
const pause = Routine.gen(function* () {
  const host = yield* ActorHost
  yield* host.run({ name: "pause the connector", locks: { key: LOCK }, body: () => pausing })
  return yield* status
})

const pausing = Routine.gen(function* () {
  const rows = yield* ClientRows
  const { nowMs } = yield* Transaction
  if ((yield* rows.pausedAtMs) === null) yield* rows.setPaused(nowMs)
})

const resume = Routine.gen(function* () {
  const host = yield* ActorHost
  const rows = yield* ClientRows
  yield* host.run({ name: "resume the connector", locks: { key: LOCK }, body: () => rows.setPaused(null) })
  return yield* status
})

const LOCK = "linking/switch"
