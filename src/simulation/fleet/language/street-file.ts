/** A file of streets beside a model. */

import { streetFileOf } from "../../../pages/html/map/street-file.ts"
import type { Box } from "../../../pages/html/map/projection.ts"
import type { StreetFile } from "../../../pages/html/map/street-file.ts"
import { textBeside } from "./beside.ts"
import type { Beside } from "./beside.ts"

/** The file, or what is wrong with it in a sentence. */
export function readStreets(
  name: string,
  { beside, near }: { readonly beside: Beside; readonly near: Box },
): StreetFile | string {
  const found = textBeside(name, beside, near)
  if ("fault" in found) return found.fault
  let read: unknown
  try {
    read = JSON.parse(found.text)
  } catch {
    return `${name} is no JSON`
  }
  const streets = streetFileOf(read)
  return typeof streets === "string" ? `${name}: ${streets}` : streets
}
