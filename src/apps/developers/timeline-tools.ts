/** Tools over the timelines of the sandbox: what a reservation or delivery did, and what led to its last trouble. */

import { Schema } from "effect"
import type { AskApi } from "./sandbox-tools.ts"
import { PathId, ToolFailed, tool } from "./tool.ts"
import type { AgentTool } from "./tool.ts"

const Id = PathId.annotations({
  description: "Of a reservation, or of a delivery: its own or external id.",
})

export function timelineTools(ask: AskApi): readonly AgentTool[] {
  const read = async (id: string): Promise<readonly Line[]> =>
    (await ask({ path: `/sandbox/v1/timelines/${encodeURIComponent(id)}` })).timeline
  return [
    tool({
      name: "explain_group",
      title: "Explain a reservation or delivery",
      description: "What it and its actors did, entry by entry: states before and after, events published.",
      schema: Schema.Struct({ id: Id }),
      run: async ({ id }) => (await read(id)).map(lineText).join("\n"),
    }),
    tool({
      name: "why",
      title: "Why it is as it is",
      description:
        "The entries from the last command from outside to an entry. Without one: to the last refusal or exception, else to the last entry.",
      schema: Schema.Struct({
        id: Id,
        entry: Schema.optional(
          Schema.Int.annotations({ description: "The number at the start of a line of explain_group." }),
        ),
      }),
      run: async ({ id, entry }) => {
        const lines = await read(id)
        const last =
          entry === undefined ? troubleIn(lines) : lines.findLastIndex((one) => one.revision === entry)
        if (last === -1) throw new ToolFailed(`there is no entry ${entry}`)
        const command = lines.findLast((one, at) => at <= last && one.by === "command")
        return lines
          .slice(0, last + 1)
          .filter(({ revision }) => command === undefined || revision >= command.revision)
          .map(lineText)
          .join("\n")
      },
    }),
  ]
}

/** As `/sandbox/v1/timelines/{id}` has it. */
interface Line {
  readonly revision: number
  readonly at: string
  readonly actor: string
  readonly label: string
  readonly by: string
  readonly before: string | null
  readonly after: string
  readonly refused: string | null
  readonly published: readonly string[]
}

function troubleIn(lines: readonly Line[]): number {
  const trouble = lines.findLastIndex(
    ({ refused, published }) => refused !== null || published.some((type) => type.endsWith(".exception")),
  )
  return trouble === -1 ? lines.length - 1 : trouble
}

function lineText({ revision, at, actor, label, by, before, after, refused, published }: Line): string {
  const moved =
    refused === null
      ? before === after
        ? after
        : `${before ?? "nothing"} → ${after}`
      : `refused, ${refused}`
  const sent = published.length === 0 ? "" : `; published ${published.join(", ")}`
  return `${revision} ${at} ${actor}: ${by} ${label}: ${moved}${sent}`
}
