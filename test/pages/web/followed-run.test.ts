/** How pages poll a run at the service until it has ended, without a browser. */

import { afterEach, beforeEach, describe, expect, test, vi } from "vitest"
import { ApiFault } from "../../../src/pages/web/faults.ts"
import { endOf } from "../../../src/pages/web/followed-run.ts"

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

const RUNNING = { status: "running", steps: 0 }
const HALF = { status: "running", steps: 1 }
const ENDED = { status: "finished", steps: 2 }
const NOTHING = new ApiFault("no answer")

function refusal(status: number): ApiFault {
  return new ApiFault("refused", { status, code: null, requestId: null, fields: {}, retryAfterSeconds: null })
}

/** Polls find these, one after the other. */
function following(found: readonly (Error | typeof RUNNING)[]) {
  const polled: number[] = []
  const left = [...found]
  const end = endOf({
    started: RUNNING,
    isRunning: ({ status }) => status === "running",
    poll: async () => {
      const next = left.shift() ?? NOTHING
      if (next instanceof Error) throw next
      return next
    },
    onPoll: async ({ steps }) => void polled.push(steps),
  })
  const settled = Promise.allSettled([end]).then(([one]) => one)
  return { polled, left, settled: vi.runAllTimersAsync().then(() => settled) }
}

describe("a run at the service", () => {
  test("calls onPoll after each poll, and once with the end", async () => {
    const { polled, settled } = following([HALF, ENDED])
    expect(await settled).toEqual({ status: "fulfilled", value: ENDED })
    expect(polled).toEqual([1, 2])
  })

  test.each([
    ["no answer", NOTHING],
    ["an overloaded service", refusal(503)],
    ["too many calls", refusal(429)],
  ])("is followed on after %s", async (_, fault) => {
    const { polled, settled } = following([fault, HALF, fault, fault, ENDED])
    expect(await settled).toEqual({ status: "fulfilled", value: ENDED })
    expect(polled).toEqual([1, 2])
  })

  test("fails at a refusal, and after ten polls in a row without an answer", async () => {
    const refused = following([refusal(404), ENDED])
    expect(await refused.settled).toMatchObject({ status: "rejected", reason: { status: 404 } })
    expect(refused.left).toHaveLength(1)
    const silent = following([...Array.from({ length: 10 }, () => NOTHING), ENDED])
    expect(await silent.settled).toEqual({ status: "rejected", reason: NOTHING })
    expect(silent.left).toHaveLength(1)
  })
})
