/**
 * A runner's shift: on duty or not, idle, at a task, or on a break. A runner finishes a task before the shift ends or a break
 * begins. 9 states, 6 events, no timer: the crew knows the times.
 */

import { setup } from "xstate"
import type { Ignores } from "../../../../../machines/ignores.ts"

export type RunnerShiftEvent =
  | { readonly type: "break.due" }
  | { readonly type: "break.ended" }
  | { readonly type: "shift.began" }
  | { readonly type: "shift.ended" }
  | { readonly type: "task.ended" }
  | { readonly type: "task.taken" }

export const runnerShift = setup({
  types: {
    events: {} as RunnerShiftEvent,
    /** `counted`: an hour on duty. `free`: takes the next task. */
    tags: {} as "counted" | "free",
  },
}).createMachine({
  id: "runner-shift",
  description: "A runner of a site, from shift to shift.",
  initial: "off_duty",
  states: {
    off_duty: {
      description: "The shift has not begun, or it is over.",
      on: { "shift.began": "idle" },
    },
    idle: {
      description: "On duty, and no task is due.",
      tags: ["counted", "free"],
      initial: "rested",
      on: { "shift.ended": "off_duty", "break.due": "on_break" },
      states: {
        rested: {
          description: "No break is owed.",
          on: { "task.taken": "#runner-shift.working.on_shift" },
        },
        break_owed: {
          description: "A second break was due during the last one; it follows the next task.",
          on: { "task.taken": "#runner-shift.working.break_owed" },
        },
      },
    },
    working: {
      description: "At a task.",
      tags: "counted",
      initial: "on_shift",
      states: {
        on_shift: {
          description: "Within the shift; idle after the task.",
          on: {
            "task.ended": "#runner-shift.idle",
            "break.due": "break_owed",
            "shift.ended": "overtime",
          },
        },
        break_owed: {
          description: "A break has begun during the task, and is taken after it.",
          on: { "task.ended": "#runner-shift.on_break", "shift.ended": "overtime" },
        },
        overtime: {
          description: "The shift has ended during the task.",
          on: { "task.ended": "#runner-shift.off_duty", "shift.began": "on_shift" },
        },
      },
    },
    on_break: {
      description: "On a break, which is taken whole.",
      initial: "on_shift",
      states: {
        on_shift: {
          description: "Idle after the break.",
          on: {
            "break.ended": "#runner-shift.idle",
            "break.due": "another_owed",
            "shift.ended": "after_shift",
          },
        },
        another_owed: {
          description: "Another break was due during this one; it follows the next task.",
          on: { "break.ended": "#runner-shift.idle.break_owed", "shift.ended": "after_shift" },
        },
        after_shift: {
          description: "The shift has ended during the break.",
          on: { "break.ended": "#runner-shift.off_duty", "shift.began": "on_shift" },
        },
      },
    },
  },
})

const onDuty = "The runner is on duty already."
const noTask = "The runner has no task."
const busy = "The runner has a task, and takes no other."
const noBreak = "The runner is on no break."
const notOnDuty = "Only runners on duty take a break."
const owed = "A break is owed already; the later one replaces it."
const over = "The shift is over already."

export const runnerShiftIgnores: Ignores = {
  off_duty: {
    "break.due": notOnDuty,
    "break.ended": noBreak,
    "shift.ended": over,
    "task.ended": noTask,
    "task.taken": "Tasks are offered to runners on duty.",
  },
  "idle.rested": { "break.ended": noBreak, "shift.began": onDuty, "task.ended": noTask },
  "idle.break_owed": { "break.ended": noBreak, "shift.began": onDuty, "task.ended": noTask },
  "working.on_shift": { "break.ended": noBreak, "shift.began": onDuty, "task.taken": busy },
  "working.break_owed": {
    "break.due": owed,
    "break.ended": noBreak,
    "shift.began": onDuty,
    "task.taken": busy,
  },
  "working.overtime": {
    "break.due": notOnDuty,
    "break.ended": noBreak,
    "shift.ended": over,
    "task.taken": busy,
  },
  "on_break.on_shift": {
    "shift.began": onDuty,
    "task.ended": noTask,
    "task.taken": "Breaks are taken whole.",
  },
  "on_break.another_owed": {
    "break.due": owed,
    "shift.began": onDuty,
    "task.ended": noTask,
    "task.taken": "Breaks are taken whole.",
  },
  "on_break.after_shift": {
    "break.due": notOnDuty,
    "shift.ended": over,
    "task.ended": noTask,
    "task.taken": "Breaks are taken whole.",
  },
}
