/**
 * Reads a record line by line into an index of each run. Pure; shared by the command, the service and pages: the caller
 * supplies the lines. It checks each: an unreadable line ends its run with a problem, and the lines before it stay.
 */

import { groupOf, kindOf, resolveAddress } from "../../model/address.ts"
import type { Address, GroupAddress } from "../../model/address.ts"
import { entryOf } from "./recorded-entry.ts"
import type { RecordedEntry, RecordedStep } from "./recorded-entry.ts"
import { SentEvents } from "./sent-events.ts"
import { DEEDS, ELSEWHERE, NONE, WAYS, emptyIndex } from "./run-index.ts"
import type { CallSpan, Deed, RunEnd, RunHead, RunIndex, TimerSpan, Way } from "./run-index.ts"

/** The problem of a run without an end line; a journal that is still growing has no problem. */
export const WITHOUT_END = "the record ends before its run does"

/** Versions of the record that this program reads. */
const VERSIONS: readonly unknown[] = [1]

export interface ReadRun {
  readonly head: RunHead
  readonly index: RunIndex
  /** Chart documents of the record, by machine id. */
  readonly charts: ReadonlyMap<string, unknown>
  /** Null when the record ended before the run did. */
  readonly end: RunEnd | null
  /** The group's hash after each row; an empty text for a mark. */
  readonly hashes: readonly string[]
  /** The problem as a sentence; null for a complete run. */
  readonly problem: string | null
}

/** A file that is not a record, or a record of an unknown version. */
export class UnreadableRecord extends Error {
  override readonly name = "UnreadableRecord"
}

type Fields = Readonly<Record<string, unknown>>

/** The type of the event that a webhook delivery sends, if it is known beside the record; null otherwise. */
type EventOf = (group: GroupAddress) => string | null

/** Takes the lines of a file. `onRow` gets the text of each row, in order, with the run's number and the row. */
export class RecordReader {
  readonly #runs: RunReader[] = []
  readonly #onRow: (text: string, run: number, row: number) => void
  readonly #eventOf: EventOf
  #lines = 0
  #unread = 0

  constructor(
    onRow: (text: string, run: number, row: number) => void = () => {},
    eventOf: EventOf = () => null,
  ) {
    this.#onRow = onRow
    this.#eventOf = eventOf
  }

  take(text: string): void {
    this.#lines += 1
    if (text === "") return
    const fields = parsed(text)
    if (fields !== null && fields["k"] === "run") {
      this.#runs.push(
        new RunReader(headOf(fields), {
          isPart: Array.isArray(fields["groups"]),
          eventOf: this.#eventOf,
          names: namesOf(fields),
        }),
      )
      this.#unread = 0
      return
    }
    const run = this.#runs.at(-1)
    if (run === undefined) throw new UnreadableRecord("the file does not begin with the header of a run")
    const row = fields === null || this.#unread > 0 ? undefined : run.take(fields)
    if (row === undefined) {
      this.#unread += 1
      const first = this.#lines - this.#unread + 1
      const what = this.#unread === 1 ? `line ${first}` : `${this.#unread} lines from line ${first} on`
      run.problem = `${what} cannot be read; what stands before is shown`
      return
    }
    if (row !== null) this.#onRow(text, this.#runs.length - 1, row)
  }

  /** The runs, in the file's order. */
  runs(): readonly ReadRun[] {
    if (this.#runs.length === 0) throw new UnreadableRecord("the file holds no run")
    return this.#runs.map((run) => run.finished())
  }
}

/** Reads a whole text. */
export function readRecord(text: string): readonly ReadRun[] {
  const reader = new RecordReader()
  for (const line of text.split("\n")) reader.take(line)
  return reader.runs()
}

function parsed(text: string): Fields | null {
  try {
    const value: unknown = JSON.parse(text)
    return typeof value === "object" && value !== null ? { ...value } : null
  } catch {
    return null
  }
}

function headOf(fields: Fields): RunHead {
  const version = fields["v"]
  if (!VERSIONS.includes(version)) {
    throw new UnreadableRecord(
      `the record has version ${JSON.stringify(version)}, this program reads version ${VERSIONS.join(" and ")}`,
    )
  }
  const clock0Ms = Date.parse(String(fields["clock0"]))
  if (Number.isNaN(clock0Ms)) throw new UnreadableRecord("the header's clock0 is not a time")
  return {
    version: Number(version),
    scenario: textOf(fields["scenario"]),
    title: textOf(fields["title"] ?? fields["scenario"]),
    variant: typeof fields["variant"] === "string" ? fields["variant"] : null,
    seed: typeof fields["seed"] === "number" ? fields["seed"] : null,
    build: textOf(fields["build"]),
    recording: textOf(fields["recording"], "full"),
    clock0Ms,
    zone: textOf(fields["zone"], "UTC"),
    forkOf: typeof fields["forkOf"] === "number" ? fields["forkOf"] : null,
  }
}

/** The names that a scenario gave, by group. */
function namesOf({ names }: Fields): ReadonlyMap<string, string> {
  const isMap = typeof names === "object" && names !== null
  return new Map(Object.entries(isMap ? names : {}).map(([group, name]) => [group, textOf(name)]))
}

function textOf(value: unknown, otherwise = ""): string {
  return typeof value === "string" ? value : otherwise
}

/** `status_503` of a failure, `200` of a success; null without either. */
function answerOf(event: Fields): string | null {
  const { reason, status } = event
  if (typeof reason === "string") return reason
  return typeof status === "number" ? String(status) : null
}

/** Numbers texts in order of first occurrence. */
class Numbers {
  readonly texts: string[]
  readonly #byText = new Map<string, number>()

  constructor(texts: string[]) {
    this.texts = texts
  }

  of(text: string): number {
    let found = this.#byText.get(text)
    if (found === undefined) {
      found = this.texts.push(text) - 1
      this.#byText.set(text, found)
    }
    return found
  }
}

type Open<T> = { -readonly [Key in keyof T]: T[Key] }

class RunReader {
  problem: string | null = null
  readonly #head: RunHead
  readonly #index = emptyIndex()
  /** By group, from the header. */
  readonly #names: ReadonlyMap<string, string>
  readonly #words: Numbers
  readonly #values: Numbers
  readonly #groups: Numbers
  readonly #actorByAddress = new Map<Address, number>()
  readonly #rowByEntry = new Map<string, number>()
  readonly #eventOf: EventOf
  /** True for a record of some groups of a run. */
  readonly #isPart: boolean
  readonly #sent = new SentEvents()
  readonly #charts = new Map<string, unknown>()
  readonly #hashes: string[] = []
  readonly #timers = new Map<string, Open<TimerSpan>>()
  readonly #calls = new Map<string, { readonly span: Open<CallSpan>; readonly place: number }>()
  /** Inputs for actors that have not stepped yet: their rows, by address. */
  readonly #awaited = new Map<Address, number[]>()
  /** Groups that sent or got messages, or began entries of others. */
  readonly #exchanging = new Set<GroupAddress>()
  #end: RunEnd | null = null

  constructor(
    head: RunHead,
    {
      isPart,
      eventOf,
      names,
    }: {
      readonly isPart: boolean
      readonly eventOf: EventOf
      readonly names: ReadonlyMap<string, string>
    },
  ) {
    this.#head = head
    this.#names = names
    this.#isPart = isPart
    this.#eventOf = eventOf
    this.#words = new Numbers(this.#index.words)
    this.#values = new Numbers(this.#index.values)
    this.#groups = new Numbers(this.#index.groups)
  }

  /** Takes a line of the run. Returns its row if it is an entry or a mark, undefined for an unreadable line. */
  take(fields: Fields): number | null | undefined {
    switch (fields["k"]) {
      case "chart":
        this.#charts.set(textOf(fields["id"]), fields["doc"])
        return null
      case "turn": {
        const body = entryOf(fields)
        return body === null ? undefined : this.#takeTurn(fields, body)
      }
      case "mark":
        return this.#takeMark(fields)
      case "end":
        this.#end = {
          t: Number(fields["t"]),
          verdict: typeof fields["verdict"] === "string" ? fields["verdict"] : null,
          hash: textOf(fields["hash"]),
        }
        return null
      default:
        this.problem = `lines of kind ${JSON.stringify(fields["k"])} are unknown to this program and left out`
        return null
    }
  }

  finished(): ReadRun {
    const rows = this.#index.s.length
    for (const span of [...this.#index.timers, ...this.#index.calls] as Open<TimerSpan>[])
      if (span.end === null) span.to = rows
    const { groups, outside } = this.#index
    const held = new Set(groups)
    outside.splice(0, outside.length, ...[...this.#exchanging].filter((group) => !held.has(group)))
    const cut = this.#end === null ? WITHOUT_END : null
    return {
      head: this.#head,
      index: this.#index,
      charts: this.#charts,
      end: this.#end,
      hashes: this.#hashes,
      problem: this.problem ?? cut,
    }
  }

  #takeMark(fields: Fields): number {
    const row = this.#addRow(fields, { group: NONE, revision: 0, to: NONE, by: NONE, event: NONE })
    this.#hashes.push("")
    this.#index.marks.push({
      row,
      level: textOf(fields["level"]),
      text: textOf(fields["text"]),
      src: typeof fields["src"] === "string" ? fields["src"] : null,
    })
    this.#index.firstStep.push(this.#index.stepRow.length)
    return row
  }

  #takeTurn(fields: Fields, body: RecordedEntry): number {
    const group = textOf(fields["g"])
    const revision = Number(fields["r"])
    const event = body.start === undefined ? textOf(body.event?.["type"]) : "@start"
    const row = this.#addRow(fields, {
      group: this.#groupOf(group, body),
      revision,
      to: this.#actorByAddress.get(body.to) ?? NONE,
      by: WAYS.indexOf(body.by as Way),
      event: this.#words.of(event),
    })
    if (!this.#actorByAddress.has(body.to))
      this.#awaited.set(body.to, [...(this.#awaited.get(body.to) ?? []), row])
    this.#hashes.push(textOf(fields["h"]))
    this.#rowByEntry.set(`${group} ${revision}`, row)
    if (body.refused !== null) this.#index.refused[row] = this.#words.of(body.refused)
    const { cause } = body
    if (Array.isArray(cause)) {
      this.#exchangesWith(cause[0])
      this.#index.cause[row] = this.#rowByEntry.get(`${cause[0]} ${cause[1]}`) ?? ELSEWHERE
    }
    if (body.timer !== undefined) this.#endTimer(`${body.to}|${body.timer}`, row, "came")
    if (body.by === "result") this.#endCall(body, row)
    this.#takeSteps(row, group, body)
    this.#index.firstStep.push(this.#index.stepRow.length)
    return row
  }

  #groupOf(group: GroupAddress, body: RecordedEntry): number {
    const number = this.#groups.of(group)
    const { eventOfGroup } = this.#index
    if (number === eventOfGroup.length) {
      const isSending = kindOf(group) === "webhook-delivery"
      const type = isSending ? (this.#eventOf(group) ?? this.#sent.typeOf(body, this.#causeOf(body))) : null
      eventOfGroup.push(type === null ? NONE : this.#words.of(type))
      this.#index.firstRowOfGroup.push(this.#index.s.length)
      this.#index.nameOfGroup.push(this.#names.get(group) ?? null)
    }
    return number
  }

  /** The step that caused an entry; NONE without one in the record. */
  #causeOf({ cause }: RecordedEntry): number {
    if (!Array.isArray(cause)) return NONE
    const row = this.#rowByEntry.get(`${cause[0]} ${cause[1]}`)
    return row === undefined ? NONE : (this.#index.firstStep[row] ?? 0) + cause[2]
  }

  #exchangesWith(group: GroupAddress): void {
    if (this.#isPart) this.#exchanging.add(group)
  }

  #addRow(
    fields: Fields,
    row: { group: number; revision: number; to: number; by: number; event: number },
  ): number {
    const { s, t, group, revision, to, by, event, refused, cause, answered } = this.#index
    s.push(Number(fields["s"]))
    t.push(Number(fields["t"]))
    group.push(row.group)
    revision.push(row.revision)
    to.push(row.to)
    by.push(row.by)
    event.push(row.event)
    refused.push(NONE)
    answered.push(NONE)
    return cause.push(NONE) - 1
  }

  #takeSteps(row: number, group: string, body: RecordedEntry): void {
    /** Sent inside the turn and not processed yet: address, type, sender. */
    const sent: { readonly to: Address; readonly type: string; readonly from: number }[] = []
    for (const [at, step] of body.steps.entries()) {
      const type = textOf(step.on["type"])
      const actor = this.#actorAt(step, type)
      const found = sent.findIndex((one) => one.to === step.a && one.type === type)
      const from = at === 0 ? this.#senderOf(body) : (sent[found]?.from ?? NONE)
      if (found !== -1) sent.splice(found, 1)
      const number = this.#addStep({ row, actor, type, from, step })
      for (const asked of step.asked) {
        if (asked.type === "kernel.start" || asked.type === "kernel.send") {
          const to = resolveAddress(asked.to, group)
          this.#exchangesWith(groupOf(to))
          sent.push({ to, type: asked.type === "kernel.start" ? "@start" : asked.event.type, from: actor })
        } else if (asked.type === "kernel.publish") {
          this.#index.published.push([row, number, this.#words.of(asked.event)])
          this.#sent.published(number, asked.event)
        } else if (asked.type === "kernel.call") this.#addCall(actor, step.a, row, asked)
        else if (asked.type === "arm") this.#arm(actor, step.a, row, { ...asked, atMs: body.atMs })
        else if (asked.type === "disarm") this.#endTimer(`${step.a}|${asked.id}`, row, "disarmed")
      }
    }
  }

  #addStep(one: {
    readonly row: number
    readonly actor: number
    readonly type: string
    readonly from: number
    readonly step: RecordedStep
  }): number {
    const { stepRow, stepActor, stepEvent, stepDid, stepValue, stepDone, stepFrom } = this.#index
    stepActor.push(one.actor)
    stepEvent.push(this.#words.of(one.type))
    stepDid.push(DEEDS.indexOf(one.step.did as Deed))
    stepValue.push(this.#values.of(JSON.stringify(one.step.value)))
    stepDone.push(one.step.status === "done" ? 1 : 0)
    stepFrom.push(one.from)
    return stepRow.push(one.row) - 1
  }

  #actorAt(step: RecordedStep, type: string): number {
    const known = this.#actorByAddress.get(step.a)
    if (known !== undefined) return known
    const machine = type === "@start" ? step.on["machine"] : null
    const named = typeof machine === "string" ? machine : null
    const actor = this.#index.actors.push({ address: step.a, machine: named }) - 1
    this.#actorByAddress.set(step.a, actor)
    for (const row of this.#awaited.get(step.a) ?? []) this.#index.to[row] = actor
    this.#awaited.delete(step.a)
    return actor
  }

  /** The actor whose step sent a message from another group, or for whose event this group was started. */
  #senderOf({ by, cause }: RecordedEntry): number {
    if ((by !== "message" && by !== "command") || !Array.isArray(cause)) return NONE
    const row = this.#rowByEntry.get(`${cause[0]} ${cause[1]}`)
    if (row === undefined) return NONE
    return this.#index.stepActor[(this.#index.firstStep[row] ?? 0) + cause[2]] ?? NONE
  }

  #arm(
    actor: number,
    address: Address,
    row: number,
    asked: { readonly id: string; readonly delayMs: number; readonly atMs: number },
  ): void {
    const key = `${address}|${asked.id}`
    this.#endTimer(key, row, "replaced")
    const due = asked.atMs + Math.ceil(asked.delayMs) - this.#head.clock0Ms
    const timer: Open<TimerSpan> = { actor, id: asked.id, due, from: row, to: row, end: null }
    this.#timers.set(key, timer)
    this.#index.timers.push(timer)
  }

  #endTimer(key: string, row: number, end: TimerSpan["end"]): void {
    const timer = this.#timers.get(key)
    if (timer === undefined) return
    timer.to = row
    timer.end = end
    this.#timers.delete(key)
  }

  #addCall(
    actor: number,
    address: Address,
    row: number,
    { call, attempt }: { readonly call: string; readonly attempt: number },
  ): void {
    const before = this.#calls.get(address)
    if (before !== undefined) {
      before.span.to = row
      before.span.end = "replaced"
    }
    const span: Open<CallSpan> = { actor, call, attempt, answer: null, from: row, to: row, end: null }
    const place = this.#index.calls.push(span) - 1
    this.#calls.set(address, { span, place })
  }

  #endCall({ to, event }: RecordedEntry, row: number): void {
    const open = this.#calls.get(to)
    if (open === undefined || open.span.attempt !== event?.["attempt"]) return
    open.span.to = row
    open.span.end = "came"
    open.span.answer = answerOf(event)
    this.#index.answered[row] = open.place
    this.#calls.delete(to)
  }
}
