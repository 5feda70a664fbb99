/** The page's calls to its server, with the token of the start. */

import type { ReplayRequest } from "../../../model/replay/messages.ts"
import { writeAddress } from "../own-address.ts"
import { TOKEN_HEADER } from "./contract.ts"
import type {
  DroppedTable,
  FleetProgress,
  FleetRead,
  FleetRunRequest,
  ListedFleet,
  TableAdded,
  TableAddition,
} from "./fleets/fleet-contract.ts"
import type { SwarmFinding, SwarmProgress, SwarmRequest, SwarmRoom } from "./swarm/swarm-contract.ts"
import type {
  CaseToKeep,
  Charts,
  Draft,
  FileCheck,
  FileRead,
  Filled,
  FolderChange,
  FormAnswer,
  FormRequest,
  KeptCase,
  Listing,
  Move,
  OpenedRecord,
  Progress,
  Refused,
  Removal,
  RunAnswer,
  RunRequest,
  RunsOn,
  Save,
  Saved,
  SeedsProgress,
  ServiceProgress,
  Template,
  TemplateArea,
  Words,
} from "./contract.ts"

const STORED = "curbline-studio-token"

/** A refusal of the server, or no answer. */
export class StudioFault extends Error {
  override readonly name = "StudioFault"
  /** 0 when there was no answer. */
  readonly status: number
  readonly current: FileRead | null

  constructor(status: number, { message, current }: Refused) {
    super(message)
    this.status = status
    this.current = current ?? null
  }
}

/**
 * The token leaves the address, so that a copied address or a picture of the window does not have it; the tab keeps it for a
 * reload. Null when the page was opened without one.
 */
export function takenToken(): string | null {
  const fields = new URLSearchParams(location.hash.slice(1))
  const given = fields.get("token")
  if (given !== null) {
    sessionStorage.setItem(STORED, given)
    fields.delete("token")
    writeAddress(`#${fields.toString()}`)
  }
  return given ?? sessionStorage.getItem(STORED)
}

/** A model of the folder; null: its first seed. */
interface WatchedModel {
  readonly path: string
  readonly seed: number | null
}

function queryOf(fields: Readonly<Record<string, number | string | null>>): string {
  const given = Object.entries(fields).flatMap(([name, value]) =>
    value === null ? [] : [[name, String(value)]],
  )
  return new URLSearchParams(given).toString()
}

export class Client {
  readonly #token: string

  constructor(token: string) {
    this.#token = token
  }

  list(): Promise<Listing> {
    return this.#json("/api/scenarios")
  }

  words(): Promise<Words> {
    return this.#json("/api/words")
  }

  charts(): Promise<Charts> {
    return this.#json("/api/charts")
  }

  read(path: string): Promise<FileRead> {
    return this.#json(`/api/file?path=${encodeURIComponent(path)}`)
  }

  templates(area: TemplateArea): Promise<readonly Template[]> {
    return this.#json(`/api/templates/${area}`)
  }

  draft(area: TemplateArea, filled: Filled): Promise<Draft> {
    return this.#json(`/api/templates/${area}/draft`, { method: "POST", body: JSON.stringify(filled) })
  }

  /** A record of a run or of a site, from which a case is kept. */
  openRecord(record: File): Promise<OpenedRecord> {
    return this.#json(`/api/record?${queryOf({ file: record.name })}`, { method: "POST", body: record })
  }

  keep(kept: CaseToKeep): Promise<KeptCase> {
    return this.#json("/api/record/kept", { method: "POST", body: JSON.stringify(kept) })
  }

  form(asked: FormRequest): Promise<FormAnswer> {
    return this.#json("/api/form", { method: "POST", body: JSON.stringify(asked) })
  }

  check(path: string, text: string): Promise<FileCheck> {
    return this.#json("/api/check", { method: "POST", body: JSON.stringify({ path, text }) })
  }

  save(save: Save): Promise<Saved> {
    return this.#json("/api/file", { method: "PUT", body: JSON.stringify(save) })
  }

  /** The file under its new name. */
  move(move: Move): Promise<FileRead> {
    return this.#json("/api/file/move", { method: "POST", body: JSON.stringify(move) })
  }

  async remove(removal: Removal): Promise<void> {
    await this.#call("/api/file", { method: "DELETE", body: JSON.stringify(removal) })
  }

  /** Goes on until the page or the studio's server ends it. */
  changes(onLine: (change: FolderChange) => void, signal: AbortSignal): Promise<void> {
    return this.#lines("/api/changes", { signal }, onLine)
  }

  fleets(): Promise<readonly ListedFleet[]> {
    return this.#json("/api/fleets")
  }

  /** The model as the replay's worker takes it, with the files beside it. */
  replaySource({ path, seed }: WatchedModel): Promise<ReplayRequest> {
    return this.#json(`/api/fleet-replay?${queryOf({ path, seed })}`)
  }

  /** The replay as one HTML file that opens at a moment. */
  async savedReplay({ path, seed, moment }: WatchedModel & { readonly moment: string }): Promise<Blob> {
    return (await this.#call(`/api/fleet-replay/file?${queryOf({ path, seed, moment })}`)).blob()
  }

  readFleet(path: string): Promise<FleetRead> {
    return this.#json(`/api/fleet?path=${encodeURIComponent(path)}`)
  }

  /** A table that was dropped on a model. */
  inspectTable(path: string, table: File): Promise<DroppedTable> {
    return this.#json(`/api/fleet-table?${queryOf({ path, file: table.name })}`, {
      method: "POST",
      body: table,
    })
  }

  addTable(addition: TableAddition): Promise<TableAdded> {
    return this.#json("/api/fleet-table/add", { method: "POST", body: JSON.stringify(addition) })
  }

  runFleet(
    asked: FleetRunRequest,
    onLine: (progress: FleetProgress) => void,
    signal: AbortSignal,
  ): Promise<void> {
    return this.#lines("/api/fleet-run", { method: "POST", body: JSON.stringify(asked), signal }, onLine)
  }

  swarmRoom(): Promise<SwarmRoom> {
    return this.#json("/api/swarm")
  }

  swarm(asked: SwarmRequest, onLine: (line: SwarmProgress) => void, signal: AbortSignal): Promise<void> {
    return this.#lines("/api/swarm", { method: "POST", body: JSON.stringify(asked), signal }, onLine)
  }

  swarmFinding(seed: number, signal: AbortSignal): Promise<SwarmFinding> {
    return this.#json("/api/swarm-finding", { method: "POST", body: JSON.stringify({ seed }), signal })
  }

  run(asked: RunRequest, signal: AbortSignal): Promise<RunAnswer> {
    return this.#json("/api/run", { method: "POST", body: JSON.stringify(asked), signal })
  }

  runAll(where: RunsOn, onLine: (progress: Progress) => void, signal: AbortSignal): Promise<void> {
    const path = where === "memory" ? "/api/run-all" : "/api/service/run-all"
    return this.#lines(path, { method: "POST", signal }, onLine)
  }

  runOnService(
    asked: RunRequest,
    onLine: (progress: ServiceProgress) => void,
    signal: AbortSignal,
  ): Promise<void> {
    return this.#lines("/api/service/run", { method: "POST", body: JSON.stringify(asked), signal }, onLine)
  }

  trySeeds(asked: RunRequest, onLine: (progress: SeedsProgress) => void, signal: AbortSignal): Promise<void> {
    return this.#lines("/api/seeds", { method: "POST", body: JSON.stringify(asked), signal }, onLine)
  }

  /** Calls back for each line of a stream. */
  async #lines<Line>(path: string, init: RequestInit, onLine: (line: Line) => void): Promise<void> {
    const answer = await this.#call(path, init)
    const reader = answer.body?.pipeThrough(new TextDecoderStream()).getReader()
    const next = () => answered(init, async () => reader?.read())
    let rest = ""
    for (let part = await next(); part?.done === false; part = await next()) {
      const lines = `${rest}${part.value}`.split("\n")
      rest = lines.pop() ?? ""
      for (const line of lines) onLine(JSON.parse(line) as Line)
    }
  }

  async #json<Answer>(path: string, init: RequestInit = {}): Promise<Answer> {
    const answer = await this.#call(path, init)
    return answered(init, () => answer.json() as Promise<Answer>)
  }

  async #call(path: string, init: RequestInit = {}): Promise<Response> {
    const { body } = init
    const type =
      typeof body === "string" ? "application/json" : body instanceof Blob ? "application/octet-stream" : null
    const headers = { [TOKEN_HEADER]: this.#token, ...(type === null ? {} : { "content-type": type }) }
    const answer = await answered(init, () => fetch(path, { ...init, headers }))
    if (answer.ok) return answer
    const refused = (await answer.json().catch(() => ({ message: `status ${answer.status}` }))) as Refused
    throw new StudioFault(answer.status, refused)
  }
}

/** Rejects with a StudioFault when the server ends before its answer does, and with the reason of a call that was stopped. */
async function answered<Answer>(
  { signal }: Pick<RequestInit, "signal">,
  read: () => Promise<Answer>,
): Promise<Answer> {
  try {
    return await read()
  } catch (cause) {
    if (signal?.aborted === true) throw cause
    throw new StudioFault(0, {
      message: 'The studio does not answer; is "npx curbline studio" still running?',
    })
  }
}
