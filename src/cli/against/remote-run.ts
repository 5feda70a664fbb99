/** The state of a scenario that runs against a service: its place, its clock, the names it gave, and what its receivers got. */

import type { EpochMs } from "../../model/values/time.ts"
import type { QuoteRecord } from "../../areas/direct-delivery/record.ts"
import { SiteClock } from "../../simulation/scenario/language/site-clock.ts"
import type { LocalStart, Place, Scenario } from "../../simulation/scenario/language/language.ts"
import type { EventBody, Observed } from "../../simulation/scenario/outside-facts.ts"
import type { Failure, NamedWebhook, PublishedEvent } from "../../simulation/scenario/run-context.ts"
import type { Mark } from "../../simulation/run-record.ts"
import type { ReceivedRequest } from "../../simulation/outside-world.ts"
import { withAwaitedAnswers } from "./attempt-times.ts"
import { OWN, OWN_STORE } from "./place.ts"
import type { PlacedKey, RunPlace } from "./place.ts"
import type { Receiver } from "./receiver.ts"
import { accepted } from "./sandbox-host.ts"
import type { Ask } from "./sandbox-host.ts"
import type { StandingClock } from "./sandbox-clock.ts"

/** A part of a scenario that was not checked, with its place in the file. */
export interface Unchecked {
  readonly what: string
  readonly why: string
  readonly place: Place
}

/** The status of a reservation, its bot or its runner task from an instant on. */
export interface Status {
  readonly atMs: EpochMs
  readonly address: string
  readonly states: string
  readonly isEnd: boolean
}

export class RemoteRun implements Observed {
  readonly scenario: Scenario
  readonly url: string
  readonly place: RunPlace
  readonly receiver: Receiver
  readonly sandbox: StandingClock
  /** The scenario's times on the day on which it runs. */
  readonly clock: SiteClock
  readonly world: { readonly sites: readonly never[]; readonly zoneId: string; readonly retailerId: string }
  readonly reservationIds = new Map<string, string>()
  readonly firstNameByKey = new Map<string, string>()
  readonly webhooks = new Map<string, NamedWebhook>()
  readonly quotes = new Map<string, QuoteRecord>()
  /** The site of the last quote of each delivery, by its name in the scenario. */
  readonly siteByQuote = new Map<string, string>()
  /** Names of deliveries that were made. */
  readonly deliveries = new Set<string>()
  readonly published: PublishedEvent[] = []
  /** What the events say of the parts of reservations, in order. */
  readonly statuses: Status[] = []
  readonly marks: Mark[] = []
  readonly failures: Failure[] = []
  readonly unchecked: Unchecked[] = []
  stepMs: EpochMs
  events = 0
  /** Where the events of each organization go on. */
  readonly #cursors = new Map<Ask, string>()
  readonly #exceptions: { id: string; code: string; message: string }[] = []

  constructor(options: {
    readonly scenario: Scenario
    readonly url: string
    readonly place: RunPlace
    readonly receiver: Receiver
    readonly sandbox: StandingClock
    readonly start: LocalStart
  }) {
    this.scenario = options.scenario
    this.url = options.url
    this.place = options.place
    this.receiver = options.receiver
    this.sandbox = options.sandbox
    this.clock = new SiteClock(options.start)
    this.world = { sites: [], zoneId: options.place.zoneId, retailerId: options.place.retailerId }
    this.stepMs = this.clock.startMs
  }

  idOf(id: string): string {
    return this.place.idOf(id)
  }

  reachable(url: string): string {
    return this.receiver.reachable(url)
  }

  deliverySiteId(name = OWN_STORE): string {
    return this.place.deliverySites.get(name) ?? ""
  }

  get nowMs(): EpochMs {
    return this.sandbox.nowMs
  }

  key(name: string | undefined): PlacedKey {
    const key = this.place.keys.get(name ?? OWN)
    if (key === undefined) throw new Error(`there is no key "${name ?? ""}"`)
    return key
  }

  /** The operator's token. Steps that need it are not sent without one. */
  get operate(): Ask {
    if (this.place.operate === null) throw new Error("there is no operator's token")
    return this.place.operate
  }

  reservationId(name: string): string | null {
    return this.reservationIds.get(name) ?? null
  }

  receivedBy(name: string): readonly ReceivedRequest[] {
    return this.receivedAt(this.webhooks.get(name)?.urls ?? [])
  }

  receivedAt(urls: readonly string[]): readonly ReceivedRequest[] {
    return withAwaitedAnswers(this.receiver.received.filter(({ url }) => urls.includes(url)))
  }

  messagesOf(reservationId: string | null, code: string): readonly string[] {
    return this.#exceptions
      .filter((one) => one.id === reservationId && one.code === code)
      .map(({ message }) => message)
  }

  /** Reads the events that the service published since the last look. */
  async readEvents(): Promise<void> {
    for (const ask of this.place.controls) await this.#readEventsOf(ask)
  }

  async #readEventsOf(ask: Ask): Promise<void> {
    for (;;) {
      const cursor = this.#cursors.get(ask)
      const at = cursor === undefined ? "" : `&cursor=${encodeURIComponent(cursor)}`
      const page = await accepted(ask, { path: `/sandbox/v1/events?limit=100${at}` })
      this.#cursors.set(ask, page.next_cursor as string)
      for (const { type, subject_id: id, body } of page.events as readonly SandboxEvent[]) {
        this.events += 1
        if (type.startsWith("reservation.")) this.#note(type, id, JSON.parse(body) as WrittenEvent)
      }
      if (page.has_more !== true) return
    }
  }

  /** Events before this moment are not the run's. */
  async beginEvents(): Promise<void> {
    for (const ask of this.place.controls) {
      const { next_cursor } = await accepted(ask, { path: "/sandbox/v1/events?start=newest" })
      this.#cursors.set(ask, next_cursor as string)
    }
  }

  mark(level: Mark["level"], text: string, place: Place | null): void {
    this.marks.push({ atMs: this.nowMs, level, text, place, afterEntries: 0 })
  }

  fail(failure: Failure): void {
    this.failures.push(failure)
    this.mark("fail", failure.message, failure.place)
  }

  leaveUnchecked(what: string, why: string, place: Place): void {
    if (this.unchecked.some((one) => one.place === place && one.what === what)) return
    this.unchecked.push({ what, why, place })
  }

  #note(event: string, reservationId: string, { occurred_at, data }: WrittenEvent): void {
    const { milestone, reason_code, message, reservation } = data
    const atMs = Math.floor(Date.parse(occurred_at))
    const isEnd = reservation.status === "canceled" || reservation.status === "completed"
    const parts = [
      ["", reservation.status],
      ["/bot", reservation.bot?.status],
      ["/runner-task", reservation.handoff?.status],
    ] as const
    for (const [part, states] of parts) {
      const address = `reservation/${reservationId}${part}`
      if (states !== undefined) this.statuses.push({ atMs, address, states, isEnd })
    }
    const at = data.occurred_at ?? occurred_at
    this.published.push({
      reservationId,
      event,
      extras: {
        ...(milestone === undefined ? {} : { milestone }),
        ...(reason_code === undefined ? {} : { reason_code, occurred_at_ms: Date.parse(at) }),
      },
      occurredUs: Date.parse(occurred_at) * 1000,
    })
    if (reason_code !== undefined)
      this.#exceptions.push({ id: reservationId, code: reason_code, message: message ?? "" })
  }
}

interface SandboxEvent {
  readonly type: string
  readonly subject_id: string
  readonly body: string
}

type WrittenEvent = Omit<EventBody, "data"> & {
  readonly data: EventBody["data"] & { readonly occurred_at?: string }
}
