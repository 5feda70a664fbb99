/** Invariants of the machines that run the service: mailboxes that are full, restored backups, upgrades. */

import { groupOf, kindOf } from "../../../model/address.ts"
import { MAILBOX_ENTRIES_MAX } from "../../../model/values/limits.ts"
import type { SwarmCheck, SwarmInvariant, Watched } from "../invariant.ts"

export const MACHINE_INVARIANTS: readonly SwarmInvariant[] = [
  { sentence: "no more messages wait in a mailbox than it holds", check: mailboxesBounded },
  { sentence: "nothing leaves while calls are held after a restore", check: silentWhileHeld },
  { sentence: "an actor keeps the version of the machine that it started with", check: () => versionsStay() },
  {
    sentence: "an id of a webhook names one body, whatever was restored",
    check: bodiesStay,
  },
]

/** A sender fails rather than fill a mailbox beyond its bound; its message then waits in its own entry. */
function mailboxesBounded({ run, plan }: Watched): SwarmCheck {
  const { groups, time } = run.service.host
  const endsMs = time.nowMs + plan.faultsEndMs
  return {
    onTurn: ({ messages }) => {
      // The small bound ends with the other faults: senders that waited are then taken while messages still wait.
      const bound = (time.nowMs < endsMs ? plan.faults.mailboxEntriesMax : null) ?? MAILBOX_ENTRIES_MAX
      for (const to of new Set(messages.map((one) => groupOf(one.to)))) {
        const waiting = groups.messages().filter((one) => groupOf(one.to) === to).length
        // A plan's small bound does not hold while its world is prepared, when nothing is sent to a vehicle or an endpoint.
        if (waiting > bound) return `${waiting} messages wait for ${to}, which holds ${bound}`
      }
      return null
    },
  }
}

function silentWhileHeld(): SwarmCheck {
  let untilMs = 0
  return {
    onRestored: (heldUntilMs) => {
      untilMs = heldUntilMs
    },
    onReceived: ({ url, atMs }) =>
      atMs < untilMs
        ? `a request reached ${new URL(url).host} ${untilMs - atMs} ms before the release`
        : null,
  }
}

function versionsStay(): SwarmCheck {
  const machineByActor = new Map<string, string>()
  return {
    onTurn: ({ group, entry }) => {
      if (entry === null) return null
      for (const [address, { machine }] of group.actors) {
        const first = machineByActor.get(address) ?? machine
        machineByActor.set(address, first)
        if (first !== machine) return `${kindOf(address)} ${address} started as ${first} and is ${machine}`
      }
      return null
    },
  }
}

/** The receivers remember what they got before the restore, so they are asked and not the rows. */
function bodiesStay({ run }: Watched): SwarmCheck {
  return {
    onEnd: () => {
      const bodyById = new Map<string, string>()
      for (const { url, body, headers } of run.service.world.received) {
        const id = headers["X-Service-Delivery-Id"]
        if (id === undefined) continue
        const first = bodyById.get(id) ?? body
        bodyById.set(id, first)
        if (first !== body) return `${new URL(url).host} got two bodies of the webhook ${id}`
      }
      return null
    },
  }
}
