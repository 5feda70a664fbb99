/**
 * Partners of a scenario and their keys: what `given` says of them, and how a key is checked before its call, by the same
 * admission as at the HTTP APIs. Source: reservations contract, authentication; direct delivery contract, authentication.
 *
 * Permissions are checked by the command itself, with the same code, so a call without one is counted in the budget here and
 * not at the API.
 */

import { Data, Effect } from "effect"
import { Admission } from "../../http/access/admission.ts"
import { ApiKeys } from "../../http/access/api-keys.ts"
import { hashOf, newBearer } from "../../http/access/bearer.ts"
import type { BudgetName } from "../../http/access/rate-limits.ts"
import { apiKeys, organizations } from "../../http/access/rows.ts"
import { SCENARIO_ORGANIZATION } from "./language/delivery-world.ts"
import { ENVIRONMENTS, PERMISSIONS } from "../../model/caller.ts"
import type { Environment, Partner, Permission } from "../../model/caller.ts"
import { ADMISSION_REFUSALS, Refused, SESSION_REFUSALS } from "../../model/values/errors.ts"
import type { AdmissionRefusalCode, SessionRefusalCode } from "../../model/values/errors.ts"
import { newUuid } from "../../model/ids.ts"
import type { CallerType, Requester } from "../../model/requester.ts"
import { HOUR_MS } from "../../model/values/time.ts"
import { memoryRowsOf } from "../../engine/memory/memory-tables.ts"
import type { CommandStep, Doing } from "./command-step.ts"
import { durationIfGiven, textIfGiven } from "./language/field-values.ts"
import { readGivenList } from "./language/given-list.ts"
import { KEY_FIELDS, PARTNER_FIELDS, organizationOf } from "./language/key-words.ts"
import type { KEY_COMMANDS } from "./language/key-words.ts"
import type { CommandName, FieldValues, GivenCaller } from "./language/language.ts"
import type { RunContext } from "./run-context.ts"
import type { Written } from "./language/source.ts"
import type { ValueContext } from "./language/value.ts"

/** A call was turned away before its command ran, by its key or its session. */
export class AdmissionRefused extends Data.TaggedError("AdmissionRefused")<{
  readonly code: AdmissionRefusalCode | SessionRefusalCode
  /** Given when the call may be sent again after this long. */
  readonly retryAfterSeconds: number | null
}> {
  override get message(): string {
    return { ...ADMISSION_REFUSALS, ...SESSION_REFUSALS }[this.code].message
  }
}

/** The lists of `given` that name callers. */
export const CALLER_LISTS = {
  partners: {
    fields: PARTNER_FIELDS,
    one: "a partner such as { as: rival }",
    says: "other partners, each an organization with a key of its own: a list",
  },
  keys: {
    fields: KEY_FIELDS,
    one: "a key such as { as: old_key, state: revoked }",
    says: "more keys of partners: a list",
  },
} as const

/** Reads a list of partners or of keys. */
export function readCallers(
  list: keyof typeof CALLER_LISTS,
  value: Written | undefined,
  context: ValueContext,
): readonly GivenCaller[] {
  return readGivenList({ name: list, kind: "caller", ...CALLER_LISTS[list] }, value, context)
}

/** The key of steps without `by`. */
const OWN = ""

/** Organizations and keys before the first step. */
export function addCallers(run: RunContext): void {
  const { partners = [], keys = [], permissions: own, environment } = run.scenario
  addOrganization(run, SCENARIO_ORGANIZATION, {})
  addKey(run, OWN, { organizationId: SCENARIO_ORGANIZATION, environment, fields: { permissions: own } })
  for (const { as, fields } of partners) {
    addOrganization(run, organizationOf(as), fields)
    addKey(run, as, { organizationId: organizationOf(as), environment, fields })
  }
  for (const { as, fields } of keys) {
    const of = run.keys.get(textIfGiven(fields, "of") ?? OWN)
    const given = textIfGiven(fields, "environment") as Environment | undefined
    const organizationId = of?.organizationId ?? SCENARIO_ORGANIZATION
    addKey(run, as, { organizationId, environment: given ?? environment, fields })
  }
}

function addOrganization(run: RunContext, organizationId: string, fields: FieldValues): void {
  memoryRowsOf(run.service.host.store, organizations).put(organizationId, {
    organizationId,
    name: organizationId,
    isActive: fields["active"] !== false,
    isFleetPartner: fields["fleet_partner"] !== false,
    isSandboxPartner: false,
    environments: ENVIRONMENTS,
    createdAtMs: run.nowMs,
    updatedAtMs: run.nowMs,
  })
}

interface GivenKey {
  readonly organizationId: string
  readonly environment: Environment
  readonly fields: FieldValues
}

/** The value of a given key comes from its name: chance of the run stays what it is without keys. */
function addKey(run: RunContext, name: string, { organizationId, environment, fields }: GivenKey): void {
  const value = newBearer({ prefix: "ck", purpose: "scenario key" }, environment, hashOf(`key ${name}`))
  // Names begin with a letter.
  const keyId = name === OWN ? "key_1" : `key_${name}`
  const state = textIfGiven(fields, "state") ?? "valid"
  run.keys.set(name, { organizationId, environment, value, keyId: state === "wrong" ? null : keyId })
  if (state === "wrong") return
  const rows = memoryRowsOf(run.service.host.store, apiKeys)
  rows.put(keyId, {
    number: rows.size + 1,
    keyId,
    organizationId,
    environment,
    permissions: (fields["permissions"] as readonly Permission[] | undefined) ?? PERMISSIONS,
    label: name,
    createdBy: null,
    hash: hashOf(value),
    lastFour: value.slice(-4),
    createdAtMs: run.nowMs,
    expiresAtMs: state === "expired" ? run.nowMs : null,
    revokedAtMs: state === "revoked" ? run.nowMs : null,
  })
}

/** Commands that a partner's key makes, with what the API says of their route. */
const RESERVING = { budget: "requests", isForFleetPartners: true } as const
const DELIVERING = { budget: "requests", isForFleetPartners: false } as const

const CALLS: { readonly [command in CommandName]?: { budget: BudgetName; isForFleetPartners: boolean } } = {
  "reservation.create": RESERVING,
  "reservation.move_window": RESERVING,
  "reservation.cancel": RESERVING,
  "reservation.read": RESERVING,
  "bot.report": { budget: "bot-reports", isForFleetPartners: true },
  "sandbox.advance": RESERVING,
  "webhook.register": RESERVING,
  "webhook.change": RESERVING,
  "delivery.quote": DELIVERING,
  "delivery.requote": DELIVERING,
  "delivery.create": DELIVERING,
  "delivery.read": DELIVERING,
  "delivery.cancel": DELIVERING,
  "delivery.advance": DELIVERING,
  "pickup_webhook.register": DELIVERING,
  "pickup_webhook.change": DELIVERING,
  "pickup_webhook.remove": DELIVERING,
}

/** The commands beside which `by` may say whose key calls. */
export function isCalledWithKey(command: string): boolean {
  return Object.hasOwn(CALLS, command)
}

/** The run as the caller of the step sees it, after the call was admitted. */
export const admitted = Effect.fnUntraced(function* (run: RunContext, step: CommandStep) {
  const call = CALLS[step.command]
  const key = run.keys.get(step.by ?? OWN)
  // A course goes on from a journal, whose keys are not in it.
  if (call === undefined || key === undefined) return run
  const { environment } = run.scenario
  const admission = yield* Admission
  const authorization = `Bearer ${key.value}`
  const verdict = yield* admission.judge({ ...call, authorization, environment, permissions: [] })
  if (verdict.type === "admitted") return asPartner(run, verdict.partner)
  const { code } = verdict.refusal
  if (!isAdmissionRefusal(code)) return yield* Effect.die(verdict.refusal)
  const retryAfterSeconds = code === "RATE_LIMITED" ? (verdict.budget?.resetSeconds ?? null) : null
  return yield* new AdmissionRefused({ code, retryAfterSeconds })
})

/** Who sends the request of a step, with an id from a stream of its own: no other chance of the run moves by it. */
export function requesterOf(run: RunContext, step: CommandStep): Requester {
  const request = newUuid(run.service.host.streams.nonce("requests"), "request")
  const person = run.people.get(step.by ?? "")
  if (person !== undefined)
    return { request, type: person.kind === "runner" ? "phone" : "operator", id: null }
  if (isCalledWithKey(step.command))
    return { request, type: "key", id: run.keys.get(step.by ?? OWN)?.keyId ?? null }
  const [area = ""] = step.command.split(".")
  return { request, type: AREA_CALLERS[area] ?? "operator", id: null }
}

/** Who calls where no key does; operators call all else. */
const AREA_CALLERS: Readonly<Record<string, CallerType>> = { errand: "user", runner: "phone" }

function isAdmissionRefusal(code: string): code is AdmissionRefusalCode {
  return Object.hasOwn(ADMISSION_REFUSALS, code)
}

/** The same run with another caller. */
function asPartner(run: RunContext, partner: Partner): RunContext {
  return Object.assign(Object.create(run) as RunContext, { partner })
}

/** The same run with the partner of a name, for what is prepared before the first step, with these permissions. */
export function asPartnerNamed(
  run: RunContext,
  name: string | undefined,
  own: readonly Permission[],
): RunContext {
  const { organizationId } = run.keys.get(name ?? OWN) ?? run.partner
  return asPartner(run, { ...run.partner, organizationId, permissions: own })
}

export const DO_KEY: Readonly<
  Record<keyof typeof KEY_COMMANDS, (run: RunContext, step: CommandStep) => Doing>
> = {
  "key.create": (run, step) =>
    Effect.gen(function* () {
      const { environment } = run.scenario
      const of = run.keys.get(textIfGiven(step.with, "of") ?? OWN)
      const lasts = durationIfGiven(step.with, "lasts")
      const { key, value } = yield* (yield* ApiKeys).make({
        organizationId: of?.organizationId ?? SCENARIO_ORGANIZATION,
        environment,
        permissions: (step.with["permissions"] as readonly Permission[] | undefined) ?? PERMISSIONS,
        expiresAtMs: lasts === undefined ? null : run.nowMs + lasts,
      })
      run.keys.set(step.as ?? "key", { ...key, value })
      return key
    }),
  "key.rotate": (run, step) =>
    Effect.gen(function* () {
      const { keyId, environment } = yield* knownKey(run, step)
      const overlapMs = durationIfGiven(step.with, "overlap") ?? 24 * HOUR_MS
      const rolled = yield* (yield* ApiKeys).roll({ environment, keyId, overlapMs, createdBy: null })
      run.keys.set(step.as ?? "key", { ...rolled.key, value: rolled.value })
      return rolled.key
    }),
  "key.revoke": (run, step) =>
    Effect.gen(function* () {
      const { keyId, environment } = yield* knownKey(run, step)
      return yield* (yield* ApiKeys).revoke(environment, keyId)
    }),
}

function knownKey(run: RunContext, step: CommandStep) {
  const { keyId, environment } = run.keys.get(step.for ?? "") ?? { keyId: null, environment: null }
  return keyId === null || environment === null
    ? Effect.fail(new Refused({ code: "NOT_FOUND" }))
    : Effect.succeed({ keyId, environment })
}
