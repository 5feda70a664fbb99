/** The state of the page: who it is paired with, the tasks, the queue of moves, and what must be told. */

import { useCallback, useEffect, useRef, useState } from "preact/hooks"
import type { PhoneCall, PhoneRecord, PhoneTask } from "../../../model/requests/runner-app.ts"
import type { RunnerMove } from "../../../model/requests/runner-moves.ts"
import { answerCall, readCalls, readMe, readTask, readTasks, sendMove, signOut } from "./api.ts"
import type { Away } from "./api.ts"
import { follow } from "./live.ts"
import { newsOf, newsOfCalls, newsOfMove } from "./news.ts"
import type { News } from "./news.ts"
import { keepScreenOn, ring } from "./signal.ts"
import { addMove, forget, keep, keepForGood, keptLast, removeMove, waitingMoves } from "./store.ts"
import type { WaitingMove } from "./store.ts"
import { clockTime } from "./times.ts"
import { AWAY_WORDS } from "./words.ts"

export interface RefusedMove {
  readonly waiting: WaitingMove
  readonly message: string
  /** How the task stands. */
  readonly task: PhoneTask | null
}

export interface UnsavedMove {
  readonly stall: string
  readonly move: RunnerMove
  /** As the browser says it. */
  readonly reason: string
}

export interface RunnerState {
  /** `starting` until something was read, from the service or from the phone. */
  readonly stage: "paired" | "starting" | "unpaired"
  readonly me: PhoneRecord | null
  readonly tasks: readonly PhoneTask[]
  /** When the tasks were read; null before. */
  readonly asOf: string | null
  /** Why the last call was not heard; null when it was. */
  readonly away: Away | null
  readonly queue: readonly WaitingMove[]
  /** Why the first move of the queue was not heard, while reads may be; null when it was, or was not sent yet. */
  readonly unheard: Away | null
  /** Moves of an earlier pairing: no longer sent. */
  readonly stranded: readonly WaitingMove[]
  readonly refused: readonly RefusedMove[]
  readonly news: readonly News[]
  /** A move that the phone could not save, and did not send. */
  readonly unsaved: UnsavedMove | null
  /** Calls of operations that ring, or rang lately. */
  readonly calls: readonly PhoneCall[]
  /** True for a moment after a move: the second tap of a double tap is not another move. */
  readonly isResting: boolean
}

export interface RunnerActions {
  readonly move: (task: PhoneTask, move: RunnerMove, said?: Said) => Promise<void>
  /** The same for a button under which the next one appears: nothing while the page rests. */
  readonly press: (task: PhoneTask, move: RunnerMove) => void
  /** What went wrong; null when it was answered. */
  readonly answer: (call: PhoneCall) => Promise<string | null>
  readonly paired: (me: PhoneRecord) => void
  /** Ends the shift. Gives why it has not ended; null when it has. */
  readonly leave: () => Promise<string | null>
  readonly dismissNews: (news: News) => void
  readonly dismissRefused: (refused: RefusedMove) => void
  readonly dropStranded: () => Promise<void>
  readonly dismissUnsaved: () => void
  /** Gives up a move that waits; the moves after it go out. */
  readonly discard: (waiting: WaitingMove) => Promise<void>
}

export interface Said {
  readonly body?: object
  readonly photo?: Blob
}

const START: RunnerState = {
  stage: "starting",
  me: null,
  tasks: [],
  asOf: null,
  away: null,
  queue: [],
  unheard: null,
  stranded: [],
  refused: [],
  news: [],
  unsaved: null,
  calls: [],
  isResting: false,
}

/** ms for which a button takes no tap after it took the place of the one that was pressed */
const REST_MS = 700

/** The page rests from the press of a button until a moment after the next button is there, which a slow phone shows late. */
function useRest(change: Parts["change"]): <A>(act: () => Promise<A>) => Promise<A> {
  const timer = useRef(0)
  return async (act) => {
    window.clearTimeout(timer.current)
    change(() => ({ isResting: true }))
    try {
      return await act()
    } finally {
      window.clearTimeout(timer.current)
      timer.current = window.setTimeout(() => change(() => ({ isResting: false })), REST_MS)
    }
  }
}

/** Reads run one after the other: two concurrent reads would report the same changes twice. */
function useReading(parts: Parts): () => Promise<void> {
  const reading = useRef(Promise.resolve())
  return useCallback(async (): Promise<void> => {
    const before = reading.current.catch(() => undefined)
    reading.current = before.then(async () => readAgain(parts))
    return reading.current
  }, [])
}

export function useRunner(): readonly [RunnerState, RunnerActions] {
  const [state, setState] = useState<RunnerState>(START)
  const latest = useRef(state)
  const change = useCallback((to: (known: RunnerState) => Partial<RunnerState>) => {
    latest.current = { ...latest.current, ...to(latest.current) }
    setState(latest.current)
  }, [])
  const flushing = useRef<Promise<void> | null>(null)
  const answeredMoves = useRef(0)
  const parts = { latest, change, answeredMoves }
  const flush = useCallback(async (): Promise<void> => {
    flushing.current ??= sendWaiting(parts).finally(() => {
      flushing.current = null
    })
    return flushing.current
  }, [])
  const readOn = useReading(parts)
  const isPaired = state.stage === "paired"
  useEffect(() => void start(parts), [])
  useEffect(() => {
    if (!isPaired) return
    return follow(async () => {
      await flush()
      await readOn()
    })
  }, [isPaired])
  const hasTask = isPaired && state.tasks.some(({ holder }) => holder === "you")
  useEffect(() => (hasTask ? keepScreenOn() : undefined), [hasTask])
  const restAround = useRest(change)
  const move: RunnerActions["move"] = async (task, name, said = {}) => {
    const isWaiting = await restAround(async () => {
      const isKept = await isSaved({ task, move: name, said }, parts)
      if (isKept) await showQueue(parts)
      return isKept
    })
    if (isWaiting) void flush().then(readOn)
  }
  const actions: RunnerActions = {
    move,
    press: (task, name) => {
      if (!latest.current.isResting) void move(task, name)
    },
    answer: (call) => answered(call, readOn),
    paired: (me) => {
      change(() => ({ ...START, stage: "paired", me }))
      void keepForGood()
      void showQueue(parts)
    },
    leave: async () => {
      await flush()
      return endedShift(parts)
    },
    dismissNews: (news) => change((known) => ({ news: known.news.filter((one) => one !== news) })),
    dismissRefused: (one) => change(({ refused }) => ({ refused: refused.filter((known) => known !== one) })),
    dismissUnsaved: () => change(() => ({ unsaved: null })),
    dropStranded: () => discarded(latest.current.stranded, parts),
    discard: async (waiting) => {
      // It may be on its way at this moment.
      await flushing.current
      await discarded([waiting], parts)
      void flush().then(readOn)
    },
  }
  return [state, actions]
}

async function discarded(moves: readonly WaitingMove[], parts: Parts): Promise<void> {
  for (const waiting of moves) await removeMove(waiting)
  parts.change(() => ({ unheard: null }))
  await showQueue(parts)
}

/** What went wrong. That another runner was faster is in the calls that are then read. */
async function answered({ call_id }: PhoneCall, readOn: () => Promise<void>): Promise<string | null> {
  const answer = await answerCall(call_id)
  void readOn()
  if (answer.type === "away") return `${AWAY_WORDS[answer.why]}: the board has not heard you.`
  return answer.type === "refused" && answer.status !== 409 ? answer.message : null
}

/** The phone stays signed in until the service has said that it is not: its cookie would open the page again. */
async function endedShift(parts: Parts): Promise<string | null> {
  const { me, queue } = parts.latest.current
  if (queue.length > 0) {
    const [moves, go] =
      queue.length === 1 ? ["1 move is", "It goes"] : [`${queue.length} moves are`, "They go"]
    return `${moves} not sent yet. ${go} out as soon as the service answers; then end your shift.`
  }
  const answer = await signOut()
  const isOver = answer.type === "done" || (answer.type === "refused" && answer.status === 401)
  if (isOver) {
    await unpair(parts)
    return null
  }
  if (answer.type === "refused") return answer.message
  const until = me === null ? "" : ` at ${clockTime(me.ends_at)}`
  return `${AWAY_WORDS[answer.why]}: this phone is still signed in. Try again, or the shift ends by itself${until}.`
}

/** Nothing of the site stays on a phone that is not paired, but the moves that were not sent. */
async function unpair({ change }: Parts): Promise<void> {
  await forget()
  change(() => ({ ...START, stage: "unpaired" }))
}

const NEWS_MAX = 3

interface Parts {
  readonly latest: { current: RunnerState }
  /** How many moves the service has answered. */
  readonly answeredMoves: { current: number }
  readonly change: (to: (known: RunnerState) => Partial<RunnerState>) => void
}

/** With network the service says who this is; without, the phone itself. */
async function start(parts: Parts): Promise<void> {
  const { change } = parts
  // Without storage the page still works with network.
  const kept = await keptLast().catch(() => null)
  const answer = await readMe()
  // The phone may have been paired meanwhile.
  if (parts.latest.current.stage !== "starting") return
  if (answer.type === "done") change(() => ({ stage: "paired", me: answer.data.me }))
  else if (answer.type === "away" && kept !== null && Date.parse(kept.me.ends_at) > Date.now())
    change(() => ({ stage: "paired", me: kept.me, away: answer.why }))
  else if (answer.type === "refused") await unpair(parts)
  else change(() => ({ stage: "unpaired", away: answer.why }))
  const { me } = parts.latest.current
  if (kept !== null && kept.me.phone_id === me?.phone_id) change(() => ({ tasks: kept.tasks, asOf: kept.at }))
  await showQueue(parts)
}

/** A queue belongs to its pairing. */
async function showQueue({ change }: Parts): Promise<void> {
  const all = await waitingMoves()
  change(({ me }) => ({
    queue: all.filter(({ phone_id }) => phone_id === me?.phone_id),
    stranded: all.filter(({ phone_id }) => me !== null && phone_id !== me.phone_id),
  }))
}

/** In order; stops at the first that gets no answer. */
async function sendWaiting(parts: Parts): Promise<void> {
  const { latest, change } = parts
  for (;;) {
    await showQueue(parts)
    const [waiting] = latest.current.queue
    if (waiting === undefined) return
    const answer = await sendMove(waiting)
    if (answer.type === "away") {
      // Without network, or an answer in time, no read is heard either; otherwise the next one says whether the service answers.
      change(() => ({ unheard: answer.why, ...(answer.why === "no answer" ? {} : { away: answer.why }) }))
      return
    }
    if (answer.type === "refused" && answer.status === 401) return unpair(parts)
    parts.answeredMoves.current += 1
    await removeMove(waiting)
    change(() => ({ unheard: null }))
    const task = answer.type === "done" ? answer.data.task : answer.task
    if (task !== null) change(({ tasks }) => ({ tasks: replaced(tasks, task), away: null }))
    if (answer.type === "done") {
      const news = newsOfMove(waiting, answer.data.task)
      if (news !== null) change((known) => ({ news: [...known.news, news].slice(-NEWS_MAX) }))
      continue
    }
    const refused = { waiting, message: answer.message, task }
    change((known) => ({ refused: [...known.refused, refused], away: null }))
    ring()
  }
}

async function readAgain(parts: Parts): Promise<void> {
  const { latest, change, answeredMoves } = parts
  const before = latest.current
  const movesBefore = answeredMoves.current
  const [answer, called] = await Promise.all([readTasks(), readCalls()])
  if (answer.type === "away") return change(() => ({ away: answer.why }))
  if (answer.type === "refused") {
    if (answer.status === 401) await unpair(parts)
    return
  }
  const { tasks: open } = answer.data
  const gone = before.tasks.filter(
    (known) => known.holder === "you" && open.every((one) => one.reservation_id !== known.reservation_id),
  )
  const ended: PhoneTask[] = []
  for (const { reservation_id } of gone) {
    const read = await readTask(reservation_id)
    if (read.type === "done") ended.push(read.data.task)
  }
  // What was read may be older than the answer to a move that came meanwhile.
  if (answeredMoves.current !== movesBefore) return readAgain(parts)
  const tasks = [...open, ...ended]
  const calls = called.type === "done" ? called.data.calls : before.calls
  const runnerId = latest.current.me?.runner_id ?? ""
  const news = [...newsOf(before.tasks, tasks), ...newsOfCalls(before.calls, calls, runnerId)]
  if (news.some(({ rings }) => rings)) ring()
  const asOf = new Date().toISOString()
  change((known) => ({ tasks, calls, asOf, away: null, news: [...known.news, ...news].slice(-NEWS_MAX) }))
  const { me } = latest.current
  if (me !== null) await keep({ me, tasks, at: asOf })
}

interface Made {
  readonly task: PhoneTask
  readonly move: RunnerMove
  readonly said: Said
}

/** Puts a move into the queue; false when the phone could not save it, which the page says. */
async function isSaved({ task, move, said }: Made, { latest, change }: Parts): Promise<boolean> {
  const { me } = latest.current
  if (me === null) return false
  const stall = task.stall_label || task.order_number
  try {
    await addMove({
      phone_id: me.phone_id,
      key: freshKey(),
      reservation_id: task.reservation_id,
      stall,
      move,
      body: said.body ?? null,
      photo: said.photo ?? null,
      at: new Date().toISOString(),
    })
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : String(cause)
    change(() => ({ unsaved: { stall, move, reason } }))
    return false
  }
  change(() => ({ unsaved: null }))
  return true
}

/** 128 bits of chance. */
function freshKey(): string {
  return [...crypto.getRandomValues(new Uint8Array(16))]
    .map((byte) => byte.toString(16).padStart(2, "0"))
    .join("")
}

function replaced(tasks: readonly PhoneTask[], task: PhoneTask): readonly PhoneTask[] {
  return tasks.some(({ reservation_id }) => reservation_id === task.reservation_id)
    ? tasks.map((known) => (known.reservation_id === task.reservation_id ? task : known))
    : [...tasks, task]
}
