/**
 * Agents made with the SDK's own clients, of its first version and of its second: they discover, register and link automatically, and
 * keep their tokens.
 */

import { Client, StreamableHTTPClientTransport, UnauthorizedError } from "@modelcontextprotocol/client"
import type { VersionNegotiationMode } from "@modelcontextprotocol/client"
import { UnauthorizedError as FirstUnauthorizedError } from "@modelcontextprotocol/sdk/client/auth.js"
import type { OAuthClientProvider, OAuthDiscoveryState } from "@modelcontextprotocol/sdk/client/auth.js"
import { Client as FirstClient } from "@modelcontextprotocol/sdk/client/index.js"
import { StreamableHTTPClientTransport as FirstTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js"
import type { OAuthClientInformationMixed, OAuthTokens } from "@modelcontextprotocol/sdk/shared/auth.js"
import type { CourierEnvelope, CourierTool } from "../../../src/model/courier.ts"
import { CALLBACK } from "./running-connector.ts"

/** The memory of a client between its connections. */
export class AgentMemory implements OAuthClientProvider {
  client: OAuthClientInformationMixed | undefined
  granted: OAuthTokens | undefined
  verifier = ""
  discovered: OAuthDiscoveryState | undefined
  /** Where the user was sent, newest last. */
  readonly sentTo: URL[] = []
  readonly redirectUrl = CALLBACK
  readonly clientMetadata = {
    client_name: "An agent",
    redirect_uris: [CALLBACK],
    token_endpoint_auth_method: "none",
    scope: "courier:write",
  }

  state(): string {
    return "state of the agent"
  }
  clientInformation(): OAuthClientInformationMixed | undefined {
    return this.client
  }
  saveClientInformation(client: OAuthClientInformationMixed): void {
    this.client = client
  }
  tokens(): OAuthTokens | undefined {
    return this.granted
  }
  saveTokens(tokens: OAuthTokens): void {
    this.granted = tokens
  }
  redirectToAuthorization(url: URL): void {
    this.sentTo.push(url)
  }
  saveCodeVerifier(verifier: string): void {
    this.verifier = verifier
  }
  codeVerifier(): string {
    return this.verifier
  }
  saveDiscoveryState(discovered: OAuthDiscoveryState): void {
    this.discovered = discovered
  }
  discoveryState(): OAuthDiscoveryState | undefined {
    return this.discovered
  }
  invalidateCredentials(scope: "all" | "client" | "discovery" | "tokens" | "verifier"): void {
    if (scope === "all" || scope === "client") this.client = undefined
    if (scope === "all" || scope === "tokens") this.granted = undefined
  }
}

/** What the journeys ask of a client; both versions of the SDK's client have it. */
type AnyClient = Client | FirstClient

export interface Agent {
  readonly client: AnyClient
  readonly connect: () => Promise<void>
  /** Takes the address to which the user was sent back. */
  readonly finish: (location: URL) => Promise<void>
}

export interface AgentKind {
  /** The revision that it comes to speak with the connector; null where its client does not tell. */
  readonly revision: string | null
  readonly Unauthorized: typeof FirstUnauthorizedError | typeof UnauthorizedError
  readonly make: (mcpUrl: URL, memory: AgentMemory) => Agent
}

const INFO = { name: "an agent", version: "1.0.0" }

function second(mode: VersionNegotiationMode, revision: string): AgentKind {
  return {
    revision,
    Unauthorized: UnauthorizedError,
    make: (mcpUrl, memory) => {
      const client = new Client(INFO, { versionNegotiation: { mode } })
      const transport = new StreamableHTTPClientTransport(mcpUrl, { authProvider: memory })
      return {
        client,
        connect: () => client.connect(transport),
        finish: ({ searchParams }) => transport.finishAuth(searchParams),
      }
    },
  }
}

export const AGENT_KINDS: Readonly<Record<string, AgentKind>> = {
  "the SDK's first client": {
    revision: null,
    Unauthorized: FirstUnauthorizedError,
    make: (mcpUrl, memory) => {
      const client = new FirstClient(INFO)
      const transport = new FirstTransport(mcpUrl, { authProvider: memory })
      return {
        client,
        connect: () => client.connect(transport),
        finish: ({ searchParams }) => transport.finishAuth(searchParams.get("code") ?? ""),
      }
    },
  },
  "the second client without negotiation": second("legacy", "2025-11-25"),
  "the second client that negotiates": second("auto", "2026-07-28"),
  "the second client pinned to 2026-07-28": second({ pin: "2026-07-28" }, "2026-07-28"),
}

/** Calls a tool and gives its envelope; the client holds it against the tool's outputSchema. */
export async function callTool(client: AnyClient, name: CourierTool, args: object): Promise<CourierEnvelope> {
  const result = await client.callTool({ name, arguments: { ...args } })
  const [content] = result.content as readonly { readonly text: string }[]
  const envelope = result.structuredContent as CourierEnvelope | undefined
  if (envelope === undefined) throw new Error(`${name} had no envelope: ${content?.text ?? ""}`)
  if (content?.text !== JSON.stringify(envelope)) throw new Error(`${name} said two different things`)
  return envelope
}
