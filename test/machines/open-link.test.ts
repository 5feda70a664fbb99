/** The open link: O4 to O6 on timing, retries and drops, O7 on the sandbox walk, O8 on a host that slept. */

import { describe, expect, test } from "vitest"
import { MINUTE_MS, SECOND_MS } from "../../src/model/values/time.ts"
import {
  answer,
  BOOKED_AT_MS,
  book,
  bot,
  cancel,
  ENDS_AT_MS,
  oversleep,
  runner,
  sinceBooking,
  wait,
} from "./group-under-test.ts"
import type { GroupUnderTest, Step } from "./group-under-test.ts"

const toTheBot: readonly Step[] = [
  runner("runner.assigned", { runnerId: "run_1" }),
  runner("runner.at_store"),
  runner("order.in_hand"),
]
const calling: readonly Step[] = [...toTheBot, runner("runner.at_unit"), bot("READY_FOR_HANDOFF")]

/** When each attempt was sent, in seconds since booking. */
function attempts(
  under: GroupUnderTest,
): readonly (readonly [actor: string, attempt: number, second: number])[] {
  return under.turns.flatMap(({ input, result }) =>
    result.calls
      .filter(({ call }) => call === "open_link")
      .map(({ actor, attempt }): [string, number, number] => [
        actor.split("/")[2] ?? "",
        attempt,
        (input.instantMs - BOOKED_AT_MS) / SECOND_MS,
      ]),
  )
}

/** Fails every attempt of an open link right after it was sent. */
function failAll(actor: string): readonly Step[] {
  return [
    answer(actor, "failed", 1),
    wait(5 * SECOND_MS),
    answer(actor, "failed", 2),
    wait(15 * SECOND_MS),
    answer(actor, "failed", 3),
  ]
}

describe("the attempts of an open link", () => {
  test("O4 the first attempt leaves at once, the next 5 s and 15 s after a failure", () => {
    const under = book().given([...calling, ...failAll("open-link-1")])
    expect(attempts(under)).toEqual([
      ["open-link-1", 1, 0],
      ["open-link-1", 2, 5],
      ["open-link-1", 3, 20],
    ])
    expect(under.state("open-link-1")).toBe("failed")
  })

  test("O4 the pause runs from the failure, not from the attempt", () => {
    const under = book().given([...calling, wait(3 * SECOND_MS), answer("open-link-1", "failed", 1)])
    under.take(wait(5 * SECOND_MS - 1))
    expect(attempts(under)).toHaveLength(1)
    under.take(wait(1))
    expect(attempts(under).at(-1)).toEqual(["open-link-1", 2, 8])
  })

  test("O4 a call that never answers counts as failed when its lease of 8 s ends", () => {
    const under = book().given([...calling, wait(MINUTE_MS)])
    expect(attempts(under).map(([, , second]) => second)).toEqual([0, 13, 36])
    expect(under.state("open-link-1")).toBe("failed")
    expect(under.context("runner-task")).toMatchObject({ openLink: "failed", flags: ["access_failed"] })
  })

  test("O4 every retry keeps the instant of the first attempt, so that bodies are the same to the byte", () => {
    const under = book().given([
      wait(MINUTE_MS),
      ...calling,
      answer("open-link-1", "failed", 1),
      wait(5 * SECOND_MS),
    ])
    expect(under.context("open-link-1")).toMatchObject({ attempt: 2, occurredAtMs: BOOKED_AT_MS + MINUTE_MS })
  })

  test("O4 a call whose node is gone is made again at once, as the same attempt", () => {
    const lost: Step = { do: "answer", to: "open-link-1", event: { type: "call.lost", attempt: 1 } }
    const under = book().given([...calling, wait(2 * SECOND_MS), lost])
    expect(attempts(under)).toEqual([
      ["open-link-1", 1, 0],
      ["open-link-1", 1, 2],
    ])
    under.given([answer("open-link-1", "failed", 1), wait(5 * SECOND_MS)])
    expect(attempts(under).at(-1)).toEqual(["open-link-1", 2, 7])
  })

  test("O4 a late 2xx opens while no newer attempt has begun", () => {
    const under = book().given([...calling, wait(8 * SECOND_MS), answer("open-link-1", "succeeded", 1)])
    expect(under.state("open-link-1")).toBe("opened")
  })

  test("O4 a failure that arrives after its lease is ignored, and anything after the next attempt left", () => {
    const results = ["succeeded", "failed", "discarded"] as const
    for (const result of results) {
      if (result !== "succeeded") {
        const pausing = book().given([...calling, wait(8 * SECOND_MS), answer("open-link-1", result, 1)])
        expect(pausing.state("open-link-1")).toBe("trying.waiting")
      }
      const again = book().given([...calling, wait(13 * SECOND_MS), answer("open-link-1", result, 1)])
      expect(again.state("open-link-1")).toBe("trying.calling")
      expect(again.context("open-link-1")["attempt"]).toBe(2)
    }
  })
})

describe("a host that slept", () => {
  test("O8 one attempt leaves when the host wakes, and that attempt has its whole lease", () => {
    const under = book().given([...calling, answer("open-link-1", "failed", 1), oversleep(MINUTE_MS)])
    expect(attempts(under)).toHaveLength(2)
    expect(under.state("open-link-1")).toBe("trying.calling")
    under.take(wait(8 * SECOND_MS - 1))
    expect(under.state("open-link-1")).toBe("trying.calling")
    under.take(answer("open-link-1", "succeeded", 2))
    expect(under.context("runner-task")["openLink"]).toBe("opened")
  })
})

describe("the end of an open link", () => {
  test("O5 after a success it is not called again for this task", () => {
    const under = book().given([...calling, answer("open-link-1", "succeeded", 1)])
    expect(under.state("open-link-1")).toBe("opened")
    expect(under.context("runner-task")).toMatchObject({ openLink: "opened", flags: [] })
    expect(under.take(runner("open_link.retried"))).toEqual({ type: "refused", code: "INVALID_STATE" })
    under.take(wait(10 * MINUTE_MS))
    expect(attempts(under)).toHaveLength(1)
    expect(under.state("runner-task")).toBe("open.handoff_ready")
  })

  test("O5 a retry that succeeds opens too", () => {
    const under = book().given([
      ...calling,
      answer("open-link-1", "failed", 1),
      wait(5 * SECOND_MS),
      answer("open-link-1", "succeeded", 2),
    ])
    expect(under.state("open-link-1")).toBe("opened")
    expect(under.heard()).toEqual([])
  })

  test("O5 after three failures the task is flagged and access_failed is told, once", () => {
    const under = book().given(calling)
    for (const step of failAll("open-link-1")) under.take(step)
    under.take(wait(10 * MINUTE_MS))
    expect(under.heard()).toEqual([
      {
        event: "reservation.exception",
        reason_code: "access_failed",
        occurred_at_ms: BOOKED_AT_MS + 20 * SECOND_MS,
      },
    ])
  })

  test("O5 the runner's try again is an open link of its own, with three new attempts, and clears the flag", () => {
    const under = book().given([...calling, ...failAll("open-link-1"), runner("open_link.retried")])
    expect(under.context("runner-task")).toMatchObject({ openLink: "calling", openLinks: 2, flags: [] })
    for (const step of failAll("open-link-2")) under.take(step)
    expect(attempts(under).slice(3)).toEqual([
      ["open-link-2", 1, 20],
      ["open-link-2", 2, 25],
      ["open-link-2", 3, 40],
    ])
    expect(under.heard()).toMatchObject([{ reason_code: "access_failed" }])
  })

  test("O5 the runner cannot try again while attempts are under way, nor before there was one", () => {
    const refused = { type: "refused", code: "INVALID_STATE" }
    expect(book().given(calling).take(runner("open_link.retried"))).toEqual(refused)
    expect(book().given(toTheBot).take(runner("open_link.retried"))).toEqual(refused)
  })

  const ends: readonly (readonly [string, Step])[] = [
    ["the cancel", cancel()],
    ["the load", runner("load.recorded", { photoId: "pho_1" })],
    ["SECURED", bot("SECURED")],
    ["DEPARTED", bot("DEPARTED")],
    ["ABORTED", bot("ABORTED")],
    ["the end of the grace", sinceBooking(ENDS_AT_MS + 15 * MINUTE_MS)],
  ]
  test.each(ends.slice(0, 5))("O6 %s drops the attempts that remain", (_, end) => {
    for (const more of [[], [answer("open-link-1", "failed", 1)]]) {
      const under = book().given([...calling, ...more, end])
      expect(under.state("open-link-1")).toBe("dropped")
      under.take(wait(10 * MINUTE_MS))
      expect(attempts(under)).toHaveLength(1)
    }
  })

  test.each(ends)("O6 a result that arrives after %s changes nothing and publishes nothing", (_, end) => {
    for (const result of ["succeeded", "failed", "discarded"] as const) {
      const under = book().given([...calling, end])
      const before = under.kept()
      under.take(answer("open-link-1", result, 1))
      expect(under.kept()).toEqual(before)
      expect(under.heard()).toEqual([])
    }
  })

  test("O6 a call withheld because the task was over drops the open link", () => {
    const under = book().given([...calling, answer("open-link-1", "discarded", 1)])
    expect(under.state("open-link-1")).toBe("dropped")
    expect(under.heard()).toEqual([])
  })
})

describe("the sandbox walk", () => {
  const isWalked = { isWalked: true }
  const ready = bot("READY_FOR_HANDOFF")

  test.each([
    ["the walk's READY", [...toTheBot, runner("runner.at_unit"), bot("READY_FOR_HANDOFF", isWalked)], 0],
    [
      "the walk's runner at a bot that reported READY itself",
      [ready, ...toTheBot, runner("runner.at_unit", isWalked)],
      0,
    ],
    [
      "the caller's READY while the walked runner is there",
      [...toTheBot, runner("runner.at_unit", isWalked), ready],
      1,
    ],
    [
      "the runner at a bot that the walk made READY",
      [bot("READY_FOR_HANDOFF", isWalked), ...toTheBot, runner("runner.at_unit")],
      1,
    ],
  ])("O7 %s leads to HANDOFF_READY and calls the open link as often as it should", (_, way, calls) => {
    const under = book().given(way)
    expect(under.state("runner-task")).toBe("open.handoff_ready")
    expect(attempts(under)).toHaveLength(calls)
  })

  test("O7 a walked handoff has no open link to try again", () => {
    const under = book().given([...toTheBot, runner("runner.at_unit"), bot("READY_FOR_HANDOFF", isWalked)])
    expect(under.take(runner("open_link.retried"))).toEqual({ type: "refused", code: "INVALID_STATE" })
  })
})
