/**
 * Replay: runs the recorded inputs of a record again, group by group, and compares every entry byte by byte. It runs no
 * services and no agenda; it also checks every timer, message and call result against the entry that caused it. The
 * header of a partial record names its groups: only messages from other groups are then accepted unchecked, and entries
 * of others are refused.
 */

import { groupOf } from "../model/address.ts"
import type { GroupAddress } from "../model/address.ts"
import { EngineFault } from "../engine/kernel/faults.ts"
import { timerKey } from "../engine/kernel/group.ts"
import type { Group } from "../engine/kernel/group.ts"
import { HeadSum } from "../engine/kernel/hash.ts"
import type { EntryBody, TurnInput } from "../engine/kernel/journal.ts"
import type { Program } from "../engine/kernel/program.ts"
import { takeTurn } from "../engine/kernel/turn.ts"
import type { TurnResult } from "../engine/kernel/turn.ts"
import type { Requester } from "../model/requester.ts"
import type { EpochMs } from "../model/values/time.ts"
import { RECORD_VERSION, endLine, entryLine } from "./run-record.ts"

/** The first line that differs from the replayed one. */
export interface Difference {
  /** 1-based line of the file. */
  readonly line: number
  readonly message: string
  readonly expected: string | null
  readonly found: string | null
}

export interface Replayed {
  readonly runs: number
  readonly entries: number
  /** Hashes of the runs, in file order. */
  readonly hashes: readonly string[]
  readonly difference: Difference | null
  /** The state at the moment that ended the replay; null if the whole record was replayed. */
  readonly stopped: Stopped | null
}

/** The run's 1-based number in the file, and the line's own number in the run. */
export interface Until {
  readonly run: number
  readonly s: number
}

export interface Stopped {
  /** The group of the moment's entry, or of the entry before a mark; null before the run's first entry. */
  readonly group: Group | null
  /** The moment on the run's clock. */
  readonly t: EpochMs
}

/** One entry that was replayed: its run in the file, its line's number in the run, and its turn. */
export interface ReplayedTurn {
  /** 1-based. */
  readonly run: number
  readonly s: number
  readonly input: TurnInput
  readonly result: TurnResult
}

interface Line {
  readonly number: number
  readonly text: string
  readonly fields: Readonly<Record<string, unknown>>
}

/** A result comes again soon after its first time, and a record may have millions. */
const ANSWERED_MAX = 100_000

class Differs extends Error {
  readonly difference: Difference

  constructor(difference: Difference) {
    super(difference.message)
    this.difference = difference
  }
}

/** Compares a whole file, or the part of it up to a moment; stops at the first difference. `onTurn` gets each entry. */
export function replayRecord(
  text: string,
  program: Program,
  until: Until | null = null,
  onTurn: (turn: ReplayedTurn) => void = () => {},
): Replayed {
  const hashes: string[] = []
  let entries = 0
  let run: ReplayedRun | null = null
  try {
    const rows = text.split("\n")
    if (rows.at(-1) === "") rows.pop()
    for (const [at, row] of rows.entries()) {
      const line = parse(row, at + 1)
      if (line.fields["k"] === "run") {
        if (run !== null) throw differs(line, "a run begins before the one before it ended")
        const number = hashes.length + 1
        run = new ReplayedRun(program, line, (turn) => onTurn({ ...turn, run: number }))
        continue
      }
      if (run === null) throw differs(line, "the record does not begin with a run line")
      const isEnd = run.take(line)
      if (until?.run === hashes.length + 1 && line.fields["s"] === until.s) {
        return {
          runs: until.run,
          entries: entries + run.entries,
          hashes,
          difference: null,
          stopped: run.at(line),
        }
      }
      if (isEnd) {
        hashes.push(run.hash())
        entries += run.entries
        run = null
      }
    }
    if (run !== null)
      throw differs({ number: rows.length + 1, text: "", fields: {} }, "the record ends inside a run")
    if (hashes.length === 0) throw differs({ number: 1, text: "", fields: {} }, "the record holds no run")
    return { runs: hashes.length, entries, hashes, difference: null, stopped: null }
  } catch (cause) {
    if (!(cause instanceof Differs)) throw cause
    return {
      runs: hashes.length,
      entries: entries + (run?.entries ?? 0),
      hashes,
      difference: cause.difference,
      stopped: null,
    }
  }
}

/** The replay of one run. */
class ReplayedRun {
  entries = 0
  readonly #program: Program
  readonly #clock0Ms: number
  readonly #lines: string[]
  readonly #groups = new Map<GroupAddress, Group>()
  /** Messages to other groups and outbound calls, by cause and address; each may be used once. */
  readonly #sent = new Map<string, string[]>()
  readonly #called = new Set<string>()
  /** The latest calls whose result may come again. */
  readonly #answered = new Set<string>()
  readonly #repeatsResults: boolean
  /** The groups that the record holds; null for a record of all of them. */
  readonly #held: ReadonlySet<GroupAddress> | null
  readonly #onTurn: (turn: Omit<ReplayedTurn, "run">) => void
  #last: Group | null = null

  constructor(program: Program, header: Line, onTurn: (turn: Omit<ReplayedTurn, "run">) => void) {
    this.#program = program
    this.#onTurn = onTurn
    this.#lines = [header.text]
    this.#clock0Ms = Date.parse(String(header.fields["clock0"]))
    if (header.fields["v"] !== RECORD_VERSION) {
      throw differs(
        header,
        `the record has version ${String(header.fields["v"])}, this program reads ${RECORD_VERSION}`,
      )
    }
    if (header.fields["recording"] !== "full") {
      throw differs(
        header,
        `the record has ${String(header.fields["recording"])} only; only a full record can be replayed`,
      )
    }
    if (Number.isNaN(this.#clock0Ms)) throw differs(header, "clock0 is not a time")
    this.#held = heldBy(header)
    this.#repeatsResults = header.fields["repeatsResults"] === true
  }

  #keepAnswered(called: string): void {
    this.#answered.add(called)
    const [oldest = ""] = this.#answered
    if (this.#answered.size > ANSWERED_MAX) this.#answered.delete(oldest)
  }

  /** Takes the next line; true when it was the run's end. */
  take(line: Line): boolean {
    switch (line.fields["k"]) {
      case "turn":
        this.#takeEntry(line)
        break
      case "chart":
      case "mark":
        break
      case "end":
        this.#takeEnd(line)
        return true
      default:
        throw differs(line, `unknown kind of line ${JSON.stringify(line.fields["k"])}`)
    }
    this.#lines.push(line.text)
    return false
  }

  /** The state after a line. */
  at(line: Line): Stopped {
    return { group: this.#last, t: this.#clock0Ms + Number(line.fields["t"]) }
  }

  hash(): string {
    const sum = new HeadSum()
    for (const group of this.#groups.values()) sum.add(group.address, group.head)
    return sum.total()
  }

  #takeEntry(line: Line): void {
    const body = line.fields["e"] as EntryBody
    if (typeof body !== "object" || body === null || typeof body.to !== "string")
      throw differs(line, "no entry in it")
    const input = inputOf(body)
    const address = groupOf(body.to)
    if (this.#held?.has(address) === false)
      throw differs(line, `the header does not name ${address} among the groups that the record holds`)
    const before = this.#groups.get(address) ?? null
    this.#checkCause(line, input, before)
    const result = this.#turn(line, input, before)
    if (result.entry === null) throw differs(line, "the start is refused now, it was taken then")
    // Who asked is not replayed: the digest of the end line covers it.
    const who = line.fields["who"] as Requester | undefined
    const entry = who === undefined ? result.entry : { ...result.entry, requester: who }
    const expected = entryLine(entry, {
      s: this.#lines.length,
      t: result.instantMs - this.#clock0Ms,
    })
    if (expected !== line.text) {
      throw differs(line, `entry ${address} r${result.entry.revision} differs`, expected)
    }
    this.#groups.set(address, result.group)
    this.#last = result.group
    this.entries += 1
    this.#onTurn({ s: this.#lines.length, input, result })
    for (const message of result.messages) {
      const key = `${message.cause.join(" ")} ${message.to}`
      const given = JSON.stringify(message.event ?? message.start)
      this.#sent.set(key, [...(this.#sent.get(key) ?? []), given])
    }
    for (const call of result.calls) this.#called.add(`${call.cause.join(" ")} ${call.actor} ${call.attempt}`)
  }

  #turn(line: Line, input: TurnInput, before: Group | null): TurnResult {
    try {
      const result = takeTurn(this.#program, before, input)
      if (result !== null) return result
    } catch (cause) {
      if (cause instanceof EngineFault) throw differs(line, cause.message)
      const why = cause instanceof Error ? cause.message : String(cause)
      throw differs(line, `the input cannot be run: ${why}`)
    }
    throw differs(line, "no such timer is armed")
  }

  #checkCause(line: Line, input: TurnInput, before: Group | null): void {
    const { by, to, cause } = input
    if (by === "command") return
    const from = Array.isArray(cause) ? cause.join(" ") : ""
    if (by === "timer") {
      const armed = before?.timers.get(timerKey(to, input.timer ?? ""))
      const isArmed = armed !== undefined && armed.cause.join(" ") === from
      if (!isArmed || armed.dueMs !== input.atMs || input.instantMs < armed.dueMs) {
        throw differs(line, `the timer ${input.timer ?? ""} was not armed by ${from} for that time`)
      }
      return
    }
    if (by === "result") {
      const called = `${from} ${to} ${JSON.stringify(input.event?.["attempt"])}`
      // A late answer may still arrive after its call was counted as lost.
      const isAsked = this.#called.has(called) || (this.#answered.has(called) && hasChangedNothing(line))
      const isAnswer = input.event?.type !== "call.lost" && this.#called.delete(called)
      if (isAnswer && this.#repeatsResults) this.#keepAnswered(called)
      if (!isAsked) throw differs(line, `no call of ${to} was requested by ${from}`)
      return
    }
    // The cause is not part of this record; the sender has a record of its own.
    if (this.#held !== null && cause !== null && !this.#held.has(cause[0])) return
    const sent = this.#sent.get(`${from} ${to}`) ?? []
    const at = sent.indexOf(JSON.stringify(input.event ?? input.start))
    if (at === -1) throw differs(line, `no such message was sent to ${to} by ${from}`)
    sent.splice(at, 1)
  }

  #takeEnd(line: Line): void {
    if (line.fields["hash"] !== this.hash()) {
      throw differs(line, `the run's hash is ${this.hash()}, the record says ${String(line.fields["hash"])}`)
    }
    const { t, verdict } = line.fields
    const expected = endLine(this.#lines, { t, verdict, entries: this.entries, hash: this.hash() })
    if (expected !== line.text) {
      throw differs(line, "a line of this run that is no entry was changed, added or removed", expected)
    }
  }
}

function hasChangedNothing(line: Line): boolean {
  const { steps } = line.fields["e"] as EntryBody
  return steps.every(({ did }) => did === "ignored")
}

/** Null when the header is that of a whole run. */
function heldBy(header: Line): ReadonlySet<GroupAddress> | null {
  const { groups } = header.fields
  if (groups === undefined) return null
  if (!Array.isArray(groups) || groups.length === 0 || groups.some((one) => typeof one !== "string"))
    throw differs(header, "groups is not a list of addresses")
  return new Set(groups as readonly string[])
}

/** The input part of an entry; the rest is computed from it. */
export function inputOf(body: EntryBody): TurnInput {
  const { to, by, start, event, timer, facts, decision, atMs, instantMs, nonce, cause } = body
  return {
    to,
    by,
    ...(start === undefined ? {} : { start }),
    ...(event === undefined ? {} : { event }),
    ...(timer === undefined ? {} : { timer }),
    facts,
    decision,
    atMs,
    instantMs,
    nonce,
    cause,
  }
}

function parse(text: string, number: number): Line {
  try {
    const fields: unknown = JSON.parse(text)
    if (typeof fields === "object" && fields !== null) return { number, text, fields: { ...fields } }
  } catch {
    // Reported below, with the line's number.
  }
  throw differs({ number, text, fields: {} }, "the line is not a JSON object")
}

function differs(line: Line, message: string, expected: string | null = null): Differs {
  return new Differs({ line: line.number, message, expected, found: line.text })
}
