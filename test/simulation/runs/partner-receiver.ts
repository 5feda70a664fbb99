/** A partner's receiver as a function, right in all that a certification can see, and the faults that can be planted in it. */

import { createHmac } from "node:crypto"
import type { WebhookArea } from "../../../src/model/webhook.ts"
import type { PartnerAnswer, Receiver } from "../../../src/simulation/certify/play.ts"
import type { PartnerRequest } from "../../../src/simulation/certify/requests.ts"

export const SECRETS = {
  secret: `whsec_${"a1".repeat(24)}`,
  newSecret: `whsec_${"b2".repeat(24)}`,
  openLinkSecret: `whsec_${"c3".repeat(24)}`,
}

/** What a receiver may do wrong. */
export type Planted =
  | "checks no signature"
  | "decodes the secret as hex"
  | "knows the old secret alone"
  | "forgets the old secret at the first use of the new one"
  | "has no tolerance of time"
  | "takes any time"
  | "writes the body again before it verifies"
  | "refuses unknown events"
  | "refuses unknown fields"
  | "refuses large bodies"
  | "refuses repeats"
  | "applies repeats again"
  | "lets an old event overwrite"
  | "notes the delivery before it verifies"
  | "answers bursts too late"
  | "redirects"
  | "needs every field"
  | "opens twice"

type ReadEvent = Readonly<Record<string, unknown>>

interface Kept {
  status: string | null
  place: string
  applied: number
}

/** When the courses of these tests have ended. */
export const NOW_MS = Date.parse("2026-03-02T17:30:12.345Z")
const KNOWN_TYPES = /\.(?:status_changed|handoff_updated|exception|changed)$/
const KNOWN_FIELDS = ["event_id", "event_type", "occurred_at", "event", "timestamp", "data"]

export class PartnerReceiver implements Receiver {
  readonly #api: WebhookArea
  readonly #planted: Planted | null
  readonly #seen = new Set<string>()
  readonly #opened = new Set<string>()
  readonly #kept = new Map<string, Kept>()
  #secrets: readonly string[] = [SECRETS.secret, SECRETS.newSecret]
  #inFlight = 0
  /** Pauses that were asked for, in ms. */
  pausedMs = 0

  constructor(api: WebhookArea, planted: Planted | null = null, nowMs: () => number = () => NOW_MS) {
    this.#api = api
    this.#planted = planted
    this.nowMs = nowMs
    if (planted === "knows the old secret alone") this.#secrets = [SECRETS.secret]
  }

  readonly nowMs: () => number
  readonly pause = async (ms: number): Promise<void> => {
    this.pausedMs += ms
  }
  readonly readState = async (): Promise<unknown> =>
    Object.fromEntries([...this.#kept].map(([id, { status, applied }]) => [id, { status, applied }]))

  readonly send = async (request: PartnerRequest): Promise<PartnerAnswer> => {
    this.#inFlight += 1
    await Promise.resolve()
    const isCrowded = this.#inFlight > 3
    const status = request.to === "hook" ? this.#take(request) : this.#open(request)
    this.#inFlight -= 1
    if (request.manner === "unread") return { type: "unread" }
    if (isCrowded && this.#planted === "answers bursts too late")
      return { type: "unanswered", reason: "timeout" }
    return { type: "answered", status, afterMs: 1 }
  }

  #take(request: PartnerRequest): number {
    const { headers, body } = request
    const deliveryId = headers["X-Service-Delivery-Id"] ?? ""
    const isRepeat = this.#seen.has(deliveryId)
    if (this.#planted === "notes the delivery before it verifies") this.#seen.add(deliveryId)
    if (!this.#isSigned(headers["X-Service-Signature"], body)) return 401
    if (this.#planted === "redirects") return 302
    if (this.#planted === "refuses large bodies" && body.length > 30_000) return 413
    const event = JSON.parse(body) as ReadEvent
    if (
      this.#planted === "refuses unknown fields" &&
      Object.keys(event).some((name) => !KNOWN_FIELDS.includes(name))
    )
      return 422
    if (this.#planted === "needs every field" && body.includes('"payload_limit":null')) return 500
    const type = String(event["event_type"] ?? event["event"])
    if (!KNOWN_TYPES.test(type)) return this.#planted === "refuses unknown events" ? 400 : 204
    if (isRepeat && this.#planted === "refuses repeats") return 409
    if (isRepeat && this.#planted !== "applies repeats again") return 200
    this.#seen.add(deliveryId)
    this.#apply(event)
    return 200
  }

  #apply(event: ReadEvent): void {
    const data = event["data"] as {
      reservation?: { reservation_id: string; status: string }
      external_delivery_id?: string
      status?: string
    }
    const id = data.reservation?.reservation_id ?? data.external_delivery_id ?? ""
    const status = data.reservation?.status ?? data.status ?? null
    const eventId = event["event_id"]?.toString() ?? ""
    const place = `${String(event["occurred_at"] ?? event["timestamp"])} ${eventId}`
    // One event may come through several endpoints.
    if (eventId !== "") {
      if (this.#seen.has(eventId) && this.#planted !== "applies repeats again") return
      this.#seen.add(eventId)
    }
    const kept = this.#kept.get(id) ?? { status: null, place: "", applied: 0 }
    kept.applied += 1
    const isNewer = place >= kept.place || this.#planted === "lets an old event overwrite"
    if (status !== null && isNewer) {
      kept.status = status
      kept.place = place
    }
    // A position alone says no status.
    if (kept.status !== null) this.#kept.set(id, kept)
  }

  #isSigned(header: string | undefined, body: string): boolean {
    if (this.#planted === "checks no signature") return true
    if (header === undefined) return false
    const text =
      this.#planted === "writes the body again before it verifies" ? JSON.stringify(JSON.parse(body)) : body
    if (this.#api === "direct_delivery") return this.#signs(text, header, this.#secrets)
    const [, seconds = "", given = ""] = /^t=(\d+),v1=([0-9a-f]+)$/.exec(header) ?? []
    const awayMs = Math.abs(Number(seconds) * 1000 - this.nowMs())
    const toleranceMs = this.#planted === "has no tolerance of time" ? 1_000 : 300_000
    if (awayMs > toleranceMs && this.#planted !== "takes any time") return false
    return this.#signs(`${seconds}.${text}`, given, this.#secrets)
  }

  #signs(text: string, given: string, secrets: readonly string[]): boolean {
    const key = (secret: string): Buffer | string =>
      this.#planted === "decodes the secret as hex" ? Buffer.from(secret.slice(6), "hex") : secret
    const fits = secrets.filter((one) => createHmac("sha256", key(one)).update(text).digest("hex") === given)
    const isNew = fits.includes(SECRETS.newSecret)
    if (isNew && this.#planted === "forgets the old secret at the first use of the new one")
      this.#secrets = [SECRETS.newSecret]
    return fits.length > 0
  }

  #open({ headers, body }: PartnerRequest): number {
    const [, seconds = "", given = ""] =
      /^t=(\d+),v1=([0-9a-f]+)$/.exec(headers["X-Service-Signature"] ?? "") ?? []
    if (!this.#signs(`${seconds}.${body}`, given, [SECRETS.openLinkSecret])) return 401
    const { attempt_id: id } = JSON.parse(body) as { readonly attempt_id: string }
    const isAgain = this.#opened.has(id)
    this.#opened.add(id)
    return isAgain && this.#planted === "opens twice" ? 409 : 200
  }
}
