/** Progress of a long command on stderr: on a terminal one line that is overwritten, elsewhere a line now and then. */

import { counted } from "../../simulation/scenario/language/counted.ts"
import { showDuration } from "../../simulation/scenario/language/shown-duration.ts"
import { hasColor } from "./terminal.ts"

/** Fewer runs than this end before a line can be read. */
const RUNS_MIN = 20

const EVERY_MS = 100

/** A command with few runs shows a line after it has run for this long. */
const LONG_MS = 1_000

/** A log of a command that runs for an hour has a few hundred of these lines. */
const PLAIN_EVERY_MS = 10_000

const TO_START_OF_EMPTY_LINE = "\r\u001B[2K"

interface Extent {
  readonly virtualMs: number
  readonly events: number
}

export interface Progress {
  /** Reports progress inside the current run. */
  readonly during: (run: Extent) => void
  /** One more run is done; `total` is given when the number of runs has changed. */
  readonly done: (run: Extent, total?: number) => void
  /** Removes the line, so that other text can be printed; the next `done` shows it again. */
  readonly clear: () => void
}

/** Progress of a command with this many runs. With few and short runs, and elsewhere than on a terminal with short ones, it shows nothing. */
export function startProgress(
  firstTotal: number,
  {
    stream = process.stderr,
    now = () => performance.now(),
    showsRemaining = false,
  }: {
    readonly stream?: NodeJS.WriteStream
    readonly now?: () => number
    /** True to show the estimated remaining time. */
    readonly showsRemaining?: boolean
  } = {},
): Progress {
  if (!hasColor(stream)) return plainProgress(firstTotal, { stream, now, showsRemaining })
  let total = firstTotal
  const isFew = total <= RUNS_MIN
  const startedAt = now()
  const sum = { runs: 0, virtualMs: 0, events: 0 }
  let isShown = false
  let shownAt = Number.NEGATIVE_INFINITY
  let line = ""
  const clear = (): void => {
    if (isShown) stream.write(TO_START_OF_EMPTY_LINE)
    isShown = false
  }
  const show = ({ virtualMs, events }: Extent): void => {
    shownAt = now()
    const at = { runs: sum.runs, virtualMs: sum.virtualMs + virtualMs, events: sum.events + events }
    line = progressText({ ...at, total, wallMs: shownAt - startedAt, showsRemaining })
    stream.write(`${TO_START_OF_EMPTY_LINE}${line.slice(0, stream.columns - 1)}`)
    isShown = true
  }
  return {
    clear,
    during: (run) => {
      if (isFew && now() - startedAt < LONG_MS) return
      if (now() - shownAt >= EVERY_MS) show(run)
    },
    done: ({ virtualMs, events }, wanted = total) => {
      total = wanted
      sum.runs += 1
      sum.virtualMs += virtualMs
      sum.events += events
      if (isFew && (!showsRemaining || now() - startedAt < LONG_MS)) return
      if (now() - shownAt >= EVERY_MS) {
        show({ virtualMs: 0, events: 0 })
        return
      }
      if (isShown) return
      stream.write(`${TO_START_OF_EMPTY_LINE}${line.slice(0, stream.columns - 1)}`)
      isShown = true
    },
  }
}

/** Whole lines for pipes, files and CI. */
function plainProgress(
  firstTotal: number,
  {
    stream,
    now,
    showsRemaining,
  }: { readonly stream: NodeJS.WriteStream; readonly now: () => number; readonly showsRemaining: boolean },
): Progress {
  const startedAt = now()
  const sum = { runs: 0, virtualMs: 0, events: 0 }
  let [total, toldAt] = [firstTotal, startedAt]
  const tell = ({ virtualMs, events }: Extent): void => {
    if (now() - toldAt < PLAIN_EVERY_MS) return
    toldAt = now()
    const at = { runs: sum.runs, virtualMs: sum.virtualMs + virtualMs, events: sum.events + events }
    stream.write(`${progressText({ ...at, total, wallMs: toldAt - startedAt, showsRemaining })}\n`)
  }
  return {
    clear: () => {},
    during: tell,
    done: ({ virtualMs, events }, wanted = total) => {
      total = wanted
      sum.runs += 1
      sum.virtualMs += virtualMs
      sum.events += events
      if (sum.runs < total) tell({ virtualMs: 0, events: 0 })
    },
  }
}

/** `37 of 2000 runs, 1d 13h virtual, 81,000 events/s, 52,000 × real time`. */
export function progressText(at: {
  readonly runs: number
  readonly total: number
  readonly virtualMs: number
  readonly events: number
  readonly wallMs: number
  readonly showsRemaining?: boolean
}): string {
  const wallMs = Math.max(1, at.wallMs)
  const virtual = showDuration(at.virtualMs).split(" ").slice(0, 2).join(" ")
  const perSecond = rounded((at.events / wallMs) * 1000)
  const ratio = rounded(at.virtualMs / wallMs)
  const leftMs = (at.wallMs / Math.max(1, at.runs)) * (at.total - at.runs)
  const left =
    at.showsRemaining === true && at.runs > 0 ? `, ${showDuration(Math.ceil(leftMs / 1000) * 1000)} left` : ""
  return `${at.runs} of ${counted(at.total, "run")}, ${virtual} virtual, ${perSecond} events/s, ${ratio} × real time${left}`
}

function rounded(figure: number): string {
  return Math.round(figure).toLocaleString("en-US")
}
