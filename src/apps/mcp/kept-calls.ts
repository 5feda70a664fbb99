/**
 * What the inspector keeps of a tool call, masked by the schemas of the tools: the tool, its arguments and its envelope. Calls of
 * tools that only read are not kept.
 */

import { Schema } from "effect"
import { CourierEnvelope } from "../../model/courier.ts"
import { TOOLS } from "./tools.ts"

type Json = Readonly<Record<string, unknown>>

const Call = Schema.Struct({
  jsonrpc: Schema.Literal("2.0"),
  method: Schema.Literal("tools/call"),
  params: Schema.Struct({
    name: Schema.Literal(...TOOLS.map(({ listing }) => listing.name)),
    arguments: Schema.Union(...TOOLS.map(({ schema }) => schema)),
  }),
})

const Result = Schema.Struct({ isError: Schema.Boolean, structuredContent: CourierEnvelope })

const COMMANDS: ReadonlySet<unknown> = new Set(
  TOOLS.filter(({ listing }) => listing.annotations["readOnlyHint"] !== true).map(
    ({ listing }) => listing.name,
  ),
)

/** The bodies of the route, with the form of `keptAnswer`. */
export const KEPT_BODIES = {
  body: Schema.Union(Call, Schema.Array(Call)),
  answers: {},
  beside: { results: Schema.Array(Result) },
  parameters: [],
} as const

/** What the body and the answer of a request say. */
export const READ_BY_BODY = { isCommand: (body: unknown) => [body].flat().some(isCommand), codeOf } as const

function isCommand(message: unknown): boolean {
  return COMMANDS.has(inside(inside(message, "params"), "name"))
}

/** The results of an answer, of which a batch has several. Their text repeats their data, and the rest is the protocol's. */
export function keptAnswer(body: string | null): { readonly results: readonly unknown[] } {
  const messages = body === null ? [] : [JSON.parse(body) as unknown].flat()
  const results = messages.flatMap((message) => {
    const result = inside(message, "result")
    if (result === undefined) return []
    const kept = Object.entries(result as Json).filter(([name]) => Object.hasOwn(Result.fields, name))
    return [Object.fromEntries(kept)]
  })
  return { results }
}

/** The code of the first refusal. */
function codeOf({ results }: Json): string | null {
  for (const result of results as readonly unknown[]) {
    const code = inside(inside(inside(result, "structuredContent"), "error"), "code")
    if (typeof code === "string") return code
  }
  return null
}

function inside(value: unknown, name: string): unknown {
  return typeof value === "object" && value !== null ? (value as Json)[name] : undefined
}
