/** The audit log of an organization for its people, with the names of those who are members now. */

import { AuditLog } from "../../http/access/audit-log.ts"
import type { AuditLine, AuditQuery } from "../../http/access/audit-log.ts"
import { AccessRows } from "../../http/access/rows.ts"
import type { PortalCaller } from "./caller.ts"
import { PortalRows } from "./rows.ts"
import { sealedCursors } from "../../engine/services/cursors.ts"
import { DigestKey } from "../../engine/services/digest-key.ts"
import { Routine } from "../../engine/services/routine.ts"
import { service } from "../../engine/services/service.ts"

export interface ShownAuditLine extends AuditLine {
  /** A member's name, or a key's last four characters; null for operators and people who have left. */
  readonly actorName: string | null
}

export interface AuditPage {
  /** Newest first. */
  readonly lines: readonly ShownAuditLine[]
  readonly nextCursor: string | null
}

/** A page of the caller's organization. */
export interface AuditPageQuery extends Omit<AuditQuery, "beforeNumber" | "organizationId"> {
  readonly cursor: string | null
}

export class PortalAudit extends service<PortalAudit>()("PortalAudit", () => ({
  list,
})) {}

const list = Routine.fn(function* (
  { organization: { organizationId } }: PortalCaller,
  { cursor, limit, ...query }: AuditPageQuery,
) {
  const { key } = yield* DigestKey
  const { cursorOf, placeOf } = sealedCursors({ key, list: "audit log", owner: organizationId })
  const beforeNumber = cursor === null ? null : yield* placeOf(cursor)
  const audit = yield* AuditLog
  const found = yield* audit.list({ ...query, organizationId, beforeNumber, limit: limit + 1 })
  const lines = found.slice(0, limit)
  const last = lines.at(-1)
  const members = yield* (yield* PortalRows).accounts(organizationId)
  const keys = yield* (yield* AccessRows).keys(organizationId)
  const nameById = new Map([
    ...members.map(({ accountId, name }) => [accountId, name] as const),
    ...keys.map(({ keyId, lastFour }) => [keyId, lastFour] as const),
  ])
  return {
    lines: lines.map((line) => ({
      ...line,
      actorName: line.actorId === null ? null : (nameById.get(line.actorId) ?? null),
    })),
    nextCursor: found.length > limit && last !== undefined ? cursorOf(last.number) : null,
  } satisfies AuditPage
})
