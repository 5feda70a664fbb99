/** A tool for a coding agent: what it does, whether it changes something, the schema of its arguments, and its work. */

import { Either, Schema } from "effect"
import { jsonSchemaOf } from "../../model/values/inlined-schema.ts"
import type { ObjectSchema } from "../../model/values/inlined-schema.ts"
import type { Permission } from "../../model/caller.ts"
import { decodeRequest, text } from "../../model/values/schema.ts"

export interface AgentTool {
  readonly listing: ToolListing
  /** The permission that a key of the sandbox needs for the change; null for a tool that reads. */
  readonly writes: Permission | null
  /** The answer's text. Rejects with a ToolFailed that says what was wrong. */
  readonly call: (sent: unknown) => Promise<string>
}

interface ToolListing {
  readonly name: string
  readonly title: string
  readonly description: string
  readonly inputSchema: ObjectSchema
  readonly annotations: Readonly<Record<string, boolean>>
}

/** The schema of a tool without arguments. */
export const NOTHING = Schema.Struct({}).annotations({ jsonSchema: { type: "object" } })

/** An id that is a part of a path: `.` and `..` would lead to other paths. */
export const PathId = text({ max: 255 }).pipe(
  Schema.filter((id) => (id === "." || id === ".." ? "is no id" : undefined)),
)

/** The call did not do what was asked; the message is for the agent. */
export class ToolFailed extends Error {}

interface Definition<A, I> {
  readonly name: string
  readonly title: string
  readonly description: string
  readonly schema: Schema.Schema<A, I>
  readonly writes?: Permission
  /** `sent`: the arguments as they came. */
  readonly run: (args: A, sent: object) => Promise<string>
}

export function tool<A, I>(definition: Definition<A, I>): AgentTool {
  const { schema, writes = null, run, description, ...named } = definition
  const isWrite = writes !== null
  return {
    listing: {
      ...named,
      description: isWrite ? `${description} Changes the sandbox; its key needs \`${writes}\`.` : description,
      inputSchema: jsonSchemaOf(schema),
      annotations: { readOnlyHint: !isWrite, destructiveHint: false },
    },
    writes,
    call: async (sent) => {
      const given = Object(sent ?? {}) as object
      const args = Either.getOrThrowWith(decodeRequest(schema, given), ({ problems = [] }) => {
        const said = problems.map(({ field, message }) => `${field}: ${message}`)
        return new ToolFailed(`the arguments do not fit: ${said.join("; ")}`)
      })
      return run(args, given)
    },
  }
}

/** A failed call is a result, so that the model reads why. */
export async function answered(one: AgentTool, sent: unknown) {
  try {
    return { content: [{ type: "text" as const, text: await one.call(sent) }] }
  } catch (cause) {
    if (!(cause instanceof ToolFailed)) throw cause
    return { content: [{ type: "text" as const, text: cause.message }], isError: true }
  }
}
