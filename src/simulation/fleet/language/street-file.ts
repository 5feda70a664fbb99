/** The streets of a model's map: a GeoJSON file beside the model. */

import { streetsOf } from "../../../pages/html/map/streets.ts"
import type { Streets } from "../../../pages/html/map/streets.ts"
import { textBeside } from "./beside.ts"
import type { Beside } from "./beside.ts"

/** The streets, or what is wrong with the file in a sentence. */
export function readStreets(name: string, beside: Beside): Streets | string {
  const found = textBeside(name, beside)
  if ("fault" in found) return found.fault
  let read: unknown
  try {
    read = JSON.parse(found.text)
  } catch {
    return `${name} is no JSON`
  }
  const streets = streetsOf(read)
  return typeof streets === "string" ? `${name}: ${streets}` : streets
}
