/**
 * A digest of 64 bits over every turn of a run. A run that keeps no journal has neither texts nor hashes; it has this. A
 * recorded run has both, and its digest is that of the unrecorded run of the same seed (src/DECISIONS.md §3).
 *
 * It reads an input's facts and event, and for each step the state, the parts of the context that the step assigned, and what was
 * asked. Names of fields are left out, because the type of an event and the machine determine them.
 */

import { groupOf } from "../../model/address.ts"
import type { Json, JsonObject } from "../../model/values/json.ts"
import type { TurnInput } from "./journal.ts"
import { stateMark } from "./planned-step.ts"
import type { Asked } from "./step.ts"
import type { TakenStep, TurnResult } from "./turn.ts"

/** Marks in place of values that have no bits of their own, and around those that hold others. */
const MARK = { true: 1, false: 2, null: 3, missing: 4, list: 5, object: 6, end: 7 } as const

const DID = { moved: 1, handled: 2, ignored: 3 } as const

const REAL = new Float64Array(1)
const HALVES = new Int32Array(REAL.buffer)

export class TurnDigest {
  /** Two independent sums of 32 bits. */
  #one = 0x9e3779b1 | 0
  #other = 0x85ebca6b | 0

  add({ steps, outcome }: Pick<TurnResult, "outcome" | "steps">, input: TurnInput): void {
    this.#text(input.to, 0)
    this.#number(input.instantMs)
    if (input.facts !== null) this.#value(input.facts)
    if (outcome.type === "refused") {
      this.#text(outcome.code, 0)
      this.#value(input.event ?? input.start)
      return
    }
    const groupLength = groupOf(input.to).length
    for (const step of steps) this.#step(step, groupLength)
  }

  /** 16 hex digits. */
  total(): string {
    return [this.#one, this.#other].map((sum) => (sum >>> 0).toString(16).padStart(8, "0")).join("")
  }

  /** Goes on from a total. */
  restore(total: string): void {
    this.#one = Number.parseInt(total.slice(0, 8), 16) | 0
    this.#other = Number.parseInt(total.slice(8), 16) | 0
  }

  /** Of the address only what follows the group's, which all steps of a turn share. */
  #step({ to, on, stepped: { did, snapshot, assigned, asked } }: TakenStep, groupLength: number): void {
    this.#text(to, groupLength)
    this.#mix(DID[did])
    // The context that a start makes holds what matters of its input.
    if (on.type === "@start") this.#text(on["machine"] as string, 0)
    else this.#value(on)
    this.#mix(stateMark(snapshot))
    for (const fields of assigned) this.#value(fields)
    for (const one of asked) this.#asked(one)
  }

  /** Events and inputs that are sent are digested where they arrive. */
  #asked(asked: Asked): void {
    switch (asked.type) {
      case "arm":
        this.#text(asked.id, 0)
        return this.#number(asked.delayMs)
      case "disarm":
        return this.#text(asked.id, 0)
      case "kernel.start":
        return this.#text(asked.to, 0)
      case "kernel.send":
        this.#text(asked.to, 0)
        return this.#text(asked.event.type, 0)
      case "kernel.reply":
        return this.#value(asked.value)
      case "kernel.refuse":
        return this.#text(asked.code, 0)
      case "kernel.publish":
        this.#text(asked.event, 0)
        return this.#value(asked.extras)
      case "kernel.call":
        this.#text(asked.call, 0)
        return this.#number(asked.attempt)
    }
  }

  #value(value: Json | undefined): void {
    switch (typeof value) {
      case "string":
        return this.#text(value, 0)
      case "number":
        return this.#number(value)
      case "boolean":
        return this.#mix(value ? MARK.true : MARK.false)
      case "undefined":
        return this.#mix(MARK.missing)
      default:
        return value === null ? this.#mix(MARK.null) : this.#inside(value)
    }
  }

  #inside(value: object): void {
    const isList = Array.isArray(value)
    this.#mix(isList ? MARK.list : MARK.object)
    if (isList) for (const item of value as readonly Json[]) this.#value(item)
    else for (const name in value) this.#value((value as JsonObject)[name])
    this.#mix(MARK.end)
  }

  #number(value: number): void {
    // The two halves of other numbers: most whole ones are small.
    if (value === (value | 0)) return this.#mix(value)
    REAL[0] = value
    this.#mix(HALVES[0] as number)
    this.#mix(HALVES[1] as number)
  }

  /** A text from one of its letters on. */
  #text(text: string, from: number): void {
    let one = this.#one ^ text.length
    let other = this.#other + text.length
    for (let at = from; at < text.length; at += 1) {
      const unit = text.charCodeAt(at)
      one = Math.imul(one ^ unit, 0x01000193)
      other = Math.imul(other + unit, 0x2c1b3c6d)
    }
    this.#one = one
    this.#other = other
    this.#mix(text.length)
  }

  /** Two rounds of multiplicative hashing, each folding the high bits into the low ones. */
  #mix(bits: number): void {
    const one = Math.imul(this.#one ^ bits, 0x85ebca6b)
    const other = Math.imul(this.#other + bits, 0xc2b2ae35)
    this.#one = one ^ (one >>> 15)
    this.#other = other ^ (other >>> 13)
  }
}
