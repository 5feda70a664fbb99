/** Invariants of every journal, whatever its machines do: order, causes, timers, messages, replay, and no personal data. */

import type { Address } from "../../../model/address.ts"
import { resolveAddress } from "../../../model/address.ts"
import { EngineFault } from "../../../engine/kernel/faults.ts"
import { timerKey } from "../../../engine/kernel/group.ts"
import type { Cause, Group, Timer } from "../../../engine/kernel/group.ts"
import { GENESIS, digest } from "../../../engine/kernel/hash.ts"
import type { EntryBody, StepRecord } from "../../../engine/kernel/journal.ts"
import { takeTurn } from "../../../engine/kernel/turn.ts"
import { inputOf } from "../../replay.ts"
import type { SwarmCheck, SwarmInvariant, Watched } from "../invariant.ts"
import { contextOf, pathOf } from "../seen.ts"

export const JOURNAL_INVARIANTS: readonly SwarmInvariant[] = [
  {
    sentence: "the entries of a group are numbered without a gap and chained by their hashes",
    check: chained,
  },
  { sentence: "every message, timer and result comes from the step that asked for it", check: caused },
  { sentence: "every published event comes from a step of its own entry", check: published },
  { sentence: "a message is taken exactly once", check: takenOnce },
  { sentence: "a timer is taken once, as it was armed, and never before it is due", check: asArmed },
  { sentence: "time never goes back in a group", check: () => forward() },
  { sentence: "an actor that is done never changes", check: doneIsDone },
  { sentence: "a refused command changes no actor and no timer", check: refusedChangesNothing },
  { sentence: "no two turns of different entries share a nonce", check: () => ownNonces() },
  { sentence: "the journal of a group replays to the same entries", check: replays },
  {
    sentence: "no journal names a person, a number, an address, a link or a secret",
    check: () => impersonal(),
  },
  { sentence: "a turn starts and stops only actors of its own group", check: ownActors },
]

function keyOf([group, revision, step]: Cause): string {
  return `${group} ${revision} ${step}`
}

function chained(): SwarmCheck {
  const lastByGroup = new Map<string, { readonly revision: number; readonly hash: string }>()
  return {
    onTurn: ({ entry, group }) => {
      if (entry === null) return null
      const { revision, hash } = lastByGroup.get(group.address) ?? { revision: 0, hash: GENESIS }
      lastByGroup.set(group.address, entry)
      if (entry.revision !== revision + 1)
        return `entry ${entry.revision} of ${group.address} comes after ${revision}`
      return entry.hash === digest(`${hash}\n${entry.text}`) ? null : `entry ${revision + 1} has another hash`
    },
  }
}

/** What each step asked for. */
type Asks = Map<string, readonly StepRecord["asked"][number][]>

function askedBy(asks: Asks, group: string, revision: number, steps: readonly StepRecord[]): void {
  for (const [at, { asked }] of steps.entries()) asks.set(keyOf([group, revision, at]), asked)
}

function caused({ bodyOf }: Watched): SwarmCheck {
  const asks: Asks = new Map()
  return {
    onTurn: ({ entry, group }, input) => {
      if (entry === null) return null
      const body = bodyOf(entry)
      askedBy(asks, group.address, entry.revision, body.steps)
      if (input.by === "command") return null
      const asked = body.cause === null ? undefined : asks.get(keyOf(body.cause))
      if (asked === undefined) return `a ${body.by} to ${body.to} names no step that happened before it`
      return asksFor(asked, body)
        ? null
        : `a ${body.by} to ${body.to} was not asked for by the step that it names`
    },
  }
}

function asksFor(asked: readonly StepRecord["asked"][number][], body: EntryBody): boolean {
  const { to, by, event, start, timer, cause } = body
  const from = cause?.[0] ?? ""
  switch (by) {
    case "timer":
      return asked.some((one) => one.type === "arm" && one.id === timer && one.event === event?.type)
    case "message":
      return asked.some(
        (one) =>
          (one.type === "kernel.send" &&
            resolveAddress(one.to, from) === to &&
            one.event.type === event?.type) ||
          (one.type === "kernel.start" &&
            resolveAddress(one.to, from) === to &&
            one.machine === start?.machine),
      )
    case "result":
      return asked.some((one) => one.type === "kernel.call" && one.attempt === event?.["attempt"])
    case "command":
      return true
  }
}

function published({ bodyOf }: Watched): SwarmCheck {
  return {
    onTurn: ({ entry, group, emissions }) => {
      for (const { event, cause } of emissions) {
        const [address, revision, step] = cause
        if (entry === null || address !== group.address || revision !== entry.revision)
          return `${event} names another entry than its own`
        const asked = bodyOf(entry).steps[step]?.asked ?? []
        if (!asked.some((one) => one.type === "kernel.publish" && one.event === event))
          return `${event} names a step that did not publish it`
      }
      return null
    },
  }
}

function takenOnce({ run }: Watched): SwarmCheck {
  const open = new Map<string, number>()
  const keyFor = (to: Address, what: string, cause: Cause | null): string =>
    `${cause === null ? "" : keyOf(cause)} ${to} ${what}`
  const count = (key: string, by: 1 | -1): number => {
    const now = (open.get(key) ?? 0) + by
    if (now === 0) open.delete(key)
    else open.set(key, now)
    return now
  }
  return {
    onTurn: ({ messages }, { by, to, event, start, cause }) => {
      for (const one of messages) count(keyFor(one.to, one.event?.type ?? "@start", one.cause), 1)
      if (by !== "message") return null
      const what = event?.type ?? (start === undefined ? "" : "@start")
      return count(keyFor(to, what, cause), -1) < 0 ? `${what} to ${to} was taken again` : null
    },
    onEnd: () => {
      const [lost] = open.keys()
      if (lost !== undefined) return `a message was never taken: ${lost}`
      const waiting = run.service.host.groups.messages().length
      return waiting === 0 ? null : `${waiting} messages wait in mailboxes`
    },
  }
}

function asArmed(): SwarmCheck {
  const timersByGroup = new Map<string, ReadonlyMap<string, Timer>>()
  return {
    onTurn: ({ group, entry }, { by, to, timer, cause, atMs, instantMs }) => {
      const armed = timersByGroup.get(group.address)?.get(timerKey(to, timer ?? ""))
      if (entry !== null) timersByGroup.set(group.address, group.timers)
      if (by !== "timer") return null
      if (armed === undefined) return `${timer} of ${to} is not armed`
      if (cause === null || keyOf(armed.cause) !== keyOf(cause)) return `${timer} of ${to} was armed anew`
      if (armed.dueMs !== atMs) return `${timer} of ${to} is due at ${armed.dueMs} and says ${atMs}`
      return instantMs < atMs ? `${timer} of ${to} came ${atMs - instantMs} ms early` : null
    },
  }
}

function forward(): SwarmCheck {
  const lastByGroup = new Map<string, number>()
  return {
    onTurn: ({ group, instantMs }, { atMs }) => {
      const last = lastByGroup.get(group.address) ?? 0
      lastByGroup.set(group.address, instantMs)
      if (instantMs < last) return `${group.address} went from ${last} to ${instantMs}`
      return atMs > instantMs ? `${group.address} saw ${atMs} at ${instantMs}` : null
    },
  }
}

function doneIsDone({ bodyOf }: Watched): SwarmCheck {
  const doneByActor = new Map<string, string>()
  return {
    onTurn: ({ entry }) => {
      if (entry === null) return null
      for (const { a, value, context, status, on } of bodyOf(entry).steps) {
        const now = JSON.stringify([value, context, status])
        const before = doneByActor.get(a)
        if (before !== undefined && before !== now)
          return `${a} changed by ${JSON.stringify(on)} after its end`
        if (status === "done") doneByActor.set(a, now)
      }
      return null
    },
  }
}

function refusedChangesNothing(): SwarmCheck {
  const before = new Map<string, Group>()
  return {
    onTurn: ({ group, outcome, entry, emissions, calls, messages }, { by }) => {
      const last = before.get(group.address)
      if (entry !== null) before.set(group.address, group)
      if (outcome.type !== "refused" || by !== "command") return null
      if (emissions.length + calls.length + messages.length > 0)
        return `a refused command of ${group.address} asked for more`
      if (last === undefined) return entry === null ? null : `${group.address} began with a refusal`
      const isSame =
        last.timers.size === group.timers.size &&
        [...last.actors.keys()].every((address) => stateOf(last, address) === stateOf(group, address))
      return isSame || last.revision + 1 !== group.revision
        ? null
        : `a refused command changed ${group.address}`
    },
  }
}

/** State and context as text: after a crash the objects are others. */
function stateOf(group: Group, address: Address): string {
  return `${pathOf(group, address)} ${JSON.stringify(contextOf(group, address))}`
}

function ownNonces(): SwarmCheck {
  const entryByNonce = new Map<string, string>()
  return {
    onTurn: ({ entry, nonce }) => {
      if (entry === null) return null
      const other = entryByNonce.get(nonce)
      entryByNonce.set(nonce, entry.hash)
      return other === undefined || other === entry.hash ? null : `two entries have the nonce ${nonce}`
    },
  }
}

/** Every input again, on the program of the run. */
function replays({ run, program }: Watched): SwarmCheck {
  return {
    onEnd: () => {
      const groups = new Map<string, Group>()
      for (const { entry } of run.service.host.entries) {
        const before = groups.get(entry.group) ?? null
        try {
          const result = takeTurn(program, before, inputOf(JSON.parse(entry.text) as EntryBody))
          if (result?.entry?.hash !== entry.hash) return `entry ${entry.revision} of ${entry.group} differs`
          groups.set(entry.group, result.group)
        } catch (fault) {
          if (fault instanceof EngineFault)
            return `entry ${entry.revision} of ${entry.group}: ${fault.message}`
          throw fault
        }
      }
      return null
    },
  }
}

/** Parts of what plans give to the service, and the beginnings of its secrets. */
const PERSONAL = [
  "+1512",
  // With its quote: ids contain any three letters.
  '"Ada',
  "1 Sample",
  "ada@",
  "https://",
  "whsec_",
  "spt_",
  "no longer hungry",
  "site closed",
  "side door",
  "robot 1",
  "ref visit",
] as const

function impersonal(): SwarmCheck {
  return {
    onTurn: ({ entry }) => {
      const found = entry === null ? undefined : PERSONAL.find((part) => entry.text.includes(part))
      return found === undefined ? null : `an entry of ${entry?.group} contains ${JSON.stringify(found)}`
    },
  }
}

function ownActors({ bodyOf }: Watched): SwarmCheck {
  return {
    onTurn: ({ entry, group }) => {
      if (entry === null) return null
      const { steps, to } = bodyOf(entry)
      const isOwn = (address: string): boolean =>
        address === group.address || address.startsWith(`${group.address}/`)
      const strange = [to, ...steps.map(({ a }) => a), ...group.actors.keys()].find(
        (address) => !isOwn(address),
      )
      return strange === undefined ? null : `${group.address} holds ${strange}`
    },
  }
}
