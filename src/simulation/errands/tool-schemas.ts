/**
 * Arguments of a tool from what an agent knows: by the names and descriptions of its schema, and by the values that a
 * text names. Nothing here knows the connector.
 */

import type { Value } from "./errand.ts"
import { sharedWords, wordsOf } from "./notes.ts"
import type { Notes } from "./notes.ts"

type Choice = boolean | number | string

/** The part of a JSON Schema that an agent reads. */
export interface Schema {
  readonly type?: string
  readonly description?: string
  readonly enum?: readonly Choice[]
  readonly pattern?: string
  readonly required?: readonly string[]
  readonly properties?: Readonly<Record<string, Schema>>
  readonly items?: Schema
}

export interface ToolShown {
  readonly name: string
  readonly description?: string
  readonly inputSchema: Schema
}

/** How many words a property must share with a note: one that need not be there must be meant more clearly. */
const SHARED_MIN = { required: 2, optional: 3 } as const

/** A required property for which the agent knows no value. */
export class Unknown {
  readonly property: string

  constructor(property: string) {
    this.property = property
  }
}

/** What an answer must be made of. */
export interface Filling {
  readonly notes: Notes
  /** Values by property, from the text that asks for the call. */
  readonly named: Readonly<Record<string, Value>>
  /** Descriptions of properties by name, from all tools: a list says each once. */
  readonly told: ReadonlyMap<string, string>
}

/** The arguments of a call. Properties that belong to another kind of report than the named one are left out. */
export function argumentsFor(tool: ToolShown, filling: Filling): Record<string, Value> | Unknown {
  const { properties = {}, required = [] } = tool.inputSchema
  const args: Record<string, Value> = {}
  const kinds = kindsOf(tool)
  const chosen = Object.values(filling.named).find((value) => kinds.includes(value))
  for (const [name, schema] of Object.entries(properties)) {
    const own = filling.named[name]
    const ofKinds = kinds.length === 0 ? null : kindsNamedBy(schema, kinds)
    const isRequired =
      required.includes(name) || (ofKinds !== null && chosen !== undefined && ofKinds[0] === chosen)
    const isOther = ofKinds !== null && ofKinds.length > 0 && !ofKinds.includes(chosen ?? null)
    if (own === undefined && (isOther || (kinds.length > 0 && !isRequired))) continue
    const value = own ?? valueOf(schema, { path: name, isRequired, filling })
    if (value === undefined && isRequired) return new Unknown(name)
    if (value !== undefined) args[name] = value
  }
  return args
}

/** The kinds of report that one tool has: values of its required property with a choice. */
export function kindsOf({ inputSchema: { properties = {}, required = [] } }: ToolShown): readonly Value[] {
  const choices = required.map((name) => properties[name]?.enum ?? [])
  return choices.find((values) => values.length > 2) ?? []
}

/** The kinds after "With" at the beginning of a description, in their order. */
export function kindsNamedBy({ description = "" }: Schema, kinds: readonly Value[]): readonly Value[] {
  const [first = ""] = description.split(/[:,](?! or)/)
  if (!first.startsWith("With ")) return []
  return first.split(/[^\w]+/).filter((word) => kinds.includes(word))
}

interface Wanted {
  readonly path: string
  readonly isRequired: boolean
  readonly filling: Filling
}

function valueOf(schema: Schema, wanted: Wanted): Value | undefined {
  const { path, isRequired, filling } = wanted
  const { notes, told } = filling
  const text = `${path} ${schema.description ?? told.get(path.split(".").at(-1) ?? "") ?? ""}`
  const least = isRequired ? SHARED_MIN.required : SHARED_MIN.optional
  const note = notes.find(text, least, (value) => fitted(schema, value) !== undefined)
  if (note !== undefined) return fitted(schema, note)
  if (schema.type === "array" && isRequired) return []
  if (schema.type !== "object")
    return isRequired && schema.enum?.length === 1 && isText(schema.enum[0]) ? schema.enum[0] : undefined
  return objectOf(schema, wanted)
}

/** An object whose parts are known one by one. */
function objectOf(schema: Schema, { path, isRequired, filling }: Wanted): Value | undefined {
  const { properties = {}, required = [] } = schema
  if (!isRequired && required.length === 0) return undefined
  const parts: Record<string, Value> = {}
  for (const [name, part] of Object.entries(properties)) {
    const isPartRequired = required.includes(name)
    const within = { ...part, description: `${schema.description ?? ""} ${part.description ?? ""}` }
    const value = valueOf(isPartRequired ? within : part, {
      path: `${path}.${name}`,
      isRequired: isPartRequired && isRequired,
      filling,
    })
    if (value === undefined && isPartRequired) return undefined
    if (value !== undefined) parts[name] = value
  }
  return parts
}

function isText(value: Value | undefined): value is string {
  return typeof value === "string"
}

/** The value in the form of the schema, or undefined when it does not fit. */
export function fitted(schema: Schema, value: Value): Value | undefined {
  switch (schema.type) {
    case "array": {
      if (!Array.isArray(value)) return undefined
      const items = (value as readonly Value[]).map((one) => fitted(schema.items ?? {}, one))
      return items.includes(undefined) ? undefined : (items as Value[])
    }
    case "object":
      return fittedObject(schema, value)
    case "string":
      if (typeof value !== "string") return undefined
      if (schema.enum !== undefined) return chosenOf(schema.enum, value)
      return schema.pattern === undefined || new RegExp(schema.pattern, "u").test(value) ? value : undefined
    case "boolean":
      return typeof value === "boolean" && (schema.enum?.includes(value) ?? true) ? value : undefined
    default:
      return typeof value === "number" ? value : undefined
  }
}

function fittedObject({ properties = {}, required = [] }: Schema, value: Value): Value | undefined {
  if (value === null || typeof value !== "object" || Array.isArray(value)) return undefined
  const parts: Record<string, Value> = {}
  for (const [name, part] of Object.entries(properties)) {
    const own = (value as Readonly<Record<string, Value>>)[name]
    const fit = own === undefined ? undefined : fitted(part, own)
    if (fit === undefined && (own !== undefined || required.includes(name))) return undefined
    if (fit !== undefined) parts[name] = fit
  }
  return Object.keys(parts).length === 0 ? undefined : parts
}

/** The choice that a person's words mean. */
function chosenOf(choices: readonly Choice[], said: string): Value | undefined {
  if (choices.includes(said)) return said
  const scored = choices.map((choice) => ({ choice, shared: sharedWords(wordsOf(said), String(choice)) }))
  const best = Math.max(...scored.map(({ shared }) => shared))
  return best === 0 ? undefined : scored.find(({ shared }) => shared === best)?.choice
}
