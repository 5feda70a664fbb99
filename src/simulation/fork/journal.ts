/**
 * A recorded run as it was at a moment: groups, messages and calls in flight there, and what followed. All of it is taken
 * from a replay, which also proves that this program still makes the same entries.
 */

import { groupOf, kindOf } from "../../model/address.ts"
import type { GroupAddress } from "../../model/address.ts"
import type { EpochMs } from "../../model/values/time.ts"
import { persistGroup } from "../../engine/kernel/group.ts"
import type { Group, Timer } from "../../engine/kernel/group.ts"
import type { Program } from "../../engine/kernel/program.ts"
import type { Call, Message } from "../../engine/kernel/turn.ts"
import type { GroupsContent } from "../../engine/memory/memory-groups.ts"
import { replayRecord } from "../replay.ts"
import type { ReplayedTurn, Until } from "../replay.ts"
import { eventIdOf, sendingsOf } from "./sendings.ts"

/** A record that no run can go on from; the message says why. */
export class UnusableJournal extends Error {
  override readonly name = "UnusableJournal"
}

export interface Journal {
  /** Of every entry of the run, in its order. */
  readonly turns: readonly ReplayedTurn[]
  /** How many of them came up to the moment. */
  readonly kept: number
  readonly clock0Ms: EpochMs
  readonly timeZone: string
  /** The moment. */
  readonly atMs: EpochMs
  readonly name: string
  readonly title: string
  readonly seed: number | null
  /** The number of the run in its file. */
  readonly number: number
  /** The names that a scenario gave, by group. */
  readonly names: Readonly<Record<GroupAddress, string>>
}

/** Reads the run of the moment. Throws `UnusableJournal`. */
export function journalAt(text: string, program: Program, moment: Until): Journal {
  const turns: ReplayedTurn[] = []
  const { difference, runs } = replayRecord(text, program, null, (turn) => {
    if (turn.run === moment.run) turns.push(turn)
  })
  if (difference !== null)
    throw new UnusableJournal(
      `line ${difference.line}: ${difference.message}${knownVersions(program, difference.message)}`,
    )
  const lines = linesOf(text, moment.run)
  if (lines === null)
    throw new UnusableJournal(
      `there is no run ${moment.run}; the file has ${runs === 1 ? "one run" : `${runs} runs`}`,
    )
  const [head = {}] = lines
  if (head["groups"] !== undefined) requireAlone(head["groups"] as readonly string[], turns)
  const at = lines.find(({ s }) => s === moment.s)
  const numbers = lines.flatMap(({ k, s }) => (k === "turn" || k === "mark" ? [Number(s)] : []))
  if (at === undefined || !numbers.includes(moment.s)) {
    const [first = 0] = numbers
    throw new UnusableJournal(
      `the run has no entry ${moment.s}: its entries are ${first} to ${numbers.at(-1) ?? first}`,
    )
  }
  const clock0Ms = Date.parse(String(head["clock0"]))
  const kept = keptOf(turns, moment.s)
  const lastMs = turns[kept - 1]?.result.instantMs ?? clock0Ms
  return {
    turns,
    kept,
    clock0Ms,
    timeZone: typeof head["zone"] === "string" ? head["zone"] : "UTC",
    atMs: Math.max(lastMs, clock0Ms + Number(at["t"])),
    name: String(head["scenario"]),
    title: String(head["title"] ?? head["scenario"]),
    seed: typeof head["seed"] === "number" ? head["seed"] : null,
    number: moment.run,
    names: (head["names"] as Journal["names"] | undefined) ?? {},
  }
}

/** A record of some groups is enough if they exchange messages with no other group. */
function requireAlone(held: readonly GroupAddress[], turns: readonly ReplayedTurn[]): void {
  const others = turns.flatMap(({ input: { cause }, result: { messages } }) => [
    ...messages.map(({ to }) => groupOf(to)),
    ...(cause === null ? [] : [cause[0]]),
  ])
  const other = others.find((group) => !held.includes(group))
  if (other === undefined) return
  const found = `it holds ${held.join(", ")} alone, which exchanges messages with ${other}`
  throw new UnusableJournal(`${found}; a fork needs the whole journal, from "curbline journal export"`)
}

/** Which versions this program has, when the message is about a machine that it does not have. */
function knownVersions({ machines }: Program, message: string): string {
  const name = /^a machine is unknown .*: ([a-z-]+)@\d+$/.exec(message)?.[1]
  if (name === undefined) return ""
  const known = Object.keys(machines).filter((id) => id.startsWith(`${name}@`))
  return `; this program has ${known.length === 0 ? `no machine ${name}` : known.join(", ")}`
}

/** The entries up to a line, and those that observers of the last one made in its transaction. */
function keptOf(turns: readonly ReplayedTurn[], s: number): number {
  let kept = turns.filter((turn) => turn.s <= s).length
  const lastMs = turns[kept - 1]?.input.instantMs
  const isObserved = ({ input: { by, cause, to, instantMs } }: ReplayedTurn): boolean =>
    by === "command" && (cause !== null || kindOf(to) === "webhook-delivery") && instantMs === lastMs
  for (let next = turns[kept]; next !== undefined && isObserved(next); next = turns[kept]) kept += 1
  return kept
}

type Fields = Readonly<Record<string, unknown>>

/** The lines of a run, from its header; null when the file has fewer runs. */
function linesOf(text: string, run: number): readonly Fields[] | null {
  const lines: Fields[] = []
  let number = 0
  for (const line of text.split("\n")) {
    if (line === "") continue
    const fields = JSON.parse(line) as Fields
    if (fields["k"] === "run") number += 1
    if (number === run) lines.push(fields)
  }
  return lines.length === 0 ? null : lines
}

/** Groups at the moment, by address. */
export function groupsAt({ turns, kept }: Journal): ReadonlyMap<GroupAddress, Group> {
  return new Map(turns.slice(0, kept).map(({ result: { group } }) => [group.address, group]))
}

/** Calls that were made by the moment and had no result then. */
export function callsInFlight({ turns, kept }: Journal): readonly Call[] {
  const open = new Map<string, Call>()
  for (const { input, result } of turns.slice(0, kept)) {
    if (input.by === "result") open.delete(callKey(input.to, input.cause, input.event?.["attempt"]))
    for (const call of result.calls) open.set(callKey(call.actor, call.cause, call.attempt), call)
  }
  return [...open.values()]
}

export function callKey(actor: string, cause: readonly unknown[] | null, attempt: unknown): string {
  return `${actor} ${cause?.join(" ") ?? ""} ${String(attempt)}`
}

/** Groups and messages as a memory host restores them; timers and messages keep their order. */
export function contentAt(journal: Journal): { readonly groups: GroupsContent; readonly sequence: number } {
  let sequence = 0
  const sequenceByTimer = new Map<string, number>()
  const waiting = new Map<string, (Message & { readonly sequence: number })[]>()
  for (const { input, result } of journal.turns.slice(0, journal.kept)) {
    if (input.by === "message") {
      const mail = waiting.get(mailKey(input.to, input.cause)) ?? []
      const given = JSON.stringify(input.event ?? input.start)
      mail.splice(
        mail.findIndex(({ event, start }) => JSON.stringify(event ?? start) === given),
        1,
      )
    }
    for (const timer of result.armed) sequenceByTimer.set(timerText(timer), (sequence += 1))
    for (const message of result.messages) {
      const key = mailKey(message.to, message.cause)
      waiting.set(key, [...(waiting.get(key) ?? []), { ...message, sequence: (sequence += 1) }])
    }
  }
  const groups = [...groupsAt(journal).values()].map((group) => ({
    ...persistGroup(group),
    sequences: [...group.timers.values()].map((timer) => sequenceByTimer.get(timerText(timer)) ?? 0),
  }))
  const messages = [...waiting.values()].flat().toSorted((one, other) => one.sequence - other.sequence)
  return {
    sequence,
    groups: { groups, messages, foldedCount: 0, foldQueue: [], tombstones: [] },
  }
}

function timerText({ to, id, cause }: Timer): string {
  return `${to} ${id} ${cause.join(" ")}`
}

function mailKey(to: string, cause: readonly unknown[] | null): string {
  return `${to} ${cause?.join(" ") ?? ""}`
}

/**
 * Commands from outside after the moment, in order. Left out is what the service did by itself: deliveries of events that turns
 * published, groups that observers started, and calls that left a queue. Events of positions and tests are no turn's, so their
 * deliveries come again as they were.
 */
export function commandsAfter(journal: Journal): readonly ReplayedTurn[] {
  const { published } = sendingsOf(journal, journal.turns.length)
  return journal.turns.slice(journal.kept).filter(({ input: { by, cause, to, event, start } }) => {
    const isOwn =
      event?.type === "queue.released" ||
      (kindOf(to) === "webhook-delivery" && published.originOf(eventIdOf(start)) !== null)
    return by === "command" && cause === null && !isOwn
  })
}

/** True for a command that came after the answer of a call at its own instant. */
export function followsAnswer({ turns }: Journal, command: ReplayedTurn): boolean {
  const { instantMs } = command.input
  for (let at = turns.indexOf(command) - 1; turns[at]?.input.instantMs === instantMs; at -= 1)
    if (turns[at]?.input.by === "result") return true
  return false
}
