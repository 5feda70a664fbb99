/** Bodies of requests about reservations as a scenario's steps say them: the simulator decodes them, a run against a service sends them. */

import { isoMs } from "../../model/values/time.ts"
import { boxOf, textIfGiven } from "./language/field-values.ts"
import { COMMANDS } from "./language/language.ts"
import type { FieldValues, TimeRef } from "./language/language.ts"
import type { CommandStep } from "./command-step.ts"
import type { RunContext } from "./run-context.ts"
import { zoneIdAt } from "./language/worlds.ts"

/** What times of a step are counted from. */
type Timed = Pick<RunContext, "clock" | "nowMs">

/** The booking of a `reservation.create`, in the run's zone unless the step names a site or a zone. */
export function bookingBody(
  run: Timed & Pick<RunContext, "firstNameByKey" | "world">,
  step: Pick<CommandStep, "as" | "with">,
): object {
  const name = step.as ?? "reservation"
  const key = textIfGiven(step.with, "idempotency_key")
  const site = textIfGiven(step.with, "site")
  const usual = COMMANDS["reservation.create"].with
  return {
    zone_id: step.with["zone"] ?? (site === undefined ? run.world.zoneId : zoneIdAt(site)),
    retailer_id: step.with["retailer"] ?? run.world.retailerId,
    order_number: step.with["order_number"] ?? usual.order_number.usual,
    end_user_name: step.with["end_user_name"] ?? usual.end_user_name.usual,
    end_user_phone: step.with["end_user_phone"] ?? usual.end_user_phone.usual,
    ...windowBody(run, step.with["window"]),
    open_link_url: step.with["open_link_url"] ?? openLinkUrlOf(firstNameOf(run, { key, name })),
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
