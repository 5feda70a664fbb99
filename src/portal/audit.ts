/** The audit log of an organization for its people, with the names of those who are members now. */

import { Context, Effect, Layer } from "effect"
import { AuditLog } from "../areas/access/audit-log.ts"
import type { AuditLine, AuditQuery } from "../areas/access/audit-log.ts"
import { AccessRows } from "../areas/access/rows.ts"
import type { PortalCaller } from "./caller.ts"
import { PortalRows } from "./rows.ts"
import { provided } from "../services/provided.ts"
import { Routine } from "../services/routine.ts"

export interface ShownAuditLine extends AuditLine {
  /** A member's name, or a key's last four characters; null for operators and people who have left. */
  readonly actorName: string | null
}

export class PortalAudit extends Context.Tag("PortalAudit")<
  PortalAudit,
  {
    /** Newest first. */
    readonly list: (
      caller: PortalCaller,
      query: Omit<AuditQuery, "organizationId">,
    ) => Routine<readonly ShownAuditLine[]>
  }
>() {}

type Needs = AccessRows | AuditLog | PortalRows

export const layerPortalAudit: Layer.Layer<PortalAudit, never, Needs> = Layer.effect(
  PortalAudit,
  Effect.map(Effect.context<Needs>(), (context): PortalAudit["Type"] => ({
    list: (caller, query) => provided(list(caller, query), context),
  })),
)

const list = Routine.fn(function* (
  { organization: { organizationId } }: PortalCaller,
  query: Omit<AuditQuery, "organizationId">,
) {
  const lines = yield* (yield* AuditLog).list({ ...query, organizationId })
  const members = yield* (yield* PortalRows).accounts(organizationId)
  const keys = yield* (yield* AccessRows).keys(organizationId)
  const nameById = new Map([
    ...members.map(({ accountId, name }) => [accountId, name] as const),
    ...keys.map(({ keyId, lastFour }) => [keyId, lastFour] as const),
  ])
  return lines.map((line) => ({
    ...line,
    actorName: line.actorId === null ? null : (nameById.get(line.actorId) ?? null),
  }))
})
