/**
 * An errand as a conversation with a language model: its user's request, the connector's tools, and tools for what an
 * agent does beside them. The form of messages and tools is that of OpenAI's chat completions. Source: OpenAI API
 * reference, chat completions.
 *
 * Differs from the street: the user answers by the subject of a question, not by its words.
 */

import { ERRAND_CALLS_MAX } from "../../model/values/limits.ts"
import { SECOND_MS, isoMs } from "../../model/values/time.ts"
import type { Errand, Value } from "./errand.ts"
import type { Question } from "./planner.ts"
import { ErrandRun, factsOf } from "./run-errand.ts"
import type { ErrandResult, RunOptions } from "./run-errand.ts"
import type { ToolShown } from "./tool-schemas.ts"
import { deepIn } from "./values.ts"

/** What a model says: text, calls of tools, or both. */
export interface ModelMessage {
  readonly content?: string | null
  readonly tool_calls?: readonly ModelCall[]
}

interface ModelCall {
  readonly id: string
  readonly function: { readonly name: string; readonly arguments: string }
}

export interface ChatTool {
  readonly type: "function"
  readonly function: { readonly name: string; readonly description: string; readonly parameters: object }
}

type Envelope = { readonly [field: string]: Value }
type Arguments = Readonly<Record<string, Value>>

const SUBJECTS = ["consent", "payment", "store", "cart", "later"] as const

export class ErrandChat {
  /** Of the conversation so far, to be sent with the next request. */
  readonly messages: object[]
  readonly tools: readonly ChatTool[]
  readonly #run: ErrandRun
  #answer: Envelope = {}
  #turns = 0
  #deadEnd: string | null = null

  constructor(errand: Errand, options: RunOptions = {}) {
    this.#run = new ErrandRun(errand, options)
    const read = (method: string, params: { readonly [name: string]: Value }): Envelope => {
      const { result } = this.#run.replyTo({ type: "send", method, params }) as { readonly result: Envelope }
      return result
    }
    const shown = (read("tools/list", {})["tools"] ?? []) as unknown as readonly ToolShown[]
    const [resource] = (read("resources/list", {})["resources"] ?? []) as readonly { readonly uri: string }[]
    const [text] = (read("resources/read", { uri: resource?.uri ?? "" })["contents"] ?? []) as readonly {
      readonly text: string
    }[]
    this.tools = [...shown.map((tool) => functionOf(tool)), ...OWN_TOOLS]
    const facts = factsOf(errand).map(({ about, value }) => `- ${about}: ${JSON.stringify(value)}`)
    this.messages = [
      { role: "system", content: `${SITUATION}\n\n${text?.text ?? ""}` },
      {
        role: "user",
        content: `${errand.says}\n\nIt is ${isoMs(this.#run.nowMs)}. What is known:\n${facts.join("\n")}`,
      },
    ]
  }

  /** Carries out what the model says; false once the conversation is over. */
  take({ content = null, tool_calls: calls = [] }: ModelMessage): boolean {
    this.#turns += 1
    if (calls.length === 0) return false
    this.messages.push({
      role: "assistant",
      content,
      tool_calls: calls.map((call) => ({ ...call, type: "function" })),
    })
    for (const call of calls) {
      this.messages.push({ role: "tool", tool_call_id: call.id, content: this.#replyTo(call.function) })
    }
    if (this.#turns < ERRAND_CALLS_MAX) return true
    this.#deadEnd = `no end after ${this.#turns} turns`
    return false
  }

  result(): ErrandResult {
    return this.#run.end({ deadEnd: this.#deadEnd })
  }

  #replyTo({ name, arguments: text }: ModelCall["function"]): string {
    const args = argumentsIn(text)
    if (args === null) return "The arguments are no JSON object."
    const said = this.#carryOut(name, args)
    const heard = this.#run.replyTo({ type: "listen", state: textOf(this.#answer["state"]) })
    return heard === null ? said : `${said}\n\nMeanwhile: ${JSON.stringify(heard)}`
  }

  #carryOut(name: string, args: Arguments): string {
    switch (name) {
      case "ask_user":
        return JSON.stringify(
          this.#run.replyTo({ type: "ask", question: this.#questionAbout(args["about"]) }),
        )
      case "place_store_order": {
        const order = { items: args["items"] ?? [], select: textOf(args["pickup_time"]) ?? "" }
        const facts = this.#run.replyTo({ type: "order", ...order })
        return facts === null ? "The store takes no order." : JSON.stringify(facts)
      }
      case "cancel_store_order":
        this.#run.replyTo({ type: "cancel_order" })
        return "The store order is cancelled."
      case "wait":
        this.#run.replyTo({ type: "wait", ms: Math.max(0, Number(args["seconds"] ?? 0)) * SECOND_MS })
        return `It is ${isoMs(this.#run.nowMs)}.`
      default:
        return this.#callTool(name, args)
    }
  }

  #callTool(name: string, args: Arguments): string {
    const params = { name, arguments: args }
    const { result, error } = this.#run.replyTo({ type: "send", method: "tools/call", params }) as {
      readonly result?: Envelope
      readonly error?: { readonly message: string }
    }
    const envelope = result?.["structuredContent"]
    if (envelope !== undefined) this.#answer = envelope as Envelope
    return error?.message ?? textOf(deepIn(result?.["content"] ?? null, "text")) ?? ""
  }

  #questionAbout(subject: Value | undefined): Question {
    switch (SUBJECTS.find((one) => one === subject)) {
      case "payment":
        return { about: "payment", page: textOf(deepIn(this.#answer, "checkout_url")) }
      case "store":
      case "cart":
      case "later":
        return { about: subject as "cart" | "later" | "store" }
      default:
        return { about: "consent", windows: (this.#answer["pickup_windows"] ?? []) as readonly Value[] }
    }
  }
}

const SITUATION = [
  "You run an errand for your user with the tools below. The tools of the courier connector are its own; ask_user,",
  "place_store_order, cancel_store_order and wait are yours. Time passes only while you wait, ask or order. Answer without",
  "a tool call when the errand is over. This is how the connector is used:",
].join(" ")

const OWN_TOOLS: readonly ChatTool[] = [
  ownTool(
    "ask_user",
    "Asks the user, who answers yes or no, with a payment token for the fee, or pays on the page.",
    {
      about: {
        type: "string",
        enum: SUBJECTS,
        description:
          "consent: price, terms and text messages; payment: the fee and how to pay it; store: whether the suggested store is meant; cart: whether to leave restricted items out; later: whether another time is fine.",
      },
      question: { type: "string" },
    },
  ),
  ownTool("place_store_order", "Places the order at the store's checkout, and says what the store answers.", {
    items: { type: "array", items: { type: "object" }, description: "Each with name and quantity." },
    pickup_time: { type: "string", description: "What was chosen as the pickup time." },
  }),
  ownTool("cancel_store_order", "Cancels the order with the store.", {}),
  ownTool("wait", "Lets time pass; ends earlier when something happens.", { seconds: { type: "integer" } }),
]

function ownTool(name: string, description: string, properties: Readonly<Record<string, object>>): ChatTool {
  const required = Object.keys(properties)
  return {
    type: "function",
    function: { name, description, parameters: { type: "object", properties, required } },
  }
}

function functionOf({ name, description = "", inputSchema }: ToolShown): ChatTool {
  return { type: "function", function: { name, description, parameters: inputSchema } }
}

function argumentsIn(text: string): Arguments | null {
  try {
    const args: unknown = JSON.parse(text === "" ? "{}" : text)
    return typeof args === "object" && args !== null && !Array.isArray(args) ? (args as Arguments) : null
  } catch {
    return null
  }
}

function textOf(value: Value | undefined): string | null {
  return typeof value === "string" ? value : null
}
