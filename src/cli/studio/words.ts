/** The tables of the scenario language, as the editor completes them. */

import { DELIVERY_FIELDS, VEHICLE_FIELDS } from "../../simulation/scenario/language/delivery-world.ts"
import { EVENT_TYPES, PICKUP_EVENT_TYPES } from "../../model/webhook.ts"
import { webhookFields } from "../../simulation/scenario/language/given.ts"
import { SITE_FIELDS } from "../../simulation/scenario/language/given-site.ts"
import { plainly } from "../../simulation/scenario/words/json-schema.ts"
import {
  COMMANDS,
  EXPECTATIONS,
  FAULTS,
  POLICY_FIELDS,
  PROMISED,
  SCRIPTED_CODES,
} from "../../simulation/scenario/language/language.ts"
import type { Fields } from "../../simulation/scenario/language/language.ts"
import { STEP_KEYS, VERB_MEANINGS } from "../../simulation/scenario/language/step.ts"
import { shapeOf } from "../../simulation/scenario/language/value.ts"
import { wordsOf } from "../../simulation/scenario/words/words.ts"
import type { WordGroup } from "../../simulation/scenario/words/words.ts"
import type { Completion, Field, Words } from "../../pages/web/studio/contract.ts"
import { knownNames } from "./check.ts"
import { stepWords } from "./new-step.ts"

export function completions(): Words {
  const names = knownNames()
  const words = wordsOf(names)
  const group = (of: WordGroup): readonly Completion[] =>
    words.flatMap(({ word, group: its, says }) => (its === of ? [{ label: word, detail: says }] : []))
  const states = [...new Set(Object.values(names.statePaths).flat())]
  return {
    keys: group("key"),
    verbs: completionsOf(VERB_MEANINGS),
    commands: group("do"),
    facts: group("expect"),
    newSteps: stepWords(),
    faults: group("inject"),
    codes: completionsOf(SCRIPTED_CODES),
    invariants: names.invariants.map((label) => ({ label, detail: "holds at every moment of the run" })),
    promises: completionsOf(PROMISED),
    given: group("given"),
    stepKeys: completionsOf(STEP_KEYS),
    fields: {
      ...fieldsByName(COMMANDS, ({ with: fields }) => fields),
      ...fieldsByName(FAULTS, ({ with: fields }) => fields),
      ...fieldsByName(EXPECTATIONS, ({ fields }) => fields, { state: states }),
      site: fieldsOf(SITE_FIELDS),
      policy: fieldsOf(POLICY_FIELDS),
      delivery_site: fieldsOf(DELIVERY_FIELDS),
      vehicles: fieldsOf(VEHICLE_FIELDS),
      webhooks: fieldsOf(webhookFields(EVENT_TYPES)),
      pickup_webhooks: fieldsOf(webhookFields(PICKUP_EVENT_TYPES)),
    },
  }
}

function completionsOf(table: Readonly<Record<string, string>>): readonly Completion[] {
  return Object.entries(table).map(([label, detail]) => ({ label, detail }))
}

function fieldsByName<Entry>(
  table: Readonly<Record<string, Entry>>,
  fieldsIn: (entry: Entry) => Fields,
  values: Readonly<Record<string, readonly string[]>> = {},
): Readonly<Record<string, readonly Field[]>> {
  return Object.fromEntries(
    Object.entries(table).map(([name, entry]) => [name, fieldsOf(fieldsIn(entry), values)]),
  )
}

/** `values` has those of fields whose values are in no table of the language. */
function fieldsOf(
  fields: Fields,
  values: Readonly<Record<string, readonly string[]>> = {},
): readonly Field[] {
  return Object.entries(fields).map(([label, field]) => ({
    label,
    detail: `${plainly(field.says)}: ${shapeOf(field).words}${field.required === true ? "; required" : ""}`,
    values: field.is === "enum" || field.is === "enums" ? field.of : (values[label] ?? []),
  }))
}
