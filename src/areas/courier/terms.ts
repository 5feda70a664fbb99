/**
 * The delivery terms and the text-message consent, in our words. The agent shows both before a reserve. Source: choice
 * K13.
 */

import { CONSENT_VERSION, TERMS_VERSION } from "../../model/courier.ts"

export const TERMS = {
  version: TERMS_VERSION,
  text: [
    "Curbline sends an autonomous vehicle that collects your curbside order from the store and delivers it to your address.",
    "The delivery fee of 4.95 US dollars is separate from the store order, which the store charges.",
    "The fee may still be charged when the store cannot hand over the order.",
    "The fee may still be charged when the items cannot be carried by the vehicle.",
    "The fee may still be charged when you cancel after the vehicle has collected the order.",
    "Curbline is not responsible for the contents of the order.",
  ].join(" "),
} as const

export const CONSENT = {
  version: CONSENT_VERSION,
  text: [
    "Curbline may send you text messages about this delivery: a tracking link and arrival updates.",
    "Message and data rates may apply.",
    "Reply STOP to opt out.",
    "Reply HELP for help.",
  ].join(" "),
} as const
