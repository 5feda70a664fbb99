import { WriteStream } from "node:tty"
import { beforeEach, describe, expect, test, vi } from "vitest"
import { progressText, startProgress } from "../../src/cli/kit/progress.ts"

const HOUR_MS = 3_600_000

/** A terminal that keeps its output, and a clock that only the test moves. */
function terminal({ isTTY = true, columns = 200 } = {}): {
  stream: WriteStream
  now: () => number
  pass: (ms: number) => void
  written: string[]
} {
  const written: string[] = []
  let nowMs = 1000
  const stream = Object.create(WriteStream.prototype) as WriteStream
  Object.assign(stream, { isTTY, columns, write: (text: string) => written.push(text) > 0 })
  return {
    stream,
    now: () => nowMs,
    pass: (ms) => {
      nowMs += ms
    },
    written,
  }
}

beforeEach(() => {
  vi.stubEnv("CI", "")
  vi.stubEnv("NO_COLOR", "")
})

const RUN = { virtualMs: HOUR_MS, events: 30 }
const CLEARED = "\r\u001B[2K"

test("the line says runs done, virtual time, events per second and the ratio of the two times", () => {
  expect(progressText({ runs: 37, total: 2000, virtualMs: 37.5 * HOUR_MS, events: 1100, wallMs: 500 })).toBe(
    "37 of 2000 runs, 1d 13h virtual, 2,200 events/s, 270,000 × real time",
  )
  expect(progressText({ runs: 0, total: 21, virtualMs: 0, events: 0, wallMs: 0 })).toBe(
    "0 of 21 runs, 0s virtual, 0 events/s, 0 × real time",
  )
})

describe("on a terminal", () => {
  test("one line is written over, not more often than every tenth of a second", () => {
    const { stream, now, pass, written } = terminal()
    const progress = startProgress(21, { stream, now })
    pass(50)
    progress.done(RUN)
    pass(50)
    progress.done(RUN)
    pass(50)
    progress.done(RUN)
    expect(written).toEqual([
      `${CLEARED}1 of 21 runs, 1h virtual, 600 events/s, 72,000 × real time`,
      `${CLEARED}3 of 21 runs, 3h virtual, 600 events/s, 72,000 × real time`,
    ])
    progress.clear()
    progress.clear()
    expect(written.slice(2)).toEqual([CLEARED])
    progress.done(RUN)
    expect(written[3]).toMatch(/3 of 21 runs/)
  })

  test("it moves within a long run, also when there is but one", () => {
    const { stream, now, pass, written } = terminal()
    const progress = startProgress(1, { stream, now })
    pass(999)
    progress.during(RUN)
    expect(written).toEqual([])
    pass(1)
    progress.during(RUN)
    pass(50)
    progress.during({ virtualMs: 2 * HOUR_MS, events: 60 })
    pass(50)
    progress.during({ virtualMs: 2 * HOUR_MS, events: 60 })
    expect(written).toEqual([
      `${CLEARED}0 of 1 run, 1h virtual, 30 events/s, 3,600 × real time`,
      `${CLEARED}0 of 1 run, 2h virtual, 55 events/s, 6,545 × real time`,
    ])
    progress.done(RUN)
    expect(written).toHaveLength(2)
  })

  test("runs that are over and the one under way are counted together", () => {
    const { stream, now, pass, written } = terminal()
    const progress = startProgress(21, { stream, now })
    pass(100)
    progress.done(RUN)
    pass(100)
    progress.during(RUN)
    expect(written[1]).toBe(`${CLEARED}1 of 21 runs, 2h virtual, 300 events/s, 36,000 × real time`)
  })

  test("it never breaks the line", () => {
    const { stream, now, written } = terminal({ columns: 19 })
    startProgress(2000, { stream, now }).done(RUN)
    expect(written).toEqual([`${CLEARED}1 of 2000 runs, 1h`])
  })
})

describe("nothing is shown", () => {
  const shown = (total: number, isTTY = true): readonly string[] => {
    const { stream, now, written } = terminal({ isTTY })
    const progress = startProgress(total, { stream, now })
    progress.done(RUN)
    progress.clear()
    return written
  }

  test("without a terminal", () => expect(shown(1000, false)).toEqual([]))

  test("for twenty runs", () => expect(shown(20)).toEqual([]))

  test("under CI and NO_COLOR", () => {
    expect(shown(1000)).not.toEqual([])
    vi.stubEnv("CI", "true")
    expect(shown(1000)).toEqual([])
    vi.stubEnv("CI", "")
    vi.stubEnv("NO_COLOR", "1")
    expect(shown(1000)).toEqual([])
  })
})

describe("to a pipe", () => {
  test("a whole line comes every ten seconds, also inside of a long run, and none after the last one", () => {
    const { stream, now, pass, written } = terminal({ isTTY: false })
    const progress = startProgress(3, { stream, now, showsRemaining: true })
    pass(9_999)
    progress.during(RUN)
    expect(written).toEqual([])
    pass(1)
    progress.during(RUN)
    pass(5_000)
    progress.done(RUN)
    pass(5_000)
    progress.done(RUN)
    progress.clear()
    pass(20_000)
    progress.done(RUN)
    expect(written).toEqual([
      "0 of 3 runs, 1h virtual, 3 events/s, 360 × real time\n",
      "2 of 3 runs, 2h virtual, 3 events/s, 360 × real time, 10s left\n",
    ])
  })
})
