/**
 * What a management command sends: its arguments and options as the path, query and body of its endpoint. The schema of
 * the body decides which options are mandatory and how a text is converted.
 */

import { Option } from "commander"
import { SchemaAST } from "effect"
import type { CommandInput, InputSource, OperatorCommand } from "../../http/operator-command.ts"
import type { OperatorEndpoint } from "../../http/operator-endpoint.ts"
import type { AnySchema } from "../../model/values/schema.ts"
import type { ManagementRequest } from "../../apps/operations/http/management.ts"
import { nearest } from "../../simulation/scenario/language/problems.ts"
import { UsageError } from "../kit/usage-error.ts"
import { faultMessage } from "../kit/terminal.ts"
import { readText } from "../kit/text-files.ts"

/** A command with its endpoint. */
export interface Offered {
  readonly endpoint: Omit<OperatorEndpoint<never>, "handle">
  readonly command: OperatorCommand
}

export interface Input {
  readonly field: string
  readonly part: "body" | "path" | "query"
  /** The type on the wire. */
  readonly type: SchemaAST.AST
  readonly syntax: string
  readonly description: string
  readonly source: InputSource | undefined
  /** Null for an argument. */
  readonly option: Option | null
}

/** What one command line sends, and what is printed of the answer. */
export interface Task {
  readonly command: OperatorCommand
  /** A parameter of the path for which no value was given stays in braces. */
  readonly request: ManagementRequest
  /** What was done, in the past tense. */
  readonly did: string
  /** The field of the answer with the object or the list. */
  readonly noun: string
  /** The field that is printed. */
  readonly id: string
}

/** The arguments and options of a command, in declared order. */
export function inputsOf({ endpoint, command }: Offered): readonly Input[] {
  return (command.inputs ?? []).map((input) => {
    const [field, syntax, description, source] = input
    const { part, type, isOptional } = placeOf(input, endpoint)
    const isList = part === "path" && command.columns !== undefined
    const isRequired = !isOptional && !isList && source !== "first argument"
    const option = syntax.startsWith("-")
      ? new Option(syntax, description).makeOptionMandatory(isRequired)
      : null
    const words = wordsIn(type)
    if (option !== null && words.length > 0) option.choices(words)
    return { field, part, type, syntax, description, source, option }
  })
}

interface Place {
  readonly part: Input["part"]
  readonly type: SchemaAST.AST
  readonly isOptional: boolean
}

function placeOf([field]: CommandInput, { path, parameters, body }: Offered["endpoint"]): Place {
  if (path.includes(`{${field}}`)) return { part: "path", type: SchemaAST.stringKeyword, isOptional: false }
  if (parameters.some((one) => one.in === "query" && one.name === field))
    return { part: "query", type: SchemaAST.stringKeyword, isOptional: true }
  let type = wireType(body)
  let isOptional = false
  for (const name of field.split(".")) {
    const found = fieldsOf(type).find((one) => one.name === name)
    type = found?.type
    isOptional ||= found?.isOptional === true
  }
  if (type === undefined) throw new TypeError(`${path} has no ${field}, which a command names`)
  return { part: "body", type, isOptional }
}

/** The request of one command line. */
export function taskOf({ endpoint, command }: Offered, inputs: readonly Input[], line: CommandLine): Task {
  const values = inputs.map((input) => ({ ...input, value: valueOf(input, inputs, line) }))
  const given = values.filter(({ value }) => value !== undefined)
  const textsOf = (part: Input["part"]): Readonly<Record<string, string>> =>
    Object.fromEntries(given.flatMap((one) => (one.part === part ? [[one.field, String(one.value)]] : [])))
  const inPath = textsOf("path")
  const filled = (text: string, write: (value: string) => string): string =>
    text.replace(/\{(\w+)\}/g, (braces, name: string) => {
      const value = inPath[name]
      return value === undefined ? braces : write(value)
    })
  const { method, path, body, answers } = endpoint
  const [answer] = Object.values(answers).flatMap((schema) => fieldsOf(wireType(schema)))
  return {
    command,
    did: filled(command.did ?? "", (value) => value),
    noun: String(answer?.name),
    id: command.prints ?? String(fieldsOf(answer?.type)[0]?.name),
    request: {
      method,
      path: filled(path, encodeURIComponent),
      query: textsOf("query"),
      ...(body === null ? {} : { body: { ...command.fixed, ...bodyOf(values) } }),
    },
  }
}

/** The words of one command line. */
interface CommandLine {
  readonly flags: Readonly<Record<string, string | boolean | undefined>>
  readonly args: readonly string[]
}

/** An empty text clears the value of an input that says so, and is sent as it is for any other. */
function valueOf(input: Input, inputs: readonly Input[], { flags, args }: CommandLine): unknown {
  const { field, type, source, option } = input
  const at = inputs.filter((one) => one.option === null).indexOf(input)
  const text =
    option === null
      ? args[at]
      : (flags[option.attributeName()] ?? (source === "first argument" ? args[0] : undefined))
  if (typeof text !== "string") return text
  if (text === "" && source?.endsWith("or none") === true) return null
  if (source === "text file") return readText(text)
  if (source === "polygon file or none") return polygonIn(text)
  const plain = present(type)
  if (SchemaAST.isNumberKeyword(plain)) return numberIn(text)
  return SchemaAST.isTupleType(plain) ? listIn(text, wordsIn(plain.rest[0]?.type), field) : text
}

/** A body with the given fields; `address.city` is a field of `address`. An object must have all its required fields. */
function bodyOf(values: readonly (Input & { readonly value: unknown })[]): object {
  const body: Record<string, unknown> = {}
  const inBody = values.filter(({ part }) => part === "body")
  for (const { field, value } of inBody.filter((one) => one.value !== undefined)) {
    const [name = "", inner] = field.split(".")
    if (inner === undefined) {
      body[name] = value
      continue
    }
    const missing = inBody.filter((one) => one.field.startsWith(`${name}.`) && one.value === undefined)
    if (missing.length > 0)
      throw new UsageError(`the ${name} also needs ${missing.map(({ option }) => option?.long).join(", ")}`)
    body[name] = { ...Object(body[name]), [inner]: value }
  }
  return body
}

/** The type of a schema's encoded side, without checks and conversions. */
function wireType(schema: AnySchema | null): SchemaAST.AST | undefined {
  return schema === null ? undefined : SchemaAST.encodedAST(schema.ast)
}

function fieldsOf(type: SchemaAST.AST | undefined): readonly SchemaAST.PropertySignature[] {
  const plain = type === undefined ? undefined : present(type)
  return plain !== undefined && SchemaAST.isTypeLiteral(plain) ? plain.propertySignatures : []
}

function isNull(type: SchemaAST.AST): boolean {
  return SchemaAST.isLiteral(type) && type.literal === null
}

/** The type of a value that is neither null nor absent. */
function present(type: SchemaAST.AST): SchemaAST.AST {
  return SchemaAST.Union.make(
    alternatives(type).filter((one) => !isNull(one) && !SchemaAST.isUndefinedKeyword(one)),
  )
}

/** The members of a union and of the unions in it; any other type alone. */
function alternatives(type: SchemaAST.AST): readonly SchemaAST.AST[] {
  return SchemaAST.isUnion(type) ? type.types.flatMap(alternatives) : [type]
}

/** The words of an enumeration; none of any other type. */
function wordsIn(type: SchemaAST.AST | undefined): readonly string[] {
  if (type === undefined) return []
  const plain = present(type)
  const literals = SchemaAST.isUnion(plain) ? plain.types : [plain]
  return literals.flatMap((one) =>
    SchemaAST.isLiteral(one) && typeof one.literal === "string" ? [one.literal] : [],
  )
}

/** `production,sandbox`; an empty text is no value, and `all` every known word. */
function listIn(text: string, known: readonly string[], field: string): readonly string[] {
  if (text === "all" && known.length > 0) return known
  const words = text === "" ? [] : text.split(",").map((word) => word.trim())
  const wrong = known.length === 0 ? undefined : words.find((word) => !known.includes(word))
  if (wrong === undefined) return words
  const meant = nearest(wrong, known)
  const advice = meant === undefined ? `there are ${known.join(", ")}` : `did you mean "${meant}"?`
  throw new UsageError(`there is no ${field.replace(/s$/, "")} "${wrong}"; ${advice}`)
}

function numberIn(text: string): number {
  const value = Number(text)
  if (text.trim() !== "" && Number.isFinite(value)) return value
  throw new UsageError(`"${text}" is no number`)
}

/** The coordinates in a GeoJSON file: of a polygon, or of a feature with one. */
function polygonIn(file: string): unknown {
  const found = jsonIn(file)
  const polygon = found.geometry ?? found
  if (polygon.type !== "Polygon") throw new UsageError(`"${file}" holds no GeoJSON polygon`)
  return polygon.coordinates
}

interface GeoJson {
  readonly type?: unknown
  readonly coordinates?: unknown
  readonly geometry?: GeoJson
}

function jsonIn(file: string): GeoJson {
  try {
    return Object(JSON.parse(readText(file))) as GeoJson
  } catch (cause) {
    throw new UsageError(`"${file}" is no JSON file: ${faultMessage(cause)}`)
  }
}
