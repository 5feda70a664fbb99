/**
 * Payment by a client that shows pages to its user by itself (elicitation in URL mode). Where a call finds the fee unpaid, such a client is
 * asked to show the checkout and to send the call again. The second answer is the tool's own, also when the user has not paid. Source: MCP
 * 2026-07-28, Elicitation; Patterns, Multi Round-Trip Requests. In older revisions only the handshake says what a client can do, and this
 * server remembers none.
 */

import type { CourierEnvelope } from "../../model/courier.ts"
import { isObject } from "./replied.ts"

const CAPABILITIES_KEY = "io.modelcontextprotocol/clientCapabilities"

/** The tool's own result, or what the client is asked for instead. `message` is the call as it was sent. */
export function orAskedToPay(message: unknown, result: object): object {
  const params = inside(message, "params")
  const url = checkoutIn(inside(result, "structuredContent"))
  const capabilities = inside(inside(params, "_meta"), CAPABILITIES_KEY)
  const showsPages = isObject(inside(inside(capabilities, "elicitation"), "url"))
  const isRepeat = isObject(inside(params, "inputResponses"))
  if (url === null || !showsPages || isRepeat || inside(params, "name") !== "confirm_delivery") return result
  const asked = { mode: "url", message: "Pay the delivery fee, so that the delivery can be booked.", url }
  return {
    resultType: "input_required",
    inputRequests: { payment: { method: "elicitation/create", params: asked } },
  }
}

/** Where the fee can be paid that a call has found unpaid. */
function checkoutIn(content: unknown): string | null {
  const { error, payment } = Object(content) as Partial<CourierEnvelope>
  return error?.code === "payment_failed" ? (payment?.checkout_url ?? null) : null
}

function inside(value: unknown, name: string): unknown {
  return isObject(value) ? value[name] : undefined
}
