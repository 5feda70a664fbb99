/** A scenario as plain sentences: given, when, then. Every sentence comes from the `says` of the language's tables. */

import { KEY_FIELDS, PARTNER_FIELDS } from "../language/key-words.ts"
import { OPERATOR_FIELDS, RUNNER_FIELDS, isDoneByPeople } from "../language/people-words.ts"
import { PERMISSIONS } from "../../../model/caller.ts"
import { DAY_MS, HOUR_MS, MINUTE_MS, SECOND_MS } from "../../../model/values/time.ts"
import { EVENT_TYPES, PICKUP_EVENT_TYPES, isEventType } from "../../../model/webhook.ts"
import { counted } from "../language/counted.ts"
import { textIfGiven } from "../language/field-values.ts"
import { stallsOf } from "../language/given-site.ts"
import { USUAL_PATIENCE_MS, isCounted, isPublishedOnce } from "../counting.ts"
import { DELIVERY_FIELDS, STORE_FIELDS, VEHICLE_FIELDS } from "../language/delivery-world.ts"
import {
  COMMANDS,
  EXPECTATIONS,
  FAULTS,
  POLICY_FIELDS,
  PROMISED,
  REST_OF_ARGUMENTS,
  SCRIPTED_CODES,
} from "../language/language.ts"
import type {
  AnswerRef,
  CommandWord,
  ExpectationName,
  Field,
  FieldValue,
  FieldValues,
  Fields,
  GivenCaller,
  GivenDelivery,
  GivenSite,
  Pause,
  Scenario,
  StandingStep,
  Step,
  TimeRef,
} from "../language/language.ts"
import { faultWords } from "../machine-faults.ts"
import type { MachineFaultsGiven } from "../machine-faults.ts"
import { wallClockOf } from "../../../model/values/local-time.ts"

/** Lines of text: title, reason, then one sentence a line; it ends with a newline. */
export function explain(scenario: Scenario): string {
  const { title, variant, because, always, promises } = scenario
  const sentences: readonly Sentence[] = [
    ...givenSentences(scenario).map((text): Sentence => ({ part: "Given", text })),
    ...scenario.steps.map(stepSentence),
  ]
  const after = [
    ...always.map(({ name }) => sentence(`always: ${name}`)),
    ...promises.map(({ of, comparison, bound }) =>
      sentence(`promised: ${PROMISED[of]}, ${BOUNDS[comparison]} ${bound}`),
    ),
  ]
  const lines = [variant === null ? title : `${title} (${variant})`, because, "", ...withParts(sentences)]
  return `${[...lines, ...(after.length === 0 ? [] : ["", ...after])].join("\n")}\n`
}

interface Sentence {
  readonly part: "Given" | "When" | "Then"
  readonly text: string
}

const BOUNDS = {
  "<": "less than",
  "<=": "at most",
  "=": "exactly",
  ">=": "at least",
  ">": "more than",
} as const

/** The part's name on its first line, then "And". */
function withParts(sentences: readonly Sentence[]): readonly string[] {
  return sentences.map(({ part, text }, index) => {
    const opener = sentences[index - 1]?.part === part ? "And" : part
    return `${opener.padStart(5)} ${text}.`
  })
}

function sentence(text: string): string {
  return `${text.charAt(0).toUpperCase()}${text.slice(1)}.`
}

function givenSentences(scenario: Scenario): readonly string[] {
  const { clock, environment, permissions, site, webhooks, pickupWebhooks, delivery, policy } = scenario
  const day = new Intl.DateTimeFormat("en-US", { dateStyle: "full", timeZone: "UTC" }).format(
    wallClockOf(clock.local) ?? 0,
  )
  const which = clock.occurrence === undefined ? "" : `, the ${clock.occurrence} of two`
  const isPartly = permissions.length < PERMISSIONS.length
  return [
    `it is ${clock.local.slice(11)} on ${day} (${clock.timeZone}${which})`,
    ...(delivery === null ? [siteWords(site)] : deliveryWords(delivery)),
    ...(scenario.sites ?? []).map(furtherSiteWords),
    ...(environment === "sandbox" ? ["everything happens in the sandbox"] : []),
    ...(isPartly
      ? [
          `the partner's key has ${permissions.length === 0 ? "no permission" : `only ${listed(permissions)}`}`,
        ]
      : []),
    ...(scenario.partners ?? []).map(({ as, fields }) =>
      withPhrases(`there is another partner, ${as}`, PARTNER_FIELDS, fields),
    ),
    ...(scenario.keys ?? []).map(({ as, fields }) =>
      withPhrases(`there is the key ${as}`, KEY_FIELDS, fields),
    ),
    ...(scenario.runners ?? []).map(({ as, fields }) =>
      withPhrases(`${as} is a runner`, RUNNER_FIELDS, fields),
    ),
    ...(scenario.operators ?? []).map(({ as, fields }) =>
      withPhrases(`${as} is an operator`, OPERATOR_FIELDS, fields),
    ),
    ...[...webhooks, ...pickupWebhooks].map(
      ({ as, of, events, answers }) =>
        `the endpoint ${as}${of === undefined ? "" : ` of ${of}`} receives ${eventWords(events)} and answers ${answerWords(answers)}`,
    ),
    ...fieldPhrases(POLICY_FIELDS, policy).map((phrase) => `the policy says ${phrase}`),
    ...faultSentences(scenario.machineFaults ?? null),
  ]
}

function faultSentences(given: MachineFaultsGiven | null): readonly string[] {
  if (given === null) return []
  const said = faultWords(given.faults)
  const many = said.length === 0 ? "nothing fails by itself" : "the machines that run the service fail"
  return [`for ${durationWords(given.endMs)} ${many}, and every invariant of the swarm is checked`, ...said]
}

function withPhrases(text: string, table: Fields, fields: FieldValues): string {
  const phrases = fieldPhrases(table, fields)
  return phrases.length === 0 ? text : `${text}, with ${listed(phrases)}`
}

function siteWords(site: GivenSite): string {
  return site.builtIn === null ? `the site has ${stallWords(site)}` : `the site is ${site.builtIn}`
}

function stallWords({ stalls, activeStalls, hasRunner }: Omit<GivenSite, "builtIn">): string {
  const active = activeStalls === stalls ? "" : `, ${activeStalls} of them in use`
  return `${counted(stalls, "stall")}${active}, and ${hasRunner ? "runners" : "no runners"}`
}

function furtherSiteWords({ as, fields }: GivenCaller): string {
  const timeZone = textIfGiven(fields, "time_zone")
  const has = `the site ${as}${timeZone === undefined ? "" : ` (${timeZone})`} has ${stallWords(stallsOf(fields))}`
  return [has, ...fieldPhrases(STORE_FIELDS, fields)].join("; ")
}

/** The site from which deliveries start, and its vehicles. */
function deliveryWords({ fields, vehicles }: GivenDelivery): readonly string[] {
  return [
    "deliveries start at the scenario's store",
    ...fieldPhrases(DELIVERY_FIELDS, fields).map((phrase) => `the store has ${phrase}`),
    ...vehicles.map(({ as, fields: more }) => {
      const phrases = fieldPhrases(VEHICLE_FIELDS, more)
      return `the vehicle ${as} is there${phrases.length === 0 ? "" : `, ${listed(phrases)}`}`
    }),
  ]
}

function eventWords(events: readonly string[]): string {
  if ([EVENT_TYPES, PICKUP_EVENT_TYPES].some((all) => all.every((one) => events.includes(one))))
    return "all events"
  return events.length === 0 ? "no events" : listed(events)
}

/** One step without its time; the first letter is small. */
export function stepWords(step: Step): string {
  return stepSentence({ ...step, at: null }).text
}

function stepSentence(step: Step): Sentence {
  const when = step.at === null ? "" : `${momentWords(step.at)} `
  switch (step.verb) {
    case "do":
      return { part: "When", text: when + byWords(step) + wordSentence(COMMANDS[step.command], step) }
    case "inject":
      return { part: "When", text: when + wordSentence(FAULTS[step.fault], { ...step, as: null }) }
    case "wait":
      return { part: "When", text: when + waitWords(step.until) }
    case "refuse": {
      const refused = byWords(step) + wordSentence(COMMANDS[step.command], step)
      const why = `${SCRIPTED_CODES[step.code]} (${step.code})`
      return {
        part: "Then",
        text: `${when}this is refused: ${refused}. The reason: ${why}${waitToRetry(step.retryAfterMs)}`,
      }
    }
    case "expect":
      return { part: "Then", text: when + factSentence(step.fact, step.fields) }
    case "never":
    case "at_most":
      return { part: "Then", text: when + standingSentence(step) }
  }
}

function byWords({ by, command }: { readonly by?: string; readonly command: string }): string {
  if (by === undefined) return ""
  return isDoneByPeople(command) ? `by ${by}: ` : `with the key ${by}, `
}

function waitToRetry(ms: number | undefined): string {
  return ms === undefined ? "" : `, and the next call is asked for after ${durationWords(ms)}`
}

function waitWords(until: TimeRef): string {
  return until.type === "offset" ? `${durationWords(until.ms)} pass` : `it is ${clockWords(until)}`
}

interface Said {
  readonly as: string | null
  readonly for: string | null
  readonly with: FieldValues
}

function wordSentence(word: Omit<CommandWord, "as"> & Partial<CommandWord>, said: Said): string {
  const rest = withoutSlots(said.with, word.says)
  const phrases = fieldPhrases(word.with, rest)
  const named = said.as ?? (word.as === "reservation" ? "a reservation" : "")
  const says = phrases.length === 0 ? word.says.replace(REST_OF_ARGUMENTS, "") : word.says
  // Replaced in one pass, because values may contain braces of their own.
  return says.replaceAll(/ ?\{(\w+)\}/g, (_, slot: string) => {
    if (slot === "with") return ` ${listed(phrases)}`
    if (slot === "as") return named === "" ? "" : ` ${named}`
    return ` ${slot === "for" ? (said.for ?? "") : valueWords(said.with[slot] ?? null)}`
  })
}

/** The values without a slot in the sentence. */
function withoutSlots(values: FieldValues, says: string): FieldValues {
  const slots = [...says.matchAll(/\{(\w+)\}/g)].map((match) => match[1])
  return Object.fromEntries(Object.entries(values).filter(([name]) => !slots.includes(name)))
}

function factSentence(name: ExpectationName, values: FieldValues): string {
  const { at, within, ...others } = values
  const decided = isCounted(name, values) && at === undefined ? countedWords(within) : ""
  const when = whenWords(at, within)
  const opener = at === undefined || isPublishedOnce(name) ? when : `${when.trim()}, and not before, `
  return `${opener}${plainFact(name, others)}${decided}`
}

/** A fact without its time. */
function plainFact(name: ExpectationName, others: FieldValues): string {
  const fact: { readonly says: string; readonly fields: Fields } = EXPECTATIONS[name]
  const phrases = fieldPhrases(fact.fields, withoutSlots(others, fact.says))
  const filled = fact.says.replaceAll(/ ?\{(\w+)\}/g, (_, slot: string) => {
    if (slot === "fields") return phrases.length === 0 ? " been booked" : ` ${listed(phrases)}`
    return ` ${slotWords(fact.fields[slot], others[slot] ?? null)}`
  })
  const more = fact.says.includes("{fields}") || phrases.length === 0 ? "" : `, ${listed(phrases)}`
  return `${filled.trim()}${more}`
}

function slotWords(field: Field | undefined, value: FieldValue): string {
  return field?.between !== undefined && Array.isArray(value)
    ? value.join(`, ${field.between} `)
    : valueWords(value)
}

/** The fact of a step without its times: `lunch has the status canceled`. */
export function factWords({ fact, fields }: StandingStep): string {
  return plainFact(fact, Object.fromEntries(Object.entries(fields).filter(([name]) => name !== "within")))
}

/** `from here on never: lunch has the status canceled`. */
function standingSentence({ verb, fact, fields }: StandingStep): string {
  const { within, ...others } = fields
  const during = isDuration(within) ? `for ${durationWords(within.ms)}` : "from here on"
  return `${during} ${verb === "never" ? "never" : "at most"}: ${plainFact(fact, others)}`
}

/** The time until which more may come. */
function countedWords(within: FieldValue | undefined): string {
  const patience = isDuration(within) ? "in that time" : `within ${durationWords(USUAL_PATIENCE_MS)}`
  return `; decided once nothing more can come ${patience}`
}

function whenWords(at: FieldValue | undefined, within: FieldValue | undefined): string {
  if (isTime(at)) return `${momentWords(at)} `
  return isDuration(within) ? `within ${durationWords(within.ms)} ` : ""
}

/** One phrase for each value, in the table's order. */
function fieldPhrases(fields: Fields, values: FieldValues): readonly string[] {
  return Object.entries(fields).flatMap(([name, field]) => {
    const value = values[name]
    return value === undefined ? [] : [fieldPhrase(field, value)]
  })
}

/** How a field's `says` includes its value: the first pattern that fits. */
const PHRASES: readonly (readonly [
  pattern: RegExp,
  phrase: (value: FieldValue, ...parts: string[]) => string,
])[] = [
  [/^(.*)how many times$/, (value) => timesWords(value)],
  [/^how many$/, (value) => `${valueWords(value)} of them`],
  [/^(.*)this many times(.*)$/, (value, before = "", after = "") => `${before}${timesWords(value)}${after}`],
  [/^(.*)this many (.*)s$/, (value, before = "", noun = "") => `${before}${counted(Number(value), noun)}`],
  [
    /^with or without (.*)$/,
    (value, what = "") => `${value === true || value === "signed" ? "with" : "without"} ${what}`,
  ],
  [/^(.*)\bthis (\w+) only$/, (value, before = "") => `${before}${valueWords(value)} only`],
  [
    /^(.*)\b(?:this|one of these) (.+)$/,
    (value, before = "", what = "") => `${before}the ${what} ${valueWords(value)}`,
  ],
  [/^whether (.*)$/, (value, what = "") => `${what.replace(/; .*/, "")}: ${valueWords(value)}`],
  [
    /^(.*), (kilograms|centimetres)$/,
    (value, what = "", unit = "") => `${what}: ${valueWords(value)} ${unit}`,
  ],
  [/^one answer /, (value) => valueWords(value)],
  [/^its (\w+)$/, (value, what = "") => `the ${what} ${valueWords(value)}`],
  [/^((?:the|its|an|a) (?!.*\bthat\b).*)$/, (value, what = "") => `${what} ${valueWords(value)}`],
]

function fieldPhrase(field: Field, value: FieldValue): string {
  if (field.short !== undefined) {
    const phrase = shortPhrase(field.short, field.is === "times" ? timesListed(value) : value)
    if (phrase !== null) return phrase
  }
  if (value === null) return `${field.says}: none`
  for (const [pattern, phrase] of PHRASES) {
    const match = pattern.exec(field.says)
    if (match !== null) return phrase(value, ...match.slice(1))
  }
  return `${field.says}: ${valueWords(value)}`
}

/** The field's own short form with the value; null when it has none for it. */
function shortPhrase(short: string, value: FieldValue): string | null {
  const [yes = "", no] = short.split("|")
  const hasValue = yes.includes("{value}")
  if (value === null && hasValue && no !== undefined) return no
  if (value === null) {
    const what = /^the (.+?)(?: of)? \{value\}/.exec(short)?.[1]
    return what === undefined ? null : `no ${what}`
  }
  if (value === 0 && short.endsWith(" {times}")) return `never ${short.slice(0, -" {times}".length)}`
  if (no !== undefined && !hasValue) return value === true || value === "signed" ? yes : no
  return yes.replace("{times}", () => timesWords(value)).replace("{value}", () => valueWords(value))
}

function valueWords(value: FieldValue): string {
  if (value === null) return "none"
  if (typeof value === "boolean") return value ? "yes" : "no"
  if (isTime(value)) return value.type === "clock" ? clockWords(value) : offsetWords(value.ms)
  if (isDuration(value)) return durationWords(value.ms)
  if (typeof value === "object") return listWords(value)
  return value === "" ? "(empty)" : String(value)
}

function listWords(value: readonly unknown[]): string {
  const [first] = value
  if (isTime(first)) return (value as readonly TimeRef[]).map((time) => valueWords(time)).join(" to ")
  if (typeof first === "number") return value.join(" × ")
  if (isPause(first)) return (value as readonly Pause[]).map(pauseWords).join(" and ")
  if (typeof first === "object") return answerWords(value as readonly AnswerRef[])
  if (value.length === 0) return "none"
  const words = value.map(String)
  return words.every(isEventType) ? eventWords(words) : words.join(" or ")
}

function isPause(value: unknown): value is Pause {
  return typeof value === "object" && value !== null && "from" in value
}

function pauseWords({ from, to }: Pause): string {
  return `${valueWords(from)} to ${valueWords(to)}`
}

function isTime(value: unknown): value is TimeRef {
  return (
    typeof value === "object" &&
    value !== null &&
    "type" in value &&
    (value.type === "clock" || value.type === "offset")
  )
}

function isDuration(value: unknown): value is { readonly ms: number } {
  return typeof value === "object" && value !== null && "ms" in value && !isTime(value)
}

/** `a timeout, 500, then 200 from then on`. */
function answerWords(answers: readonly AnswerRef[]): string {
  const words = answers.map(oneAnswerWords)
  const last = words.at(-1) ?? "nothing"
  return words.length <= 1 ? last : `${words.slice(0, -1).join(", ")}, then ${last} from then on`
}

function oneAnswerWords(answer: AnswerRef): string {
  if (answer.type === "timeout") return "too late (timeout)"
  if (answer.type === "refused") return "with a refused connection"
  return answer.afterMs === null
    ? `${answer.status}`
    : `${answer.status} after ${durationWords(answer.afterMs)}`
}

/** When a step happens. */
function momentWords(time: TimeRef): string {
  if (time.type === "clock") return time.dayOffset === 0 ? `at ${clockWords(time)}` : clockWords(time)
  return time.ms === 0 ? "at once" : `${durationWords(time.ms)} later`
}

function offsetWords(ms: number): string {
  if (ms === 0) return "now"
  return ms > 0 ? `${durationWords(ms)} from now` : `${durationWords(-ms)} ago`
}

function clockWords({
  dayOffset,
  msOfDay,
  occurrence,
}: Extract<TimeRef, { readonly type: "clock" }>): string {
  const time = new Date(msOfDay).toISOString().slice(11, msOfDay % MINUTE_MS === 0 ? 16 : 19)
  const clock = occurrence === undefined ? time : `${time} (the ${occurrence} of two)`
  if (dayOffset === 0) return clock
  return `${dayOffset > 0 ? "tomorrow" : "yesterday"} at ${clock}`
}

const UNITS = [
  ["day", DAY_MS],
  ["hour", HOUR_MS],
  ["minute", MINUTE_MS],
  ["second", SECOND_MS],
  ["millisecond", 1],
] as const

/** `1 hour 30 minutes`. */
export function durationWords(ms: number): string {
  let left = ms
  const parts = UNITS.flatMap(([noun, size]) => {
    const count = Math.floor(left / size)
    left -= count * size
    return count === 0 ? [] : [counted(count, noun)]
  })
  return parts.length === 0 ? "no time" : parts.join(" ")
}

/** `11:30, 11:32 and 11:36`. */
function timesListed(value: FieldValue): string {
  return listed((value as readonly TimeRef[]).map((time) => valueWords(time)))
}

function timesWords(value: FieldValue): string {
  const spoken = ["never", "once", "twice"] as const
  return spoken[Number(value)] ?? `${valueWords(value)} times`
}

/** `a, b and c`; with semicolons if the parts contain commas. */
function listed(words: readonly string[]): string {
  if (words.length <= 1) return words.join("")
  const comma = words.some((word) => word.includes(",")) ? ";" : ","
  return `${words.slice(0, -1).join(`${comma} `)}${comma === ";" ? ";" : ""} and ${words.at(-1)}`
}
