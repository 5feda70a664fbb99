/** The sentence of a board: what needs help, what is at risk, and what is on time. */

import { expect, test } from "vitest"
import { isCalm, sentenceOf, verdictOf } from "../../../src/pages/web/ops/board/words.ts"
import { historyWords } from "../../../src/pages/web/ops/board/forecast-words.ts"
import type { CardRecord } from "../../../src/pages/web/ops/board/records.ts"
import { HOUR_MS, MINUTE_MS } from "../../../src/model/values/time.ts"

const NOW = Date.parse("2026-03-02T18:00:00Z")
const SOON = new Date(NOW + 5 * MINUTE_MS).toISOString()

const CARD: CardRecord = {
  reservation_id: "res_1",
  order_number: "1195",
  retailer_name: null,
  zone_id: "zone_1",
  stall_id: "stall_1",
  stall_label: "A1",
  column: "due",
  trouble: null,
  waits_for: "runner",
  since: SOON,
  due_at: SOON,
  breach_at: SOON,
  is_late: false,
  risk: null,
  bot_status: null,
  bot_label: null,
  handoff_status: "QUEUED",
  runner_id: null,
  runner_name: null,
  ready_estimate: null,
  next_timer: null,
  revision: 1,
  clock_at: SOON,
  clock_stands: false,
}

function boardWith({ help, atRisk, onTime }: Readonly<Record<"atRisk" | "help" | "onTime", number>>) {
  const many = (count: number, more: Partial<CardRecord>) =>
    Array.from({ length: count }, () => ({ ...CARD, ...more }))
  const reservations = [
    ...many(help, { column: "trouble", trouble: "no_runner" }),
    ...many(atRisk, { risk: "unassigned" }),
    ...many(onTime, {}),
  ]
  return { reservations, vehicles: [] }
}

test.each([
  [0, 0, 0, "Nothing is open.", true],
  [0, 0, 1, "One is on time.", true],
  [0, 0, 11, "All 11 are on time.", true],
  [1, 0, 0, "One needs help. Nothing else is open.", false],
  [3, 0, 8, "Three need help. Eight are on time.", false],
  [0, 1, 0, "One is at risk.", false],
  [0, 2, 6, "Two are at risk. Six are on time.", false],
  [2, 1, 1, "Two need help. One is at risk. One is on time.", false],
])("%i need help, %i at risk, %i on time: %s", (help, atRisk, onTime, sentence, calm) => {
  const board = boardWith({ help, atRisk, onTime })
  expect([sentenceOf(board), isCalm(board)]).toEqual([sentence, calm])
})

test("a wall says the worst alone", () => {
  const { help, risk } = verdictOf(boardWith({ help: 0, atRisk: 3, onTime: 2 }))
  expect([help, risk]).toEqual([null, "Three are at risk."])
})

test.each([
  [4, 1, "4 of 20 reservations have ended, and 23 h of 24 h of history are missing"],
  [20, 1, "23 h of 24 h of history are missing"],
  [4, 30, "4 of 20 reservations have ended"],
  [20, 30, "there is too little history"],
])("a forecast that learned from %i reservations in %i h says what it lacks", (reservations, hours, said) => {
  const history = {
    reservations,
    reservations_wanted: 20,
    from: new Date(NOW - hours * HOUR_MS).toISOString(),
    hours_wanted: 24,
  }
  expect(historyWords({ ahead: "2h", history }, NOW)).toBe(`No forecast of the next 2 h yet: ${said}.`)
})
