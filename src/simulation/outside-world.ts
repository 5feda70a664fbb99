/**
 * The outside world of a simulated run: partners' endpoints with scripted answers, host names, and photo signing.
 * Requests that reach an endpoint are kept as the partner would have received them.
 *
 * Differs from the street: an answer takes exactly its scripted time, and no request is lost on the way.
 */

import { Clock, Effect, Layer } from "effect"
import { WEBHOOK_TIMEOUT_MS } from "../model/values/limits.ts"
import type { EpochMs } from "../model/values/time.ts"
import type { Payments } from "../areas/courier/payments.ts"
import { Geocoder } from "../engine/services/geocoding/geocoder.ts"
import { locateBuiltIn } from "../engine/services/geocoding/built-in-geocoder.ts"
import { OutboundHttp } from "../engine/services/outbound/outbound-http.ts"
import type { OutboundAnswer, OutboundRequest } from "../engine/services/outbound/outbound-http.ts"
import { NameLookup } from "../engine/services/outbound/name-lookup.ts"
import type { Resolution } from "../engine/services/outbound/name-lookup.ts"
import type { Environment } from "../model/caller.ts"
import { PhotoLinks, PhotoSigningFailed, photoSignature } from "../engine/services/photos/photo-links.ts"
import { Routine } from "../engine/services/routine.ts"
import { SimulatedProcessor } from "../areas/courier/memory/simulated-processor.ts"

/** The answer of an endpoint to one request; it takes `afterMs`. */
export type ScriptedAnswer =
  | { readonly type: "status"; readonly status: number; readonly afterMs: number }
  | { readonly type: "timeout" }
  | { readonly type: "refused" }

/** A request as the partner received it, and the answer as the service saw it. */
export interface ReceivedRequest {
  readonly url: string
  readonly atMs: EpochMs
  /** By the clock of the sandbox, where that is another one. */
  readonly instantMs?: EpochMs
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
  /** Counts the requests to this URL from 1. */
  readonly number: number
  readonly answer: ScriptedAnswer
}

/** True when the service counted the answer as a success. */
export function isAccepted({ answer }: ReceivedRequest): boolean {
  return (
    answer.type === "status" &&
    answer.status >= 200 &&
    answer.status < 300 &&
    answer.afterMs <= WEBHOOK_TIMEOUT_MS
  )
}

/** What a call asks for by its body: webhooks have no attempt id. */
export function openedBy({ headers, body }: ReceivedRequest): "compartment" | "open link" | null {
  if (headers["X-Service-Attempt-Id"] === undefined) return null
  return "reservation_id" in (JSON.parse(body) as object) ? "open link" : "compartment"
}

export const USUAL_ANSWER_MS = 50
const USUAL: ScriptedAnswer = { type: "status", status: 200, afterMs: USUAL_ANSWER_MS }
const PUBLIC_ADDRESS = "93.184.215.14"
const PRIVATE_ADDRESS = "10.0.0.7"

/** The key that signs photo links in a simulated run. */
export const SIMULATED_PHOTO_KEY = "simulated"

export type HostFault = "private" | "unknown" | "unavailable"

export class OutsideWorld {
  /** In order of arrival: all of them, or the latest ones of an unrecorded run. */
  readonly received: ReceivedRequest[] = []
  readonly #keptMax: number
  isSigningBroken = false
  isGeocoderDown = false
  isStoreDirectoryDown = false
  readonly processor = new SimulatedProcessor()
  readonly #answersByUrl = new Map<string, readonly ScriptedAnswer[]>()
  readonly #countByUrl = new Map<string, number>()
  readonly #downUntilMsByUrl = new Map<string, EpochMs>()
  readonly #faultByHost = new Map<string, HostFault>()
  readonly #listeners: ((request: ReceivedRequest) => void)[] = []

  constructor({ keptMax = Number.POSITIVE_INFINITY }: { readonly keptMax?: number } = {}) {
    this.#keptMax = keptMax
  }

  /** Sets the answers of an endpoint from now on: one for each request, the last one for all further requests. */
  script(url: string, answers: readonly ScriptedAnswer[]): void {
    this.#answersByUrl.set(url, answers)
    this.#countByUrl.set(`script ${url}`, 0)
  }

  /** The endpoint refuses connections before `untilMs`. Its scripted answers are for the requests after that. */
  takeDown(url: string, untilMs: EpochMs): void {
    this.#downUntilMsByUrl.set(url, untilMs)
  }

  hasScript(url: string): boolean {
    return this.#answersByUrl.has(url)
  }

  breakHost(host: string, fault: HostFault | null): void {
    if (fault === null) this.#faultByHost.delete(host)
    else this.#faultByHost.set(host, fault)
  }

  onReceived(listener: (request: ReceivedRequest) => void): void {
    this.#listeners.push(listener)
  }

  receivedAt(url: string): readonly ReceivedRequest[] {
    return this.received.filter((request) => request.url === url)
  }

  readonly layer: Layer.Layer<Geocoder | OutboundHttp | NameLookup | Payments | PhotoLinks> = Layer.mergeAll(
    this.processor.layer,
    Layer.succeed(Geocoder, {
      locate: (address) =>
        Routine.sync(() => (this.isGeocoderDown ? { type: "unavailable" } : locateBuiltIn(address))),
    }),
    Layer.succeed(OutboundHttp, { post: (request) => this.#post(request) }),
    Layer.succeed(NameLookup, { resolve: (host) => Routine.sync(() => this.#resolve(host)) }),
    Layer.succeed(PhotoLinks, { sign: (photo) => this.#sign(photo) }),
  )

  #post(request: OutboundRequest): Effect.Effect<OutboundAnswer> {
    return Effect.gen(this, function* () {
      const atMs = yield* Clock.currentTimeMillis
      const answer = this.#receive(request, atMs)
      if (answer.type === "refused") return { type: "unanswered", reason: "connection_failed" } as const
      const takesMs = answer.type === "timeout" ? Number.POSITIVE_INFINITY : answer.afterMs
      yield* Effect.sleep(Math.min(takesMs, request.timeoutMs))
      return answer.type === "timeout" || takesMs > request.timeoutMs
        ? ({ type: "unanswered", reason: "timeout" } as const)
        : ({ type: "answered", status: answer.status } as const)
    })
  }

  #receive(request: OutboundRequest, atMs: EpochMs): ScriptedAnswer {
    const { url, headers, body } = request
    const isDown = atMs < (this.#downUntilMsByUrl.get(url) ?? 0)
    const answer: ScriptedAnswer = isDown ? { type: "refused" } : this.#scripted(url)
    const received = { url, atMs, headers, body, number: this.#count(url), answer }
    this.received.push(received)
    // Removed in portions, because removing from the front of a long list costs time proportional to its length.
    if (this.received.length >= 2 * this.#keptMax) this.received.splice(0, this.#keptMax)
    for (const listener of this.#listeners) listener(received)
    return answer
  }

  #scripted(url: string): ScriptedAnswer {
    const script = this.#answersByUrl.get(url) ?? []
    const at = this.#count(`script ${url}`) - 1
    return script[Math.min(at, script.length - 1)] ?? USUAL
  }

  #count(key: string): number {
    const count = (this.#countByUrl.get(key) ?? 0) + 1
    this.#countByUrl.set(key, count)
    return count
  }

  #resolve(host: string): Resolution {
    switch (this.#faultByHost.get(host)) {
      case "unknown":
        return { type: "none" }
      case "unavailable":
        return { type: "unavailable" }
      case "private":
        return { type: "addresses", addresses: [PRIVATE_ADDRESS] }
      case undefined:
        return { type: "addresses", addresses: [PUBLIC_ADDRESS] }
    }
  }

  #sign({
    photoId,
    environment,
    expiresAtMs,
  }: {
    photoId: string
    environment: Environment
    expiresAtMs: EpochMs
  }): Routine<string, PhotoSigningFailed> {
    return Routine.suspend(() => {
      if (this.isSigningBroken) return Routine.fail(new PhotoSigningFailed({ photoId }))
      const exp = String(Math.floor(expiresAtMs / 1000))
      const sig = photoSignature({ photoId, environment, exp }, SIMULATED_PHOTO_KEY)
      return Routine.succeed(
        `https://${environment}.curbline.example/rs/v1/photos/${photoId}?exp=${exp}&sig=${sig}`,
      )
    })
  }
}
