/**
 * A stand-in for Stripe on the loopback: it records its requests, and answers in Stripe's recorded formats, shortened
 * to the fields that are read. Answers that a test sets come before its own.
 */

import { createServer } from "node:http"
import type { IncomingHttpHeaders } from "node:http"
import type { AddressInfo } from "node:net"

export interface Asked {
  readonly method: string
  readonly path: string
  readonly headers: IncomingHttpHeaders
  readonly form: Readonly<Record<string, string>>
}

/** `silent` hangs up without an answer. */
export type Scripted = "silent" | { readonly status: number; readonly body: unknown }

export interface StripeStandIn {
  readonly url: string
  readonly asked: Asked[]
  readonly script: Scripted[]
  /** Payments by id. */
  readonly intents: Map<string, Intent>
  /** Sessions by id. */
  readonly sessions: Map<string, Session>
  readonly close: () => void
}

interface Intent {
  status: string
  readonly amount: number
  isRefunded: boolean
  readonly askedAs?: string
}

interface Session {
  readonly form: Readonly<Record<string, string>>
  intent: string | null
}

export const ACCOUNT = { secretKey: `sk_test_${"1".repeat(24)}`, webhookSecret: `whsec_${"2".repeat(32)}` }

export async function startStripe(): Promise<StripeStandIn> {
  const asked: Asked[] = []
  const script: Scripted[] = []
  const intents = new Map<string, Intent>()
  const sessions = new Map<string, Session>()
  const server = createServer((request, response) => {
    const chunks: Buffer[] = []
    request.on("data", (chunk: Buffer) => chunks.push(chunk))
    request.on("end", () => {
      const form = Object.fromEntries(new URLSearchParams(Buffer.concat(chunks).toString()))
      const one = { method: request.method ?? "", path: request.url ?? "", headers: request.headers, form }
      asked.push(one)
      const answer = script.shift() ?? answerTo(one, { intents, sessions })
      if (answer === "silent") {
        request.socket.destroy()
        return
      }
      response.writeHead(answer.status, { "content-type": "application/json", "request-id": "req_1" })
      response.end(typeof answer.body === "string" ? answer.body : JSON.stringify(answer.body))
    })
  })
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    asked,
    script,
    intents,
    sessions,
    close: () => {
      server.closeAllConnections()
      server.close()
    },
  }
}

type State = Pick<StripeStandIn, "intents" | "sessions">

function answerTo({ method, path, form }: Asked, state: State): Exclude<Scripted, "silent"> {
  const { intents, sessions } = state
  const [, of = "", id = "", action = ""] =
    /^\/v1\/(payment_intents|checkout\/sessions|refunds)\/?([^/?]*)\/?([^?]*)/.exec(path) ?? []
  if (of === "payment_intents" && id === "" && method === "POST") {
    const made = `pi_${intents.size + 1}`
    const askedAs = form["metadata[asked_as]"] ?? ""
    intents.set(made, {
      status: "requires_capture",
      amount: Number(form["amount"]),
      isRefunded: false,
      askedAs,
    })
    return answered(intentOf(made, state))
  }
  if (of === "payment_intents" && id === "") {
    return answered({ object: "list", data: [...intents.keys()].map((one) => intentOf(one, state)) })
  }
  if (of === "checkout/sessions" && id === "") {
    const made = `cs_test_${sessions.size + 1}`
    sessions.set(made, { form, intent: null })
    return answered(sessionOf(made, state))
  }
  if (of === "checkout/sessions") return sessions.has(id) ? answered(sessionOf(id, state)) : MISSING
  if (of === "refunds") {
    const intent = intents.get(form["payment_intent"] ?? "")
    if (intent === undefined) return MISSING
    if (intent.isRefunded) return refusal(400, { code: "charge_already_refunded" })
    intent.isRefunded = true
    return answered({ id: "re_1", object: "refund", amount: intent.amount, status: "succeeded" })
  }
  const intent = intents.get(id)
  if (intent === undefined) return MISSING
  if (action === "") return answered(intentOf(id, state))
  if (intent.status !== "requires_capture") {
    const payment_intent = intentOf(id, state)
    return refusal(400, { code: "payment_intent_unexpected_state", payment_intent })
  }
  intent.status = action === "capture" ? "succeeded" : "canceled"
  return answered(intentOf(id, state))
}

export function answered(body: object): Exclude<Scripted, "silent"> {
  return { status: 200, body }
}

/** An answer that is no success, as Stripe words it. */
export function refusal(status: number, error: object): Exclude<Scripted, "silent"> {
  const type = status === 402 ? "card_error" : status >= 500 ? "api_error" : "invalid_request_error"
  const told = { type, message: "About spt_1 of somebody.", request_log_url: "https://dashboard.example" }
  return { status, body: { error: { ...told, ...error } } }
}

const MISSING = refusal(404, { code: "resource_missing", param: "intent" })

function intentOf(id: string, { intents }: State): object {
  const intent = intents.get(id)
  return {
    id,
    object: "payment_intent",
    amount: intent?.amount ?? 0,
    capture_method: "manual",
    currency: "usd",
    livemode: false,
    status: intent?.status,
    metadata: { asked_as: intent?.askedAs ?? "" },
    latest_charge: { id: `ch_${id}`, object: "charge", refunded: intent?.isRefunded ?? false },
  }
}

function sessionOf(id: string, state: State): object {
  const { form, intent }: Session = state.sessions.get(id) ?? { form: {}, intent: null }
  return {
    id,
    object: "checkout.session",
    amount_total: Number(form["line_items[0][price_data][unit_amount]"]),
    client_reference_id: form["client_reference_id"] ?? null,
    currency: form["line_items[0][price_data][currency]"] ?? null,
    expires_at: Number(form["expires_at"]),
    payment_intent: intent === null ? null : intentOf(intent, state),
    // Money that is kept and not taken counts as unpaid.
    payment_status: "unpaid",
    status: intent === null ? "open" : "complete",
    url: `https://checkout.stripe.example/c/pay/${id}`,
  }
}

/** The user pays on the page of a session. */
export function payAt(stripe: StripeStandIn, sessionId: string): void {
  const session = stripe.sessions.get(sessionId)
  if (session === undefined) throw new Error(`there is no session ${sessionId}`)
  const intent = `pi_of_${sessionId}`
  stripe.intents.set(intent, { status: "requires_capture", amount: 495, isRefunded: false })
  session.intent = intent
}
