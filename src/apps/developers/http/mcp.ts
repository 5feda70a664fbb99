/**
 * `/sandbox/v1/mcp`: the sandbox's tools for coding agents, under a key of the sandbox. A tool is a call of the API that it names, with the
 * key of the request: its permissions, limits and logs are those of the call. Tools that change something are offered where the address
 * names their permission: `?writes=reservations:write,sandbox:manage`.
 */

import type { FastifyInstance, FastifyRequest } from "fastify"
import { Schema } from "effect"
import type { Admission } from "../../../http/access/admission.ts"
import { hasLeft, leave } from "../../../http/admission.ts"
import { jsonOf } from "../../../http/bodies/json-body.ts"
import type { Run } from "../../../http/bridge.ts"
import { admit } from "../../../http/gate.ts"
import { invalid } from "../../../http/errors.ts"
import { addMcpEndpoint } from "../../mcp/endpoint.ts"
import { MethodProblem, RPC } from "../../mcp/replied.ts"
import type { AskedMethod, Served } from "../../mcp/sdk-server.ts"
import { PERMISSIONS } from "../../../model/caller.ts"
import type { Permission } from "../../../model/caller.ts"
import { sandboxTools } from "../sandbox-tools.ts"
import type { ApiCall, AskApi } from "../sandbox-tools.ts"
import { timelineTools } from "../timeline-tools.ts"
import { ToolFailed, answered } from "../tool.ts"
import type { AgentTool } from "../tool.ts"

const PATH = "/sandbox/v1/mcp"

const INFO = { name: "curbline-sandbox", title: "Curbline sandbox", version: "1.0.0" } as const

const INSTRUCTIONS = [
  "The sandbox of Curbline's APIs, to integrate, break and debug a receiver of webhooks.",
  "create_reservation books a visit with a bot; advance takes its next step, move_clock lets time pass, fail plays what goes wrong.",
  "search_events then shows the webhooks to the byte, explain_group what each actor did, and why what led to the last trouble.",
  "Tools that change something are offered where the address names their permission, as ?writes=reservations:write,sandbox:manage.",
].join(" ")

interface DeveloperMcpOptions {
  readonly run: Run<Admission>
  /** Scheme and host of the sandbox, without a path. */
  readonly baseUrl: string
}

const NEEDS = {
  environment: "sandbox",
  permissions: [],
  budget: "requests",
  isForFleetPartners: false,
} as const

/** Requires the hooks of the gate on the instance, and bodies as bytes. */
export async function developerMcpPlugin(
  app: FastifyInstance,
  { run, baseUrl }: DeveloperMcpOptions,
): Promise<void> {
  const identify = admit(run, NEEDS)
  addMcpEndpoint(app, {
    path: PATH,
    baseUrl,
    admit: async (request, reply) => (request.method === "POST" ? identify(request, reply) : undefined),
    served: (request) => servedTo(toolsFor(app, request)),
  })
}

function toolsFor(app: FastifyInstance, request: FastifyRequest): readonly AgentTool[] {
  const allowed = writesOf(request.query)
  const ask = askWithin(app, request)
  return [...sandboxTools(ask), ...timelineTools(ask)].filter(
    ({ writes }) => writes === null || allowed.has(writes),
  )
}

const isPermission = Schema.is(Schema.Literal(...PERMISSIONS))

function writesOf(query: unknown): ReadonlySet<Permission> {
  const { writes = [] } = query as { readonly writes?: string | readonly string[] }
  const named = [writes].flat().flatMap((text) => text.split(",").filter((one) => one !== ""))
  const unknown = named.find((one) => !isPermission(one))
  if (unknown !== undefined)
    throw invalid(
      "writes",
      `must be permissions of keys, separated by commas, such as reservations:write; ${unknown.slice(0, 40)} is none`,
    )
  return new Set(named.filter(isPermission))
}

function servedTo(tools: readonly AgentTool[]): Served {
  const methods: Readonly<Record<string, (params: AskedMethod["params"]) => Promise<object>>> = {
    "tools/list": async () => ({ tools: tools.map(({ listing }) => listing) }),
    "tools/call": async ({ name, arguments: sent }) => {
      const one = tools.find(({ listing }) => listing.name === name)
      if (one === undefined)
        throw new MethodProblem({
          code: RPC.invalidParams,
          message: `Unknown tool: ${String(name).slice(0, 100)}`,
        })
      return answered(one, sent)
    },
  }
  return {
    info: INFO,
    shownInfo: () => INFO,
    capabilities: { tools: {} },
    instructions: INSTRUCTIONS,
    cacheScope: "private",
    isMethod: (method) => Object.hasOwn(methods, method),
    answer: async ({ method, params }) => (await methods[method]?.(params)) ?? {},
  }
}

/** Calls the same host, as the sender of the request. The calls of a batch come one after the other, while the sender is there. */
function askWithin(app: FastifyInstance, request: FastifyRequest): AskApi {
  const { authorization = "", host = "" } = request.headers
  let last: Promise<unknown> = Promise.resolve()
  const inTurn = <A>(call: () => Promise<A>): Promise<A> => {
    const mine = last.then(call, call)
    last = mine
    return mine
  }
  const ask: AskApi = async ({ path, body, headers = {} }: ApiCall) => {
    if (hasLeft(request)) throw new ToolFailed("the caller has left")
    // The call takes a place of its own in the queue.
    leave(request)
    const answer = await app.inject({
      method: body === undefined ? "GET" : "POST",
      url: path,
      headers: {
        ...headers,
        authorization,
        host,
        ...(body === undefined ? {} : { "content-type": "application/json" }),
      },
      remoteAddress: request.ip,
      ...(body === undefined ? {} : { payload: JSON.stringify(body) }),
    })
    const said = (jsonOf(answer.rawPayload) ?? {}) as ApiAnswer
    if (answer.statusCode < 300) return said.data
    throw new ToolFailed(refusalText(said))
  }
  return (call) => inTurn(() => ask(call))
}

interface ApiAnswer {
  readonly data: object
  readonly code?: string
  readonly error?: string
  readonly details?: readonly { readonly field: string; readonly message: string }[]
}

function refusalText({ code = "INTERNAL_ERROR", error = "", details = [] }: ApiAnswer): string {
  const named = details.map(({ field, message }) => `${field} ${message}`)
  return [`${code}: ${error}`, ...named].join("; ")
}
