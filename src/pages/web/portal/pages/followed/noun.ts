/** What members follow from a list to a page of its own: its words, which are also in addresses and in the API's paths. */

export interface Noun {
  /** Also the kind of its group in the event stream. */
  readonly one: "delivery" | "reservation"
  readonly many: "deliveries" | "reservations"
  /** "Deliveries", as a title. */
  readonly name: string
}

export const DELIVERY = { one: "delivery", many: "deliveries", name: "Deliveries" } as const satisfies Noun

export const RESERVATION = {
  one: "reservation",
  many: "reservations",
  name: "Reservations",
} as const satisfies Noun

/** The address of the list. */
export function listOf({ many }: Noun): string {
  return `/portal/${many}`
}

/** The address of one. */
export function pathOf(noun: Noun, id: string): string {
  return `${listOf(noun)}/${encodeURIComponent(id)}`
}
