/**
 * Metrics for Prometheus: one registry for each service. Labels have values from the program (a route's pattern, a
 * machine's kind, an outcome), never an id, a URL or anything that a caller can choose.
 */

import { Counter, Gauge, Histogram, Registry, Summary, collectDefaultMetrics } from "prom-client"
import { CLOSED_FOR } from "../../model/values/limits.ts"
import type { ClosedFor } from "../../model/values/limits.ts"
import type { AdmissionFigures, AdmissionObserver } from "../concurrency/admission-queue.ts"
import { ROUTES_MAX, ROUTES_PART_OF_STATUS } from "../configuration/bounds.ts"
import type { MailboxFigures } from "../../engine/store/mailbox-figures.ts"
import type { CountedAnswer } from "../../http/request-log.ts"
import type { LiveObserver } from "./observer.ts"

/** Figures that are measured at each scrape; null when they could not be measured in time. */
export interface AskedFigures {
  readonly mailbox: MailboxFigures | null
  readonly callsInFlight: number
  /** True while outbound calls are held, as after a restore. */
  readonly areCallsHeld: boolean
  /** True when the thread that sends webhooks takes calls. */
  readonly isCallThreadReady: boolean
  /** Absent without an admission queue. */
  readonly admission?: AdmissionFigures
  /** Absent where no work is scheduled. */
  readonly scheduledWork?: { readonly problem: string | null; readonly lastCompletedMs: number | null }
  /** By how much the node's clock is ahead of the database's; null when unknown. */
  readonly clockAheadMs?: number | null
  /** Memory of the embedded database; null on PostgreSQL. */
  readonly embeddedMemoryBytes?: number | null
}

export interface ServiceMetrics {
  readonly admission: AdmissionObserver
  readonly observer: LiveObserver
  readonly onAnswer: (answer: CountedAnswer) => void
  readonly onConnectionClosed: (reason: ClosedFor) => void
  /** A fault outside any request. */
  readonly onFault: () => void
  readonly onCallsLeftOut: (count: number) => void
  readonly contentType: string
  readonly text: (figures: AskedFigures) => Promise<string>
}

/** `process` adds the default metrics of a Node process; only one registry of a process may have them. */
export function makeServiceMetrics(options: { readonly process: boolean }): ServiceMetrics {
  const registry = new Registry()
  if (options.process) collectDefaultMetrics({ register: registry })
  const tellAnswer = answersIn(registry)
  const faults = counterIn(registry)("curbline_faults_total", "Faults outside any request.")
  const leftOut = counterIn(registry)(
    "curbline_logged_calls_left_out_total",
    "Calls that are missing in the request logs of organizations: too many waited, or their batch failed.",
  )
  const closed = counterIn(registry)(
    "curbline_connections_closed_total",
    "Connections closed: too many of their requests waited (pipelined), too much of their answers (unread), or nothing was read (stalled).",
    "reason",
  )
  for (const reason of CLOSED_FOR) closed.inc({ reason }, 0)
  const tellFigures = gaugesIn(registry)
  return {
    admission: admissionIn(registry),
    observer: observerIn(registry),
    onAnswer: tellAnswer,
    onConnectionClosed: (reason) => closed.inc({ reason }),
    onFault: () => faults.inc(),
    onCallsLeftOut: (count) => leftOut.inc(count),
    contentType: registry.contentType,
    text: (figures) => {
      tellFigures(figures)
      return registry.metrics()
    },
  }
}

function counterIn(registry: Registry) {
  return <Label extends string>(name: string, help: string, ...labelNames: Label[]): Counter<Label> =>
    new Counter({ name, help, labelNames, registers: [registry] })
}

/**
 * Answers by route, and a distribution by the routes' first segment alone: buckets for each route, method and status
 * would be megabytes.
 */
function answersIn(registry: Registry): (answer: CountedAnswer) => void {
  const byRoute = new Summary({
    name: "curbline_http_request_duration_seconds",
    help: "Requests by route pattern, method and status, and how long their answers took in all.",
    labelNames: ["environment", "method", "route", "status"],
    percentiles: [],
    registers: [registry],
  })
  const bySurface = new Histogram({
    name: "curbline_http_answer_seconds",
    help: "How long answers took, by the first segment of the route.",
    labelNames: ["environment", "surface"],
    buckets: [0.005, 0.025, 0.1, 0.25, 0.5, 1, 2.5, 10],
    registers: [registry],
  })
  const isOwn = boundedRoutes()
  return (answer) => {
    const { environment, method, route, status, seconds } = answer
    const labels = isOwn(answer)
      ? { environment, method, route, status: String(status) }
      : { environment, method: "other", route: "other", status: `${Math.floor(status / 100)}xx` }
    byRoute.observe(labels, seconds)
    bySurface.observe({ environment, surface: route.split("/", 2)[1] ?? route }, seconds)
  }
}

/** Whether a route's answers with a status have figures of their own: the first ones do. */
function boundedRoutes(): (answer: CountedAnswer) => boolean {
  const own = new Set<string>()
  const places = { known: new Places(ROUTES_MAX.known), stranger: new Places(ROUTES_MAX.stranger) }
  return ({ environment, method, route, status, isCallerKnown }) => {
    const name = `${environment} ${method} ${route} ${status}`
    if (own.has(name)) return true
    const isTaken = places[isCallerKnown ? "known" : "stranger"].take(status)
    if (isTaken) own.add(name)
    return isTaken
  }
}

/** Figures of their own for one kind of caller. */
class Places {
  readonly #max: Readonly<Record<AnswerKind, number>>
  readonly #counts = { served: 0, refused: 0, failed: 0 }
  readonly #countByStatus = new Map<number, number>()

  constructor(max: Readonly<Record<AnswerKind, number>>) {
    this.#max = max
  }

  /** False when none is left for the status. */
  take(status: number): boolean {
    const kind = status < 400 ? "served" : status < 500 ? "refused" : "failed"
    const most = this.#max[kind]
    const ofStatusMax = kind === "served" ? most : most * ROUTES_PART_OF_STATUS
    const ofStatus = this.#countByStatus.get(status) ?? 0
    if (this.#counts[kind] >= most || ofStatus >= ofStatusMax) return false
    this.#counts[kind] += 1
    this.#countByStatus.set(status, ofStatus + 1)
    return true
  }
}

type AnswerKind = "failed" | "refused" | "served"

function observerIn(registry: Registry): LiveObserver {
  const counter = counterIn(registry)
  const turns = counter(
    "curbline_turns_total",
    "Turns committed, by machine and outcome.",
    "machine",
    "outcome",
  )
  const entries = counter("curbline_journal_entries_total", "Entries appended to the journal.")
  const transactions = counter("curbline_transactions_total", "Transactions by outcome.", "outcome")
  const retries = counter(
    "curbline_transaction_retries_total",
    "Transactions that ran again after a conflict.",
  )
  const calls = counter("curbline_call_attempts_total", "Attempts of calls, by outcome.", "call", "outcome")
  const deferred = counter(
    "curbline_calls_deferred_total",
    "Webhooks that could not be sent, because their endpoint fails or is busy.",
  )
  const breakers = counter(
    "curbline_breaker_changes_total",
    "Circuit breakers of endpoints, by new state.",
    "to",
  )
  const open = new Gauge({
    name: "curbline_open_breakers",
    help: "Endpoints whose circuit breaker is open: they get one webhook at a time.",
    registers: [registry],
  })
  const batches = counter("curbline_wake_up_batches_total", "Batches that the wake-up took.")
  const groups = counter("curbline_wake_up_groups_total", "Groups in those batches.")
  const rounds = counter("curbline_wake_up_rounds_total", "Times that the wake-up looked for what is due.")
  return {
    onCommit: (taken) => {
      transactions.inc({ outcome: "committed" })
      for (const turn of taken) {
        turns.inc({ machine: turn.machine, outcome: turn.outcome })
        if (turn.isKept) entries.inc()
      }
    },
    onUndo: () => transactions.inc({ outcome: "undone" }),
    onRetry: () => retries.inc(),
    onCall: (call, { type }) => calls.inc({ call, outcome: type.replace("call.", "") }),
    onDeferred: () => deferred.inc(),
    onBreaker: ({ isOpen, openBreakers }) => {
      breakers.inc({ to: isOpen ? "open" : "closed" })
      open.set(openBreakers)
    },
    onBatch: (count) => {
      batches.inc()
      groups.inc(count)
    },
    onWakeUp: () => rounds.inc(),
  }
}

function admissionIn(registry: Registry): AdmissionObserver {
  const counter = counterIn(registry)
  const waits = new Histogram({
    name: "curbline_admission_wait_seconds",
    help: "How long admitted requests had waited to be worked on.",
    buckets: [0.001, 0.01, 0.05, 0.1, 0.25, 0.5, 1, 2],
    registers: [registry],
  })
  const shed = counter(
    "curbline_admission_shed_total",
    "Requests turned away: the queue was full, or they waited too long (late).",
    "reason",
  )
  const left = counter(
    "curbline_admission_left_total",
    "Requests dropped because the client left while they waited.",
  )
  for (const reason of ["full", "late"]) shed.inc({ reason }, 0)
  return {
    onAdmitted: (waitedMs) => waits.observe(waitedMs / 1000),
    onShed: (reason) => shed.inc({ reason }),
    onLeft: () => left.inc(),
  }
}

function gaugesIn(registry: Registry): (figures: AskedFigures) => void {
  const gauge = (name: string, help: string): Gauge => new Gauge({ name, help, registers: [registry] })
  const callsInFlight = gauge(
    "curbline_calls_under_way",
    "Calls of this process in flight or waiting for a slot.",
  )
  const callsHeld = gauge(
    "curbline_calls_held",
    "1 while calls to the outside are held, as after a restore; `curbline restore --resume-calls` ends it.",
  )
  const callThread = gauge(
    "curbline_call_thread_ready",
    "1 while a separate thread sends webhooks, 0 while the main thread does.",
  )
  const arrayBuffers = gauge(
    "curbline_array_buffers_bytes",
    "Memory of buffers outside the JavaScript heap, in this thread.",
  )
  const embedded = gauge(
    "curbline_embedded_memory_bytes",
    "Memory of the embedded database, which grows and is never given back; absent on PostgreSQL.",
  )
  const retentionFails = gauge(
    "curbline_retention_failing",
    "1 while retention, which deletes what has been kept long enough, cannot run or is late; /readyz says why.",
  )
  const retentionCompleted = gauge(
    "curbline_retention_completed_timestamp_seconds",
    "When a node last completed retention on this database, in seconds since 1970.",
  )
  const clockAhead = gauge(
    "curbline_clock_ahead_seconds",
    "By how much the clock of this node is ahead of that of PostgreSQL; negative when it is behind.",
  )
  const admission: Readonly<Record<keyof AdmissionFigures, Gauge>> = {
    inFlight: gauge("curbline_admission_in_flight", "Requests that are worked on."),
    waiting: gauge("curbline_admission_waiting", "Requests that wait to be worked on."),
    limit: gauge(
      "curbline_admission_limit",
      "Requests that may be processed at once; adapts to the database.",
    ),
  }
  const mailbox: Readonly<Record<keyof MailboxFigures, Gauge>> = {
    entries: gauge("curbline_mailbox_entries", "Events in all mailboxes, due now or later."),
    dueEntries: gauge("curbline_mailbox_due_entries", "Of them those that are due."),
    latenessMs: gauge("curbline_mailbox_lateness_seconds", "How long the oldest due entry has waited."),
    deferredCalls: gauge(
      "curbline_deferred_calls",
      "Webhooks that wait until their endpoint has room for them.",
    ),
    stoppedGroups: gauge("curbline_stopped_groups", "Groups that wait because an entry ended in a fault."),
  }
  return (figures) => {
    callsInFlight.set(figures.callsInFlight)
    callsHeld.set(figures.areCallsHeld ? 1 : 0)
    callThread.set(figures.isCallThreadReady ? 1 : 0)
    arrayBuffers.set(process.memoryUsage().arrayBuffers)
    retentionFails.set((figures.scheduledWork?.problem ?? null) === null ? 0 : 1)
    setOrRemove(retentionCompleted, inSeconds(figures.scheduledWork?.lastCompletedMs))
    setOrRemove(clockAhead, inSeconds(figures.clockAheadMs))
    setOrRemove(embedded, figures.embeddedMemoryBytes)
    for (const name of Object.keys(admission) as (keyof AdmissionFigures)[]) {
      if (figures.admission !== undefined) admission[name].set(figures.admission[name])
    }
    for (const name of Object.keys(mailbox) as (keyof MailboxFigures)[]) {
      const value = figures.mailbox?.[name]
      setOrRemove(mailbox[name], name === "latenessMs" ? inSeconds(value) : value)
    }
  }
}

/** A figure that could not be measured is removed, because an old one would look current. */
function setOrRemove(gauge: Gauge, value: number | null | undefined): void {
  if (typeof value === "number") gauge.set(value)
  else gauge.remove()
}

function inSeconds(ms: number | null | undefined): number | null {
  return typeof ms === "number" ? ms / 1000 : null
}
