/**
 * Open-link secrets, with which an organization's open links are signed. The contract has no signature, and none is
 * sent unless an organization has a secret; but the call opens a door, so a partner may want to verify the caller. The
 * scheme is that of webhooks (src/DECISIONS.md §270).
 */

import { Effect } from "effect"
import type { Environment } from "../../model/caller.ts"
import { newSecret } from "../../model/ids.ts"
import { ActorHost, Transaction } from "../../engine/services/host.ts"
import { epochMs, sealed, text, choice } from "../../engine/services/tables/columns.ts"
import { table } from "../../engine/services/tables/table.ts"
import { SealedTables } from "../../engine/services/tables/tables.ts"
import { Routine } from "../../engine/services/routine.ts"
import { repository, service } from "../../engine/services/service.ts"

/** Each environment has a secret of its own. */
export interface OpenLinkScope {
  readonly organizationId: string
  readonly environment: Environment
}

const openLinkSecrets = table("open_link_secrets", {
  one: "an open-link secret",
  many: "open-link secrets",
  columns: {
    environment: choice<Environment>(),
    organizationId: text(),
    secret: sealed(text()),
    updatedAtMs: epochMs(),
  },
  key: ["environment", "organizationId"],
})

/** One row for each organization and environment, or none. `put` replaces the existing one. */
export class OpenLinkSecretRows extends repository<OpenLinkSecretRows>()(
  "OpenLinkSecretRows",
  Effect.map(SealedTables, (tables) => {
    const rows = tables.of(openLinkSecrets)
    return {
      find: ({ environment, organizationId }: OpenLinkScope) => rows.get({ environment, organizationId }),
      put: rows.upsert,
      remove: ({ environment, organizationId }: OpenLinkScope) =>
        rows.delete({ environment, organizationId }),
    }
  }),
) {}

/** The callers of these commands check who may ask; a partner's key may not. */
export class OpenLinkSecrets extends service<OpenLinkSecrets>()("OpenLinkSecrets", () => ({
  rotate,
  show,
  clear,
})) {}

/** Creates or replaces the secret: attempts are signed with it from now on. Only this answer contains the whole secret. */
const rotate = Routine.fn(function* (scope: OpenLinkScope) {
  const host = yield* ActorHost
  const secret = newSecret(yield* host.nonce)
  return yield* host.run({
    name: "rotate an open link secret",
    locks: { key: lockOf(scope) },
    body: Routine.fn(function* () {
      const rows = yield* OpenLinkSecretRows
      const { nowMs } = yield* Transaction
      const { organizationId, environment } = scope
      yield* rows.put({ organizationId, environment, secret, updatedAtMs: nowMs })
      return { secret, updatedAtMs: nowMs }
    }),
  })
})

/** Masked; null when open links are not signed. */
const show = Routine.fn(function* (scope: OpenLinkScope) {
  const rows = yield* OpenLinkSecretRows
  const found = yield* rows.find(scope)
  return found === null ? null : { secret: `…${found.secret.slice(-4)}`, updatedAtMs: found.updatedAtMs }
})

/** Open links are not signed from now on. May be repeated. */
const clear = Routine.fn(function* (scope: OpenLinkScope) {
  const host = yield* ActorHost
  const rows = yield* OpenLinkSecretRows
  yield* host.run({
    name: "remove an open link secret",
    locks: { key: lockOf(scope) },
    body: () => rows.remove(scope),
  })
})

function lockOf({ environment, organizationId }: OpenLinkScope): string {
  return `open-link/${environment}/${organizationId}`
}
