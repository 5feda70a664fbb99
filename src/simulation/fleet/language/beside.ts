/** Files beside a model: streets, profiles of their users, doors, and instants of a replayed demand. */

import type { Box } from "../../../pages/html/map/projection.ts"

/**
 * The text of a file by its name in the model; null when there is none, a fault when it cannot be read as text. Of streets the box is given that the
 * model needs, because an extract of OpenStreetMap may be larger than that.
 */
export type Beside = (name: string, near?: Box) => BesideFault | string | null

export interface BesideFault {
  /** The rest of a sentence that begins with the name of the file. */
  readonly fault: string
}

/** The text, or what is wrong in a sentence. */
export function textBeside(
  name: string,
  beside: Beside,
  near?: Box,
): { readonly text: string } | BesideFault {
  const found = near === undefined ? beside(name) : beside(name, near)
  if (found === null) return { fault: `there is no file ${JSON.stringify(name)} beside the model` }
  return typeof found === "string" ? { text: found } : { fault: `${name} ${found.fault}` }
}
