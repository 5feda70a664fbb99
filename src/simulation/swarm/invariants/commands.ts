/** Accepted commands and the entries of the journal that they caused, which name the request of the call. */

import type { CommandName } from "../../scenario/language/language.ts"
import { callerKindOf } from "../callers.ts"
import type { SwarmCheck, SwarmInvariant, Watched } from "../invariant.ts"
import type { Move } from "../plan.ts"

export const COMMAND_INVARIANTS: readonly SwarmInvariant[] = [
  {
    sentence: "every accepted command has its entry, its own or that of the call that it repeats",
    check: haveEntries,
  },
]

/** Commands that read, or change only rows: their acceptance needs no entry. */
const WITHOUT_ENTRY: ReadonlySet<CommandName> = new Set<CommandName>([
  "customer.reply",
  "delivery.quote",
  "delivery.read",
  "delivery.requote",
  // The processor answers, or has answered: its result makes the entry.
  "errand.pay_at_checkout",
  "errand.read",
  "errand.refund",
  "fleet.change",
  "key.create",
  "key.revoke",
  "phone.disable",
  "phone.enable",
  "pickup_webhook.change",
  "reservation.read",
  "sms.reply",
  // What a vehicle does or reports concerns the runs that it has, if any.
  "vehicle.drive",
  "vehicle.report",
  "webhook.change",
  "webhook.register",
])

/** What a repeated call has in common with the first one: its key, or its subject. A call without either has only itself. */
function identitiesOf(move: Move): readonly (Move | string)[] {
  const { act } = move
  if (act.verb !== "do") return [move]
  const { command, as, for: subject, by = "own", with: values } = act
  const key = values["idempotency_key"]
  const isOfSubject = command === "delivery.create" || command.startsWith("errand.")
  return [
    move,
    ...(key === undefined ? [] : [`${command} by ${by} under ${JSON.stringify(key)}`]),
    ...(isOfSubject ? [`${command} of ${subject ?? as}`] : []),
  ]
}

function haveEntries({ plan }: Watched): SwarmCheck {
  const entered = new Set<string>()
  const requestsBy = new Map<Move | string, string[]>()
  const accepted = new Map<Move, string>()
  return {
    onTurn: ({ entry, outcome }) => {
      const request = entry?.requester?.request
      if (request !== undefined && outcome.type !== "refused") entered.add(request)
      return null
    },
    onCalled: ({ move, outcome, request }) => {
      const { act } = move
      if (act.verb !== "do" || WITHOUT_ENTRY.has(act.command)) return null
      for (const identity of identitiesOf(move)) {
        const requests = requestsBy.get(identity) ?? []
        requestsBy.set(identity, requests)
        requests.push(request)
      }
      if (outcome.type === "taken")
        accepted.set(move, `${act.command} by ${act.by ?? callerKindOf(plan, act)}`)
      return null
    },
    // Of two calls that are the same, the later one may get its answer first.
    onEnd: () => {
      for (const [move, says] of accepted) {
        const requests = identitiesOf(move).flatMap((identity) => requestsBy.get(identity) ?? [])
        if (!requests.some((one) => entered.has(one)))
          return `${says} was accepted, and no entry names ${[...new Set(requests)].join(" or ")}`
      }
      return null
    },
  }
}
