/** The audit log of an organization for its people, with the names of members, also of those who have left. */

import { AuditLog } from "../../http/access/audit-log.ts"
import type { AuditLine, AuditQuery } from "../../http/access/audit-log.ts"
import { AccessRows } from "../../http/access/rows.ts"
import { Refused } from "../../model/values/errors.ts"
import { csvText } from "../../model/values/csv.ts"
import { AUDIT_EXPORTED_MAX } from "../../model/values/limits.ts"
import { isoMs } from "../../model/values/time.ts"
import type { PortalCaller } from "./caller.ts"
import { FormerRows } from "./people/former-members.ts"
import { PortalRows } from "./rows.ts"
import { sealedCursors } from "../../engine/services/cursors.ts"
import { DigestKey } from "../../engine/services/digest-key.ts"
import { Routine } from "../../engine/services/routine.ts"
import { service } from "../../engine/services/service.ts"

export interface ShownAuditLine extends AuditLine {
  /** A member's name, or a key's last four characters; null for operators. */
  readonly actorName: string | null
  /** The same of a person or a key that the line is about; null for anything else. */
  readonly subjectName: string | null
}

export interface AuditPage {
  /** Newest first. */
  readonly lines: readonly ShownAuditLine[]
  readonly nextCursor: string | null
}

/** Lines of the caller's organization. `actor`: the id of an account or a key, or `operations`. */
export interface AuditFilter extends Pick<AuditQuery, "action" | "fromMs" | "subjectId" | "toMs"> {
  readonly actor: string | null
}

export interface AuditPageQuery extends AuditFilter {
  readonly cursor: string | null
  readonly limit: number
}

/** Somebody by whom lines can be filtered. */
export interface AuditPerson {
  readonly id: string
  readonly name: string
  /** False for one who has left. */
  readonly isMember: boolean
}

/** The actor by whose lines operations are found: a partner does not learn which operator it was. */
const OPERATIONS = "operations"

export class PortalAudit extends service<PortalAudit>()("PortalAudit", () => ({
  list,
  csv,
  people,
})) {}

const list = Routine.fn(function* (caller: PortalCaller, { cursor, limit, ...filter }: AuditPageQuery) {
  const { organizationId } = caller.organization
  const { key } = yield* DigestKey
  const { cursorOf, placeOf } = sealedCursors({ key, list: "audit log", owner: organizationId })
  const beforeNumber = cursor === null ? null : yield* placeOf(cursor)
  const found = yield* shown(caller, filter, { beforeNumber, limit: limit + 1 })
  const lines = found.slice(0, limit)
  const last = lines.at(-1)
  const nextCursor = found.length > limit && last !== undefined ? cursorOf(last.number) : null
  return { lines, nextCursor } satisfies AuditPage
})

/** All lines that fit as CSV (RFC 4180), oldest first, with a header line. */
const csv = Routine.fn(function* (caller: PortalCaller, filter: AuditFilter) {
  const found = yield* shown(caller, filter, { beforeNumber: null, limit: AUDIT_EXPORTED_MAX + 1 })
  if (found.length > AUDIT_EXPORTED_MAX) {
    const message = `must leave at most ${AUDIT_EXPORTED_MAX} lines in the span`
    return yield* new Refused({ code: "VALIDATION_ERROR", problems: [{ field: "from", message }] })
  }
  return csvText([COLUMNS, ...found.toReversed().map(cellsOf)])
})

const COLUMNS = [
  "at",
  "actor_type",
  "actor_id",
  "actor",
  "action",
  "environment",
  "subject_id",
  "subject",
  "facts",
]

function cellsOf(line: ShownAuditLine): readonly string[] {
  return [
    isoMs(line.atMs),
    line.actorType,
    line.actorId ?? "",
    line.actorName ?? "",
    line.action,
    line.environment ?? "",
    line.subjectId ?? "",
    line.subjectName ?? "",
    Object.entries(line.facts)
      .map(([name, word]) => `${name}=${word}`)
      .join(" "),
  ]
}

const shown = Routine.fn(function* (
  { organization: { organizationId } }: PortalCaller,
  { actor, ...filter }: AuditFilter,
  page: Pick<AuditQuery, "beforeNumber" | "limit">,
) {
  const isOfOperations = actor === OPERATIONS
  const actorType = isOfOperations ? ("operator" as const) : null
  const actorId = isOfOperations ? null : actor
  const found = yield* (yield* AuditLog).list({ ...filter, ...page, organizationId, actorType, actorId })
  const keys = yield* (yield* AccessRows).keys(organizationId)
  const nameById = new Map([
    ...keys.map(({ keyId, lastFour }) => [keyId, lastFour] as const),
    ...(yield* peopleOf(organizationId)).map(({ id, name }) => [id, name] as const),
  ])
  const nameOf = (id: string | null): string | null => (id === null ? null : (nameById.get(id) ?? null))
  return found.map((line): ShownAuditLine => ({
    ...line,
    actorName: nameOf(line.actorId),
    subjectName: nameOf(line.subjectId),
  }))
})

const people = (caller: PortalCaller) => peopleOf(caller.organization.organizationId)

/** Members first. */
const peopleOf = Routine.fn(function* (organizationId: string) {
  const members = yield* (yield* PortalRows).accounts(organizationId)
  const here = new Set(members.map(({ accountId }) => accountId))
  const former = (yield* (yield* FormerRows).members(organizationId)).filter(
    ({ accountId }) => !here.has(accountId),
  )
  return [
    ...members.map(({ accountId, name }): AuditPerson => ({ id: accountId, name, isMember: true })),
    ...former.map(({ accountId, name }): AuditPerson => ({ id: accountId, name, isMember: false })),
  ]
})
