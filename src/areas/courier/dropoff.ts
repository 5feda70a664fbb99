/** A new drop-off for an errand: until the vehicle has the order, inside the service area. */

import { Effect } from "effect"
import type { CourierAddress } from "../../model/requests/courier-requests.ts"
import type { Facts } from "../../../machines/contracts.ts"
import { isInside } from "../dispatch/geography.ts"
import { DeliveryRows } from "../direct-delivery/rows.ts"
import { Transaction, batch } from "../../engine/services/host.ts"
import type { Located } from "../../engine/services/geocoding/geocoder.ts"
import { Routine } from "../../engine/services/routine.ts"
import { envelopeContext, isKeyUsed } from "./calls.ts"
import type { Step, ToolCall } from "./calls.ts"
import { addressesDown, locate } from "./check.ts"
import { changeDetails, orderTurn, refused, runErrandCall } from "./commands.ts"
import { refusal, reportedEnvelope } from "./envelopes.ts"
import { currentErrand } from "./errand.ts"
import type { Errand } from "./errand.ts"
import type { CourierRow } from "./rows.ts"
import { CourierSettings } from "./settings.ts"
import { fullFor } from "./tool-limits.ts"
import { moveTimes } from "./times.ts"

/** The address is looked up before the call, but not for an answer that is replayed. */
export const moveDropoff = Effect.fnUntraced(function* (
  call: ToolCall & { readonly deliveryId: string },
  address: CourierAddress,
  notes: (row: CourierRow) => readonly string[],
) {
  const [isRepeat, fullSeconds] = yield* batch([isKeyUsed(call), fullFor(call.userId, call.tool)])
  // A call over its limit is refused, and costs no look-up.
  const isAnswered = isRepeat || fullSeconds !== null
  const located: Located = isAnswered ? { type: "unavailable" } : yield* locate(call.userId, address)
  return yield* runErrandCall(call, (row) => move(row, { address, located, notes: notes(row) }))
})

interface Move {
  readonly address: CourierAddress
  readonly located: Located
  readonly notes: readonly string[]
}

const move = Routine.fn(function* (row: CourierRow, { address, located, notes }: Move) {
  const deliveries = yield* DeliveryRows
  const { area } = yield* CourierSettings
  const { deliveryId } = row
  if (located.type === "unavailable") return { type: "answer", envelope: addressesDown() } satisfies Step
  const place = located.type === "found" ? located.place : null
  const delivery = yield* deliveries.byId(deliveryId)
  const facts: Facts<"stage-errand@2"> = {
    status: delivery?.status ?? null,
    isInZone: place !== null && isInside(place, area),
  }
  const event = { type: "update.requested", isDropoff: false } as const
  const answer = yield* orderTurn(deliveryId, { event, facts, decision: "stage-errand@2" })
  if (answer.type === "refused") {
    const isMisplaced = answer.code === "VALIDATION_ERROR"
    const errand = yield* currentErrand(deliveryId)
    const envelope = isMisplaced
      ? misplaced(errand, place !== null)
      : yield* refused(answer, deliveryId, { tool: "update_delivery" })
    return { type: "answer", envelope } satisfies Step
  }
  // Notes such as the code of a gate belong to one door.
  const { dropoffAddress: last, dropoffNotes: told } = row.details
  const dropoffNotes = isSameDoor(address, last) ? told : null
  if (place !== null && located.type === "found") {
    const isDropoffApproximate = located.isApproximate
    const dropoff = { dropoffAddress: address, dropoffPlace: place, isDropoffApproximate, dropoffNotes }
    yield* changeDetails(row, { ...dropoff, notes })
    if (delivery !== null) {
      const { nowMs } = yield* Transaction
      const of = { ...delivery.address, city: address.city, state: address.state }
      yield* deliveries.change(deliveryId, { place, address: of, updatedAtMs: nowMs })
      yield* moveTimes({
        deliveryId,
        storePlace: row.details.storePlace,
        place,
        readyByMs: delivery.readyByMs,
      })
    }
  }
  const errand = yield* currentErrand(deliveryId)
  const isNoteLost = dropoffNotes === null && told !== null && told !== ""
  const lost = isNoteLost ? ` ${NOTES_REMOVED}` : ""
  const said = { update_result: `The vehicle drives to the new drop-off.${lost}` }
  const envelope = reportedEnvelope(errand, yield* envelopeContext, said)
  return { type: "answer", envelope } satisfies Step
})

const NOTES_REMOVED =
  "The notes for the earlier door are removed: send those of the new one with update_type dropoff_notes."

/** The address was sent again, with its location perhaps. */
function isSameDoor(one: CourierAddress, other: CourierAddress): boolean {
  return written(one) === written(other)
}

function written({ street, unit = "", city, state, zip }: CourierAddress): string {
  return JSON.stringify([street, unit, city, state, zip].map((part) => part.trim().toLowerCase()))
}

/** The errand keeps its drop-off. */
function misplaced({ row: { deliveryId }, state }: Errand, isKnown: boolean) {
  return refusal({
    code: "invalid_request",
    field: "dropoff_address",
    message: isKnown
      ? "this address is outside the service area; the drop-off is unchanged"
      : "this address is not known, or its parts contradict each other; the drop-off is unchanged",
    deliveryId,
    state,
    nextStep: isKnown
      ? `Call update_delivery with delivery_id ${deliveryId} again with an address in the service area, or leave the drop-off as it is.`
      : `Call update_delivery with delivery_id ${deliveryId} again with the address corrected, or with its location.`,
  })
}
