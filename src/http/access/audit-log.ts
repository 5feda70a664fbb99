/**
 * The audit log of each organization: who did what, and when. A line is written in the transaction of its command, and
 * never changed. It has ids and short words only; names are looked up when it is read.
 */

import { Effect } from "effect"
import { ENVIRONMENTS } from "../../model/caller.ts"
import type { Environment } from "../../model/caller.ts"
import { AUDIT_FACT_LENGTH_MAX, KEEP_AUDIT_MS } from "../../model/values/limits.ts"
import type { EpochMs } from "../../model/values/time.ts"
import { realNowMs } from "../../engine/services/organization-clock.ts"
import type { CommandNote } from "../../engine/services/command-notes.ts"
import { choice, epochMs, json, serial, text } from "../../engine/services/tables/columns.ts"
import { table } from "../../engine/services/tables/table.ts"
import type { RowOf } from "../../engine/services/tables/table.ts"
import { Routine } from "../../engine/services/routine.ts"
import { repository, service } from "../../engine/services/service.ts"
import { atLeast, below, descending, ifGiven } from "../../engine/services/tables/conditions.ts"
import { purgeOf } from "../../engine/services/tables/purge.ts"
import { Tables } from "../../engine/services/tables/tables.ts"

export const AUDITED_ACTORS = ["key", "member", "operator"] as const

export type AuditedActor = (typeof AUDITED_ACTORS)[number]

/** Short words about a command, such as a role. */
export type AuditFacts = Readonly<Record<string, string>>

export const organizationAudit = table("organization_audit", {
  one: "a line of an audit log",
  many: "lines of audit logs",
  columns: {
    number: serial(),
    organizationId: text(),
    atMs: epochMs(),
    actorType: choice<AuditedActor>(),
    /** An account or a key; null for operators. */
    actorId: text().nullable(),
    /** The operation's id in its API. */
    action: text(),
    /** Null when the command is about no environment, or about both. */
    environment: choice<Environment>().nullable(),
    /** The id of what the command changed. */
    subjectId: text().nullable(),
    facts: json<AuditFacts>(),
  },
  key: ["number"],
  retention: { from: "atMs", keepMs: KEEP_AUDIT_MS },
  indexes: [
    { name: "organization_audit_newest", by: ["organizationId", "number"] },
    { name: "organization_audit_age", by: ["atMs"] },
  ],
})

export type AuditLine = RowOf<typeof organizationAudit>

export interface AuditQuery {
  readonly organizationId: string
  readonly actorType: AuditedActor | null
  readonly actorId: string | null
  readonly action: string | null
  readonly subjectId: string | null
  readonly fromMs: EpochMs | null
  readonly toMs: EpochMs | null
  readonly beforeNumber: number | null
  readonly limit: number
}

export class AuditRows extends repository<AuditRows>()(
  "AuditRows",
  Effect.map(Tables, (tables) => {
    const lines = tables.of(organizationAudit)
    return {
      append: lines.insert,
      /** Newest first. */
      list: ({ organizationId, fromMs, toMs, beforeNumber, limit, ...of }: AuditQuery) =>
        lines.list(
          {
            organizationId,
            actorType: ifGiven(of.actorType, (type) => type),
            actorId: ifGiven(of.actorId, (id) => id),
            action: ifGiven(of.action, (name) => name),
            subjectId: ifGiven(of.subjectId, (id) => id),
            atMs: [ifGiven(fromMs, atLeast), ifGiven(toMs, below)],
            number: ifGiven(beforeNumber, below),
          },
          { order: [descending("number")], limit },
        ),
      purge: purgeOf(organizationAudit, lines),
    }
  }),
) {}

/** A command that is about to run. */
export interface AuditedCommand {
  readonly actor: { readonly type: AuditedActor; readonly id: string | null } | null
  /** Null: the result names it; without one nothing is written. */
  readonly organizationId: string | null
  readonly action: string
  readonly environment: Environment | null
  /** Null: the result may name it. */
  readonly subjectId: string | null
  /** See `CommandNote`. */
  readonly command: string | null
}

export class AuditLog extends service<AuditLog>()(
  "AuditLog",
  Effect.map(AuditRows, (rows) => ({
    note: (audited: AuditedCommand): CommandNote => ({
      command: audited.command,
      write: (result) => Routine.provideService(append(audited, result), AuditRows, rows),
    }),
    list: rows.list,
  })),
) {}

const append = Routine.fn(function* (audited: AuditedCommand, result: unknown) {
  const parts = partsOf(result)
  const { action, environment } = audited
  const organizationId = audited.organizationId ?? wordIn(parts, "organizationId")
  const actor = audited.actor ?? memberIn(parts)
  if (organizationId === null || actor === null) return
  const rows = yield* AuditRows
  yield* rows.append({
    organizationId,
    // Also for a command in the time of an organization's sandbox.
    atMs: yield* realNowMs,
    actorType: actor.type,
    actorId: actor.id,
    action,
    environment: environment ?? environmentOf(result),
    subjectId: audited.subjectId ?? SUBJECTS.map((name) => wordIn(parts, name)).find(isWord) ?? null,
    facts: factsIn(parts),
  })
})

/** The fields of a result that name what was changed, in order of preference. */
const SUBJECTS = [
  "keyId",
  "webhookId",
  "webhook_id",
  "challengeId",
  "moveId",
  "requestId",
  "site_id",
  "siteId",
  "deliveryId",
  "reservation_id",
]
const FACTS = ["role", "lastFour", "status"]

/** A result, and the objects inside of it. */
function partsOf(result: unknown): readonly Readonly<Record<string, unknown>>[] {
  if (!isRecord(result)) return []
  return [result, ...Object.values(result).filter(isRecord)]
}

/** Of the result itself, not of a session inside of it. */
function environmentOf(result: unknown): Environment | null {
  const found = isRecord(result) ? result["environment"] : undefined
  return ENVIRONMENTS.find((environment) => environment === found) ?? null
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value)
}

function wordIn(parts: readonly Readonly<Record<string, unknown>>[], name: string): string | null {
  return parts.map((part) => part[name]).find(isWord) ?? null
}

/** Free text is no fact. */
function isWord(value: unknown): value is string {
  return typeof value === "string" && value.length <= AUDIT_FACT_LENGTH_MAX && /^[\w.:-]+$/.test(value)
}

/** The person of a session that began. */
function memberIn(parts: readonly Readonly<Record<string, unknown>>[]): AuditedCommand["actor"] {
  const id = wordIn(parts, "accountId")
  return id === null ? null : { type: "member", id }
}

function factsIn(parts: readonly Readonly<Record<string, unknown>>[]): AuditFacts {
  return Object.fromEntries(
    FACTS.flatMap((name) => {
      const word = wordIn(parts, name)
      return word === null ? [] : [[name === "lastFour" ? "last_four" : name, word]]
    }),
  )
}
