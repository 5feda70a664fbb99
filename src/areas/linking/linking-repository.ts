/**
 * The grants over their declared tables. The counters of limits are in the stores, because they need a single statement.
 */

import { purgeOf } from "../../engine/services/tables/purge.ts"
import type { SealedTables, Tables } from "../../engine/services/tables/tables.ts"
import { Routine } from "../../engine/services/routine.ts"
import { connectorPause, linkedUsers, oauthCodes, oauthTokens } from "./rows.ts"
import type { ClientRows, GrantRows } from "./rows.ts"

type Held = Pick<GrantRows["Type"], "token" | "tokenAtSwitch">

/** `held`: the query that reads a token with its user. */
export function grantRowsOver(tables: Tables["Type"], held: Held): GrantRows["Type"] {
  const codes = tables.of(oauthCodes)
  const tokens = tables.of(oauthTokens)
  return {
    ...held,
    insertCode: codes.insert,
    changeCode: (codeHash, change) => codes.update({ codeHash }, change),
    code: (codeHash) => codes.get({ codeHash }),
    codeOfRequest: (requestId) => codes.first({ requestId }),
    purgeCodes: purgeOf(oauthCodes, codes),
    insertToken: tokens.insert,
    revokeToken: (tokenHash, revokedAtMs) => tokens.update({ tokenHash, revokedAtMs: null }, { revokedAtMs }),
    revokeFamily: (familyId, revokedAtMs) => tokens.update({ familyId, revokedAtMs: null }, { revokedAtMs }),
    purgeTokens: purgeOf(oauthTokens, tokens),
  }
}

/** For a connector that is never paused, as the sandbox's. */
export function neverPaused(grants: GrantRows["Type"], clients: ClientRows["Type"]) {
  return {
    grants: {
      ...grants,
      tokenAtSwitch: (tokenHash) =>
        Routine.map(grants.tokenAtSwitch(tokenHash), ({ found }) => ({ pausedAtMs: null, found })),
    } satisfies GrantRows["Type"],
    clients: { ...clients, pausedAtMs: Routine.succeed(null) } satisfies ClientRows["Type"],
  }
}

/** Reads one table after the other; `./store` uses a join. */
export function plainlyHeld(tables: SealedTables["Type"]): Held {
  const users = tables.of(linkedUsers)
  const tokens = tables.of(oauthTokens)
  const pause = tables.of(connectorPause)
  const token: Held["token"] = Routine.fn(function* (tokenHash) {
    const found = yield* tokens.get({ tokenHash })
    const user = found === null ? null : yield* users.get({ userId: found.userId })
    return found === null || user === null ? null : { token: found, isUserEnabled: user.isEnabled }
  })
  return {
    token,
    tokenAtSwitch: Routine.fn(function* (tokenHash) {
      const switched = yield* pause.get({ id: "connector" })
      return { pausedAtMs: switched?.pausedAtMs ?? null, found: yield* token(tokenHash) }
    }),
  }
}
