/**
 * A rule file: a few limits that a record is run again with. Its words are those of a scenario's `policy`, and limits of errands
 * and vehicles. Every booking of the record gets the rule, because a limit is fixed when something begins.
 */

import { kindOf } from "../../model/address.ts"
import type { JsonObject } from "../../model/values/json.ts"
import { POLICY_TIME_MS_MAX } from "../../model/values/limits.ts"
import type { TurnInput } from "../../engine/kernel/journal.ts"
import { readKeys } from "../scenario/language/keys.ts"
import { POLICY_FIELDS } from "../scenario/language/language.ts"
import { inFileOrder } from "../scenario/language/problems.ts"
import type { Problem } from "../scenario/language/problems.ts"
import {
  duration,
  eachNamed,
  optional,
  readValues,
  required,
  sentence,
  whole,
} from "../scenario/language/shapes.ts"
import type { Shape } from "../scenario/language/shapes.ts"
import { showDuration } from "../scenario/language/shown-duration.ts"
import { parseSource, reporter } from "../scenario/language/source.ts"
import type { Source } from "../scenario/language/source.ts"
import type { ReplayedTurn } from "../replay.ts"

export interface Rule {
  readonly title: string
  readonly because: string | null
  /** Values by word; durations in milliseconds. */
  readonly values: ReadonlyMap<RuleWord, number>
}

/** The rules as they were. */
export const UNCHANGED: Rule = { title: "nothing changed", because: null, values: new Map() }

/** Where an input has the limit: in the policy with which a kind of group starts, or in the facts of decisions. */
interface Word {
  readonly says: string
  readonly shape: Shape<number>
  readonly startOf?: string
  readonly decisions?: RegExp
  readonly field: string
}

const BOOKING = { decisions: /^(?:book|move-window)@/ }

const WORDS = {
  window_grace: { ...scenarioWord("window_grace"), startOf: "reservation", field: "windowGraceMs" },
  bot_wait: { ...scenarioWord("bot_wait"), startOf: "reservation", field: "botWaitMs" },
  staging_lead: { ...scenarioWord("staging_lead"), startOf: "reservation", field: "stagingLeadMs" },
  open_link_attempts: {
    says: POLICY_FIELDS.open_link_attempts.says,
    shape: whole("attempts", POLICY_FIELDS.open_link_attempts),
    startOf: "reservation",
    field: "openLinkAttemptsMax",
  },
  window_ahead_max: { ...scenarioWord("window_ahead_max"), ...BOOKING, field: "aheadMsMax" },
  window_width_min: { ...scenarioWord("window_width_min"), ...BOOKING, field: "widthMsMin" },
  window_width_max: { ...scenarioWord("window_width_max"), ...BOOKING, field: "widthMsMax" },
  errand_quote: {
    says: "how long the quote of an errand is valid",
    shape: positive(),
    startOf: "courier-order",
    field: "quoteMs",
  },
  errand_hold: {
    says: "how long a vehicle is held for an errand",
    shape: positive(),
    startOf: "courier-order",
    field: "holdMs",
  },
  load_wait: {
    says: "how long a vehicle stands at the store before it counts as waiting for its load",
    shape: positive(),
    startOf: "vehicle",
    field: "loadWaitMs",
  },
} as const satisfies Readonly<Record<string, Word>>

export type RuleWord = keyof typeof WORDS

function scenarioWord(name: keyof typeof POLICY_FIELDS): Pick<Word, "says" | "shape"> {
  return { says: POLICY_FIELDS[name].says, shape: positive() }
}

/** A limit of time as operations may set it. */
function positive(): Shape<number> {
  const { words, schema, read } = duration()
  return {
    words,
    schema,
    read: (value, report) => {
      const ms = read(value, report)
      if (ms === undefined || (ms > 0 && ms <= POLICY_TIME_MS_MAX)) return ms
      report(value.span, `a limit of ${showDuration(ms)}`, {
        expected: `a duration above 0 and up to ${showDuration(POLICY_TIME_MS_MAX)}`,
      })
      return undefined
    },
  }
}

const LIMITS = eachNamed<number>(
  "limits of a rule",
  Object.fromEntries(Object.entries<Word>(WORDS).map(([name, { shape }]) => [name, shape])),
)

const KEYS = {
  rule: required("what the rule says, in a sentence", sentence("what the rule says, in a sentence")),
  because: optional("why it matters, in a sentence", sentence("why it matters, in a sentence"), null),
  policy: required("the limits that differ", LIMITS),
}

export function readRule(source: Source): {
  readonly rule: Rule | null
  readonly problems: readonly Problem[]
} {
  const problems: Problem[] = []
  const report = reporter(problems)
  const root = parseSource(source, report)
  if (root === null) return { rule: null, problems }
  const known = { of: "keys of a rule file", known: Object.keys(KEYS), required: ["rule", "policy"] }
  const entries = readKeys(root, known, report)
  const read = readValues(KEYS, entries, report)
  const policy = entries.get("policy")
  if (read?.policy.size === 0 && policy !== undefined)
    report(policy.value.span, "a rule that changes nothing", { expected: LIMITS.words })
  if (read === undefined || problems.length > 0) return { rule: null, problems: inFileOrder(problems) }
  const values = read.policy as ReadonlyMap<RuleWord, number>
  return { rule: { title: read.rule, because: read.because, values }, problems }
}

/** The input with the rule's limits where it has limits. */
export function underRule({ values }: Rule, input: TurnInput): TurnInput {
  let changed = input
  for (const [name, value] of values) {
    const word: Word = WORDS[name]
    const before = limitsIn(word, changed)
    if (before?.[word.field] === undefined) continue
    const limits = { ...before, [word.field]: value }
    const { start, facts } = changed
    changed =
      word.startOf === undefined || start === undefined
        ? { ...changed, facts: { ...facts, limits } }
        : { ...changed, start: { ...start, input: { ...start.input, policy: limits } } }
  }
  return changed
}

/** One limit: all its values in the record, and the rule's. */
export interface RuleChange {
  readonly word: RuleWord
  readonly says: string
  /** None: nothing in the record has this limit. */
  readonly before: readonly string[]
  readonly after: string
}

export function changesOf({ values }: Rule, turns: readonly ReplayedTurn[]): readonly RuleChange[] {
  return [...values].map(([name, value]) => {
    const word: Word = WORDS[name]
    const found = turns.flatMap(({ input }) => limitsIn(word, input)?.[word.field] ?? [])
    const before = [...new Set(found)].map((one) => shown(name, Number(one)))
    return { word: name, says: word.says, before, after: shown(name, value) }
  })
}

function limitsIn(
  { startOf, decisions, field }: Word,
  { to, start, facts, decision }: TurnInput,
): JsonObject | null {
  const isStart = startOf !== undefined && start !== undefined && kindOf(to) === startOf
  const isDecided = decisions !== undefined && decision !== null && decisions.test(decision)
  const limits = isStart ? start.input["policy"] : isDecided ? facts?.["limits"] : undefined
  return isObject(limits) && typeof limits[field] === "number" ? limits : null
}

function isObject(value: unknown): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value)
}

function shown(name: RuleWord, value: number): string {
  return name === "open_link_attempts" ? String(value) : showDuration(value)
}
