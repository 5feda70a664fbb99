/** A coding agent's client: of `curbline mcp`, which it starts as a process of its own, and of the sandbox's endpoint. */

import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client"
import type { Transport, VersionNegotiationMode } from "@modelcontextprotocol/client"
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio"
import { join } from "node:path"
import { ROOT } from "./command-line.ts"

export interface CodingAgent {
  readonly client: Client
  /** The text of an answer; that of a failed call begins with `FAILED: `. */
  readonly call: (name: string, args?: Record<string, unknown>) => Promise<string>
}

interface Options {
  readonly words: readonly string[]
  readonly env?: Record<string, string>
  readonly mode?: VersionNegotiationMode
}

export async function startCodingAgent({ words, env = {}, mode = "legacy" }: Options): Promise<CodingAgent> {
  const args = [join(ROOT, "src/cli/curbline.js"), "mcp", ...words]
  const command = { command: process.execPath, args, env: { CI: "true", ...env } }
  return agentOver(new StdioClientTransport(command), mode)
}

/** `url`: of the endpoint. */
export function agentWithKey(
  url: string,
  key: string,
  mode: VersionNegotiationMode = "auto",
): Promise<CodingAgent> {
  const requestInit = { headers: { authorization: `Bearer ${key}` } }
  return agentOver(new StreamableHTTPClientTransport(new URL(url), { requestInit }), mode)
}

async function agentOver(transport: Transport, mode: VersionNegotiationMode): Promise<CodingAgent> {
  const client = new Client({ name: "an editor", version: "1" }, { versionNegotiation: { mode } })
  await client.connect(transport)
  const call: CodingAgent["call"] = async (name, args = {}) => {
    const { content, isError } = await client.callTool({ name, arguments: args })
    const [part] = content as readonly { readonly text: string }[]
    return `${isError === true ? "FAILED: " : ""}${part?.text ?? ""}`
  }
  return { client, call }
}
