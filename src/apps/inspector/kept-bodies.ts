/**
 * What the inspector shows beside a journal for 30 days: the request of a command with its masked bodies, and the masked bodies
 * of each attempt of an outbound call. The journal names a request by its id alone, so a downloaded record has none of this.
 */

import { Context } from "effect"
import type { Address } from "../../model/address.ts"
import type { Environment } from "../../model/caller.ts"
import { KEEP_BODIES_MS, KEPT_BODIES_WAITING_MAX } from "../../model/values/limits.ts"
import type { Transaction } from "../../engine/services/host.ts"
import type { Purge } from "../../engine/services/retention/retention.ts"
import { boolean, choice, epochMs, integer, text } from "../../engine/services/tables/columns.ts"
import { table } from "../../engine/services/tables/table.ts"
import type { NewRowOf, RowOf } from "../../engine/services/tables/table.ts"
import type { Routine } from "../../engine/services/routine.ts"

export const keptRequests = table("kept_requests", {
  one: "a kept request",
  many: "kept requests",
  columns: {
    /** Our own id, as in the journal. */
    requestId: text(),
    environment: choice<Environment>(),
    /** Of the key; null for a caller without one. */
    organizationId: text().nullable(),
    atMs: epochMs(),
    method: text(),
    /** The route's pattern. */
    route: text(),
    status: integer(),
    /** The error code, or null. */
    code: text().nullable(),
    keyId: text().nullable(),
    lastFour: text().nullable(),
    /** The id that the caller sent and got back; null if it sent none. */
    sentId: text().nullable(),
    /** Masked JSON; null without a body. */
    sent: text().nullable(),
    answered: text().nullable(),
    /** True when parts were left out because of the size. */
    isCut: boolean(),
  },
  key: ["requestId"],
  retention: { from: "atMs", keepMs: KEEP_BODIES_MS },
  indexes: [{ name: "kept_requests_oldest", by: ["atMs"] }],
})

export const keptExchanges = table("kept_exchanges", {
  one: "the bodies of an attempt",
  many: "bodies of attempts",
  columns: {
    /** The actor that made the call. */
    actor: text(),
    attempt: integer(),
    /** When it left; an attempt that left twice has its last bodies. */
    atMs: epochMs(),
    /** The status of the answer; null without one. */
    status: integer().nullable(),
    sent: text().nullable(),
    answered: text().nullable(),
    isCut: boolean(),
  },
  key: ["actor", "attempt"],
  retention: { from: "atMs", keepMs: KEEP_BODIES_MS },
  indexes: [{ name: "kept_exchanges_oldest", by: ["atMs"] }],
})

export type KeptRequest = RowOf<typeof keptRequests>
type KeptExchange = RowOf<typeof keptExchanges>

export interface NewBodies {
  readonly requests: readonly NewRowOf<typeof keptRequests>[]
  readonly exchanges: readonly NewRowOf<typeof keptExchanges>[]
}

export class KeptBodies extends Context.Tag("KeptBodies")<
  KeptBodies,
  {
    /** A request that is known stays as it is; an attempt gets its last bodies. */
    readonly append: (added: NewBodies) => Routine<void, never, Transaction>
    /** With the name of its key's organization. */
    readonly request: (
      environment: Environment,
      requestId: string,
    ) => Routine<(KeptRequest & { readonly organization: string | null }) | null>
    /** Of these actors, in order of attempts. */
    readonly exchanges: (actors: readonly Address[]) => Routine<readonly KeptExchange[]>
    readonly purgeRequests: Purge
    readonly purgeExchanges: Purge
  }
>() {}

/** Bodies that wait to be written, up to a bound; no call waits for them or fails because of them. */
export class WaitingBodies {
  #requests: NewRowOf<typeof keptRequests>[] = []
  #exchanges: NewRowOf<typeof keptExchanges>[] = []
  #leftOut = 0

  addRequest(request: NewRowOf<typeof keptRequests>): void {
    if (this.#hasRoom()) this.#requests.push(request)
  }

  addExchange(exchange: NewRowOf<typeof keptExchanges>): void {
    if (this.#hasRoom()) this.#exchanges.push(exchange)
  }

  take(): NewBodies & { readonly leftOut: number } {
    const taken = { requests: this.#requests, exchanges: this.#exchanges, leftOut: this.#leftOut }
    this.#requests = []
    this.#exchanges = []
    this.#leftOut = 0
    return taken
  }

  #hasRoom(): boolean {
    const isFull = this.#requests.length + this.#exchanges.length >= KEPT_BODIES_WAITING_MAX
    if (isFull) this.#leftOut += 1
    return !isFull
  }
}
