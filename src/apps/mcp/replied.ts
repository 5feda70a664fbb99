/** Answers of the endpoint, and those that it makes without the SDK. */

import { Data } from "effect"

export interface Replied {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  /** Null when there is no answer. */
  readonly body: string | null
}

export interface RpcError {
  readonly code: number
  readonly message: string
  readonly data?: object
}

/** An unknown method or invalid parameters: JSON-RPC's own errors. */
export class MethodProblem extends Data.TaggedError("MethodProblem")<{
  readonly code: number
  readonly message: string
  readonly data?: object
}> {}

/** JSON-RPC's own codes (JSON-RPC 2.0 §5.1), and the first of those that it leaves to servers. */
export const RPC = {
  parseError: -32_700,
  invalidRequest: -32_600,
  methodNotFound: -32_601,
  invalidParams: -32_602,
  internalError: -32_603,
  serverError: -32_000,
} as const

export const METHOD_NOT_FOUND: RpcError = { code: RPC.methodNotFound, message: "Method not found" }

export function refusal(status: number, error: RpcError, id: string | number | null = null): Replied {
  return {
    status,
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ jsonrpc: "2.0", error, id }),
  }
}

export async function repliedOf(response: Response): Promise<Replied> {
  const text = await response.text()
  return {
    status: response.status,
    headers: Object.fromEntries(response.headers),
    body: text === "" ? null : text,
  }
}

/** The id under which a request wants its answer; null without a legible one. */
export function idOf(message: unknown): string | number | null {
  const id = isObject(message) ? message["id"] : undefined
  return typeof id === "string" || (typeof id === "number" && Number.isInteger(id)) ? id : null
}

export function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value)
}
