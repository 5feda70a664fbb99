/**
 * The board as it is now. The site's stream says that something changed, and the board is read again; without the stream it is read
 * at an interval. Countdowns go by the service's clock, which each answer tells.
 */

import { useEffect, useRef, useState } from "preact/hooks"
import { STALL_DUE_WITHIN_MS } from "../../../../model/values/limits.ts"
import { repeatedRead } from "../../repeated-read.ts"
import { ApiFault } from "../../faults.ts"
import { readBoard } from "./calls.ts"
import { cardNowMs } from "./card-clock.ts"
import type { BoardRecord } from "./records.ts"

/** `lost`: the last read failed. `asking`: no stream, and reads succeed. */
export type Connection = "asking" | "live" | "lost"

export interface LiveBoard {
  /** Null before the first answer, and while the service refuses to show the site. */
  readonly board: BoardRecord | null
  readonly connection: Connection
  /** Why the last read failed, if it did. */
  readonly fault: unknown
  /** On the page's clock; null before the first answer. */
  readonly readAtMs: number | null
  /** By how much the service's clock is ahead of the page's. */
  readonly aheadMs: number
  readonly reload: () => void
}

/** ms between two reads, however much changes */
const APART_MS = 250
/** ms between reads beside a stream, for what only time changes */
const BESIDE_STREAM_MS = 10_000
/** ms between reads without a stream */
const WITHOUT_STREAM_MS = 4_000
/** ms until a stream that was refused is asked for again */
const REFUSED_MS = 5_000
/** ms without an answer until a read counts as failed */
const READ_MS_MAX = 8_000
const TICK_MS = 1_000

interface State {
  readonly board: BoardRecord | null
  readonly fault: unknown
  readonly readAtMs: number | null
  readonly aheadMs: number
  readonly hasFailed: boolean
  readonly hasStream: boolean
}

const START: State = {
  board: null,
  fault: null,
  readAtMs: null,
  aheadMs: 0,
  hasFailed: false,
  hasStream: false,
}

export function useBoard(siteId: string): LiveBoard {
  const [state, setState] = useState(START)
  const again = useRef<() => void>(() => undefined)
  useEffect(() => {
    setState(START)
    const follower = new Follower(siteId, (change) => setState((known) => ({ ...known, ...change })))
    again.current = () => follower.read()
    return () => follower.stop()
  }, [siteId])
  const { board, fault, readAtMs, aheadMs, hasFailed, hasStream } = state
  const connection = hasFailed ? "lost" : hasStream ? "live" : "asking"
  return { board, fault, readAtMs, aheadMs, connection, reload: () => again.current() }
}

class Follower {
  readonly #siteId: string
  readonly #tell: (change: Partial<State>) => void
  readonly #timer: number
  #source: EventSource | null = null
  #refusedAtMs = 0
  #readAtMs = 0
  #dueAtMs = Infinity
  readonly #reads = repeatedRead(() => this.#readOnce(), APART_MS)
  #isStopped = false
  #hasFailed = false

  constructor(siteId: string, tell: (change: Partial<State>) => void) {
    this.#siteId = siteId
    this.#tell = tell
    this.#timer = window.setInterval(() => this.#tick(), TICK_MS)
    document.addEventListener("visibilitychange", this.#turn)
    window.addEventListener("online", this.#turn)
    window.addEventListener("offline", this.#turn)
    this.#turn()
  }

  stop(): void {
    this.#isStopped = true
    this.#reads.stop()
    window.clearInterval(this.#timer)
    document.removeEventListener("visibilitychange", this.#turn)
    window.removeEventListener("online", this.#turn)
    window.removeEventListener("offline", this.#turn)
    this.#close()
  }

  /** Never twice at a time; what changes meanwhile is read afterwards. */
  read(): void {
    this.#reads.soon()
  }

  async #readOnce(): Promise<void> {
    const askedAtMs = Date.now()
    this.#readAtMs = askedAtMs
    try {
      const board = await inTime(readBoard(this.#siteId))
      if (this.#isStopped) return
      const readAtMs = Date.now()
      const nowMs = Date.parse(board.at)
      const aheadMs = nowMs - (askedAtMs + readAtMs) / 2
      this.#dueAtMs = nextTurnMs(board, nowMs) - aheadMs
      this.#hasFailed = false
      this.#tell({ board, fault: null, readAtMs, aheadMs, hasFailed: false })
    } catch (fault) {
      this.#hasFailed = true
      if (this.#isStopped) return
      // The operator may not see the site any more, or it is gone: what was read before is not shown either.
      this.#tell({ fault, hasFailed: true, ...(isRefusal(fault) ? { board: null } : {}) })
    }
  }

  #tick(): void {
    const nowMs = Date.now()
    const isShown = document.visibilityState === "visible"
    if (this.#source === null && isShown && nowMs - this.#refusedAtMs >= REFUSED_MS) this.#open()
    const isLive = this.#source?.readyState === EventSource.OPEN && !this.#hasFailed
    const isOld = nowMs - this.#readAtMs >= (isLive ? BESIDE_STREAM_MS : WITHOUT_STREAM_MS)
    if (isOld || nowMs >= this.#dueAtMs) this.read()
  }

  /** Browsers limit the connections of all tabs together, so a tab that is not shown has no stream. */
  readonly #turn = (): void => {
    if (document.visibilityState === "visible") this.#open()
    else this.#close()
    this.read()
  }

  #open(): void {
    if (this.#source !== null) return
    const source = new EventSource(`/internal/v1/sites/${encodeURIComponent(this.#siteId)}/stream`)
    this.#source = source
    const read = (): void => this.read()
    source.addEventListener("open", () => {
      this.#tell({ hasStream: true })
      read()
    })
    source.addEventListener("change", read)
    source.addEventListener("reset", read)
    source.addEventListener("error", () => {
      this.#tell({ hasStream: false })
      // A lost stream is resumed by the browser; one that was refused is not.
      if (source.readyState === EventSource.CLOSED && this.#source === source) {
        this.#close()
        this.#refusedAtMs = Date.now()
      }
      read()
    })
  }

  #close(): void {
    this.#source?.close()
    this.#source = null
    this.#tell({ hasStream: false })
  }
}

/** The service's own refusal; one of a proxy has no code. */
export function isRefusal(fault: unknown): boolean {
  return fault instanceof ApiFault && fault.code !== null && [403, 404].includes(fault.status)
}

/** When the board changes without an event: a promise breaks, or a stall becomes due, or a bot is due. */
function nextTurnMs(board: BoardRecord, nowMs: number): number {
  const turns = board.reservations.flatMap((card) => {
    const aheadMs = cardNowMs(card, board, nowMs) - nowMs
    const { breach_at, due_at, clock_stands } = card
    if (clock_stands) return []
    const dueMs = Date.parse(due_at) - aheadMs
    return [Date.parse(breach_at) - aheadMs, dueMs - STALL_DUE_WITHIN_MS, dueMs]
  })
  return Math.min(...turns.filter((turn) => turn > nowMs)) + APART_MS
}

async function inTime<Data>(asked: Promise<Data>): Promise<Data> {
  const late = new Promise<never>((_, reject) => {
    window.setTimeout(() => reject(new Error("no answer")), READ_MS_MAX)
  })
  return Promise.race([asked, late])
}

/** The service's time; draws again each second. */
export function useServiceTime(aheadMs: number): number {
  const [, setTick] = useState(0)
  useEffect(() => {
    const timer = window.setInterval(() => setTick((tick) => tick + 1), TICK_MS)
    return () => window.clearInterval(timer)
  }, [])
  return Date.now() + aheadMs
}
