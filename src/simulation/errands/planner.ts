/**
 * A scripted agent. It knows its user's request, what the server shows (`tools/list`, the resource) and what the server
 * answers, and does what each answer's `next_step` says, read as text. It knows nothing of the service: a text that
 * misleads it is a text that misleads.
 *
 * Differs from the street: it guesses nothing, so that it stops where a person or a model would try something.
 */

import { ERRAND_CALLS_MAX, PICKUP_WINDOW_MS } from "../../model/values/limits.ts"
import { HOUR_MS, SECOND_MS, isoMs } from "../../model/values/time.ts"
import type { EpochMs } from "../../model/values/time.ts"
import type { Fact, Item, Value } from "./errand.ts"
import { bareStep, readStep, stepIfOrdered } from "./next-step.ts"
import type { Step } from "./next-step.ts"
import { Notes, sharedWords, wordsOf } from "./notes.ts"
import { Unknown, argumentsFor, fitted, kindsNamedBy, kindsOf } from "./tool-schemas.ts"
import type { ToolShown } from "./tool-schemas.ts"
import { deepIn, movedTo, noteDescriptions } from "./values.ts"

/** What the agent does: the driver of the generator replies to each. */
export type Act =
  /** Reply: the JSON-RPC message of the answer. */
  | { readonly type: "send"; readonly method: string; readonly params: { readonly [name: string]: Value } }
  | { readonly type: "wait"; readonly ms: number }
  | { readonly type: "wait_until"; readonly atMs: EpochMs }
  /** Reply: an `Answered`. */
  | { readonly type: "ask"; readonly question: Question }
  /** Places the order at the store. Reply: facts, or null when the store takes none. */
  | { readonly type: "order"; readonly items: Value; readonly select: string }
  | { readonly type: "cancel_order" }
  /** Reply: a `Heard`, or null. */
  | { readonly type: "listen"; readonly state: string | null }

export type Question =
  | { readonly about: "consent"; readonly windows: readonly Value[] }
  | { readonly about: "payment"; readonly page: string | null }
  | { readonly about: "store" }
  | { readonly about: "cart" }
  | { readonly about: "later" }

/** The user's answer: no, or yes with what belongs to it. */
export interface Answered {
  readonly isYes: boolean
  readonly window?: Value
  readonly token?: string
  /** Paid on the page. */
  readonly isPaid?: boolean
}

export type Heard =
  { readonly type: "told"; readonly facts: readonly Fact[] } | { readonly type: "user_cancels" }

/** Why the agent could not go on; null when it came to an end. */
export interface Planned {
  readonly deadEnd: string | null
}

const OVER = "over"

type Plan<A> = Generator<Act, A, unknown>
type Envelope = Readonly<Record<string, Value>>

/** What the agent says of its own knowledge, in the words of a person. */
export const KNOWN = {
  storeName: "name of the store on its map listing",
  storeAddress: "address where the store hands out curbside orders",
  door: "address where the user wants the order",
  timing: "requested timing of the pickup: as soon as possible, or a window from start to end",
  cart: "items in the cart, as far as the cart is known",
  firstName: "first name of the customer",
  lastName: "last name of the customer",
  methods: "every way of pickup that the store's checkout offers",
  slots: "pickup slots that the checkout offers",
  requires: "what the store's checkout requires of the person who collects at the pickup",
  announces: "how customers announce their arrival to the store",
  readyAt: "when the order is ready, as the store says",
} as const

const ACCEPTED = "the user accepted the price and the terms and agreed to the text messages: consent granted"
const TOKEN = "shared payment token with which the user approved the delivery fee"
const CHOSEN_WINDOW = "the one of pickup_windows that the user chose"

/** Runs one errand to its end. */
export function* planErrand(facts: readonly Fact[]): Plan<Planned> {
  return yield* new Planner(facts).run()
}

class Planner {
  readonly #notes = new Notes()
  readonly #told = new Map<string, string>()
  #tools: readonly ToolShown[] = []
  #answer: Envelope = {}
  #last: { readonly tool: ToolShown; readonly args: Record<string, Value> } | null = null
  /** The tool that tells whether the user has paid on a page. */
  #pageTool: ToolShown | null = null
  #calls = 0
  #hasOrdered = false

  constructor(facts: readonly Fact[]) {
    for (const fact of facts) this.#notes.add(fact)
  }

  *run(): Plan<Planned> {
    const first = yield* this.#learn()
    if (first === null) return deadEnd("the description names no first call")
    let step: Step | null = bareStep(this.#tools.find(({ name }) => name === first) ?? null)
    while (step !== null) {
      const tool: ToolShown | null = step.tool
      if (tool === null) {
        if (this.#hasOrdered && (step.cancelsOrder || step.collects)) yield { type: "cancel_order" }
        return { deadEnd: null }
      }
      if (this.#calls >= ERRAND_CALLS_MAX) return deadEnd(`no end after ${this.#calls} calls`)
      const ready: Step | string = step.awaitsNews ? yield* this.#waitsForNews() : yield* this.#prepare(step)
      if (ready === OVER) return { deadEnd: null }
      if (typeof ready === "string") return deadEnd(ready)
      const problem: string | null = yield* this.#call(ready)
      if (problem !== null) return deadEnd(problem)
      const interrupting: Step | string | null = yield* this.#interrupted()
      if (typeof interrupting === "string") return deadEnd(interrupting)
      step = interrupting ?? this.#nextStep()
    }
    return deadEnd(`next_step says nothing to do: ${this.#text("next_step") ?? "(absent)"}`)
  }

  /** Reads the tools and the description; the first call is the first that its order of calls names. */
  *#learn(): Plan<string | null> {
    const list = yield* this.#send("tools/list", {})
    this.#tools = (list?.["tools"] ?? []) as unknown as readonly ToolShown[]
    for (const { inputSchema } of this.#tools) noteDescriptions(inputSchema, this.#told)
    const resources = yield* this.#send("resources/list", {})
    const [resource] = (resources?.["resources"] ?? []) as unknown as readonly { readonly uri: string }[]
    const read = yield* this.#send("resources/read", { uri: resource?.uri ?? "" })
    const [content] = (read?.["contents"] ?? []) as unknown as readonly { readonly text: string }[]
    const order = content?.text.split(/^## /m).find((part) => part.startsWith("Call order")) ?? ""
    const names = new Set(this.#tools.map(({ name }) => name))
    return (
      [...order.matchAll(/`(\w+)`/g)].map(([, name = ""]) => name).find((name) => names.has(name)) ?? null
    )
  }

  *#send(
    method: string,
    params: { readonly [name: string]: Value },
  ): Plan<Readonly<Record<string, Value>> | null> {
    const message = (yield { type: "send", method, params }) as {
      readonly result?: Readonly<Record<string, Value>>
    }
    return message.result ?? null
  }

  /** What comes before the call: the user's consent and choices, the order at the store, time. Another step when the user decides so. */
  *#prepare(step: Step): Plan<Step | typeof OVER> {
    if (step.means !== null && !(yield* this.#takeListing(step.means))) return OVER
    if (step.leavesOut !== null && !(yield* this.#leaveOut(step.leavesOut))) return OVER
    if (step.isOffer && !(yield* this.#asks({ about: "later" })).isYes) {
      return step.orElse === null ? OVER : bareStep(step.orElse)
    }
    if (step.fromMs !== null) yield { type: "wait_until", atMs: step.fromMs }
    if (step.timeMs !== null && step.repeats === null) this.#wantAt(step.timeMs)
    if (step.waitMs > 0) {
      const said = Number(this.#answer["poll_after_seconds"] ?? 0) * SECOND_MS
      yield { type: "wait", ms: Math.max(step.waitMs, said) }
    }
    if (step.consent !== null) {
      const wanted: Step | "refused" = /approves/.test(step.consent)
        ? yield* this.#pays(step)
        : yield* this.#consents(step)
      return wanted === "refused" ? this.#cancelling() : wanted
    }
    if (step.placesOrder && !this.#hasOrdered && !(yield* this.#places())) return this.#cancelling()
    return step
  }

  *#consents(step: Step): Plan<Step | "refused"> {
    const windows = (this.#answer["pickup_windows"] ?? []) as readonly Value[]
    const { isYes, window } = yield* this.#asks({ about: "consent", windows })
    if (!isYes) return "refused"
    this.#notes.add({ about: ACCEPTED, value: true })
    if (window !== undefined) this.#notes.add({ about: CHOSEN_WINDOW, value: window })
    return step
  }

  *#pays(step: Step): Plan<Step | "refused"> {
    const found = step.page === null ? null : deepIn(this.#answer, step.page.field)
    const page = typeof found === "string" ? found : null
    const { isYes, token, isPaid = false } = yield* this.#asks({ about: "payment", page })
    if (!isYes) return "refused"
    this.#pageTool = step.page?.tool ?? this.#pageTool
    if (isPaid) return bareStep(this.#pageTool)
    this.#notes.add({ about: TOKEN, value: token ?? "" })
    return step
  }

  *#places(): Plan<boolean> {
    const { select } = Object(this.#answer["pickup_time"]) as { readonly select?: string }
    const items = this.#notes.get(KNOWN.cart) ?? []
    const facts = (yield { type: "order", items, select: select ?? "" }) as readonly Fact[] | null
    for (const fact of facts ?? []) this.#notes.add(fact)
    this.#hasOrdered = facts !== null
    return this.#hasOrdered
  }

  *#takeListing(field: string): Plan<boolean> {
    const [listing] = (this.#answer[field] ?? []) as readonly { readonly [part: string]: string }[]
    const { isYes } = yield* this.#asks({ about: "store" })
    if (!isYes || listing === undefined) return false
    const { retailer_name: name = "", ...address } = listing
    const { city = "", state = "" } = Object(this.#notes.get(KNOWN.storeAddress)) as Record<string, Value>
    this.#notes.add({ about: KNOWN.storeName, value: name })
    this.#notes.add({ about: KNOWN.storeAddress, value: { ...address, city, state } })
    return true
  }

  *#leaveOut(field: string): Plan<boolean> {
    const { isYes } = yield* this.#asks({ about: "cart" })
    if (!isYes) return false
    const out = (this.#answer[field] ?? []) as readonly string[]
    const cart = (this.#notes.get(KNOWN.cart) ?? []) as unknown as readonly Item[]
    const kept = cart.filter(({ name }) => !out.includes(name))
    this.#notes.add({ about: KNOWN.cart, value: kept as unknown as Value })
    return kept.length > 0
  }

  *#asks(question: Question): Plan<Answered> {
    return (yield { type: "ask", question }) as Answered
  }

  /** Makes the call and reads its answer. The problem, when the call cannot be made or its answer not be read. */
  *#call(step: Step): Plan<string | null> {
    const tool = step.tool ?? this.#last?.tool
    if (tool === undefined) return "no tool to call"
    const args = this.#argumentsOf(tool, step)
    if (args instanceof Unknown) return `${tool.name} wants ${args.property}, and nothing known fits`
    this.#calls += 1
    this.#last = { tool, args }
    const result = yield* this.#send("tools/call", { name: tool.name, arguments: args })
    const answer = result?.["structuredContent"]
    if (answer === undefined || answer === null)
      return `${tool.name} answers ${JSON.stringify(result).slice(0, 200)}`
    // A token is sent once.
    const token = this.#notes.get(TOKEN)
    if (token !== undefined && JSON.stringify(args).includes(JSON.stringify(token))) this.#notes.forget(TOKEN)
    this.#answer = answer as Envelope
    this.#noteAnswer()
    return null
  }

  #argumentsOf(tool: ToolShown, step: Step): Record<string, Value> | Unknown {
    const key = this.#newKey(tool)
    if (step.repeats !== null && this.#last?.tool === tool) {
      if (step.repeats === "key") return this.#last.args
      if (step.timeMs === null) return { ...this.#last.args, ...key }
      this.#notes.add({ about: KNOWN.readyAt, value: isoMs(step.timeMs) })
      return { ...movedTo(step.timeMs, this.#last.args), ...key }
    }
    return argumentsFor(tool, { notes: this.#notes, named: { ...step.named, ...key }, told: this.#told })
  }

  /** A property that wants another value at each call. */
  #newKey({ name, inputSchema: { properties = {} } }: ToolShown): Record<string, Value> {
    const found = Object.keys(properties).find((one) =>
      /\bnew one for each call\b/.test(this.#told.get(one) ?? ""),
    )
    return found === undefined ? {} : { [found]: `${name}-${String(this.#calls + 1).padStart(4, "0")}` }
  }

  #noteAnswer(): void {
    for (const [field, value] of Object.entries(this.#answer)) {
      const parts = Object(value) as Readonly<Record<string, Value>>
      if (typeof value === "string") this.#notes.add({ about: field, value })
      else if (!Array.isArray(value))
        for (const [part, one] of Object.entries(parts))
          this.#notes.add({ about: `${field} ${part}`, value: one })
    }
  }

  /** The store has still to say something. */
  *#waitsForNews(): Plan<Step | string> {
    yield { type: "wait", ms: NEWS_MS_MAX }
    return (yield* this.#interrupted()) ?? "the store says nothing more"
  }

  /** What the user or the store has to say before the next step. */
  *#interrupted(): Plan<Step | string | null> {
    const heard = (yield { type: "listen", state: this.#text("state") }) as Heard | null
    if (heard === null) return null
    return heard.type === "user_cancels" ? this.#cancelling() : this.#reporting(heard.facts)
  }

  /** A text of the last answer. */
  #text(field: string): string | null {
    const value = this.#answer[field]
    return typeof value === "string" ? value : null
  }

  #nextStep(): Step | null {
    const text = this.#text("next_step") ?? ""
    const ifOrdered = this.#hasOrdered ? stepIfOrdered(text, this.#tools) : null
    if (ifOrdered !== null) return bareStep(ifOrdered)
    return readStep(text, this.#tools, this.#last?.tool ?? null)
  }

  /** The tool whose description is about a cancel. */
  #cancelling(): Step {
    const wish = wordsOf("cancels the delivery")
    const scored = this.#tools.map((tool) => ({
      tool,
      shared: sharedWords(wish, `${tool.name} ${tool.description ?? ""}`),
    }))
    const best = scored.toSorted((one, other) => other.shared - one.shared)[0]
    return bareStep(best?.tool ?? null)
  }

  /** A report of something new: the property of a tool that is about it says the kind of report. */
  #reporting(facts: readonly Fact[]): Step | string {
    const named: Record<string, Value> = {}
    let chosen: ToolShown | null = null
    for (const { about, value } of facts) {
      const found = this.#propertyAbout(about, value)
      if (found === null) continue
      chosen ??= found.tool
      named[found.kindProperty] ??= found.kind
      named[found.name] = found.value
    }
    return chosen === null
      ? `no tool takes a report: ${facts[0]?.about ?? ""}`
      : { ...bareStep(chosen), named }
  }

  #propertyAbout(about: string, value: Value) {
    const wanted = wordsOf(about)
    const found = this.#tools.flatMap((tool) => {
      const kinds = kindsOf(tool)
      const { properties = {}, required = [] } = tool.inputSchema
      const kindProperty = required.find((name) => (properties[name]?.enum ?? []).length > 2) ?? ""
      return Object.entries(properties).flatMap(([name, schema]) => {
        const [kind] = kindsNamedBy(schema, kinds)
        const fit = fitted(schema, value)
        if (kind === undefined || fit === undefined) return []
        const inside = Object.keys(schema.properties ?? {}).join(" ")
        const shared = sharedWords(
          wanted,
          `${name} ${inside} ${schema.description ?? ""} ${this.#told.get(name) ?? ""}`,
        )
        return [{ tool, name, kind, kindProperty, value: fit, shared }]
      })
    })
    const [best] = found.toSorted((one, other) => other.shared - one.shared)
    return best === undefined || best.shared < 2 ? null : best
  }

  #wantAt(timeMs: EpochMs): void {
    const value = { type: "window", start: isoMs(timeMs), end: isoMs(timeMs + PICKUP_WINDOW_MS) }
    this.#notes.add({ about: KNOWN.timing, value })
  }
}

function deadEnd(why: string): Planned {
  return { deadEnd: why }
}

/** Longer than a store is silent about an order that is late. */
const NEWS_MS_MAX = 2 * HOUR_MS
