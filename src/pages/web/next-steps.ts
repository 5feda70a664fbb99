/** What a person does next about a code that a page shows: one sentence for each code of the service. */

import type { BoardRisk, BoardTrouble } from "../../model/requests/board.ts"
import type { UnavailableReason } from "../../model/delivery.ts"
import type { ErrorCode } from "../../model/values/errors.ts"

const AGAIN = "Wait a minute, then try again."
const RELOAD = "Reload the page to see how it stands now."
const SIGN_IN = "Sign in again, then repeat this."
const CHECK_NAME = "Check the name in the address, or choose it from the list."

const BY_REFUSAL: Readonly<Record<ErrorCode, string>> = {
  ACCOUNT_DEACTIVATED: "Ask another operator to switch the account on again.",
  ALREADY_EXISTS: "Choose another id, or change the one that is there.",
  BOT_STATUS_REGRESSION: "Report the bot's present status, or a later one.",
  CLOCK_IS_MOVING: "Wait until the clock has arrived, then try again.",
  COMPARTMENT_LOCKED: "Ask operations to open the compartment.",
  CROSS_SITE_REQUEST: "Open the page from its own address, then repeat this.",
  DELIVERY_ALREADY_EXISTS: "Choose another external id, or open the delivery that has this one.",
  DELIVERY_NOT_FOUND: CHECK_NAME,
  GEOCODE_FAILED: "Correct the address, or give its place on the map.",
  GEOCODING_UNAVAILABLE: AGAIN,
  HOLD_EXPIRED: "Reserve again, then repeat this.",
  IDEMPOTENCY_IN_PROGRESS: "Wait until the first request has ended; it answers this one too.",
  IDEMPOTENCY_KEY_REUSED: "Send it again with a new key.",
  INTERNAL_ERROR: "Try again; if it fails again, tell operations the request id.",
  INVALID_API_KEY: "Make a new key in the portal, and use that one.",
  INVALID_CODE: "Ask for a new code or link, and use the newest.",
  INVALID_CREDENTIALS: "Check both and type them again, or set a new password.",
  INVALID_OPEN_LINK: "Give an https address that is reachable from the internet.",
  INVALID_OPERATOR_TOKEN: SIGN_IN,
  INVALID_READY_BY: "Choose a time after now.",
  INVALID_SIGNATURE: "Compare the secret and the untouched body with those of the sender.",
  INVALID_STATE: RELOAD,
  INVALID_WEBHOOK_URL: "Give an https address that is reachable from the internet.",
  LIMIT_REACHED: "Remove one that is not needed, then try again.",
  MEMBERSHIP_ENDED: "Ask an owner for an invitation, or sign up with an organization of your own.",
  METHOD_NOT_ALLOWED: RELOAD,
  MISDIRECTED_REQUEST: "Use the address that operations gave you.",
  NOT_FLEET_PARTNER: "Ask for the enrolment on the page Reservations of the portal.",
  NOT_FOUND: CHECK_NAME,
  NO_CAPACITY: "Wait until a delivery ends, or cancel one; then try again.",
  ONBOARDING_INCOMPLETE: "Do the open steps on the home page first.",
  ORG_INACTIVE: "Ask operations to activate your organization here, or switch to the other environment.",
  OVERLOADED: AGAIN,
  OWNER_REQUIRED: "Ask an owner of your organization; the team page names them.",
  PAYLOAD_TOO_LARGE: "Send less at once, or a smaller file.",
  PAYMENT_FAILED: "Pay again, or use another card.",
  PERMISSION_DENIED: "Ask someone who may do this, or for the permission.",
  QUOTE_EXPIRED: "Order again: that asks for a new quote.",
  QUOTE_NOT_FOUND: "Ask for a quote with this external id first.",
  QUOTE_UNAVAILABLE: "Ask for another quote, with another address or time.",
  RATE_LIMITED: AGAIN,
  RETAILER_INACTIVE: "Activate the site, or choose another one.",
  RETAILER_NOT_CONFIGURED: "Set the site's service area and price first.",
  RETAILER_NOT_FOUND: "Choose a site from the list.",
  RETAILER_NOT_SUPPORTED_IN_ZONE: "Choose a retailer that the zone offers, or ask operations to add it.",
  SIGN_IN_REQUIRED: SIGN_IN,
  SITE_NOT_FOUND: "Choose a site from the list.",
  TIMING_NOT_FEASIBLE: "Choose another time, within the next 90 minutes and the store's hours.",
  UNAVAILABLE: AGAIN,
  URL_VALIDATION_UNAVAILABLE: AGAIN,
  VALIDATION_ERROR: "Correct what is named, then send it again.",
  WEBHOOK_LIMIT_REACHED: "Change an endpoint that is there instead of adding one.",
  WINDOW_IN_PAST: "Choose a window that starts after now.",
  WINDOW_TOO_FAR_OUT: "Choose a window that starts earlier.",
  WINDOW_TOO_LONG: "Choose a shorter window.",
  WINDOW_TOO_SHORT: "Choose a longer window.",
  WRONG_DIGITS: "Type the last four digits of the phone number that the order was made with.",
  WRONG_ENV_KEY: "Use a key of this environment.",
  ZONE_HAS_NO_STALLS: "Choose another zone, or ask operations to activate a stall.",
  ZONE_NOT_FOUND: "Choose a zone from the list.",
}

const BY_REASON: Readonly<Record<UnavailableReason, string>> = {
  CUSTOMER_OPTED_OUT: "Use another phone number, or let the customer reply START.",
  NO_CAPACITY: BY_REFUSAL.NO_CAPACITY,
  NO_DRIVERS_ONLINE: "Choose an earlier time, or wait until a vehicle is online.",
  OUT_OF_SERVICE_AREA: "Choose an address inside the site's service area, or widen the area.",
}

const BY_TROUBLE: Readonly<Record<BoardTrouble, string>> = {
  access_failed: "Try the door again, or have the bot opened by hand.",
  bot_aborted: "Bring the order back to the counter, and cancel the reservation.",
  bot_late: "Ask the bot's fleet when it comes; move the window if there is time.",
  bot_mismatch: "Compare the bot's label with the task, and load only the right bot.",
  bot_no_show: "Ask the bot's fleet where it is; cancel the reservation if it does not come.",
  bot_waits_too_long: "Send the runner to the bot now.",
  no_runner: "Give the task to a runner.",
  order_not_ready_fail: "Cancel the reservation, or book a later window.",
  order_not_ready_hold: "Wait at the counter until the new time, or give up.",
  payload_rejected: "Bring the order back to the counter, and book a bot that it fits into.",
  runner_delayed: "Wait for the runner, or give the task to another one.",
  runner_late: "Call the runner, or give the task to another one.",
  stall_blocked: "Have the stall cleared, or send the bot to another one.",
  task_failed: "Bring the order back to the counter, and cancel the reservation.",
}

const BY_RISK: Readonly<Record<BoardRisk, string>> = {
  bot_after_window: "Ask the bot's fleet whether it can come earlier, or move the window.",
  order_after_promise: "Ask the store for an earlier time, and tell the bot's fleet.",
  unassigned: "Give the task to a runner.",
}

const BY_CODE: Readonly<Record<string, string>> = {
  ...BY_TROUBLE,
  ...BY_RISK,
  ...BY_REASON,
  ...BY_REFUSAL,
}

/** Of a compartment that did not open, or that is locked. */
export const OPEN_IT = "Open it for the customer, on the delivery's own page."

/** Null for what is no code of the service. */
export function nextStep(code: string | null): string | null {
  return code !== null && Object.hasOwn(BY_CODE, code) ? (BY_CODE[code] ?? null) : null
}

/** What an answer says, as sentences that end with the next step. A reason in the answer is more exact than its code. */
export function withNextStep(error: string, code: string | null): string {
  const reason = Object.keys(BY_REASON).find((one) => error.includes(`(${one})`)) ?? code
  // A page has no headers to show.
  const said = sentence(error.replace(/[,;] [^,;]*Retry-After[^,;]*/, ""))
  const step = nextStep(reason)
  return step === null ? said : `${said} ${step}`
}

/** Begins with a capital and ends with a full stop. */
export function sentence(text: string): string {
  const named = text.replace(/^url /, "the URL ")
  const begun = `${named.charAt(0).toUpperCase()}${named.slice(1)}`
  return /[.!?]$/.test(begun) ? begun : `${begun}.`
}
