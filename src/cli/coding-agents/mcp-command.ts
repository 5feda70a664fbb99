/** `curbline mcp`: the tools of a coding agent over stdio, by the official SDK. Only this file of the folder uses the SDK. */

import { statSync } from "node:fs"
import { resolve } from "node:path"
import { Server } from "@modelcontextprotocol/server"
import { serveStdio } from "@modelcontextprotocol/server/stdio"
import { buildName } from "../../live/configuration/build.ts"
import { EXIT } from "../kit/exit-codes.ts"
import type { ExitStatus } from "../kit/exit-codes.ts"
import { UsageError } from "../kit/usage-error.ts"
import type { PartnerFlags } from "../partners/partner-host.ts"
import { folderTools } from "./folder-tools.ts"
import { recordTools } from "./record-tools.ts"
import { askHostOf } from "./sandbox-host.ts"
import { sandboxTools } from "../../apps/developers/sandbox-tools.ts"
import { answered } from "../../apps/developers/tool.ts"
import type { AgentTool } from "../../apps/developers/tool.ts"

export interface McpFlags extends PartnerFlags {
  readonly allowWrites?: boolean
}

/** JSON-RPC's own. */
const METHOD_NOT_FOUND = -32_601
const INVALID_PARAMS = -32_602

const INSTRUCTIONS = [
  "Curbline: scenarios and fleet models of autonomous curbside delivery on virtual time, and the sandbox of its APIs.",
  "To change a scenario: explain_word, edit the file, check_file, run_scenario. To understand a failure: run_scenario, then why and explain_group on a record.",
  "To test an integration: create_reservation, advance or move_clock or fail, then search_events shows the webhooks to the byte.",
].join(" ")

/** Serves until the agent closes its end. */
export async function mcpCommand(given: string, flags: McpFlags): Promise<ExitStatus> {
  const folder = resolve(given)
  if (statSync(folder, { throwIfNoEntry: false })?.isDirectory() !== true)
    throw new UsageError(`there is no folder ${given}`)
  const all = [...folderTools(folder), ...recordTools(folder), ...sandboxTools(askHostOf(flags))]
  const tools = all.filter(({ writes }) => writes === null || flags.allowWrites === true)
  serveStdio(() => serverOf(tools))
  await new Promise<void>((done) => process.stdin.once("close", done))
  return EXIT.passed
}

function serverOf(tools: readonly AgentTool[]): Server {
  const info = { name: "curbline", title: "Curbline for developers", version: buildName() }
  const server = new Server(info, { capabilities: { tools: {} }, instructions: INSTRUCTIONS })
  server.fallbackRequestHandler = async ({ method, params = {} }) => {
    if (method === "tools/list") return { tools: tools.map(({ listing }) => listing) }
    if (method !== "tools/call")
      throw Object.assign(new Error(`Method not found: ${method}`), { code: METHOD_NOT_FOUND })
    const { name, arguments: sent } = params
    const one = tools.find(({ listing }) => listing.name === name)
    if (one === undefined)
      throw Object.assign(new Error(`Unknown tool: ${String(name)}`), { code: INVALID_PARAMS })
    return answered(one, sent)
  }
  return server
}
