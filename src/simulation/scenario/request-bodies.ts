/** Bodies of requests as a scenario's steps say them: the simulator decodes them, a run against a service sends them. */

import { MINUTE_MS, isoMs } from "../../model/values/time.ts"
import { cityOf, placeAt } from "./language/delivery-world.ts"
import { boxOf, numberIfGiven, textIfGiven, timeIfGiven } from "./language/field-values.ts"
import { COMMANDS } from "./language/language.ts"
import type { FieldValues, TimeRef } from "./language/language.ts"
import type { CommandStep } from "./command-step.ts"
import type { RunContext } from "./run-context.ts"
import { storeOf, zoneIdAt } from "./language/worlds.ts"

/** What times of a step are counted from. */
type Timed = Pick<RunContext, "clock" | "nowMs">

/** The booking of a `reservation.create`, in the run's zone unless the step names a site or a zone. */
export function bookingBody(
  run: Timed & Pick<RunContext, "firstNameByKey" | "idOf" | "reachable" | "world">,
  step: Pick<CommandStep, "as" | "with">,
): object {
  const name = step.as ?? "reservation"
  const key = textIfGiven(step.with, "idempotency_key")
  const site = textIfGiven(step.with, "site")
  const usual = COMMANDS["reservation.create"].with
  return {
    zone_id: run.idOf(
      textIfGiven(step.with, "zone") ?? (site === undefined ? run.world.zoneId : zoneIdAt(site)),
    ),
    retailer_id: run.idOf(textIfGiven(step.with, "retailer") ?? run.world.retailerId),
    order_number: step.with["order_number"] ?? usual.order_number.usual,
    end_user_name: step.with["end_user_name"] ?? usual.end_user_name.usual,
    end_user_phone: step.with["end_user_phone"] ?? usual.end_user_phone.usual,
    ...windowBody(run, step.with["window"]),
    open_link_url: run.reachable(
      textIfGiven(step.with, "open_link_url") ?? openLinkUrlOf(firstNameOf(run, { key, name })),
    ),
    retailer_pickup_ref: step.with["retailer_pickup_ref"],
    payload_limit: payloadLimitOf(step.with),
  }
}

/** The open link URL of a named reservation, unless the booking sets one. */
export function openLinkUrlOf(name: string): string {
  return `https://bots.partner.example/open/${name}`
}

/** A retry under another name is the same request: values derived from the name use the first name of its key. */
function firstNameOf(
  run: Pick<RunContext, "firstNameByKey">,
  { key, name }: { readonly key: string | undefined; readonly name: string },
): string {
  if (key === undefined) return name
  const first = run.firstNameByKey.get(key) ?? name
  run.firstNameByKey.set(key, first)
  return first
}

export function windowBody(run: Timed, value: unknown): object {
  const [from, to] = value as readonly [TimeRef, TimeRef]
  return { arrival_window_start: instantOf(run, from), arrival_window_end: instantOf(run, to) }
}

export function botReportBody(run: Timed, fields: FieldValues): object {
  const { eta, occurred_at, ...rest } = fields
  return {
    ...rest,
    ...(eta === undefined ? {} : { eta: instantOf(run, eta) }),
    ...(occurred_at === undefined ? {} : { occurred_at: instantOf(run, occurred_at) }),
  }
}

export function measureBody(fields: FieldValues): object {
  return { weight_kg: fields["weight_kg"], dimensions_cm: boxOf(fields["dimensions_cm"]) }
}

/** The request of a quote as the step says it. */
export function quoteBody(
  run: Timed & Pick<RunContext, "scenario">,
  fields: FieldValues,
  name: string,
): object {
  const usual = COMMANDS["delivery.quote"].with
  const ready = timeIfGiven(fields, "ready_by")
  const readyMs = ready === undefined ? run.nowMs + 10 * MINUTE_MS : run.clock.resolve(ready, run.nowMs)
  const zip = textIfGiven(fields, "zip")
  const east = numberIfGiven(fields, "east_m") ?? 0
  const { northM } = storeOf(run.scenario, textIfGiven(fields, "site"))
  const north = northM + (numberIfGiven(fields, "north_m") ?? Number(usual.north_m.usual))
  return {
    external_delivery_id: name,
    customer: { phone: fields["phone"] ?? usual.phone.usual, first_name: "Ada" },
    delivery_address: { street: "1 Sample St", city: cityOf(zip), state: "TX", zip: zip ?? "78758" },
    ...(zip === undefined ? { delivery_location: placeAt({ east, north }) } : {}),
    ready_by: isoMs(readyMs),
    order_items: [{ name: "Groceries", quantity: 1 }],
  }
}

function instantOf(run: Timed, value: unknown): string | null {
  return value === null ? null : isoMs(run.clock.resolve(value as TimeRef, run.nowMs))
}

function payloadLimitOf(fields: FieldValues): unknown {
  const weight = fields["max_weight_kg"]
  const box = boxOf(fields["max_dimensions_cm"])
  if (weight === undefined && box === undefined) return undefined
  return {
    ...(weight === undefined ? {} : { max_weight_kg: weight }),
    ...(box === undefined ? {} : { max_dimensions_cm: box }),
  }
}
