/**
 * Live streams: server-sent events that say which group reached which revision; clients read it again under their own rights. One
 * reader for all clients of the node follows the journal. The id of an event is the position from which the reader would read again,
 * which lies `STREAM_OVERLAP_MS` behind, so a client that resumes may get a revision twice. It is sealed, because positions count the
 * turns of every organization.
 */

import { Readable } from "node:stream"
import { Effect } from "effect"
import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify"
import { TurnedAway } from "../model/values/errors.ts"
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
} from "../model/values/limits.ts"
import { ChangedGroups } from "../engine/services/changed-groups.ts"
import type { ChangedGroup, Topic } from "../engine/services/changed-groups.ts"
import { sealedCursors } from "../engine/services/cursors.ts"
import type { PlaceCursors } from "../engine/services/cursors.ts"
import { DigestKey } from "../engine/services/digest-key.ts"
import type { Run } from "./bridge.ts"
import type { Part } from "./document-part.ts"
import { whenDraining } from "./draining.ts"

/** Who opens a stream, and what it may follow. */
export interface Watcher {
  /** Names the session, which has `STREAMS_PER_SESSION_MAX` streams. */
  readonly session: string
  /** What `recheck` names: the holders whose rights one command may change, such as the members of an organization. */
  readonly scope: string
  /** What it follows now. */
  readonly topics: readonly Topic[]
  /** Asked again each minute: what it may follow from now on; null ends the stream. */
  readonly allowed: () => Promise<readonly Topic[] | null>
}

/** One open connection. */
interface Stream {
  readonly watcher: Watcher
  topics: readonly Topic[]
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
  readonly #run: Run<ChangedGroups | DigestKey>
  readonly #streams = new Set<Stream>()
  readonly #byTopic = new Map<Topic, Set<Stream>>()
  /** The last revision of each group that was announced within the overlap. */
  readonly #announced = new Map<string, { readonly revision: number; readonly atMs: number }>()
  /** Where the journal ended, oldest first; the first lies at least the overlap behind, if there is one. */
  #marks: readonly Mark[] = []
  #againAtMs = 0
  #heartbeatAtMs = 0
  #timer: NodeJS.Timeout | null = null
  #isClosed = false

  /** What seals the ids; null before the first stream. */
  #ids: PlaceCursors<number> | null = null

  constructor(run: Run<ChangedGroups | DigestKey>) {
    this.#run = run
  }

  get size(): number {
    return this.#streams.size
  }

  /** Ends every stream, and refuses new ones. */
  close(): void {
    this.#isClosed = true
    if (this.#timer !== null) clearTimeout(this.#timer)
    this.#timer = null
    for (const stream of this.#streams) end(stream)
    this.#streams.clear()
    this.#byTopic.clear()
  }

  /** Checks the rights of a scope's streams now, as after a sign-out. */
  recheck(scope: string): void {
    for (const stream of this.#streams) if (stream.watcher.scope === scope) stream.checkAtMs = 0
    // A database that is away is seen by the requests of pages; the next round checks again.
    void this.#check().catch(() => undefined)
  }

  async open(watcher: Watcher, lastId: string | null): Promise<Readable> {
    const own = [...this.#streams].filter((stream) => stream.watcher.session === watcher.session)
    if (this.#isClosed || own.length >= STREAMS_PER_SESSION_MAX)
      throw new TurnedAway({ code: "RATE_LIMITED" })
    // Pushes beyond the mark are counted, not refused.
    const out = new Readable({ read: () => undefined })
    const checkAtMs = performance.now() + STREAM_CHECK_MS
    const stream: Stream = { watcher, topics: [], out, checkAtMs, hasEnded: false }
    this.#streams.add(stream)
    this.#follows(stream, watcher.topics)
    out.once("close", () => this.#forget(stream))
    // A client that goes away in the middle is no fault of the service.
    out.on("error", () => this.#forget(stream))
    try {
      const last = await this.#begin()
      this.#push(stream, `retry: 2000\n${this.#eventOf("open", this.#low(last), {})}`)
      if (lastId !== null) await this.#resume(stream, this.#ids?.placeIn(lastId) ?? null, last)
    } catch (cause) {
      this.#forget(stream)
      throw cause
    }
    return out
  }

  /** The entries after the position that the client knows; null for an id that no stream gave, or one of the version before. */
  async #resume(stream: Stream, from: number | null, last: number): Promise<void> {
    if (from === null || from > last || last - from > STREAM_RESUMED_ENTRIES_MAX) {
      this.#push(stream, this.#eventOf("reset", this.#low(last), {}))
      return
    }
    const latest = new Map<string, ChangedGroup>()
    for (let position = from; ;) {
      const found = await this.#after(position)
      for (const change of found.changes)
        if (change.topics.some((topic) => stream.topics.includes(topic))) latest.set(change.address, change)
      position = found.position
      if (found.looked < STREAM_ENTRIES_MAX) break
    }
    // What is pushed before anybody reads must fit into the buffer.
    if (latest.size > STREAM_RESUMED_GROUPS_MAX)
      this.#push(stream, this.#eventOf("reset", this.#low(last), {}))
    else for (const change of latest.values()) this.#push(stream, this.#changeEvent(change, this.#low(last)))
  }

  /** The end of the journal, from which the reader goes on; starts the reader with the first stream. */
  async #begin(): Promise<number> {
    const { key, last } = await this.#run(BEGINNING)
    this.#ids ??= sealedCursors({ key, list: "changes", owner: "every stream" })
    if (this.#timer === null && !this.#isClosed) {
      this.#marks = [{ atMs: performance.now(), position: last }]
      this.#announced.clear()
      this.#heartbeatAtMs = performance.now() + STREAM_HEARTBEAT_MS
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
    const nowMs = performance.now()
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
      const { address, revision, topics } = change
      if ((this.#announced.get(address)?.revision ?? 0) >= revision) continue
      this.#announced.set(address, { revision, atMs: nowMs })
      // A stream may follow several of the group's topics.
      const streams = new Set(topics.flatMap((topic) => [...(this.#byTopic.get(topic) ?? [])]))
      if (streams.size === 0) continue
      const text = this.#changeEvent(change, this.#low(0))
      for (const stream of streams) this.#push(stream, text)
    }
  }

  #beat(): void {
    if (performance.now() < this.#heartbeatAtMs) return
    this.#heartbeatAtMs = performance.now() + STREAM_HEARTBEAT_MS
    for (const stream of this.#streams) this.#push(stream, ": \n\n")
  }

  /** Ends the streams whose holders may not follow them any more. Rejects with the first check that failed, after all others. */
  async #check(): Promise<void> {
    const nowMs = performance.now()
    const failures: unknown[] = []
    for (const stream of this.#streams) {
      if (nowMs < stream.checkAtMs) continue
      try {
        const topics = await stream.watcher.allowed()
        if (topics === null) end(stream)
        else if (this.#streams.has(stream)) this.#follows(stream, topics)
        // Behind the check: one that failed is made again.
        stream.checkAtMs = nowMs + STREAM_CHECK_MS
      } catch (cause) {
        failures.push(cause)
      }
    }
    if (failures.length > 0) throw failures[0]
  }

  #after(position: number) {
    return this.#run(Effect.flatMap(ChangedGroups, (groups) => groups.after(position, STREAM_ENTRIES_MAX)))
  }

  /** The position from which a client reads again; `fallback` before the reader has begun. */
  #low(fallback: number): number {
    return this.#marks[0]?.position ?? fallback
  }

  #changeEvent({ address, revision }: ChangedGroup, position: number): string {
    return this.#eventOf("change", position, { group: address, revision })
  }

  #eventOf(event: string, position: number, data: object): string {
    if (this.#ids === null) throw new Error(`an event ${event} before the first stream was opened`)
    return `id: ${this.#ids.cursorOf(position)}\nevent: ${event}\ndata: ${JSON.stringify(data)}\n\n`
  }

  #push({ out, hasEnded }: Stream, text: string): void {
    if (out.destroyed || hasEnded) return
    out.push(text)
    // What the client has not read stays here; it resumes from its last event.
    if (out.readableLength > STREAM_UNREAD_BYTES_MAX) out.destroy()
  }

  /** Files the stream under its topics, and no longer under those before. */
  #follows(stream: Stream, topics: readonly Topic[]): void {
    if (topics.join() === stream.topics.join()) return
    for (const topic of stream.topics) {
      const streams = this.#byTopic.get(topic)
      streams?.delete(stream)
      if (streams?.size === 0) this.#byTopic.delete(topic)
    }
    for (const topic of topics) this.#byTopic.set(topic, (this.#byTopic.get(topic) ?? new Set()).add(stream))
    stream.topics = topics
  }

  #forget(stream: Stream): void {
    this.#follows(stream, [])
    this.#streams.delete(stream)
  }
}

function end(stream: Stream): void {
  if (stream.hasEnded) return
  stream.hasEnded = true
  stream.out.push(null)
}

const BEGINNING = Effect.gen(function* () {
  const { key } = yield* DigestKey
  const groups = yield* ChangedGroups
  return { key, last: yield* groups.last }
})

/** Ends the streams when the app drains or closes. */
export function endWith(app: FastifyInstance, streams: ChangeStreams): void {
  whenDraining(app, () => streams.close())
  app.addHook("onClose", async () => streams.close())
}

/** Answers a request with the stream of a watcher, whose rights the route has checked. */
export async function sendStream(
  streams: ChangeStreams,
  watcher: Watcher,
  { request, reply }: { readonly request: FastifyRequest; readonly reply: FastifyReply },
): Promise<FastifyReply> {
  const lastId = [request.headers["last-event-id"]].flat()[0] ?? null
  const out = await streams.open(watcher, lastId)
  return reply
    .headers({ "Cache-Control": "no-store", "X-Accel-Buffering": "no" })
    .type("text/event-stream; charset=utf-8")
    .send(out)
}

/** For documents. */
export const LAST_EVENT_ID: Part = {
  in: "header",
  name: "Last-Event-ID",
  description: "The id of the last event: what has changed since comes first; a revision may come twice.",
  schema: { type: "string" },
}

/** For documents. */
export const STREAM_SUMMARY =
  "Server-sent events: `change` names a group (`delivery/dlv_…`) and its revision, `reset` says that too much has happened since `Last-Event-ID` to list it"
