/** Names of events for people. */

import { upTo } from "../../model/values/text-ends.ts"
/** `after window and grace` for a timer's event, `start` for a start, other types as they are. */
export function eventName(type: string, machine: string | null): string {
  if (type === "@start") return "start"
  const delay = delayName(type, machine)
  return delay === null ? type : `after ${delay}`
}

/** The delay's name inside XState's id of a timer, `xstate.after.<delay>.<state>`; null for any other id. */
function delayName(id: string, machine: string | null): string | null {
  const prefix = "xstate.after."
  if (!id.startsWith(prefix)) return null
  const rest = id.slice(prefix.length)
  const name = machine === null ? null : upTo(machine, "@")
  if (name !== null) {
    const inner = rest.indexOf(`.${name}.`)
    if (inner !== -1) return rest.slice(0, inner)
    if (rest.endsWith(`.${name}`)) return rest.slice(0, -name.length - 1)
  }
  return rest
}
