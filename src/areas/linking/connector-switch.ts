/** The connector's switch: while it is paused, its paths answer 404, and users stay linked. */

import { Context, Effect, Layer } from "effect"
import type { EpochMs } from "../../model/values/time.ts"
import { ActorHost, Transaction } from "../../engine/services/host.ts"
import { Routine } from "../../engine/services/routine.ts"
import { ClientRows, LinkedUserRows } from "./rows.ts"

export interface ConnectorStatus {
  readonly isPaused: boolean
  readonly pausedAtMs: EpochMs | null
  readonly enabledPhones: number
  readonly allowedRedirects: number
}

export class ConnectorSwitch extends Context.Tag("ConnectorSwitch")<
  ConnectorSwitch,
  {
    /** Read at every request, from the database, because any node may change it. */
    readonly isPaused: Routine<boolean>
    /** A repeat changes nothing and keeps the first instant. */
    readonly pause: Routine<ConnectorStatus>
    readonly resume: Routine<ConnectorStatus>
    readonly status: Routine<ConnectorStatus>
  }
>() {}

type Needs = ActorHost | ClientRows | LinkedUserRows

export const layerConnectorSwitch: Layer.Layer<ConnectorSwitch, never, Needs> = Layer.effect(
  ConnectorSwitch,
  Effect.gen(function* () {
    const host = yield* ActorHost
    const rows = yield* ClientRows
    const users = yield* LinkedUserRows
    const status = Routine.gen(function* () {
      const pausedAtMs = yield* rows.pausedAtMs
      const enabled = (yield* users.users).filter(({ isEnabled }) => isEnabled)
      return {
        isPaused: pausedAtMs !== null,
        pausedAtMs,
        enabledPhones: enabled.length,
        allowedRedirects: (yield* rows.redirects).length,
      } satisfies ConnectorStatus
    })
    const pausing = Routine.gen(function* () {
      const { nowMs } = yield* Transaction
      if ((yield* rows.pausedAtMs) === null) yield* rows.setPaused(nowMs)
    })
    return {
      isPaused: Routine.map(rows.pausedAtMs, (atMs) => atMs !== null),
      pause: Routine.zipRight(
        host.run({ name: "pause the connector", locks: { key: LOCK }, body: () => pausing }),
        status,
      ),
      resume: Routine.zipRight(
        host.run({ name: "resume the connector", locks: { key: LOCK }, body: () => rows.setPaused(null) }),
        status,
      ),
      status,
    }
  }),
)

const LOCK = "linking/switch"
