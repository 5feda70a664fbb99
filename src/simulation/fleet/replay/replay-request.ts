/** Gathers what a replay of a model needs, for a page that has no files. */

import type { ReplayRequest } from "../../../model/replay/messages.ts"
import type { Beside } from "../language/beside.ts"
import { readFleet } from "../language/read.ts"

/** With the text of each file that the model names. A file that cannot be read is left out: the run then names the mistake. */
export function replayRequest(
  { file, text, seed }: Omit<ReplayRequest, "beside">,
  besideOf: Beside,
): ReplayRequest {
  const beside: Record<string, string> = {}
  readFleet({
    file,
    text,
    beside: (name, near) => {
      const found = besideOf(name, near)
      if (typeof found === "string") beside[name] = found
      return found
    },
  })
  return { file, text, beside, seed }
}
