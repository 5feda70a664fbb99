/** An agent made with the SDK's own client: it discovers, registers and links automatically, and keeps its tokens. */

import type { OAuthClientProvider } from "@modelcontextprotocol/sdk/client/auth.js"
import { Client } from "@modelcontextprotocol/sdk/client/index.js"
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js"
import type { OAuthClientInformationMixed, OAuthTokens } from "@modelcontextprotocol/sdk/shared/auth.js"
import type { CourierEnvelope, CourierTool } from "../../../src/model/courier.ts"
import { CALLBACK } from "./running-connector.ts"

/** The memory of a client between its connections. */
export class AgentMemory implements OAuthClientProvider {
  client: OAuthClientInformationMixed | undefined
  granted: OAuthTokens | undefined
  verifier = ""
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
  invalidateCredentials(scope: "all" | "client" | "discovery" | "tokens" | "verifier"): void {
    if (scope === "all" || scope === "client") this.client = undefined
    if (scope === "all" || scope === "tokens") this.granted = undefined
  }
}

export interface Agent {
  readonly client: Client
  readonly transport: StreamableHTTPClientTransport
  readonly connect: () => Promise<void>
}

export function newAgent(mcpUrl: URL, memory: AgentMemory): Agent {
  const client = new Client({ name: "an agent", version: "1.0.0" })
  const transport = new StreamableHTTPClientTransport(mcpUrl, { authProvider: memory })
  // The SDK's own types do not hold under exactOptionalPropertyTypes.
  return { client, transport, connect: () => client.connect(transport) }
}

/** Calls a tool and gives its envelope; the client holds it against the tool's outputSchema. */
export async function callTool(client: Client, name: CourierTool, args: object): Promise<CourierEnvelope> {
  const result = await client.callTool({ name, arguments: { ...args } })
  const [content] = result.content as readonly { readonly text: string }[]
  const envelope = result.structuredContent as CourierEnvelope | undefined
  if (envelope === undefined) throw new Error(`${name} had no envelope: ${content?.text ?? ""}`)
  if (content?.text !== JSON.stringify(envelope)) throw new Error(`${name} said two different things`)
  return envelope
}
