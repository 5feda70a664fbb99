/**
 * `GET /portal/api/stream`: server-sent events that say which group reached which revision; pages read it again under their own
 * rights. One reader for all clients of the node follows the journal. The id of an event is the position from which the reader would
 * read again, which lies `STREAM_OVERLAP_MS` behind, so a client that resumes may get a revision twice.
 */

import { Readable } from "node:stream"
import { Effect } from "effect"
import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify"
import type { Environment } from "../../model/caller.ts"
import { ENVIRONMENTS } from "../../model/caller.ts"
import { TurnedAway } from "../../model/errors.ts"
import {
  STREAMS_PER_SESSION_MAX,
  STREAM_AGAIN_MS,
  STREAM_CHECK_MS,
  STREAM_ENTRIES_MAX,
  STREAM_HEARTBEAT_MS,
  STREAM_OVERLAP_MS,
  STREAM_POLL_MS,
  STREAM_RESUMED_ENTRIES_MAX,
  STREAM_RESUMED_GROUPS_MAX,
  STREAM_UNREAD_BYTES_MAX,
} from "../../model/limits.ts"
import type { PortalCaller } from "../caller.ts"
import { ChangedGroups } from "../changes.ts"
import type { ChangedGroup } from "../changes.ts"
import { PortalSessions } from "../sessions.ts"
import type { Run } from "../../http/bridge.ts"
import type { Part } from "../../http/document-part.ts"
import { whenDraining } from "../../http/draining.ts"
import { invalid } from "../../http/errors.ts"
import { failures, tagOf } from "../../http/openapi.ts"
import { requireSameOrigin, visitorOf } from "./gate.ts"

const STREAM_PATH = "/portal/api/stream"

export type StreamSurface = ChangedGroups | PortalSessions

/** One open connection. */
interface Stream {
  readonly organizationId: string
  readonly environment: Environment
  readonly sessionId: string
  readonly token: string | null
  readonly out: Readable
  checkAtMs: number
  /** True after its end was written: nothing may follow. */
  hasEnded: boolean
}

/** Where the journal ended at an instant. */
interface Mark {
  readonly atMs: number
  readonly position: number
}

/** The streams of one node, and the reader of the journal that serves them. */
export class ChangeStreams {
  readonly #run: Run<StreamSurface>
  readonly #streams = new Map<string, Set<Stream>>()
  /** The last revision of each group that was announced within the overlap. */
  readonly #announced = new Map<string, { readonly revision: number; readonly atMs: number }>()
  /** Where the journal ended, oldest first; the first lies at least the overlap behind, if there is one. */
  #marks: readonly Mark[] = []
  #againAtMs = 0
  #heartbeatAtMs = 0
  #timer: NodeJS.Timeout | null = null
  #isClosed = false

  constructor(run: Run<StreamSurface>) {
    this.#run = run
  }

  get size(): number {
    return [...this.#streams.values()].reduce((sum, { size }) => sum + size, 0)
  }

  /** Ends every stream, and refuses new ones. */
  close(): void {
    this.#isClosed = true
    if (this.#timer !== null) clearTimeout(this.#timer)
    this.#timer = null
    for (const stream of this.#all()) end(stream)
    this.#streams.clear()
  }

  /** Checks the rights of an organization's streams now, as after a sign-out. */
  recheck(organizationId: string): void {
    for (const stream of this.#all()) if (stream.organizationId === organizationId) stream.checkAtMs = 0
    // A database that is away is seen by the requests of pages; the next round checks again.
    void this.#check().catch(() => undefined)
  }

  async open(
    { session, organization }: PortalCaller,
    environment: Environment,
    { token, lastId }: { readonly token: string | null; readonly lastId: string | null },
  ): Promise<Readable> {
    const { sessionId } = session
    const own = [...this.#all()].filter((stream) => stream.sessionId === sessionId)
    if (this.#isClosed || own.length >= STREAMS_PER_SESSION_MAX)
      throw new TurnedAway({ code: "RATE_LIMITED" })
    // Pushes beyond the mark are counted, not refused.
    const out = new Readable({ read: () => undefined })
    const { organizationId } = organization
    const checkAtMs = Date.now() + STREAM_CHECK_MS
    const stream: Stream = { organizationId, environment, sessionId, token, out, checkAtMs, hasEnded: false }
    const key = keyOf(stream)
    this.#streams.set(key, (this.#streams.get(key) ?? new Set()).add(stream))
    out.once("close", () => this.#forget(stream))
    // A client that goes away in the middle is no fault of the service.
    out.on("error", () => this.#forget(stream))
    try {
      const last = await this.#begin()
      const from = lastId === null ? null : Number(lastId)
      this.#push(stream, `retry: 2000\nid: ${this.#low(last)}\nevent: open\ndata: {}\n\n`)
      if (from !== null) await this.#resume(stream, from, last)
    } catch (cause) {
      this.#forget(stream)
      throw cause
    }
    return out
  }

  /** The entries after the position that the client knows. */
  async #resume(stream: Stream, from: number, last: number): Promise<void> {
    if (!Number.isSafeInteger(from) || from > last || last - from > STREAM_RESUMED_ENTRIES_MAX) {
      this.#push(stream, eventOf("reset", this.#low(last), {}))
      return
    }
    const latest = new Map<string, ChangedGroup>()
    for (let position = from; ;) {
      const found = await this.#after(position)
      for (const change of found.changes)
        if (keyOf(change) === keyOf(stream)) latest.set(change.address, change)
      position = found.position
      if (found.looked < STREAM_ENTRIES_MAX) break
    }
    // What is pushed before anybody reads must fit into the buffer.
    if (latest.size > STREAM_RESUMED_GROUPS_MAX) this.#push(stream, eventOf("reset", this.#low(last), {}))
    else for (const change of latest.values()) this.#push(stream, changeEvent(change, this.#low(last)))
  }

  /** The end of the journal, from which the reader goes on; starts the reader with the first stream. */
  async #begin(): Promise<number> {
    const last = await this.#run(Effect.flatMap(ChangedGroups, (groups) => groups.last))
    if (this.#timer === null && !this.#isClosed) {
      this.#marks = [{ atMs: Date.now(), position: last }]
      this.#announced.clear()
      this.#heartbeatAtMs = Date.now() + STREAM_HEARTBEAT_MS
      this.#plan()
    }
    return last
  }

  #plan(): void {
    this.#timer = setTimeout(() => void this.#tick(), STREAM_POLL_MS)
    this.#timer.unref()
  }

  async #tick(): Promise<void> {
    try {
      await this.#follow()
      this.#beat()
      await this.#check()
    } catch {
      // The database is away: the next round tries again, and pages see it by their own requests.
    }
    if (this.#streams.size === 0 || this.#isClosed) this.#timer = null
    else this.#plan()
  }

  /** Reads on from the last entry; now and then from the overlap, for what was committed late. */
  async #follow(): Promise<void> {
    const nowMs = Date.now()
    const isAgain = nowMs >= this.#againAtMs
    if (isAgain) this.#againAtMs = nowMs + STREAM_AGAIN_MS
    const high = this.#marks.at(-1)?.position ?? 0
    let position = isAgain ? this.#low(high) : high
    for (;;) {
      const found = await this.#after(position)
      position = Math.max(position, found.position)
      this.#announce(found.changes, nowMs)
      if (found.looked < STREAM_ENTRIES_MAX) break
    }
    const marks = [...this.#marks, { atMs: nowMs, position: Math.max(high, position) }]
    // One mark stays that is older than the overlap.
    const first = marks.findLastIndex(({ atMs }) => atMs <= nowMs - STREAM_OVERLAP_MS)
    this.#marks = marks.slice(Math.max(first, 0))
    for (const [address, { atMs }] of this.#announced)
      if (atMs < nowMs - 2 * STREAM_OVERLAP_MS) this.#announced.delete(address)
  }

  #announce(changes: readonly ChangedGroup[], nowMs: number): void {
    for (const change of changes) {
      const { address, revision } = change
      if ((this.#announced.get(address)?.revision ?? 0) >= revision) continue
      this.#announced.set(address, { revision, atMs: nowMs })
      const streams = this.#streams.get(keyOf(change))
      if (streams === undefined) continue
      const text = changeEvent(change, this.#low(0))
      for (const stream of streams) this.#push(stream, text)
    }
  }

  #beat(): void {
    if (Date.now() < this.#heartbeatAtMs) return
    this.#heartbeatAtMs = Date.now() + STREAM_HEARTBEAT_MS
    for (const stream of this.#all()) this.#push(stream, `: ${this.#low(0)}\n\n`)
  }

  /** Ends the streams of sessions that have ended, and of organizations without access. */
  async #check(): Promise<void> {
    const nowMs = Date.now()
    for (const stream of this.#all()) {
      if (nowMs < stream.checkAtMs) continue
      if (!(await this.#isAllowed(stream))) end(stream)
      // Behind the check: one that failed is made again.
      stream.checkAtMs = nowMs + STREAM_CHECK_MS
    }
  }

  #isAllowed({ token, organizationId, environment }: Stream): Promise<boolean> {
    return this.#run(
      Effect.flatMap(PortalSessions, (sessions) => sessions.callerOf(token, "watch")).pipe(
        Effect.map(
          ({ organization }) =>
            organization.organizationId === organizationId && organization.environments.includes(environment),
        ),
        Effect.catchAll(() => Effect.succeed(false)),
      ),
    )
  }

  #after(position: number) {
    return this.#run(Effect.flatMap(ChangedGroups, (groups) => groups.after(position, STREAM_ENTRIES_MAX)))
  }

  /** The position from which a client reads again; `fallback` before the reader has begun. */
  #low(fallback: number): number {
    return this.#marks[0]?.position ?? fallback
  }

  #push({ out, hasEnded }: Stream, text: string): void {
    if (out.destroyed || hasEnded) return
    out.push(text)
    // What the client has not read stays here; it resumes from its last event.
    if (out.readableLength > STREAM_UNREAD_BYTES_MAX) out.destroy()
  }

  #forget(stream: Stream): void {
    const key = keyOf(stream)
    const streams = this.#streams.get(key)
    streams?.delete(stream)
    if (streams?.size === 0) this.#streams.delete(key)
  }

  *#all(): Iterable<Stream> {
    for (const streams of this.#streams.values()) yield* streams
  }
}

function end(stream: Stream): void {
  if (stream.hasEnded) return
  stream.hasEnded = true
  stream.out.push(null)
}

function keyOf({
  organizationId,
  environment,
}: Pick<ChangedGroup, "environment" | "organizationId">): string {
  return `${environment}/${organizationId}`
}

function changeEvent({ address, revision }: ChangedGroup, id: number): string {
  return eventOf("change", id, { group: address, revision })
}

function eventOf(event: string, id: number, data: object): string {
  return `id: ${id}\nevent: ${event}\ndata: ${JSON.stringify(data)}\n\n`
}

interface StreamOptions {
  readonly run: Run<StreamSurface>
  readonly baseUrl: string
  /** The caller of a request, who has been checked. */
  readonly callerOf: (request: FastifyRequest, reply: FastifyReply) => Promise<PortalCaller>
}

/** Adds the route; the streams end when the app drains. */
export function addStream(app: FastifyInstance, { run, baseUrl, callerOf }: StreamOptions): ChangeStreams {
  const streams = new ChangeStreams(run)
  whenDraining(app, () => streams.close())
  app.addHook("onClose", async () => streams.close())
  app.get<{ Querystring: { environment?: string } }>(STREAM_PATH, async (request, reply) => {
    requireSameOrigin(request, baseUrl)
    const caller = await callerOf(request, reply)
    const asked = request.query.environment
    const environment = ENVIRONMENTS.find((one) => one === (asked ?? caller.session.environment))
    if (environment === undefined) throw invalid("environment", `must be ${ENVIRONMENTS.join(" or ")}`)
    if (!caller.organization.environments.includes(environment))
      throw new TurnedAway({ code: "ORG_INACTIVE" })
    const { token } = visitorOf(request, baseUrl)
    const lastId = [request.headers["last-event-id"]].flat()[0] ?? null
    const out = await streams.open(caller, environment, { token, lastId })
    return reply
      .headers({ "Cache-Control": "no-store", "X-Accel-Buffering": "no" })
      .type("text/event-stream; charset=utf-8")
      .send(out)
  })
  return streams
}

/** For the document. */
export const streamPath: Readonly<Record<string, Part>> = {
  [STREAM_PATH]: {
    get: {
      operationId: "followChanges",
      tags: [tagOf(STREAM_PATH)],
      summary:
        "Server-sent events: `change` names a group (`delivery/dlv_…`) and its revision, `reset` says that too much has happened since `Last-Event-ID` to list it",
      parameters: [
        {
          in: "query",
          name: "environment",
          description: "Absent: what the session's development-mode switch says.",
          schema: { type: "string", enum: [...ENVIRONMENTS] },
        },
        {
          in: "header",
          name: "Last-Event-ID",
          description:
            "The id of the last event: what has changed since comes first; a revision may come twice.",
          schema: { type: "string" },
        },
      ],
      responses: {
        200: { description: "Done.", content: { "text/event-stream": {} } },
        ...failures(
          [
            "SIGN_IN_REQUIRED",
            "ORG_INACTIVE",
            "CROSS_SITE_REQUEST",
            "RATE_LIMITED",
            "VALIDATION_ERROR",
            "INTERNAL_ERROR",
            "UNAVAILABLE",
          ],
          ["X-Request-Id"],
        ),
      },
    },
  },
}
