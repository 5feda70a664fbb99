/**
 * Settings of a fleet: the URL that opens the compartments of its vehicles, the secret that signs these calls, and what
 * customers read about opening one. A fleet without a URL cannot be asked (src/DECISIONS.md §270).
 */

import { Effect } from "effect"
import type { Environment, Operator } from "../../model/caller.ts"
import { Refused } from "../../model/values/errors.ts"
import type { FleetSettingsRequest } from "../../model/requests/fleet-requests.ts"
import { newSecret } from "../../model/ids.ts"
import type { EpochMs } from "../../model/values/time.ts"
import { ActorHost, Transaction } from "../../engine/services/host.ts"
import { operationsOf } from "../../engine/services/owner-turns.ts"
import { UrlPolicy } from "../../engine/services/outbound/url-policy.ts"
import { Routine } from "../../engine/services/routine.ts"
import { repository, service } from "../../engine/services/service.ts"
import { choice, epochMs, sealed, text } from "../../engine/services/tables/columns.ts"
import { table } from "../../engine/services/tables/table.ts"
import type { RowOf } from "../../engine/services/tables/table.ts"
import { VehicleRows } from "./rows.ts"
import { notFound } from "../../engine/services/refusals.ts"
import { SealedTables } from "../../engine/services/tables/tables.ts"

export const fleetSettings = table("fleet_settings", {
  one: "a fleet's settings",
  many: "settings of fleets",
  columns: {
    environment: choice<Environment>(),
    fleetId: text(),
    /** Null: its vehicles cannot be opened from here. */
    openUrl: text().nullable(),
    /** Null before the first URL. */
    openSecret: sealed(text().nullable()),
    /** How to open a vehicle, for customers; null: the usual words. */
    instruction: text().nullable(),
    updatedAtMs: epochMs(),
  },
  key: ["environment", "fleetId"],
})

export type FleetSettingsRow = RowOf<typeof fleetSettings>

/** One row for each fleet with settings. */
export class FleetSettingsRows extends repository<FleetSettingsRows>()(
  "FleetSettingsRows",
  Effect.map(SealedTables, (tables) => {
    const rows = tables.of(fleetSettings)
    return {
      find: (environment: Environment, fleetId: string) => rows.get({ environment, fleetId }),
      /** Replaces the existing one. */
      put: rows.upsert,
    }
  }),
) {}

/** Settings as operations see them. */
export interface FleetSettingsRecord extends Pick<FleetSettingsRow, "fleetId" | "instruction" | "openUrl"> {
  /** Whole in the answer that makes it; otherwise its last four characters. */
  readonly openSecret: string | null
  /** Null before the first change. */
  readonly updatedAtMs: EpochMs | null
}

export class FleetSettings extends service<FleetSettings>()("FleetSettings", () => ({
  show,
  change,
  rotate,
})) {}

/** Of a fleet with at least one vehicle in the caller's environment. */
const show = Routine.fn(function* (caller: Operator, fleetId: string) {
  yield* requireFleet(caller, fleetId)
  return recordOf(yield* settingsOf(caller, fleetId))
})

/** The first URL makes a secret, which only this answer shows. */
const change = Effect.fnUntraced(function* (
  caller: Operator,
  fleetId: string,
  { open_url: openUrl, instruction }: FleetSettingsRequest,
) {
  yield* requireFleet(caller, fleetId)
  if (openUrl !== undefined && openUrl !== null) yield* checkUrl(caller, openUrl)
  return yield* put(caller, fleetId, (before, secret) => ({
    ...before,
    ...(openUrl === undefined ? {} : { openUrl }),
    ...(instruction === undefined ? {} : { instruction }),
    ...(openUrl !== undefined && openUrl !== null && before.openSecret === null
      ? { openSecret: secret }
      : {}),
  }))
})

/** Attempts are signed with the new secret from now on; only this answer shows it. */
const rotate = Routine.fn(function* (caller: Operator, fleetId: string) {
  yield* requireFleet(caller, fleetId)
  return yield* put(caller, fleetId, (before, openSecret) => ({ ...before, openSecret }))
})

/** Writes the changed settings. A secret that is new is in the answer. */
const put = Routine.fn(function* (
  caller: Operator,
  fleetId: string,
  changed: (before: FleetSettingsRow, secret: string) => FleetSettingsRow,
) {
  const host = yield* ActorHost
  const rows = yield* FleetSettingsRows
  const secret = newSecret(yield* host.nonce)
  return yield* host.run({
    name: "change a fleet's settings",
    locks: { key: `fleet-settings/${caller.environment}/${fleetId}` },
    body: Routine.fn(function* () {
      const { nowMs } = yield* Transaction
      const before = yield* settingsOf(caller, fleetId)
      const after = { ...changed(before, secret), updatedAtMs: nowMs }
      yield* rows.put(after)
      const record = recordOf(after)
      return after.openSecret === before.openSecret ? record : { ...record, openSecret: after.openSecret }
    }),
  })
})

/** The stored settings, or those of a fleet that was never changed. */
const settingsOf = Routine.fn(function* ({ environment }: Operator, fleetId: string) {
  const rows = yield* FleetSettingsRows
  const none = { environment, fleetId, openUrl: null, openSecret: null, instruction: null, updatedAtMs: 0 }
  return (yield* rows.find(environment, fleetId)) ?? none
})

/** A fleet is its vehicles: an id without any is a typing mistake. */
const requireFleet = Routine.fn(function* ({ environment }: Operator, fleetId: string) {
  const vehicles = yield* (yield* VehicleRows).ofFleet(fleetId, 1)
  if (vehicles[0]?.environment !== environment) return yield* notFound("no vehicle of a fleet", fleetId)
})

/** Refuses URLs that the service may not call, as for open links. */
const checkUrl = Effect.fnUntraced(function* (caller: Operator, url: string) {
  const verdict = yield* (yield* UrlPolicy).check(url, operationsOf(caller))
  if (verdict.type === "public") return
  if (verdict.type === "unavailable") return yield* new Refused({ code: "URL_VALIDATION_UNAVAILABLE" })
  const message = `must be an https URL on a public host (${verdict.detail})`
  return yield* new Refused({ code: "VALIDATION_ERROR", problems: [{ field: "open_url", message }] })
})

function recordOf({ fleetId, openUrl, openSecret, instruction, updatedAtMs }: FleetSettingsRow) {
  return {
    fleetId,
    openUrl,
    openSecret: openSecret === null ? null : `…${openSecret.slice(-4)}`,
    instruction,
    updatedAtMs: updatedAtMs === 0 ? null : updatedAtMs,
  } satisfies FleetSettingsRecord
}
