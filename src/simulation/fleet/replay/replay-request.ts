/** Gathers what a replay of a model needs, for a page that has no files. */

import type { ReplayRequest } from "../../../model/replay/messages.ts"
import type { Beside } from "../language/beside.ts"
import { preparedText } from "../language/street-reader.ts"
import { readFleet } from "../language/read.ts"

/**
 * With the text of each file that the model names; streets are prepared for its profile. A file that cannot be read is left out: the
 * run then names the mistake.
 */
export function replayRequest(
  { file, text, seed }: Omit<ReplayRequest, "beside">,
  besideOf: Beside,
): ReplayRequest {
  const beside: Record<string, string> = {}
  readFleet({
    file,
    text,
    beside: (name, streets) => {
      const found = besideOf(name, streets)
      if (typeof found !== "string") return found
      const { near, profile = null } = streets ?? {}
      const isDriven = near !== undefined && profile !== null
      beside[name] = (isDriven ? preparedText(name, { near, profile, beside: besideOf }) : null) ?? found
      return found
    },
  })
  return { file, text, beside, seed }
}
