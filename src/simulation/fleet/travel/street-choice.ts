/** Streets that a model names: by their name, as one way of OpenStreetMap, or by where they are. */

import type { Place } from "../../../model/place.ts"

export type StreetChoice =
  | { readonly is: "area"; readonly corners: readonly Place[] }
  | { readonly is: "name"; readonly name: string }
  /** Such as `way/4711`. */
  | { readonly is: "way"; readonly id: string }

/** `Savontie`, `way 4711`, `the streets of an area`. */
export function streetWords(choice: StreetChoice): string {
  switch (choice.is) {
    case "name":
      return choice.name
    case "way":
      return choice.id.replace("/", " ")
    case "area":
      return "the streets of an area"
  }
}
