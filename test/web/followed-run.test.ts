/** How pages follow what goes on at the service until it has ended, without a browser. */

import { afterEach, beforeEach, describe, expect, test, vi } from "vitest"
import { ApiFault } from "../../src/web/faults.ts"
import { endOf } from "../../src/web/followed-run.ts"

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

const RUNNING = { status: "running", steps: 0 }
const HALF = { status: "running", steps: 1 }
const ENDED = { status: "finished", steps: 2 }
const NOTHING = new ApiFault("no answer")

function refusal(status: number): ApiFault {
  return new ApiFault("refused", { status, code: null, requestId: null, fields: {}, retryAfterSeconds: null })
}

/** Looks find these, one after the other. */
function following(found: readonly (Error | typeof RUNNING)[]) {
  const told: number[] = []
  const looks = [...found]
  const end = endOf({
    started: RUNNING,
    isRunning: ({ status }) => status === "running",
    look: async () => {
      const next = looks.shift() ?? NOTHING
      if (next instanceof Error) throw next
      return next
    },
    tell: async ({ steps }) => void told.push(steps),
  })
  const settled = Promise.allSettled([end]).then(([one]) => one)
  return { told, looks, settled: vi.runAllTimersAsync().then(() => settled) }
}

describe("a run at the service", () => {
  test("is told at each look, and once at its end", async () => {
    const { told, settled } = following([HALF, ENDED])
    expect(await settled).toEqual({ status: "fulfilled", value: ENDED })
    expect(told).toEqual([1, 2])
  })

  test.each([
    ["no answer", NOTHING],
    ["an overloaded service", refusal(503)],
    ["too many calls", refusal(429)],
  ])("is followed on after %s", async (_, fault) => {
    const { told, settled } = following([fault, HALF, fault, fault, ENDED])
    expect(await settled).toEqual({ status: "fulfilled", value: ENDED })
    expect(told).toEqual([1, 2])
  })

  test("is given up at a refusal, and after many looks in a row without an answer", async () => {
    const refused = following([refusal(404), ENDED])
    expect(await refused.settled).toMatchObject({ status: "rejected", reason: { status: 404 } })
    expect(refused.looks).toHaveLength(1)
    const silent = following([...Array.from({ length: 10 }, () => NOTHING), ENDED])
    expect(await silent.settled).toEqual({ status: "rejected", reason: NOTHING })
    expect(silent.looks).toHaveLength(1)
  })
})
