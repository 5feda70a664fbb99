/** Files beside a model: streets, profiles of their users, doors, and instants of a replayed demand. */

import type { Box } from "../../../pages/html/map/projection.ts"

/**
 * The text of a file by its name in the model; null when there is none, a fault when it cannot be read as text. Streets are asked for with what
 * the model needs of them: an extract of OpenStreetMap may be larger, and a browser gets them prepared.
 */
export type Beside = (name: string, streets?: StreetsNeeded) => BesideFault | string | null

export interface StreetsNeeded {
  readonly near: Box
  /** As the model names it; null for a map. */
  readonly profile: string | null
}

export interface BesideFault {
  /** The rest of a sentence that begins with the name of the file. */
  readonly fault: string
}

/** The text, or what is wrong in a sentence. */
export function textBeside(
  name: string,
  beside: Beside,
  streets?: StreetsNeeded,
): { readonly text: string } | BesideFault {
  const found = streets === undefined ? beside(name) : beside(name, streets)
  if (found === null) return { fault: `there is no file ${JSON.stringify(name)} beside the model` }
  return typeof found === "string" ? { text: found } : { fault: `${name} ${found.fault}` }
}
