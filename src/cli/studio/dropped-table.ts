/** Tables of orders that are dropped on a fleet model: what they hold, and the demands that replay them put into the model. */

import { randomBytes } from "node:crypto"
import type { FastifyInstance } from "fastify"
import { isMap, isSeq, parseDocument } from "yaml"
import { STUDIO_TABLE_BYTES_MAX } from "../../model/values/limits.ts"
import type { DroppedTable, TableAdded, TableAddition } from "../../pages/web/studio/fleets/fleet-contract.ts"
import { inspectTable } from "../../simulation/fleet/tables/inspection.ts"
import { readTable } from "../../simulation/fleet/tables/read-table.ts"
import { addBytes } from "./sent-bytes.ts"
import { readingOf } from "./fleets.ts"
import { FolderRefusal } from "./folder.ts"
import type { ScenarioFolder } from "./folder.ts"
import { withItem } from "./yaml-edit.ts"

const TEXT = { type: "string" } as const

interface Kept {
  readonly id: string
  readonly bytes: Buffer
}

/** The server keeps the table that was dropped last, so that it is sent once. */
export function addDroppedTables(app: FastifyInstance, folder: ScenarioFolder): void {
  let kept: Kept | null = null
  const named = {
    type: "object",
    required: ["path", "file"],
    properties: { path: TEXT, file: TEXT },
  }
  addBytes(app, { what: "table", max: STUDIO_TABLE_BYTES_MAX }, (scope, options) =>
    scope.post<{ Querystring: { path: string; file: string }; Body: Buffer }>(
      "/api/fleet-table",
      { schema: { querystring: named }, ...options },
      async ({ query: { path, file }, body: bytes }): Promise<DroppedTable> => {
        const { text } = folder.read(path)
        const { model } = await readingOf(folder, path, text)
        const table = await readTable(file, bytes)
        if ("fault" in table) throw new FolderRefusal(422, `${file} ${table.fault}`)
        const inspected = inspectTable(table, model?.sites[0]?.as ?? "SITE")
        kept = { id: randomBytes(16).toString("base64url"), bytes }
        return { id: kept.id, inspected }
      },
    ),
  )
  const addition = {
    type: "object",
    required: ["path", "version", "id", "file", "yaml", "replaces"],
    properties: {
      path: TEXT,
      version: TEXT,
      id: TEXT,
      file: TEXT,
      yaml: TEXT,
      replaces: { type: "boolean" },
    },
  }
  app.post<{ Body: TableAddition }>("/api/fleet-table/add", { schema: { body: addition } }, ({ body }) => {
    if (kept?.id !== body.id)
      throw new FolderRefusal(404, "the studio no longer has this table; drop it again")
    return added(folder, body, kept.bytes)
  })
}

/** Nothing is written unless the model can be run with the table. */
async function added(
  folder: ScenarioFolder,
  { path, version, file, yaml, replaces }: TableAddition,
  bytes: Buffer,
): Promise<TableAdded> {
  const text = unchanged(folder, path, version)
  const isTaken = (): boolean => !replaces && folder.hasOtherBeside(path, file, bytes)
  if (isTaken()) return { is: "taken" }
  const changed = withDemands(text, yaml)
  const { problems } = await readingOf(folder, path, changed, new Map([[file, bytes]]))
  const [problem] = problems
  if (problem !== undefined) {
    const { place, message, expected, help } = problem
    const advice = [expected === undefined ? null : `expected ${expected}`, help ?? null].filter(
      (one) => one !== null,
    )
    throw new FolderRefusal(
      422,
      [
        `Nothing was written, because line ${place.line} of the model would be wrong: ${message}`,
        ...advice,
      ].join("; "),
    )
  }
  // Both files may have changed while the model was read. From here on there is no await.
  unchanged(folder, path, version)
  if (isTaken()) return { is: "taken" }
  const takeBack = folder.writeBeside(path, file, bytes, { replaces })
  try {
    folder.write(path, changed, version)
  } catch (cause) {
    takeBack()
    throw cause
  }
  return { is: "added" }
}

/** The text of the model; refused when it is not the version that the page has. */
function unchanged(folder: ScenarioFolder, path: string, version: string): string {
  const { text, version: now } = folder.read(path)
  if (now === version) return text
  throw new FolderRefusal(
    409,
    `${path} changed on disk since it was read, and nothing was written; open it again, then drop the table`,
  )
}

/** Behind the demands of the model, as they are written. */
function withDemands(text: string, yaml: string): string {
  return demandsIn(yaml).reduce((changed, value) => {
    const { contents } = parseDocument(changed)
    const demands = isMap(contents) ? contents.get("demand") : null
    const next = isSeq(demands) ? withItem(changed, ["demand"], { at: demands.items.length, value }) : null
    if (next === null)
      throw new FolderRefusal(
        422,
        "the studio cannot add a demand to the text of this model; add it in an editor",
      )
    return next
  }, text)
}

/** Each item of the list as its lines, from its first key on. */
function demandsIn(yaml: string): readonly string[] {
  const { contents, errors } = parseDocument(yaml)
  const [error] = errors
  if (error !== undefined) throw new FolderRefusal(422, `the demand is no YAML: ${error.message}`)
  const demands = isMap(contents) ? contents.get("demand") : null
  if (!isSeq(demands) || demands.items.length === 0)
    throw new FolderRefusal(422, 'the demand begins with no "demand:" and a list')
  const starts = demands.items.map((item) => (isMap(item) ? (item.range?.[0] ?? 0) : 0))
  return starts.map((start, at) => {
    const end =
      demands.flow === true ? (demands.items[at] as { range?: readonly number[] }).range?.[1] : starts[at + 1]
    const column = start - (yaml.lastIndexOf("\n", start - 1) + 1)
    const lines = yaml
      .slice(start, end)
      .replace(/\s+-?\s*$/, "")
      .split("\n")
    return lines.map((line) => line.replace(new RegExp(`^ {0,${column}}`), "")).join("\n")
  })
}
