/** The studio's server on this machine: its page, the scenario files of one folder, and their runs. */

import { randomBytes } from "node:crypto"
import { Readable } from "node:stream"
import Fastify from "fastify"
import type { FastifyInstance, FastifyReply } from "fastify"
import { STUDIO_BODY_BYTES_MAX, STUDIO_RUNS_KEPT_MAX, SEED_MAX } from "../../model/values/limits.ts"
import { toolFrame } from "../../pages/html/first-frame.ts"
import { pageBundle } from "../../pages/bundling/build.ts"
import { pageFile } from "../../pages/bundling/inspector-document.ts"
import { packedRecord } from "../../pages/bundling/packed-record.ts"
import { blockedRuns } from "../../pages/bundling/record-file.ts"
import { servedPages } from "../../pages/bundling/served-pages.ts"
import type {
  Draft,
  FileRead,
  FormAnswer,
  FormRequest,
  Filled,
  ListedFile,
  Listing,
  Move,
  Refused,
  Removal,
  RunAnswer,
  RunRequest,
  Save,
  Template,
  TemplateArea,
} from "../../pages/web/studio/contract.ts"
import type { FormEdit } from "../../pages/web/studio/form/form-contract.ts"
import type { Service } from "../against/run-against.ts"
import { LOOPBACK, guard, newToken } from "../kit/gate.ts"
import { faultMessage } from "../kit/terminal.ts"
import { checkOf } from "./check.ts"
import { FolderRefusal } from "./folder.ts"
import { fleetDraftOf, fleetTemplates } from "./fleet-templates.ts"
import { addReplay } from "../../live/bundling/replay-pages.ts"
import { addFleets } from "./fleets.ts"
import { addKeptRecords } from "./kept-record.ts"
import { addDroppedTables } from "./dropped-table.ts"
import { folderChanges } from "./folder-changes.ts"
import type { ScenarioFolder } from "./folder.ts"
import { edited } from "./form-edit.ts"
import { formOf } from "./form.ts"
import { givenFile, shownPath } from "./given-file.ts"
import { runAll } from "./run-all.ts"
import { ServiceRuns, addServiceRuns } from "./service-runs.ts"
import { FormProblem } from "./new-step.ts"
import { addSwarm } from "./swarm.ts"
import type { SwarmSource } from "./swarm.ts"
import { startThreads } from "./threads.ts"
import type { StudioThreads } from "./threads.ts"
import { draftOf, templates } from "./templates.ts"
import { trySeeds } from "./try-seeds.ts"
import { completions } from "./words.ts"
import type { GivenFile } from "./worker.ts"

export interface StudioServer {
  /** With the token in its fragment, which a browser sends to no server. */
  readonly url: string
  readonly close: () => Promise<void>
}

interface Studio {
  readonly folder: ScenarioFolder
  readonly threads: StudioThreads
  /** Null without a service. */
  readonly serviceRuns: ServiceRuns | null
  /** Records of the last runs, by the id in the path of their inspector's page. */
  readonly records: Map<string, { readonly title: string; readonly text: string }>
}

export interface StudioOptions {
  /** Of the loopback; 0: a free one. */
  readonly port?: number
  /** The sandbox that scenarios may run against, and with what. */
  readonly service?: Service | null
  /** Runs the seeds of the swarm; default: this program, on threads. */
  readonly swarm?: SwarmSource
}

/** Listens on the loopback alone. */
export async function serveStudio(
  folder: ScenarioFolder,
  { port = 0, service = null, swarm }: StudioOptions = {},
): Promise<StudioServer> {
  const token = newToken()
  const threads = startThreads()
  const serviceRuns = service === null ? null : new ServiceRuns(service, threads)
  const studio: Studio = { folder, threads, serviceRuns, records: new Map() }
  const app = Fastify({ bodyLimit: STUDIO_BODY_BYTES_MAX, forceCloseConnections: true })
  guard(app, { name: "studio", token })
  app.setErrorHandler((error, _, reply) => refused(error, reply))
  app.setNotFoundHandler((request, reply) =>
    reply.code(404).send({ message: `the studio has no ${request.method} ${request.url}` } satisfies Refused),
  )
  addPages(app, studio)
  addFiles(app, studio)
  addRuns(app, studio)
  addTemplates(app)
  addKeptRecords(app)
  addForm(app, studio)
  addFleets(app, folder)
  addDroppedTables(app, folder)
  addSwarm(app, swarm ?? { finding: threads.finding })
  try {
    const url = await app.listen({ host: LOOPBACK, port })
    return {
      url: `${url}/#token=${token}`,
      close: async () => {
        await app.close()
        await studio.threads.close()
      },
    }
  } catch (cause) {
    await studio.threads.close()
    throw cause
  }
}

function refused(error: unknown, reply: FastifyReply): FastifyReply {
  const status =
    error instanceof FolderRefusal
      ? error.status
      : ((error as { readonly statusCode?: number }).statusCode ?? 500)
  return reply.code(status).send({ message: faultMessage(error) } satisfies Refused)
}

function addPages(app: FastifyInstance, { folder, records }: Studio): void {
  const pages = servedPages(() => Promise.resolve(), ["studio", "replay"])
  app.get("/", async (_, reply) => {
    const nonce = randomBytes(16).toString("base64url")
    const { html, policy } = await pages.page("studio", {
      title: `${folder.name} · Curbline studio`,
      frame: toolFrame({ heading: "Studio" }),
      data: { nonce },
      styleNonce: nonce,
    })
    return reply.type("text/html; charset=utf-8").header("Content-Security-Policy", policy).send(html)
  })
  addReplay(app, { pages, path: "/replay", title: "Fleet replay", run: null })
  // A page of its own in another tab, which has no token: only who was given its path can name it.
  app.get<{ Params: { id: string } }>("/inspect/:id", async (request, reply) => {
    const record = records.get(request.params.id)
    if (record === undefined)
      throw new FolderRefusal(404, "the studio no longer has this run; run its scenario again")
    const packed = packedRecord({ records: [blockedRuns("run.ndjson", record.text.split("\n"))], at: null })
    const [bundle, data] = await Promise.all([pageBundle("inspector"), packed])
    const page = pageFile({ title: `${record.title} · Curbline inspector`, bundle, data })
    return reply
      .type("text/html; charset=utf-8")
      .header("Content-Security-Policy", page.policy)
      .send(page.html)
  })
}

const PATH = { type: "string" } as const
const TEXT = { type: "string" } as const

function addFiles(app: FastifyInstance, { folder, threads, serviceRuns }: Studio): void {
  app.get("/api/scenarios", async (): Promise<Listing> => {
    return {
      folder: folder.name,
      files: await listedFiles(folder, threads),
      service: serviceRuns?.host ?? null,
    }
  })
  app.get("/api/words", () => completions())
  app.get("/api/charts", () => threads.charts())
  app.get<{ Querystring: { path: string } }>(
    "/api/file",
    { schema: { querystring: { type: "object", required: ["path"], properties: { path: PATH } } } },
    ({ query: { path } }, reply) => reply.send(fileRead(folder, path)),
  )
  const save = {
    type: "object",
    required: ["path", "text", "version"],
    properties: { path: PATH, text: TEXT, version: { type: ["string", "null"] } },
  }
  app.put<{ Body: Save }>("/api/file", { schema: { body: save } }, ({ body }, reply) => {
    try {
      return reply.send({ version: folder.write(body.path, body.text, body.version) })
    } catch (cause) {
      if (!(cause instanceof FolderRefusal) || cause.status !== 409) throw cause
      const current = currentFile(folder, body.path)
      return reply
        .code(409)
        .send({ message: cause.message, ...(current === null ? {} : { current }) } satisfies Refused)
    }
  })
  const move = {
    type: "object",
    required: ["path", "to", "version"],
    properties: { path: PATH, to: PATH, version: TEXT },
  }
  app.post<{ Body: Move }>("/api/file/move", { schema: { body: move } }, ({ body }, reply) => {
    folder.move(body.path, body.to, body.version)
    return reply.send(fileRead(folder, body.to))
  })
  const removal = { type: "object", required: ["path", "version"], properties: { path: PATH, version: TEXT } }
  app.delete<{ Body: Removal }>("/api/file", { schema: { body: removal } }, ({ body }, reply) => {
    folder.remove(body.path, body.version)
    return reply.send({})
  })
  app.get("/api/changes", (_, reply) =>
    reply.type("application/x-ndjson").send(Readable.from(folderChanges(folder, untilLeft(reply)))),
  )
  const check = { type: "object", required: ["path", "text"], properties: { path: PATH, text: TEXT } }
  app.post<{ Body: { path: string; text: string } }>(
    "/api/check",
    { schema: { body: check } },
    ({ body: { path, text } }, reply) => {
      folder.place(path)
      return reply.send(checkOf(shownPath(folder, path), text))
    },
  )
}

/** A file that cannot be read is listed with a problem, which is said when it is opened; one that was deleted meanwhile is not. */
async function listedFiles(
  folder: ScenarioFolder,
  threads: Pick<StudioThreads, "list">,
): Promise<readonly ListedFile[]> {
  const readable: GivenFile[] = []
  const others: ListedFile[] = []
  const paths = folder.paths()
  for (const path of paths) {
    try {
      readable.push(givenFile(folder, path))
    } catch (cause) {
      if (!(cause instanceof FolderRefusal)) throw cause
      const title = path.replace(/^.*\//, "")
      if (cause.status !== 404)
        others.push({ path, title, tags: [], isTypeScript: path.endsWith(".ts"), problems: 1 })
    }
  }
  const listed = new Map([...(await threads.list(readable)), ...others].map((one) => [one.path, one]))
  return paths.flatMap((path) => listed.get(path) ?? [])
}

const NUMBER = { type: "integer", minimum: 0 } as const

const PATH_IN_FILE = {
  type: "array",
  minItems: 1,
  items: { anyOf: [{ type: "integer", minimum: 0 }, TEXT] },
} as const

const KIND = { enum: ["items", "list", "text", "word"] } as const

const EDIT = {
  oneOf: [
    editOf("add", {
      at: NUMBER,
      verb: TEXT,
      word: TEXT,
      names: { type: "object", additionalProperties: TEXT },
      value: TEXT,
    }),
    editOf("give", { key: TEXT }),
    editOf("move", { at: NUMBER, to: NUMBER }),
    editOf("put", { path: PATH_IN_FILE, value: TEXT }),
    editOf("remove", { path: PATH_IN_FILE }),
    editOf("set", { line: NUMBER, column: NUMBER, length: NUMBER, value: TEXT, kind: KIND }),
  ],
}

function editOf(is: FormEdit["is"], properties: Readonly<Record<string, object>>): object {
  return {
    type: "object",
    required: ["is", ...Object.keys(properties)],
    properties: { is: { const: is }, ...properties },
  }
}

function addForm(app: FastifyInstance, { folder }: Studio): void {
  const body = {
    type: "object",
    required: ["path", "text"],
    properties: { path: PATH, text: TEXT, edit: EDIT },
  }
  app.post<{ Body: FormRequest }>("/api/form", { schema: { body } }, (request, reply) => {
    const { path, text, edit } = request.body
    folder.place(path)
    const file = shownPath(folder, path)
    const changed = edit === undefined ? text : madeIn(file, text, edit)
    return reply.send({ text: changed, form: formOf(file, changed) } satisfies FormAnswer)
  })
}

function madeIn(file: string, text: string, edit: FormEdit): string {
  try {
    const changed = edited(file, text, edit)
    if (changed !== null) return changed
  } catch (cause) {
    if (cause instanceof FormProblem) throw new FolderRefusal(422, cause.message)
    throw cause
  }
  throw new FolderRefusal(422, "the form cannot make this change in the text; make it as YAML")
}

function addTemplates(app: FastifyInstance): void {
  const filled = {
    type: "object",
    required: ["id", "values"],
    properties: { id: TEXT, values: { type: "object", additionalProperties: TEXT } },
  }
  const add = (
    area: TemplateArea,
    all: () => readonly Template[],
    draft: (form: Filled) => Draft | null,
  ): void => {
    app.get(`/api/templates/${area}`, all)
    app.post<{ Body: Filled }>(
      `/api/templates/${area}/draft`,
      { schema: { body: filled } },
      ({ body }, reply) => {
        const written = draft(body)
        if (written === null) throw new FolderRefusal(404, `there is no template ${JSON.stringify(body.id)}`)
        return reply.send(written)
      },
    )
  }
  add("scenarios", templates, draftOf)
  add("fleets", fleetTemplates, fleetDraftOf)
}

/** Null when it was deleted. */
function currentFile(folder: ScenarioFolder, path: string): FileRead | null {
  try {
    return fileRead(folder, path)
  } catch {
    return null
  }
}

function fileRead(folder: ScenarioFolder, path: string): FileRead {
  const { text, version } = folder.read(path)
  const isTypeScript = path.endsWith(".ts")
  const check = isTypeScript ? { problems: [], steps: [] } : checkOf(shownPath(folder, path), text)
  return { path, text, version, isTypeScript, ...check }
}

function addRuns(app: FastifyInstance, studio: Studio): void {
  const { folder, threads, records, serviceRuns } = studio
  const asked = {
    type: "object",
    required: ["path"],
    properties: { path: PATH, text: TEXT, seed: { type: "integer", minimum: 0, maximum: SEED_MAX } },
  }
  app.post<{ Body: RunRequest }>(
    "/api/run",
    { schema: { body: asked } },
    async (request, reply): Promise<RunAnswer> => {
      const { path, seed = null } = request.body
      const file = askedFile(folder, request.body)
      const { runs, problems } = await threads.run({ file, seed }, untilLeft(reply))
      const record = runs.map((run) => run.record).join("")
      const brief = runs.map((run) => ({ ...run, record: withoutCharts(run.record) }))
      return {
        runs: brief,
        problems,
        inspector: record === "" ? null : kept(records, runs[0]?.title ?? path, record),
      }
    },
  )
  app.post<{ Body: RunRequest }>("/api/seeds", { schema: { body: asked } }, (request, reply) => {
    const file = askedFile(folder, request.body)
    return reply.type("application/x-ndjson").send(Readable.from(trySeeds(threads, file, untilLeft(reply))))
  })
  app.post("/api/run-all", (_, reply) => {
    const all = runAll({ folder, verdict: threads.verdict }, untilLeft(reply))
    return reply.type("application/x-ndjson").send(Readable.from(all))
  })
  if (serviceRuns === null) return
  const fileOf = (request: RunRequest): GivenFile => askedFile(folder, request)
  addServiceRuns(app, asked, { folder, runs: serviceRuns, asked: fileOf, untilLeft })
}

function askedFile(folder: ScenarioFolder, { path, text }: RunRequest): GivenFile {
  if (path.endsWith(".ts") && text !== undefined)
    throw new FolderRefusal(400, "a TypeScript scenario runs as it is on disk; leave out its text")
  return givenFile(folder, path, text)
}

/** Aborts when the page has closed the connection: it was left, or "Stop" was pressed. */
function untilLeft({ raw }: FastifyReply): AbortSignal {
  const leaving = new AbortController()
  raw.once("close", () => leaving.abort())
  return leaving.signal
}

function withoutCharts(record: string): string {
  return record
    .split("\n")
    .filter((line) => !line.startsWith('{"k":"chart"'))
    .join("\n")
}

/** The path of the inspector's page of a record; the oldest record goes when there are too many. */
function kept(records: Studio["records"], title: string, text: string): string {
  const id = randomBytes(16).toString("base64url")
  records.set(id, { title, text })
  const [oldest] = records.keys()
  if (records.size > STUDIO_RUNS_KEPT_MAX && oldest !== undefined) records.delete(oldest)
  return `/inspect/${id}`
}
