/**
 * A record re-lived: run again under its own rules, which must give the record to the hash, and then under another rule; the visits of
 * both courses are compared.
 */

import type { RelivedAnswer, RelivedVisit } from "../../model/requests/relive.ts"
import type { Program } from "../../engine/kernel/program.ts"
import type { ReplayedTurn } from "../replay.ts"
import { firstUnlike } from "./control.ts"
import type { Unlike } from "./control.ts"
import { OldFacts } from "./old-facts.ts"
import { Recorded } from "./recorded.ts"
import { relived } from "./relived.ts"
import type { Relived } from "./relived.ts"
import { UNCHANGED, changesOf } from "./rule.ts"
import type { Rule } from "./rule.ts"
import { Unrecorded } from "./unrecorded.ts"
import { changeOf, comparedVisits, firstWords, instantOf } from "./visits.ts"
import type { ComparedVisit, Wording } from "./visits.ts"

/** `unlike`: the record cannot be re-lived, and nothing else is said. */
export type Relive = { readonly unlike: Unlike } | { readonly unlike: null; readonly answer: RelivedAnswer }

export interface ReliveOptions {
  readonly turns: readonly ReplayedTurn[]
  readonly rule: Rule
  readonly program: Program
  readonly wording: Wording
}

export function relive({ turns, rule, program, wording }: ReliveOptions): Relive {
  const recorded = new Recorded(turns)
  const unrecorded = new Unrecorded(recorded)
  const unlike = firstUnlike(recorded, relived({ recorded, unrecorded, rule: UNCHANGED, program }))
  if (unlike !== null) return { unlike }
  const course = relived({ recorded, unrecorded, rule, program })
  const visits = comparedVisits(
    turns.map(({ input, result, s }) => ({ input, result, s, isDrawn: false })),
    course.turns.map((turn) => ({ ...turn, s: turn.twin?.s ?? null })),
    recorded.lastMs,
  )
  const oldFacts = new OldFacts(recorded, course)
  const differing = visits.flatMap((visit) => visitOf(visit, oldFacts, wording) ?? [])
  return {
    unlike: null,
    answer: {
      rule: { title: rule.title, because: rule.because, changes: changesOf(rule, turns) },
      visits: visits.length,
      ...figuresOf(visits, differing),
      old_facts: visits.filter(({ id }) => oldFacts.ids.has(id)).length,
      dropped: droppedBy(course),
      unanswered: course.unanswered,
      differing,
    },
  }
}

function visitOf(visit: ComparedVisit, oldFacts: OldFacts, wording: Wording): RelivedVisit | null {
  const { id, kind, before, after, first, isDrawn } = visit
  const hasOldFacts = oldFacts.ids.has(id)
  if (first === null) return null
  return {
    id,
    kind,
    before,
    after,
    change: changeOf(visit),
    first: {
      at_ms: instantOf(first),
      entry: first.before?.s ?? null,
      says: firstWords(first, wording),
    },
    is_drawn: isDrawn,
    has_old_facts: hasOldFacts,
  }
}

type Figures = Pick<
  RelivedAnswer,
  "differ" | "drawn" | "late" | "later" | "lost" | "met" | "saved" | "sooner"
>

function figuresOf(visits: readonly ComparedVisit[], differing: readonly RelivedVisit[]): Figures {
  const count = (change: RelivedVisit["change"]): number =>
    differing.filter((visit) => visit.change === change).length
  const both = (is: (end: ComparedVisit["after"]) => boolean) => ({
    before: visits.filter(({ before }) => is(before)).length,
    after: visits.filter(({ after }) => is(after)).length,
  })
  return {
    differ: differing.length,
    saved: count("saved"),
    lost: count("lost"),
    sooner: count("sooner"),
    later: count("later"),
    met: both(({ is }) => is === "met"),
    late: both((end) => end.is_late),
    drawn: differing.filter((visit) => visit.is_drawn).length,
  }
}

function droppedBy({ dropped }: Relived): RelivedAnswer["dropped"] {
  const count = (why: (typeof dropped)[number]["because"]): number =>
    dropped.filter(({ because }) => because === why).length
  return { missing: count("missing"), refused: count("refused"), there: count("there") }
}
