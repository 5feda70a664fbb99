/**
 * How requests pass the admission queue. A request enters when its head has arrived, before its key is looked up,
 * because the look-up is a query too. While its body arrives it has no place, so that slow senders occupy none; then it
 * goes first. A key that was valid before identifies its organization; all other callers share one turn
 * (src/DECISIONS.md §150).
 */

import { createHash } from "node:crypto"
import type { Effect } from "effect"
import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify"
import { KNOWN_CALLERS_MAX, PLACE_HELD_MS_MAX } from "../model/values/limits.ts"
import { TurnedAway } from "../model/values/errors.ts"
import type { EntryKind, Place, RequestQueue } from "./access/admission-queue.ts"
import { CallerPresence } from "../engine/services/presence.ts"
import { PROBE_PATHS } from "./probes.ts"
import { Routine } from "../engine/services/routine.ts"

declare module "fastify" {
  interface FastifyContextConfig {
    /**
     * True when the route's answer to overload depends on the body, so that the request enters the queue only with it.
     */
    readonly entersWithBody?: boolean
  }
}

const HELD = "admissionPlace"
const SHARES = "admissionShares"
const RETURNS = "admissionReturns"

/** Monitors ask a host that is full, too. */
const UNQUEUED: ReadonlySet<string> = new Set(PROBE_PATHS)

/** Must run after `guardInstance` and before routes are added. */
export function queueRequests(app: FastifyInstance, queue: RequestQueue): void {
  const shares = new Map<string, string>()
  app.decorateRequest(HELD, null)
  app.decorate(SHARES, shares)
  const enter = async (request: FastifyRequest, reply: FastifyReply, kind: EntryKind): Promise<void> => {
    const share = shareOf(request, shares)
    const { entered, withdraw } = queue.enter({ share, kind })
    reply.raw.once("close", withdraw)
    const answer = await entered
    reply.raw.off("close", withdraw)
    if (answer.type === "admitted") {
      request.setDecorator(HELD, answer.place)
      if (!hasLeft(request)) return
    }
    reply.header("Retry-After", String(answer.type === "shed" ? answer.retryAfterSeconds : 1))
    throw new TurnedAway({ code: "OVERLOADED" })
  }
  app.decorate(RETURNS, async (request: FastifyRequest) => {
    const { entered, withdraw } = queue.enter({ share: shareOf(request, shares), kind: "returning" })
    // The request itself is closed when its body is read.
    const { socket } = request.raw
    socket.once("close", withdraw)
    const answer = await entered
    socket.off("close", withdraw)
    if (answer.type !== "admitted") return
    request.setDecorator(HELD, answer.place)
    if (hasLeft(request)) answer.place.leave()
  })
  app.addHook("onRequest", async (request, reply) => {
    const { entersWithBody = false } = request.routeOptions.config
    if (isQueued(request) && !entersWithBody) await enter(request, reply, "fresh")
  })
  app.addHook("preParsing", async (request) => {
    if (hasBody(request)) leave(request)
  })
  app.addHook("preValidation", async (request, reply) => {
    const { entersWithBody = false } = request.routeOptions.config
    if (!isQueued(request) || request.getDecorator<Place | null>(HELD) !== null) return
    await enter(request, reply, entersWithBody ? "fresh" : "resumed")
  })
  app.addHook("onSend", async (request) => leave(request))
  app.addHook("onResponse", async (request) => leave(request))
}

/** Remembers that the caller's key was valid, and the share in which the caller takes turns. */
export function rememberShare(request: FastifyRequest, share: string): void {
  const { authorization } = request.headers
  if (authorization === undefined || !request.server.hasDecorator(SHARES)) return
  const shares = request.server.getDecorator<Map<string, string>>(SHARES)
  const name = nameOf(authorization)
  if (shares.size >= KNOWN_CALLERS_MAX && !shares.has(name)) {
    const [oldest] = shares.keys()
    if (oldest !== undefined) shares.delete(oldest)
  }
  shares.set(name, share)
}

/** The effect of a command. It is dropped when its client disconnects before the first transaction. */
export function attended<A, E, R>(
  request: FastifyRequest,
  effect: Effect.Effect<A, E, R>,
): Routine<A, E, Exclude<R, CallerPresence>> {
  const presence = {
    hasLeft: () => hasLeft(request),
    hasCommitted: false,
    stepAside: () => stepAside(request),
    takePlace: () => returnTo(request),
  }
  return Routine.provideService(effect, CallerPresence, presence)
}

/** Injected requests have no connection that could close. */
export function hasLeft({ raw }: FastifyRequest): boolean {
  return raw.socket.destroyed
}

/** Frees the request's place: for one that waits without using the database. */
export function leave(request: FastifyRequest): void {
  if (!request.server.hasRequestDecorator(HELD)) return
  request.getDecorator<Place | null>(HELD)?.leave()
  request.setDecorator(HELD, null)
}

function stepAside(request: FastifyRequest): () => boolean {
  let hasLeftPlace = false
  const timer = setTimeout(() => {
    hasLeftPlace = true
    leave(request)
  }, PLACE_HELD_MS_MAX)
  return () => {
    clearTimeout(timer)
    return hasLeftPlace
  }
}

/** Waits for a place again. It gets one at the latest when others are turned away: its own work is done already. */
async function returnTo(request: FastifyRequest): Promise<void> {
  const { server } = request
  if (!server.hasDecorator(RETURNS)) return
  await server.getDecorator<(one: FastifyRequest) => Promise<void>>(RETURNS)(request)
}

function isQueued({ raw }: FastifyRequest): boolean {
  return !UNQUEUED.has(raw.url?.split("?")[0] ?? "")
}

function hasBody({ headers }: FastifyRequest): boolean {
  const { "content-length": length = "0", "transfer-encoding": chunks } = headers
  return length !== "0" || chunks !== undefined
}

const UNKNOWN = "unknown"

function shareOf({ headers, raw }: FastifyRequest, shares: ReadonlyMap<string, string>): string {
  const { authorization } = headers
  const known = authorization === undefined ? undefined : shares.get(nameOf(authorization))
  if (known !== undefined) return known
  // Page requests have no keys: each group of pages is one share.
  const [, first = ""] = (raw.url ?? "").split("?", 1)[0]?.split("/") ?? []
  return PEOPLE.has(first) ? first : UNKNOWN
}

const PEOPLE: ReadonlySet<string> = new Set([
  "assets",
  "docs",
  "inspect",
  "openapi",
  "ops",
  "pay",
  "portal",
  "runner",
  "track",
])

/** The keys themselves are not stored. */
function nameOf(authorization: string): string {
  return createHash("sha256").update(authorization).digest("base64")
}
