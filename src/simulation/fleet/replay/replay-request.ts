/** Gathers what a replay of a model needs, for a page that has no files. */

import type { ReplayRequest } from "../../../model/replay/messages.ts"
import type { LogFault, OrderLog } from "../language/order-log.ts"
import type { Beside } from "../language/beside.ts"
import { preparedText } from "../language/streets/street-reader.ts"
import { readFleet } from "../language/read.ts"
import type { FleetReading } from "../language/read.ts"

/**
 * With the text of each file that the model names, where streets are prepared for its profile, and the orders that were read from its
 * tables. A file that cannot be read is left out: the run then names the mistake.
 */
export function replayRequest(
  { file, text, seed }: Pick<ReplayRequest, "file" | "seed" | "text">,
  besideOf: Beside,
  logs: readonly OrderLog[] = [],
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
  return { file, text, beside, seed, ...(logs.length === 0 ? {} : { logs: JSON.stringify(logs) }) }
}

/** Reads the model of a request. */
export function requestedModel({ file, text, beside, logs }: Omit<ReplayRequest, "seed">): FleetReading {
  const known = logs === undefined ? [] : (JSON.parse(logs) as readonly OrderLog[])
  return readFleet({
    file,
    text,
    beside: (name) => (Object.hasOwn(beside, name) ? (beside[name] ?? null) : null),
    logs: ({ number, table }): LogFault | OrderLog =>
      known.find((log) => log.demand === number && log.file === table.file) ?? {
        at: ["file"],
        message: "its orders are not here",
      },
  })
}
