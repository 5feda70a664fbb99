/** What is there before the first step, as parts of a form: the site, policies, receivers, vehicles, people, partners and keys. */

import { DELIVERY_FIELDS, VEHICLE_FIELDS } from "../../simulation/scenario/language/delivery-world.ts"
import { EVENT_TYPES, PICKUP_EVENT_TYPES } from "../../model/webhook.ts"
import { webhookFields } from "../../simulation/scenario/language/given.ts"
import {
  FURTHER_SITE_FIELDS,
  SITE_FIELDS,
  STORE_DETAILS,
} from "../../simulation/scenario/language/given-site.ts"
import { requiredOf } from "../../simulation/scenario/language/fields.ts"
import { KEY_FIELDS, PARTNER_FIELDS } from "../../simulation/scenario/language/key-words.ts"
import { BUILT_IN_SITES, POLICY_FIELDS } from "../../simulation/scenario/language/language.ts"
import type { Fields } from "../../simulation/scenario/language/language.ts"
import { OPERATOR_FIELDS, RUNNER_FIELDS } from "../../simulation/scenario/language/people-words.ts"
import type { Written, WrittenEntry } from "../../simulation/scenario/language/source.ts"
import type { FormChoice, FormGiven, FormName, FormPath } from "../../pages/web/studio/form/form-contract.ts"
import { NO_PART, entriesOf, entryIn, formValue, isOneLine, partOf } from "./form-fields.ts"
import { GIVEN_KINDS, knownBefore } from "./form-names.ts"
import type { Known } from "./form-names.ts"
import { freshName, startValue } from "./new-step.ts"
import { withItem, withKey } from "./yaml-edit.ts"

const LISTS: {
  readonly [list in keyof typeof GIVEN_KINDS]: { readonly title: string; readonly fields: Fields }
} = {
  webhooks: { title: "Receiver of reservation events", fields: webhookFields(EVENT_TYPES) },
  pickup_webhooks: { title: "Receiver of delivery events", fields: webhookFields(PICKUP_EVENT_TYPES) },
  vehicles: { title: "Vehicle", fields: VEHICLE_FIELDS },
  sites: { title: "Further site", fields: FURTHER_SITE_FIELDS },
  runners: { title: "Runner", fields: RUNNER_FIELDS },
  operators: { title: "Operator", fields: OPERATOR_FIELDS },
  partners: { title: "Another partner", fields: PARTNER_FIELDS },
  keys: { title: "Another key", fields: KEY_FIELDS },
}

const MAPS: {
  readonly [key: string]: { readonly title: string; readonly fields: Fields; readonly start: string }
} = {
  site: { title: "Site with its own stalls", fields: SITE_FIELDS, start: "{ stalls: 3 }" },
  policy: {
    title: "Policies",
    fields: POLICY_FIELDS,
    start: `{ bot_wait: ${POLICY_FIELDS.bot_wait.usual} }`,
  },
  delivery_site: { title: "Site of deliveries", fields: DELIVERY_FIELDS, start: "{ area_km: 5 }" },
}

/** The choice that adds a built-in site; every other choice is a key of `given`. */
const BUILT_IN = "built-in site"

/** A shift has times of the site's clock. */
const SHIFT = { from: "08:00", to: "20:00" }

const NAME: Fields = { as: { is: "text", says: "the name in the steps", required: true } }

export interface GivenForm {
  readonly given: readonly FormGiven[]
  readonly giveable: readonly FormChoice[]
  /** Keys of `given` that the form does not show. */
  readonly others: readonly string[]
}

export function givenForm(value: Written | undefined, names: readonly FormName[]): GivenForm {
  const parts = entriesOf(value).map((entry) => ({ entry, shown: partsOf(entry, names) }))
  const isThere = (key: string): boolean => parts.some(({ entry }) => entry.key === key)
  const isShown = (key: string): boolean =>
    parts.some(({ entry, shown }) => entry.key === key && shown !== null)
  const lists = Object.entries(LISTS).flatMap(([key, { title }]) =>
    !isThere(key) || isShown(key) ? [{ key, label: title }] : [],
  )
  const maps = Object.entries(MAPS).flatMap(([key, { title }]) =>
    isThere(key) ? [] : [{ key, label: title }],
  )
  const site = isThere("site") ? [] : [{ key: BUILT_IN, label: "Built-in site" }]
  return {
    given: parts.flatMap(({ shown }) => shown ?? []),
    giveable: [...lists, ...site, ...maps],
    others: parts.flatMap(({ entry, shown }) => (shown === null ? [`given: ${entry.key}`] : [])),
  }
}

/** Null for a key that stays as YAML. */
function partsOf(
  { key, keySpan, value }: WrittenEntry,
  names: readonly FormName[],
): readonly FormGiven[] | null {
  const path = ["given", key]
  const { line } = keySpan.place
  const known = knownBefore(names, 0)
  const map = MAPS[key]
  if (map !== undefined && value.type === "map")
    return [{ title: map.title, line, path, ...partOf(value.entries, { fields: map.fields, path, known }) }]
  if (key === "site" && isOneLine(value)) {
    const values = [formValue({ label: "site", value, kind: "word", options: BUILT_IN_SITES })]
    return [{ title: "Built-in site", line, path, ...NO_PART, values }]
  }
  if (!isList(key) || value.type !== "list") return null
  const { title, fields } = LISTS[key]
  return value.items.map((item, index) => {
    const own = [...path, index]
    const name = nameIn(item)
    const shown = name === null ? title : `${title} ${name}`
    const later = value.items.slice(index).map(nameIn)
    // An item refers to none of its own list that comes later.
    const before: Known = (kind) => known(kind).filter((one) => !later.includes(one))
    const table = { fields: { ...NAME, ...fields }, path: own, known: before, starts: SHIFT }
    const part = partOf(entriesOf(item), table)
    const isStoreless = key === "sites" && !delivers(item)
    const missing = isStoreless ? part.missing.filter(({ path: at }) => !isOfStore(at)) : part.missing
    return { title: shown, line: item.span.place.line, path: own, ...part, missing }
  })
}

function delivers(site: Written): boolean {
  const value = site.type === "map" ? entryIn(site, "delivers") : undefined
  return value?.type === "scalar" && value.text === "true"
}

function isOfStore(path: FormPath): boolean {
  return STORE_DETAILS.includes(String(path.at(-1)))
}

function nameIn(item: Written): string | null {
  const name = item.type === "map" ? entryIn(item, "as") : undefined
  return name?.type === "scalar" ? name.text : null
}

function isList(key: string): key is keyof typeof LISTS {
  return Object.hasOwn(LISTS, key)
}

interface Giving {
  readonly key: string
  readonly given: Written | undefined
  readonly names: readonly FormName[]
  readonly order: readonly string[]
}

/** The text with one more thing in `given`; null when the text does not allow it. */
export function withGiven(text: string, { key, given, names, order }: Giving): string | null {
  if (key === BUILT_IN) return withKey(text, { path: ["given", "site"], value: BUILT_IN_SITES[0], order })
  const map = MAPS[key]
  if (map !== undefined) return withKey(text, { path: ["given", key], value: map.start, order })
  if (!isList(key)) return null
  const { fields } = LISTS[key]
  const needed = requiredOf(fields).flatMap((name) => {
    const field = fields[name]
    return field === undefined ? [] : [`${name}: ${startValue(field, { name, fields })}`]
  })
  const value = `{ ${[`as: ${freshName(GIVEN_KINDS[key], names)}`, ...needed].join(", ")} }`
  const list = given?.type === "map" ? entryIn(given, key) : undefined
  if (list === undefined) return withKey(text, { path: ["given", key, 0], value, order })
  return list.type === "list" ? withItem(text, ["given", key], { at: list.items.length, value }) : null
}
