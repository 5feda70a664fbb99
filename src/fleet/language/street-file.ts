/** The streets of a model's map: a GeoJSON file beside the model. */

import { streetsOf } from "../../html/map/streets.ts"
import type { Streets } from "../../html/map/streets.ts"

/** The streets, or what is wrong with the file in a sentence. */
export function readStreets(name: string, beside: (name: string) => string | null): Streets | string {
  const text = beside(name)
  if (text === null) return `there is no file ${JSON.stringify(name)} beside the model`
  let read: unknown
  try {
    read = JSON.parse(text)
  } catch {
    return `${name} is no JSON`
  }
  const streets = streetsOf(read)
  return typeof streets === "string" ? `${name}: ${streets}` : streets
}
