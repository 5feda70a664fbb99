/** The words of a compartment at a customer's door. */

export const COMPARTMENT_STATES = ["closed", "opening", "opened", "failed", "locked"] as const

export type CompartmentState = (typeof COMPARTMENT_STATES)[number]
