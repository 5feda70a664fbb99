/** The state of a running scenario: its service, the names it gave, the events it saw, and its messages. */

import type { CourierEnvelope } from "../../model/courier.ts"
import type { EpochMs, EpochUs } from "../../model/values/time.ts"
import type { AdmissionRefusalCode, RefusalCode, SessionRefusalCode } from "../../model/values/errors.ts"
import type { JsonObject } from "../../model/values/json.ts"
import type { Operator, Partner } from "../../model/caller.ts"
import type { Requester } from "../../model/requester.ts"
import { idOf, kindOf } from "../../model/address.ts"
import type { TurnResult } from "../../engine/kernel/turn.ts"
import type { QuoteRecord } from "../../areas/direct-delivery/record.ts"
import type { DeliveryRow } from "../../areas/direct-delivery/rows.ts"
import { reservations } from "../../areas/reservations/rows.ts"
import type { ReservationRow } from "../../areas/reservations/rows.ts"
import { webhookBodies } from "../../areas/webhooks/store.ts"
import { memoryRowsOf } from "../../engine/memory/memory-tables.ts"
import type { ReceivedRequest } from "../outside-world.ts"
import type { Mark } from "../run-record.ts"
import type { SimulatedService } from "../simulated-service.ts"
import { SCENARIO_ORGANIZATION } from "./language/delivery-world.ts"
import type { ToolRefusal } from "./language/courier-words.ts"
import type { NamedKey } from "./language/key-words.ts"
import type { NamedPerson } from "./language/people-words.ts"
import type { Place, Scenario, Step } from "./language/language.ts"
import type { SiteClock } from "./language/site-clock.ts"
import { deliverySiteIdOf } from "./language/worlds.ts"
import type { World } from "./language/worlds.ts"

/** A code with which a step was refused. */
export type RunRefusal = AdmissionRefusalCode | RefusalCode | SessionRefusalCode | ToolRefusal

/** One event that a reservation published, with or without subscribers. */
export interface PublishedEvent {
  readonly reservationId: string
  readonly event: string
  readonly extras: JsonObject
  readonly occurredUs: EpochUs
}

export interface NamedWebhook {
  readonly webhookId: string
  readonly urls: string[]
  readonly secrets: string[]
}

export interface Failure {
  readonly message: string
  readonly expected: string
  readonly actual: string
  /** The chain of causes, nearest first. */
  readonly why: readonly string[]
  readonly place: Place | null
}

export class RunContext {
  readonly scenario: Scenario
  readonly service: SimulatedService
  readonly clock: SiteClock
  readonly world: World
  readonly partner: Partner
  readonly operations: Operator
  readonly reservationIds = new Map<string, string>()
  /** The first name for which each idempotency key was used. */
  readonly firstNameByKey = new Map<string, string>()
  readonly webhooks = new Map<string, NamedWebhook>()
  /** The keys of partners by name; the scenario's own has none. */
  readonly keys = new Map<string, NamedKey>()
  /** Runners and operators by name. */
  readonly people = new Map<string, NamedPerson>()
  /** The last quote of each name. */
  readonly quotes = new Map<string, QuoteRecord>()
  /** The site at which each name was quoted last, as it is called in the scenario. */
  readonly siteByQuote = new Map<string, string>()
  /** Names of deliveries that were made. */
  readonly deliveries = new Set<string>()
  /** The id behind each errand's name. */
  readonly errandIds = new Map<string, string>()
  /** The answer to an errand's last successful call. */
  readonly answers = new Map<string, CourierEnvelope>()
  /** The last checkout link in an answer. */
  readonly checkoutLinks = new Map<string, string>()
  /** When the current step began: its offsets count from there, however long it waits. */
  stepMs: EpochMs
  /** Counts calls whose key the run made. */
  toolCalls = 0
  readonly published: PublishedEvent[] = []
  readonly marks: Mark[] = []
  readonly failures: Failure[] = []
  readonly refused: { readonly step: Step; readonly code: RunRefusal }[] = []
  readonly isTolerant: boolean
  readonly #waiters = new Set<() => void>()

  constructor(options: {
    scenario: Scenario
    service: SimulatedService
    clock: SiteClock
    world: World
    isTolerant: boolean
  }) {
    const { scenario, service } = options
    const { environment } = scenario
    this.scenario = scenario
    this.service = service
    this.clock = options.clock
    this.world = options.world
    this.isTolerant = options.isTolerant
    this.stepMs = service.host.time.nowMs
    this.partner = {
      type: "partner",
      organizationId: SCENARIO_ORGANIZATION,
      environment,
      permissions: scenario.permissions,
    }
    this.operations = { type: "operator", by: "ops", environment }
    service.host.onTurn((result) => this.#noteTurn(result))
    service.world.onReceived(() => this.#wake())
  }

  get nowMs(): EpochMs {
    return this.service.host.time.nowMs
  }

  /** The id of a named reservation. The reader has checked that the name exists; its command may have failed. */
  reservationId(name: string): string | null {
    return this.reservationIds.get(name) ?? null
  }

  /** The service's id for an id of the scenario's catalog: in memory the same. */
  idOf(id: string): string {
    return id
  }

  /** Where the service reaches an address of the scenario: in memory there. */
  reachable(url: string): string {
    return url
  }

  /** The id of a site from which deliveries start; without a name it is the scenario's own store. */
  deliverySiteId(name: string | undefined): string {
    return deliverySiteIdOf(this, name)
  }

  row(name: string): ReservationRow | null {
    const id = this.reservationId(name)
    return id === null ? null : memoryRowsOf(this.service.host.store, reservations).get(id)
  }

  /** The name under which a delivery was quoted, or an errand checked. */
  deliveryName(deliveryId: string | null): string | null {
    const rows = this.service.host.store.table<DeliveryRow>("deliveries")
    const [errand] = [...this.errandIds].find(([, id]) => id === deliveryId) ?? []
    return errand ?? (deliveryId === null ? null : (rows.get(deliveryId)?.externalDeliveryId ?? null))
  }

  /** Requests that reached any URL of a webhook receiver. */
  receivedBy(name: string): readonly ReceivedRequest[] {
    const urls = this.webhooks.get(name)?.urls ?? []
    return this.service.world.received.filter((request) => urls.includes(request.url))
  }

  /** The messages of an exception in the events that were published for a reservation. */
  messagesOf(reservationId: string | null, code: string): readonly string[] {
    return memoryRowsOf(this.service.host.store, webhookBodies)
      .all()
      .filter((kept) => kept.subjectId === reservationId && kept.eventType === "reservation.exception")
      .map((kept) => (JSON.parse(kept.body) as { data: { reason_code?: string; message?: string } }).data)
      .filter((data) => data.reason_code === code)
      .map((data) => data.message ?? "")
  }

  mark(level: Mark["level"], text: string, place: Place | null): Mark {
    const afterEntries = this.service.host.entries.length
    const mark = { atMs: this.nowMs, level, text, place, afterEntries }
    this.marks.push(mark)
    return mark
  }

  /**
   * Puts the mark of a command to its first entry. Of commands under way at the same time, one that was given first may be taken last.
   */
  moveMarkToEntry(mark: Mark, isOfCommand: (requester: Requester) => boolean): void {
    const { entries } = this.service.host
    const position = entries.findIndex(
      ({ entry: { requester } }, at) =>
        at >= mark.afterEntries && requester !== undefined && isOfCommand(requester),
    )
    const first = entries[position]
    if (first === undefined) return
    this.marks.splice(this.marks.indexOf(mark), 1)
    const moved = { ...mark, atMs: first.instantMs, afterEntries: position }
    const next = this.marks.findIndex(({ afterEntries }) => afterEntries > position)
    this.marks.splice(next === -1 ? this.marks.length : next, 0, moved)
  }

  /** `said` goes into records, so it contains no value of a field, which may be personal data. */
  fail(failure: Failure, said: string = failure.message): void {
    this.failures.push(failure)
    this.mark("fail", said, failure.place)
  }

  /**
   * Calls back at the next change: a committed turn or a request that reached a partner. Returns a function that
   * cancels the wait.
   */
  onNextChange(waiter: () => void): () => void {
    this.#waiters.add(waiter)
    return () => this.#waiters.delete(waiter)
  }

  #noteTurn(result: TurnResult): void {
    if (kindOf(result.group.address) === "reservation") {
      const reservationId = idOf(result.group.address)
      for (const { event, extras, occurredUs } of result.emissions) {
        this.published.push({ reservationId, event, extras, occurredUs })
      }
    }
    this.#wake()
  }

  #wake(): void {
    const waiters = [...this.#waiters]
    this.#waiters.clear()
    for (const waiter of waiters) waiter()
  }
}
