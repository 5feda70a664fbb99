/**
 * Courses: what may go wrong with a delivery or a reservation, step by step. Each comes from a scenario file with the key `course`, so
 * that the same steps are a test and an offer of the sandbox (src/DECISIONS.md §219).
 */

import { Context } from "effect"
import type { BotStatus } from "../../model/bot.ts"
import type { ReportedStatus } from "../../model/delivery.ts"
import type { ExceptionCode, HandoffStatus } from "../../model/handoff.ts"

export type CourseKind = "delivery" | "reservation"

/** A moment of a course: milliseconds of the scenario's own time, or after the end of the step before. */
export type CourseMoment = { readonly clockMs: number } | { readonly afterMs: number }

/** What the sandbox does for a step. Commands have the words of the scenario language. */
export type CourseAct =
  | { readonly do: "runner.assign" }
  | { readonly do: "runner.at_store" }
  | { readonly do: "runner.order_in_hand" }
  | { readonly do: "runner.at_unit" }
  | { readonly do: "bot.report"; readonly status: BotStatus }
  | { readonly do: "sandbox.advance"; readonly code: ExceptionCode | null; readonly message: string | null }
  | { readonly do: "reservation.cancel"; readonly reason: string | null }
  | { readonly do: "delivery.advance"; readonly to: ReportedStatus | null }
  | { readonly do: "delivery.cancel"; readonly reason: string | null }
  /** Another order of the same customer to the same address. */
  | { readonly do: "delivery.quote" }
  | { readonly do: "customer.reply"; readonly text: string }
  | { readonly do: "vehicle.go_offline" }
  | { readonly do: "vehicle.go_online" }
  /** What the organization's endpoints answer to events about it; null: they answer for themselves again. */
  | { readonly do: "webhook.answers"; readonly status: number | null }
  | { readonly do: "wait"; readonly until: CourseMoment }
  /** Time passes until it is so, at the longest until then; null: it must be so now. */
  | { readonly do: "expect"; readonly fact: CourseFact; readonly by: CourseMoment | null }

/** Fields that a record must have; an exception is one that was published. */
export type CourseFact =
  | { readonly of: "exception"; readonly code: ExceptionCode }
  | { readonly of: CourseKind; readonly fields: Readonly<Record<string, boolean | string | null>> }

export interface CourseStep {
  /** In plain words, without its time; the first letter is large. */
  readonly says: string
  /** Null: at once. */
  readonly at: CourseMoment | null
  readonly act: CourseAct
}

export interface Course {
  readonly name: string
  readonly title: string
  /** What happens, in one or two sentences. */
  readonly about: string
  readonly kind: CourseKind
  /** Statuses of the delivery or reservation in which it may start. */
  readonly from: readonly string[]
  /** The handoff may not be past this; null: it does not matter. */
  readonly handoff: HandoffStatus | null
  /** The scenario's own time at which the delivery or reservation is made. */
  readonly startMs: number
  readonly steps: readonly CourseStep[]
}

/** The courses of this installation, by name. */
export class CourseBook extends Context.Tag("CourseBook")<
  CourseBook,
  { readonly courses: readonly Course[] }
>() {}
