/** A tool's answer on the wire: a call result in the form that every protocol revision knows. */

import type { CourierEnvelope, CourierTool } from "../../model/courier.ts"
import { CARD_KEY } from "../../model/requests/courier-card.ts"
import type { CardData } from "../../model/requests/courier-card.ts"
import type { FieldProblem } from "../../model/values/errors.ts"

export interface ToolResult {
  readonly content: readonly [{ readonly type: "text"; readonly text: string }]
  readonly structuredContent?: CourierEnvelope
  readonly isError?: true
  /** Models do not read it. */
  readonly _meta?: { readonly [CARD_KEY]: CardData }
}

/** The envelope twice, as data and as text, and beside it what cards show. A refusal is a normal result; only a fault of the service is an error. */
export function toolResult(envelope: CourierEnvelope, card: CardData | null = null): ToolResult {
  return {
    content: [{ type: "text", text: JSON.stringify(envelope) }],
    structuredContent: envelope,
    ...(envelope.error?.code === "internal_error" ? { isError: true } : {}),
    ...(card === null ? {} : { _meta: { [CARD_KEY]: card } }),
  }
}

/**
 * Arguments that the schema refuses do not reach a tool: the answer is a text with the fields, without an envelope.
 * Source: our choice X4.
 */
export function argumentProblem(tool: CourierTool, problems: readonly FieldProblem[]): ToolResult {
  const named = problems.map(({ field, message }) => `${field === "body" ? "arguments" : field}: ${message}`)
  return {
    content: [{ type: "text", text: `Invalid arguments for tool ${tool}: ${named.join("; ")}` }],
    isError: true,
  }
}

/** It is unknown how far the call came. A retry with the same key is safe. */
export function internalError(tool: CourierTool): CourierEnvelope {
  const retry = tool === "get_delivery_status" ? "arguments" : "arguments and the same idempotency_key"
  return {
    error: {
      code: "internal_error",
      message: "the call failed for a reason on our side",
      retryable: true,
    },
    next_step: `Call ${tool} again with the same ${retry}.`,
    user_message: "Something went wrong on the delivery service's side. Trying again may help.",
  }
}
