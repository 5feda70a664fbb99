/**
 * Bodies of outbound calls as the inspector keeps them. No schema describes what a receiver answers, so a value is kept only
 * where its form cannot hold a name, an address, a phone number, a text or a secret: one of our ids, an instant, a boolean, and
 * a code word or an HTTP status in a field that is made for it. Everything else is replaced, and so are unknown names of fields.
 */

import { ID_PREFIXES } from "../../../model/ids.ts"
import { LOGGED_BODY_LENGTH_MAX } from "../../../model/values/limits.ts"

/** Stands for what is not kept. */
const MASK = "•••"

const OWN_ID = new RegExp(`^(?:evt_|${Object.values(ID_PREFIXES).join("|")})[0-9A-Za-z]{22,26}$`)
const INSTANT = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d{1,9})?(?:Z|[+-]\d\d:\d\d)$/
/** `DOOR_JAMMED`, `door_jammed`, `reservation.status_changed`. Without digits, as codes by SMS and most tokens have. */
const WORD = /^(?:[A-Z]+(?:_[A-Z]+)*|[a-z]+(?:[._-][a-z]+)*)$/
const WORD_LENGTH_MAX = 40

/** Fields with a UUID that we made: the key of a call that opens something, by which its receiver knows a repeat, and a site. */
const OWN_UUIDS = new Set(["attempt_id", "retailer_id"])
const UUID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/

/** Fields whose value is one of a closed set of words, ours or a receiver's. */
const WORDED = new Set(
  `canceled_by cancel_reason code error error_code event event_type exception previous_status reason reason_code state status type`.split(
    " ",
  ),
)

/** Fields that may have an HTTP status. */
const NUMBERED = new Set(["code", "status", "status_code"])

/** Other fields of our events and calls, and usual ones of errors. */
const KNOWN = new Set(
  `accepted arrival_window_end arrival_window_start attempt_id bot bot_label created_at data delivery delivery_id detail details
   errors event_id external_delivery_id field fields id loaded_at message occurred_at ok opened order_number request_id reservation reservation_id
   retailer_id retry_after runner runner_task stall stall_id stall_label success timestamp title updated_at vehicle_id
   vehicle_location zone_id`.split(/\s+/),
)

interface MaskedText {
  /** JSON. */
  readonly text: string
  /** True when parts were left out because of the size. */
  readonly isCut: boolean
}

/** Null without a body. A text that is no JSON is replaced as a whole. `isWhole`: false when the end of the text is missing. */
export function maskedExchange(text: string, isWhole = true): MaskedText | null {
  if (text.trim() === "") return null
  if (!isWhole) return { text: JSON.stringify(MASK), isCut: true }
  const kept = JSON.stringify(maskedValue("", parsed(text)))
  return kept.length > LOGGED_BODY_LENGTH_MAX
    ? { text: JSON.stringify(MASK), isCut: true }
    : { text: kept, isCut: false }
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return MASK
  }
}

function maskedValue(name: string, value: unknown): unknown {
  if (value === null || typeof value === "boolean") return value
  if (Array.isArray(value)) return value.map((item) => maskedValue(name, item))
  if (typeof value === "object") return maskedFields(value)
  return isShown(name, value) ? value : MASK
}

/** Two unknown names become one field: what they held is replaced anyway. */
function maskedFields(value: object): object {
  return Object.fromEntries(
    Object.entries(value).map(([name, inside]) =>
      KNOWN.has(name) || WORDED.has(name) || NUMBERED.has(name)
        ? [name, maskedValue(name, inside)]
        : [MASK, MASK],
    ),
  )
}

function isShown(name: string, value: unknown): boolean {
  if (typeof value === "number")
    return NUMBERED.has(name) && Number.isInteger(value) && value >= 100 && value <= 599
  if (typeof value !== "string") return false
  if (OWN_ID.test(value) || INSTANT.test(value)) return true
  if (OWN_UUIDS.has(name)) return UUID.test(value)
  return WORDED.has(name) && value.length <= WORD_LENGTH_MAX && WORD.test(value)
}
