/** The connector's facts: each is looked up in the run as it is now, and reports what it found. */

import { Effect } from "effect"
import type { CourierEnvelope } from "../../../model/courier.ts"
import { envelopeContext } from "../../../areas/courier/calls.ts"
import { CourierCheckout } from "../../../areas/courier/checkout.ts"
import { statusEnvelope } from "../../../areas/courier/envelopes.ts"
import { currentErrand, groupsOf } from "../../../areas/courier/errand.ts"
import { CourierRows } from "../../../areas/courier/rows.ts"
import { ActorHost } from "../../../engine/services/host.ts"
import { SmsConsent } from "../../../areas/messages/consent.ts"
import type { SimulatedServices } from "../../simulated-service.ts"
import { counted } from "../language/counted.ts"
import type { COURIER_EXPECTATIONS, SCENARIO_USERS } from "../language/courier-words.ts"
import { PHONE_BY_USER } from "./do-courier.ts"
import { numberIfGiven, textOf } from "../language/field-values.ts"
import { comparedFields, missing } from "../finding.ts"
import type { Finding } from "../finding.ts"
import type { FieldValue, FieldValues, TimeRef } from "../language/language.ts"
import type { RunContext } from "../run-context.ts"
import { messages } from "../../../areas/messages/rows.ts"
import { memoryRowsOf } from "../../../engine/memory/memory-tables.ts"

type LookUp = (run: RunContext, fields: FieldValues) => Effect.Effect<Finding, never, SimulatedServices>

export const LOOK_UP_COURIER: Readonly<Record<keyof typeof COURIER_EXPECTATIONS, LookUp>> = {
  errand: (run, fields) => findErrand(run, fields),
  released: (run, fields) => Effect.sync(() => findReleased(run, fields)),
  texts: (run, fields) => findTexts(run, fields),
}

/** The tool's answer, without counting as a call of the tool. */
function findErrand(run: RunContext, fields: FieldValues): Effect.Effect<Finding, never, SimulatedServices> {
  return Effect.gen(function* () {
    const name = textOf(fields, "errand")
    const id = run.errandIds.get(name)
    if (id === undefined) return missing(name, "was never made")
    const host = yield* ActorHost
    const errand = yield* host.view(groupsOf(id), currentErrand(id))
    const rows = yield* CourierRows
    const failure = (yield* rows.payment(id))?.failure ?? NOTHING
    const told = toldOf(run, statusEnvelope(errand, yield* envelopeContext))
    const page = fields["checkout_page"] === undefined ? NOTHING : yield* checkoutPage(run, name)
    const actual: Readonly<Record<string, string>> = {
      ...told,
      payment_failure: failure,
      checkout_page: page,
    }
    const wrong = Object.entries(fields).flatMap(([field, wanted]) => {
      const found = actual[field]
      if (found === undefined) return []
      const expected = shown(run, field, wanted)
      return expected === found ? [] : [{ field, expected, found }]
    })
    return { ...comparedFields(name, wrong), group: groupsOf(id)[0] }
  })
}

const NOTHING = "nothing"

/** What the user sees who opens the last link. */
function checkoutPage(run: RunContext, name: string): Effect.Effect<string, never, SimulatedServices> {
  const url = run.checkoutLinks.get(name)
  if (url === undefined) return Effect.succeed(NOTHING)
  return Effect.flatMap(CourierCheckout, (checkout) =>
    Effect.map(checkout.view(url.split("/").at(-1) ?? ""), ({ type }) => type),
  )
}

/** By field of the fact; times in the site's local time. */
function toldOf(run: RunContext, told: CourierEnvelope): Readonly<Record<string, string>> {
  const clockOf = (iso: string | undefined): string =>
    iso === undefined ? NOTHING : run.clock.show(Date.parse(iso))
  const [best] = told.pickup_windows ?? []
  const next = told.next_pickup_window
  return {
    state: told.state ?? NOTHING,
    payment: told.payment_status ?? NOTHING,
    decline_reason: told.decline_reason ?? NOTHING,
    disqualifying: told.disqualifying_requirements?.join(", ") ?? NOTHING,
    restricted: told.restricted_items?.join(", ") ?? NOTHING,
    failure_reason: told.failure_reason ?? NOTHING,
    quote_ends: clockOf(told.quote_expires_at),
    hold_ends: clockOf(told.hold_expires_at),
    windows: String(told.pickup_windows?.length ?? 0),
    first_window: best === undefined ? NOTHING : `${clockOf(best.start)} to ${clockOf(best.end)}`,
    slot_id: best?.slot_id ?? NOTHING,
    next_window: next === undefined ? NOTHING : `${clockOf(next.start)} to ${clockOf(next.end)}`,
    earliest: clockOf(told.earliest_at),
    store_matches: told.store_matches?.map(({ retailer_name }) => retailer_name).join(", ") ?? NOTHING,
    select: told.pickup_time?.select ?? NOTHING,
    pickup: clockOf(told.planned_pickup_time),
    arrival: clockOf(told.estimated_delivery_window?.start),
    checkout: String(told.payment?.checkout_url !== undefined),
    location: String(told.vehicle_location !== undefined),
    same_as: told.delivery_id ?? NOTHING,
  }
}

function shown(run: RunContext, field: string, wanted: FieldValue): string {
  if (field === "same_as") return run.errandIds.get(wanted as string) ?? NOTHING
  if (field === "disqualifying") return (wanted as readonly string[]).join(", ")
  const clock = (time: TimeRef): string => run.clock.show(run.clock.resolve(time, run.stepMs))
  if (field === "first_window" || field === "next_window") {
    const [from, to] = wanted as readonly [TimeRef, TimeRef]
    return `${clock(from)} to ${clock(to)}`
  }
  if (typeof wanted === "object" && wanted !== null && "type" in wanted) return clock(wanted)
  return typeof wanted === "string" ? wanted : JSON.stringify(wanted)
}

function findReleased(run: RunContext, fields: FieldValues): Finding {
  const name = textOf(fields, "by")
  const released = run.answers.get(name)?.released_delivery_ids
  if (released === undefined) return missing(name, "was never made")
  const wanted = numberIfGiven(fields, "released") ?? 0
  return {
    holds: released.length === wanted,
    expected: `${counted(wanted, "hold")} ${wanted === 1 ? "is" : "are"} released by ${name}`,
    actual: `${counted(released.length, "hold")} ${released.length === 1 ? "was" : "were"} released`,
    group: null,
    isLost: true,
  }
}

/** Notices that will be or were sent to the user's number: none after it has opted out by STOP. */
const findTexts = Effect.fnUntraced(function* (run: RunContext, fields: FieldValues) {
  const consent = yield* SmsConsent
  const user = textOf(fields, "to") as (typeof SCENARIO_USERS)[number]
  const phone = PHONE_BY_USER[user]
  const hasStopped = yield* consent.hasStopped({ environment: "production", organizationId: null }, phone)
  const outbox = memoryRowsOf(run.service.host.store, messages).all()
  const sent = outbox.filter(({ purpose, to }) => purpose === "delivery-notice" && to === phone)
  const found = hasStopped ? 0 : sent.length
  const wanted = numberIfGiven(fields, "texts") ?? 0
  return {
    holds: found === wanted,
    expected: `${counted(wanted, "text message")} ${wanted === 1 ? "goes" : "go"} to ${user}`,
    actual: `${counted(found, "text message")} ${found === 1 ? "goes" : "go"} there`,
    group: null,
    isLost: found > wanted,
  } satisfies Finding
})
