/** The studio's routes about fleet models: which there are, their numbers, their runs with reports, and what a replay of one needs. */

import { randomBytes } from "node:crypto"
import { Readable } from "node:stream"
import type { FastifyInstance, FastifyReply } from "fastify"
import type { FleetResult } from "../../simulation/fleet/results/fleet-result.ts"
import type { Beside } from "../../simulation/fleet/language/beside.ts"
import { fleetNumbers } from "../../simulation/fleet/language/written-numbers.ts"
import type { FleetReading } from "../../simulation/fleet/language/read.ts"
import { topText } from "../../simulation/scenario/language/file-kind.ts"
import type { ReplayRequest } from "../../model/replay/messages.ts"
import { SEED_MAX, STUDIO_RUNS_KEPT_MAX } from "../../model/values/limits.ts"
import type { FleetRead, FleetRunRequest, ListedFleet } from "../../pages/web/studio/fleets/fleet-contract.ts"
import { reportOf } from "../fleets/fleet-report.ts"
import { replayProgram, savedReplay } from "../fleets/replay-file.ts"
import { readWithTables, tableBytesAt, textOfBeside } from "../fleets/fleet-files.ts"
import { replayRequest } from "../../simulation/fleet/replay/replay-request.ts"
import { problemOf } from "./check.ts"
import { fleetRun } from "./fleet-run.ts"
import { FolderRefusal } from "./folder.ts"
import type { ReadText, ScenarioFolder } from "./folder.ts"
import { shownPath } from "./given-file.ts"

const TEXT = { type: "string" } as const

export function addFleets(app: FastifyInstance, folder: ScenarioFolder): void {
  const reports = new Map<string, string>()
  app.get("/api/fleets", (): readonly ListedFleet[] =>
    folder.fleets().flatMap((path) => {
      const file = readOrNone(folder, path)
      return file === null ? [] : [{ path, title: topText(file.text, "fleet") ?? path.replace(/^.*\//, "") }]
    }),
  )
  app.get<{ Querystring: { path: string } }>(
    "/api/fleet",
    { schema: { querystring: { type: "object", required: ["path"], properties: { path: TEXT } } } },
    async ({ query: { path } }): Promise<FleetRead> => {
      const { text, version } = folder.read(path)
      const { model, problems } = await readingOf(folder, path, text)
      const shown = shownPath(folder, path)
      return {
        path,
        text,
        version,
        title: model?.fleet ?? topText(text, "fleet") ?? path,
        because: model?.because ?? "",
        problems: problems.map((problem) => problemOf(problem, shown)),
        numbers: model === null ? [] : fleetNumbers(shown, text),
      }
    },
  )
  const asked = {
    type: "object",
    required: ["path"],
    properties: { path: TEXT, seed: { type: "integer", minimum: 0, maximum: SEED_MAX } },
  }
  const watched = (asks: Watched): Promise<ReplayRequest> => watchedModel(folder, asks)
  app.get<{ Querystring: Watched }>(
    "/api/fleet-replay",
    { schema: { querystring: asked } },
    ({ query }): Promise<ReplayRequest> => watched(query),
  )
  app.get<{ Querystring: Watched & { moment: string } }>(
    "/api/fleet-replay/file",
    { schema: { querystring: { ...asked, properties: { ...asked.properties, moment: TEXT } } } },
    async ({ query }, reply) =>
      reply.type("text/html; charset=utf-8").send(await savedReplay(await watched(query), query.moment)),
  )
  const body = { type: "object", required: ["path", "text"], properties: { path: TEXT, text: TEXT } }
  app.post<{ Body: FleetRunRequest }>("/api/fleet-run", { schema: { body } }, async (request, reply) => {
    const { path, text } = request.body
    const { model, problems } = await readingOf(folder, path, text)
    if (model === null) {
      const [first] = problems
      throw new FolderRefusal(422, `line ${first?.place.line ?? 1}: ${first?.message ?? "no fleet model"}`)
    }
    const command = `npx curbline fleet ${shownPath(folder, path)} --report report.html`
    const program = await replayProgram()
    const keep = (result: FleetResult): string => kept(reports, reportOf(result, command, program))
    return reply.type("application/x-ndjson").send(Readable.from(fleetRun(model, keep, untilLeft(reply))))
  })
  // A page of its own in another tab, which has no token: only who was given its path can name it.
  app.get<{ Params: { id: string } }>("/inspect/fleet/:id", (request, reply) => {
    const html = reports.get(request.params.id)
    if (html === undefined)
      throw new FolderRefusal(404, "the studio no longer has this report; run the model again")
    return reply.type("text/html; charset=utf-8").send(html)
  })
}

interface Watched {
  readonly path: string
  readonly seed?: number
}

async function watchedModel(folder: ScenarioFolder, { path, seed }: Watched): Promise<ReplayRequest> {
  const { text } = folder.read(path)
  const { model } = await readingOf(folder, path, text)
  const asked = { file: shownPath(folder, path), text, seed: seed ?? null }
  return replayRequest(asked, besideOf(folder, path), model?.logs)
}

/** `tables` are read instead of files of their names. */
export function readingOf(
  folder: ScenarioFolder,
  path: string,
  text: string,
  tables: ReadonlyMap<string, Uint8Array> = new Map(),
): Promise<FleetReading> {
  return readWithTables({ file: shownPath(folder, path), text, beside: besideOf(folder, path) }, (name) => {
    const table = tables.get(name)
    if (table !== undefined) return table
    const place = folder.placeBeside(path, name)
    return place === null ? null : tableBytesAt(place)
  })
}

function besideOf(folder: ScenarioFolder, path: string): Beside {
  return (name, streets) => {
    const place = folder.placeBeside(path, name)
    return place === null ? null : textOfBeside(place, streets)
  }
}

/** Null for a model that was deleted meanwhile, or is too long for one. */
function readOrNone(folder: ScenarioFolder, path: string): ReadText | null {
  try {
    return folder.read(path)
  } catch (cause) {
    if (cause instanceof FolderRefusal) return null
    throw cause
  }
}

/** Aborts when the page has closed the connection: it was left, or "Stop" was pressed. */
function untilLeft({ raw }: FastifyReply): AbortSignal {
  const leaving = new AbortController()
  raw.once("close", () => leaving.abort())
  return leaving.signal
}

function kept(reports: Map<string, string>, html: string): string {
  const id = randomBytes(16).toString("base64url")
  reports.set(id, html)
  const [oldest] = reports.keys()
  if (reports.size > STUDIO_RUNS_KEPT_MAX && oldest !== undefined) reports.delete(oldest)
  return `/inspect/fleet/${id}`
}
