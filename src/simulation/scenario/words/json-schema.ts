/**
 * The scenario language as a JSON Schema, for editors: completion, descriptions and first checks while typing. It is
 * made from the reader's own tables. JSON Schema cannot check names given with `as`, the order of times and the use of
 * matrix columns; `curbline check` does.
 */

import {
  FRAGMENT_FILES_MAX,
  GIVEN_CALLERS_MAX,
  GIVEN_WEBHOOKS_MAX,
  MATRIX_ROWS_MAX,
  STEPS_MAX,
  VEHICLES_MAX,
} from "../../../model/values/limits.ts"
import type { JsonObject } from "../../../model/values/json.ts"
import { EVENT_TYPES, PICKUP_EVENT_TYPES } from "../../../model/webhook.ts"
import { DELIVERY_FIELDS, VEHICLE_FIELDS } from "../language/delivery-world.ts"
import type { VEHICLE_KEYS } from "../language/delivery-world.ts"
import { boundsOf } from "../counting.ts"
import { courseSchema } from "../course.ts"
import { requiredOf } from "../language/fields.ts"
import { USE_KEYS, USE_MEANING } from "../language/fragments.ts"
import { KEY_FIELDS, PARTNER_FIELDS } from "../language/key-words.ts"
import { OPERATOR_FIELDS, RUNNER_FIELDS } from "../language/people-words.ts"
import { webhookFields } from "../language/given.ts"
import { FURTHER_SITE_FIELDS, SITE_FIELDS } from "../language/given-site.ts"
import type { GIVEN_KEYS, WEBHOOK_KEYS } from "../language/given.ts"
import {
  BUILT_IN_SITES,
  COMMANDS,
  EXPECTATIONS,
  FAULTS,
  POLICY_FIELDS,
  REST_OF_ARGUMENTS,
  SCRIPTED_CODES,
} from "../language/language.ts"
import type { CommandWord, ExpectationName, Field, Fields, NamedKind } from "../language/language.ts"
import { NAME_PATTERN } from "../language/name-book.ts"
import { HEAD, REQUIRED_KEYS, SCENARIO_KEYS } from "../language/read.ts"
import type { ScenarioNames } from "../language/read.ts"
import { REPEAT } from "../language/repeat.ts"
import {
  BY_MEANINGS,
  KEYS_BY_VERB,
  RETRY_AFTER,
  STEP_KEYS,
  VERBS,
  VERB_MEANINGS,
  byKindOf,
  factsOver,
} from "../language/step.ts"
import type { REFUSE_KEYS, Verb } from "../language/step.ts"
import { DURATION_PATTERN, duration, keySchemas } from "../language/shapes.ts"
import { STATUS_MAX, STATUS_MIN, VARIABLE, orVariable, shapeOf } from "../language/value.ts"

export type JsonSchema = boolean | JsonObject

/** The text of `scenarios/scenario.schema.json`. */
export function scenarioSchemaText(names: ScenarioNames): string {
  return `${JSON.stringify(scenarioJsonSchema(names), null, 2)}\n`
}

/** JSON Schema 2020-12 of one scenario file. */
export function scenarioJsonSchema(names: ScenarioNames): JsonObject {
  const properties = topLevelSchemas(names)
  return {
    $schema: "https://json-schema.org/draft/2020-12/schema",
    $comment: "Generated from src/simulation/scenario by `npm run generate`; do not edit.",
    title: "Curbline scenario",
    type: "object",
    properties: Object.fromEntries(SCENARIO_KEYS.map((key) => [key, properties[key]])),
    required: [...REQUIRED_KEYS],
    additionalProperties: false,
    $defs: {
      ...valueDefinitions(),
      ...argumentDefinitions(),
      fact: expectSchema(names),
      step: stepSchema(),
    },
  }
}

type Schemas<Key extends string> = { readonly [key in Key]: JsonSchema }

/** Each top-level key with its meaning. */
export function topLevelSchemas(names: ScenarioNames): Schemas<(typeof SCENARIO_KEYS)[number]> {
  const sentence = { type: "string", pattern: "\\S" }
  return {
    ...keySchemas(HEAD),
    clock: {
      type: "string",
      pattern:
        "^\\d{4}-\\d{2}-\\d{2}T\\d{2}:\\d{2}(:\\d{2})?\\s+[A-Za-z_]+(/[A-Za-z0-9_+-]+)*(\\s+(first|second))?$",
      description: "local date and time of the start, and the time zone: 2026-03-02T11:30 America/Chicago",
    },
    given: { ...givenSchema(), description: "what exists before the first step" },
    course: { ...courseSchema, description: "the sandbox offers the steps for any delivery or reservation" },
    uses: {
      type: "array",
      items: sentence,
      maxItems: FRAGMENT_FILES_MAX,
      description: "files of fragments in the same folder of scenarios, whose steps `use` inserts",
    },
    matrix: {
      type: "array",
      minItems: 1,
      maxItems: MATRIX_ROWS_MAX,
      description: "a table: the scenario runs once a row, with the row's values in place of $key",
      items: {
        type: "object",
        properties: { name: { ...sentence, description: "the row's name" } },
        required: ["name"],
        propertyNames: { pattern: "^[a-z][a-z0-9_]*$" },
      },
    },
    steps: {
      description: "what happens and what must hold, in order",
      type: "array",
      minItems: 1,
      maxItems: STEPS_MAX,
      items: { $ref: "#/$defs/step" },
    },
    always: {
      type: "array",
      items: names.invariants.length === 0 ? sentence : { enum: [...names.invariants] },
      description: "invariants that are watched; all when there are none here",
    },
  }
}

function givenSchema(): JsonObject {
  const given: Schemas<(typeof GIVEN_KEYS)[number]> = {
    site: {
      description: "a built-in site, or one written out",
      anyOf: [{ enum: [...BUILT_IN_SITES] }, fieldsSchema(SITE_FIELDS), VARIABLE],
    },
    sites: callersSchema(FURTHER_SITE_FIELDS, "sites beside it, each with stalls of its own"),
    partners: callersSchema(PARTNER_FIELDS, "other partners, each with a key of its own"),
    keys: callersSchema(KEY_FIELDS, "more keys"),
    runners: callersSchema(RUNNER_FIELDS, "runners with a phone of the site, and their shifts"),
    operators: callersSchema(OPERATOR_FIELDS, "operators, with their roles and shifts"),
    webhooks: webhooksSchema(EVENT_TYPES),
    pickup_webhooks: webhooksSchema(PICKUP_EVENT_TYPES),
    delivery_site: {
      description: "the site from which deliveries start",
      anyOf: [fieldsSchema(DELIVERY_FIELDS), VARIABLE],
    },
    vehicles: { anyOf: [{ type: "array", maxItems: VEHICLES_MAX, items: vehicleSchema() }, VARIABLE] },
    policy: { anyOf: [fieldsSchema(POLICY_FIELDS), VARIABLE] },
  }
  return { type: "object", properties: given, additionalProperties: false }
}

function callersSchema(table: Fields, description: string): JsonSchema {
  const as = { $ref: "#/$defs/name", description: "the name in the steps" }
  const fields = Object.entries(table).map(([name, field]) => [name, fieldSchema(field)] as const)
  const one = {
    type: "object",
    properties: { as, ...Object.fromEntries(fields) },
    required: ["as", ...requiredOf(table)],
    additionalProperties: false,
  }
  const list = { type: "array", maxItems: GIVEN_CALLERS_MAX, items: { anyOf: [one, VARIABLE] } }
  return { anyOf: [list, VARIABLE], description }
}

function webhooksSchema(types: readonly string[]): JsonSchema {
  return { anyOf: [{ type: "array", maxItems: GIVEN_WEBHOOKS_MAX, items: webhookSchema(types) }, VARIABLE] }
}

function vehicleSchema(): JsonSchema {
  const as = { $ref: "#/$defs/name", description: "the vehicle's name in the steps" }
  const others = Object.entries(VEHICLE_FIELDS).map(([name, field]) => [name, fieldSchema(field)] as const)
  const properties: Schemas<(typeof VEHICLE_KEYS)[number]> = { as, ...Object.fromEntries(others) }
  return { anyOf: [{ type: "object", properties, required: ["as"], additionalProperties: false }, VARIABLE] }
}

function webhookSchema(types: readonly string[]): JsonSchema {
  const { of, events, answers } = webhookFields(types)
  const webhook: Schemas<(typeof WEBHOOK_KEYS)[number]> = {
    as: { $ref: "#/$defs/name", description: "the endpoint's name in the steps" },
    of: fieldSchema(of),
    events: fieldSchema(events),
    answers: fieldSchema(answers),
  }
  return {
    anyOf: [{ type: "object", properties: webhook, required: ["as"], additionalProperties: false }, VARIABLE],
  }
}

function valueDefinitions(): { readonly [name: string]: JsonSchema } {
  const status = { type: "integer", minimum: STATUS_MIN, maximum: STATUS_MAX }
  const slowAnswer = {
    type: "object",
    properties: { status: orVariable(status), after: orVariable({ $ref: "#/$defs/duration" }) },
    required: ["status"],
    additionalProperties: false,
  }
  return {
    variable: { type: "string", pattern: "^\\$[A-Za-z][A-Za-z0-9_]*$" },
    name: { anyOf: [{ type: "string", pattern: NAME_PATTERN.source }, VARIABLE] },
    duration: duration().schema,
    time: {
      type: "string",
      pattern: `^((tomorrow|yesterday) +)?([01]\\d|2[0-3]):[0-5]\\d(:[0-5]\\d)?( +(first|second))?$|^[+-]${DURATION_PATTERN}$`,
    },
    answer: { anyOf: [status, { enum: ["timeout", "refused"] }, slowAnswer, VARIABLE] },
    bound: { type: "string", pattern: "^(<=|>=|<|>|=)\\s*\\d+(\\.\\d+)?$" },
  }
}

/** A map with the fields of a table. */
function fieldsSchema(fields: Fields): JsonSchema {
  return {
    type: "object",
    properties: Object.fromEntries(Object.entries(fields).map(([name, field]) => [name, fieldSchema(field)])),
    required: requiredOf(fields),
    additionalProperties: false,
  }
}

function fieldSchema(field: Field): JsonSchema {
  const description = field.usual === undefined ? field.says : `${field.says}; ${field.usual} by default`
  const nothing: readonly JsonSchema[] = field.nullable === true ? [{ type: "null" }] : []
  const value = shapeOf(field).schema
  // A text may contain variables anyway.
  const variable = field.is === "text" ? [] : [VARIABLE]
  const kinds = [value, ...nothing, ...variable]
  return kinds.length === 1 ? { ...value, description } : { anyOf: kinds, description }
}

/** A conditional rule: `consequence` must hold when `condition` does. */
function branch(condition: JsonSchema, consequence: JsonSchema): JsonSchema {
  // oxlint-disable-next-line unicorn/no-thenable -- a keyword of JSON Schema, and a schema is never awaited
  return { if: condition, then: consequence }
}

/** A step: exactly one verb; the key that is present chooses the branch. */
function stepSchema(): JsonSchema {
  const verbs = verbSchemas()
  const keys = ["at", "use", ...VERBS, ...new Set(Object.values(KEYS_BY_VERB).flat())]
  const properties: { [key: string]: JsonSchema } = {}
  for (const key of keys) properties[key] = true
  return {
    type: "object",
    properties: {
      ...properties,
      at: orVariable({ $ref: "#/$defs/time", description: STEP_KEYS.at }),
      repeat: { anyOf: [REPEAT.schema, VARIABLE], description: STEP_KEYS.repeat },
      every: orVariable({ $ref: "#/$defs/duration", description: STEP_KEYS.every }),
      actor: { type: "string", pattern: String.raw`\S`, description: STEP_KEYS.actor },
      ...verbs,
      use: { type: "string", description: USE_MEANING },
    },
    additionalProperties: false,
    oneOf: [...VERBS, "use"].map((verb) => ({ required: [verb] })),
    dependentRequired: { every: ["repeat"] },
    allOf: [
      ...VERBS.map((verb) =>
        branch({ required: [verb] }, { propertyNames: { enum: [verb, ...KEYS_BY_VERB[verb]] } }),
      ),
      branch({ required: ["use"] }, { propertyNames: { enum: [...USE_KEYS] } }),
      ...wordBranches({ verb: "do", words: COMMANDS }),
      ...wordBranches({ verb: "inject", words: FAULTS }),
      branch({ required: ["refuse"] }, { properties: { refuse: refuseSchema() } }),
      branch({ required: ["expect"] }, { properties: { expect: { $ref: "#/$defs/fact" } } }),
      ...(["never", "at_most"] as const).map((verb) => branch({ required: [verb] }, standingSchema(verb))),
    ],
  }
}

function verbSchemas(): Schemas<Verb> {
  return {
    do: { ...wordsSchema(COMMANDS), description: VERB_MEANINGS.do },
    refuse: { type: "object", description: VERB_MEANINGS.refuse },
    expect: { type: "object", description: VERB_MEANINGS.expect },
    never: { type: "object", description: VERB_MEANINGS.never },
    at_most: { type: "object", description: VERB_MEANINGS.at_most },
    inject: { ...wordsSchema(FAULTS), description: VERB_MEANINGS.inject },
    wait: {
      description: VERB_MEANINGS.wait,
      anyOf: [{ $ref: "#/$defs/duration" }, { $ref: "#/$defs/time" }, VARIABLE],
    },
  }
}

type Words = { readonly [word: string]: Omit<CommandWord, "as"> & { readonly as?: NamedKind | null } }

/** The words of a table, each with its description. */
function wordsSchema(words: Words): JsonObject {
  const known = Object.entries(words).map(([word, { says }]) => ({ const: word, description: plainly(says) }))
  return { anyOf: [...known, { $ref: "#/$defs/variable" }] }
}

/** `the partner books {as}, {with}` without its slots for arguments. */
export function plainly(says: string): string {
  return says.replace(REST_OF_ARGUMENTS, "").replaceAll(/\{(\w+)\}/g, "‹$1›")
}

/** The keys of each word: its arguments, and whether it refers to something or makes something. */
function wordBranches({
  verb,
  words,
}: {
  readonly verb: "do" | "inject"
  readonly words: Words
}): readonly JsonSchema[] {
  return Object.entries(words).map(([word, entry]) =>
    branch({ properties: { [verb]: { const: word } }, required: [verb] }, wordBranch(word, entry)),
  )
}

/** The arguments of each command and fault, which `do` and `refuse` share. */
function argumentDefinitions(): { readonly [name: string]: JsonSchema } {
  const words: Words = { ...COMMANDS, ...FAULTS }
  return Object.fromEntries(
    Object.entries(words).map(([name, word]) => [argumentsOf(name), fieldsSchema(word.with)]),
  )
}

function argumentsOf(name: string): string {
  return `arguments-of-${name}`
}

function wordBranch(name: string, word: Words[string]): JsonObject {
  const hasArguments = requiredOf(word.with).length > 0
  const kind = word.as ?? null
  const byKind = byKindOf(name)
  return {
    properties: {
      for:
        word.for === null ? false : { $ref: "#/$defs/name", description: `the ${word.for} that it is about` },
      as: kind === null ? false : { $ref: "#/$defs/name", description: `a name for the new ${kind}` },
      by: byKind === null ? false : { $ref: "#/$defs/name", description: BY_MEANINGS[byKind] },
      with: orVariable({ $ref: `#/$defs/${argumentsOf(name)}` }),
    },
    required: [...(word.for === null ? [] : ["for"]), ...(hasArguments ? ["with"] : [])],
  }
}

function refuseSchema(): JsonSchema {
  const codes = Object.entries(SCRIPTED_CODES).map(([code, description]) => ({ const: code, description }))
  const refuse: Schemas<(typeof REFUSE_KEYS)[number]> = {
    do: wordsSchema(COMMANDS),
    as: { $ref: "#/$defs/name", description: "a name for what is not made, about which later steps may ask" },
    for: { $ref: "#/$defs/name" },
    by: { $ref: "#/$defs/name", description: STEP_KEYS.by },
    with: true,
    code: { anyOf: [...codes, VARIABLE], description: "the refusal's code" },
    retry_after: orVariable({ ...RETRY_AFTER.schema, description: "the wait that the refusal asks for" }),
  }
  return {
    type: "object",
    properties: refuse,
    required: ["do", "code"],
    additionalProperties: false,
    allOf: [...wordBranches({ verb: "do", words: COMMANDS })],
  }
}

/** A fact: its first key chooses the branch. */
function expectSchema(names: ScenarioNames): JsonSchema {
  const facts = Object.keys(EXPECTATIONS) as ExpectationName[]
  return {
    type: "object",
    properties: Object.fromEntries(
      facts.map((fact) => [fact, { description: plainly(EXPECTATIONS[fact].says) }]),
    ),
    anyOf: facts.map((fact) => ({ required: [fact] })),
    allOf: facts.map((fact) => branch(isFact(fact), factSchema(fact, names))),
  }
}

/** A fact without a time; for `at_most` one that is counted, with exactly one of its counts. */
function standingSchema(verb: "at_most" | "never"): JsonObject {
  const counts = (Object.keys(EXPECTATIONS) as ExpectationName[]).flatMap((fact) =>
    boundsOf(fact).map((bound) => ({ allOf: [isFact(fact), { required: [bound] }] })),
  )
  const counted = verb === "at_most" ? { oneOf: counts } : {}
  const excluded = verb === "at_most" ? ["at", "attempted_at"] : ["at"]
  const fact = {
    $ref: "#/$defs/fact",
    not: { anyOf: excluded.map((field) => ({ required: [field] })) },
    ...counted,
  }
  return { properties: { [verb]: fact } }
}

function isFact(fact: ExpectationName): JsonSchema {
  const over = factsOver(fact)
  const others = over.map((other) => ({ required: [other] }))
  return over.length === 0 ? { required: [fact] } : { required: [fact], not: { anyOf: others } }
}

function factSchema(fact: ExpectationName, names: ScenarioNames): JsonSchema {
  const fields: Fields = EXPECTATIONS[fact].fields
  const schema = fieldsSchema(fields) as JsonObject
  const oneTime = "at" in fields && "within" in fields ? { not: { required: ["at", "within"] } } : {}
  const states = fact === "state" ? { allOf: stateBranches(names) } : {}
  return { ...schema, ...oneTime, ...states }
}

function stateBranches({ statePaths }: ScenarioNames): readonly JsonSchema[] {
  return Object.entries(statePaths).map(([actor, paths]) =>
    branch(
      { properties: { actor: { const: actor } }, required: ["actor"] },
      { properties: { state: orVariable({ enum: [...paths] }) } },
    ),
  )
}
