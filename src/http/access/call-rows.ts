/** Rows of the request log. Bodies have a table of their own, because lists do not show them. */

import { Context } from "effect"
import type { Environment } from "../../model/caller.ts"
import { KEEP_LOGGED_CALLS_MS } from "../../model/values/limits.ts"
import type { Transaction } from "../../engine/services/host.ts"
import type { Purge } from "../../engine/services/retention/retention.ts"
import { boolean, choice, epochMs, integer, serial, text } from "../../engine/services/tables/columns.ts"
import { table } from "../../engine/services/tables/table.ts"
import type { RowOf } from "../../engine/services/tables/table.ts"
import type { Routine } from "../../engine/services/routine.ts"

export const loggedCalls = table("logged_calls", {
  one: "a logged call",
  many: "logged calls",
  columns: {
    callId: text(),
    number: serial(),
    organizationId: text(),
    /** Of the requested host; the key may be of the other one. */
    environment: choice<Environment>(),
    /** When the request arrived. */
    atMs: epochMs(),
    method: text(),
    /** The route's pattern. */
    route: text(),
    /** As sent, without the query. */
    path: text(),
    status: integer(),
    /** The error code, or null. */
    code: text().nullable(),
    ms: integer(),
    /** Not unique: clients may choose it. */
    requestId: text(),
    keyId: text(),
    lastFour: text(),
  },
  key: ["callId"],
  retention: { from: "atMs", keepMs: KEEP_LOGGED_CALLS_MS },
  indexes: [
    { name: "logged_calls_newest", by: ["organizationId", "environment", "number"] },
    { name: "logged_calls_request", by: ["organizationId", "environment", "requestId"] },
    { name: "logged_calls_oldest", by: ["atMs"] },
  ],
})

export type LoggedCall = RowOf<typeof loggedCalls>

export const loggedBodies = table("logged_bodies", {
  one: "the bodies of a logged call",
  many: "bodies of logged calls",
  columns: {
    callId: text(),
    atMs: epochMs(),
    /** Masked JSON; null without a body. */
    sent: text().nullable(),
    answered: text().nullable(),
    /** True when parts were left out because of the size. */
    isCut: boolean(),
  },
  key: ["callId"],
  retention: { from: "atMs", keepMs: KEEP_LOGGED_CALLS_MS },
  indexes: [{ name: "logged_bodies_oldest", by: ["atMs"] }],
})

export type CallBodies = RowOf<typeof loggedBodies>

/** A call before its row has a number, with its bodies. */
export type NewCall = Omit<LoggedCall, "number"> & Pick<CallBodies, "answered" | "isCut" | "sent">

/** The log of an organization in one environment. */
export type CallScope = Pick<LoggedCall, "environment" | "organizationId">

export class CallRows extends Context.Tag("CallRows")<
  CallRows,
  {
    /** In this order. */
    readonly append: (calls: readonly NewCall[]) => Routine<void, never, Transaction>
    /** Deletes all but the newest calls, with their bodies. */
    readonly cut: (scope: CallScope, keep: number) => Routine<void, never, Transaction>
    /** Newest first; those with a higher number than `behind` alone. */
    readonly newest: (scope: CallScope, limit: number, behind?: number) => Routine<readonly LoggedCall[]>
    /** The newest one with this request id. */
    readonly byRequest: (scope: CallScope, requestId: string) => Routine<LoggedCall | null>
    readonly bodies: (callId: string) => Routine<CallBodies | null>
    readonly purge: Purge
    readonly purgeBodies: Purge
  }
>() {}
