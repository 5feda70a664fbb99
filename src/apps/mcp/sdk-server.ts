/** A server of the official MCP SDK for one request. Its transports of both kinds are beside: one for each kind of revision. */

import type { Server, ServerCapabilities } from "@modelcontextprotocol/server"

/** What an endpoint serves to an identified caller, in every revision. */
export interface Served {
  readonly info: ServerInfo
  /** How hosts show the server that answers at this origin. */
  readonly shownInfo: (origin: string) => ServerInfo
  readonly capabilities: ServerCapabilities
  readonly instructions: string
  /** Whether lists are the same for every caller. */
  readonly cacheScope: "private" | "public"
  /** Whether `answer` has one; the protocol's own methods are answered by the SDK. */
  readonly isMethod: (method: string) => boolean
  /** Answers one JSON-RPC request; rejects with an error that has a `code` and a `message`. */
  readonly answer: (asked: AskedMethod) => Promise<object>
}

export interface AskedMethod {
  readonly method: string
  readonly params: Readonly<Record<string, unknown>>
}

/** A message of an identified caller. */
export interface Posted {
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
  /** Parsed, and not too deep. */
  readonly message: unknown
}

export type Sdk = Awaited<ReturnType<typeof loadedSdk>>

/** What the protocol does not answer by itself. */
export type Handler = NonNullable<Server["fallbackRequestHandler"]>

/** How long clients may keep lists: they see a new version this much later. */
export const KEPT_BY_CLIENTS_MS = 300_000

/** Loaded at the first call, because most starts serve no agent. */
export function loadedSdk() {
  return import("@modelcontextprotocol/server")
}

type ServerInfo = ConstructorParameters<Sdk["Server"]>[0]

/** The SDK handles the protocol's own methods; without a handler it refuses all others. Answers have no second check. */
export function serverOf(
  { Server: SdkServer }: Sdk,
  {
    capabilities,
    instructions,
    info,
    cacheScope,
  }: Pick<Served, "cacheScope" | "capabilities" | "info" | "instructions">,
  handler?: Handler,
): Server {
  const server = new SdkServer(info, {
    capabilities,
    instructions,
    cacheHints: { "server/discover": { ttlMs: KEPT_BY_CLIENTS_MS, cacheScope } },
    jsonSchemaValidator: NO_VALIDATOR,
  })
  if (handler !== undefined) server.fallbackRequestHandler = handler
  return server
}

/** Requests as the SDK reads them. Its transports look for the names of both types alone, in this spelling. */
export function requestOf({ url, headers }: Posted): Request {
  return new Request(url, {
    method: "POST",
    headers: { ...headers, accept: "application/json, text/event-stream" },
  })
}

/**
 * The SDK would use it to validate answers to requests that this server never sends; the SDK's own validator costs more
 * to create than a call.
 */
const NO_VALIDATOR = {
  getValidator: () => () => ({
    valid: false as const,
    data: undefined,
    errorMessage: "the server sends no requests to the client",
  }),
}
