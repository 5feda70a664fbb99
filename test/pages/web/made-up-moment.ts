/** An answer of the moment as a service or a command writes it, made up: seven entries of a reservation that was late. */

import type { MomentAnswerJson } from "../../../src/model/requests/moment-answer.ts"

type Figures = NonNullable<MomentAnswerJson["figures"]>

const at = (clock: string): string => `2026-03-02T${clock}.000Z`

function odds(value: number, around = 0.05): Figures["curve"][number]["odds"] {
  return { value, low: Math.max(0, value - around), high: Math.min(1, value + around), futures: 200 }
}

const entry = (
  number: number,
  clock: string,
  [value, machine, what]: readonly [value: number, machine: string, what: string],
): Figures["curve"][number] => ({
  entry: number,
  at: at(clock),
  group: "reservation/res_made",
  machine,
  what,
  odds: odds(value),
})

const compared = (
  number: number,
  clock: string,
  shares: readonly [value: number, was: number, around?: number],
): Figures["decisions"][number]["before"] => {
  const [value, was, around] = shares
  const saved = Math.round(Math.max(0, was - value) * 200)
  return {
    entry: number,
    at: at(clock),
    odds: odds(value, around),
    as_it_was: odds(was),
    saved,
    costs: 0,
    helps: saved > 20,
  }
}

const FIGURES: Figures = {
  how: "late",
  curve: [
    entry(12, "12:01:20", [0.12, "reservation", "its reservation was booked"]),
    entry(15, "12:09:02", [0.13, "runner-task", "the task was given to a runner (…3004)"]),
    entry(18, "12:27:44", [0.21, "open-link", "the open link failed (…3002)"]),
    entry(20, "12:34:06", [0.25, "bot", "its robot was ready"]),
    entry(22, "12:38:20", [0.31, "runner-task", "the order came on board (…3003)"]),
    entry(23, "12:41:08", [0.88, "runner-task", "the task was given to a runner (…3007)"]),
    entry(24, "12:41:50", [0.9, "runner-task", "the order was not ready when the runner came (…3005)"]),
  ],
  step: {
    from_entry: 22,
    entry: 23,
    points: 0.57,
    is_one: true,
    is_the_moment: true,
    cause: "the task was given to a runner (…3007)",
    waited_ms: null,
  },
  waiting: { machine: "runner-task", state: "queued", since: at("12:29:00") },
  decisions: [
    {
      id: "runner",
      words: "one more runner",
      before: compared(22, "12:38:20", [0.05, 0.31]),
      after: compared(23, "12:41:08", [0.17, 0.88]),
      last: compared(23, "12:41:08", [0.17, 0.88]),
    },
    {
      id: "first",
      words: "the next free runner takes this order",
      before: compared(22, "12:38:20", [0.1, 0.31]),
      after: compared(23, "12:41:08", [0.47, 0.88, 0.07]),
      last: compared(23, "12:41:08", [0.47, 0.88, 0.07]),
    },
    {
      id: "hold",
      words: "the robot stays however long it waits",
      before: compared(22, "12:38:20", [0.31, 0.31]),
      after: compared(23, "12:41:08", [0.86, 0.88]),
      last: null,
    },
  ],
  futures: 8200,
  seed: 1,
  turns: 912_000,
  is_cut: false,
  drawn_from: "stadium.yaml",
  calibration: null,
  left_out: [],
  not_known: ["Where vehicles and customers are is not in a journal, so it is drawn."],
}

export const LATE: MomentAnswerJson = {
  asked: { kind: "reservation", id: "res_made", limit_ms: 480_000, due_at: null, metric: null, bound: null },
  is: "bad",
  at: at("12:43:00"),
  time_zone: "UTC",
  outcome: "The order of reservation …made was late: at 12:43:00 its robot had waited for 8m.",
  headline: "From 12:41:08 the promise could no longer be kept: the task was given to a runner (…3007).",
  best: "Best: one more runner, by 12:41:08: 17 % (12 to 22 %) instead of 88 %.",
  figures: FIGURES,
}

export function lateWith(changed: Partial<Figures>): MomentAnswerJson {
  return { ...LATE, figures: { ...FIGURES, ...changed } }
}

/** No entry stands out, nothing helps, and it was stopped. */
export const COARSE: MomentAnswerJson = {
  ...lateWith({
    step: { ...(FIGURES.step ?? never()), is_the_moment: false, is_one: false, points: 0.2 },
    curve: FIGURES.curve.map((one, index) => ({ ...one, odds: odds(0.12 + index * 0.11, 0.1) })),
    decisions: FIGURES.decisions.slice(2),
    is_cut: true,
    left_out: [{ what: "at a stall that the model does not have", count: 2 }],
  }),
  headline: "No single moment: it grew from 12 % to 78 % over 30 moments.",
  best: "None of the decisions that were tried keeps it.",
}

export const IN_TIME: MomentAnswerJson = {
  ...LATE,
  is: "good",
  at: at("12:40:00"),
  outcome: "res_made ended well, at 12:40:00: nothing was late.",
  headline: null,
  best: null,
  figures: null,
}

function never(): never {
  throw new Error("the made-up answer has a step")
}
