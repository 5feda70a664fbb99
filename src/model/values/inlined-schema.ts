/**
 * A JSON Schema from the model's schema, without references: clients and models read it as one object. A model reads the schemas of all
 * tools for each conversation, and some hosts refuse keywords that others know, so they say only what helps to write a call or to read
 * an answer.
 */

import { JSONSchema, Option, SchemaAST } from "effect"
import type { Schema } from "effect"

/** The root of a tool's schema is always an object. */
export interface ObjectSchema {
  readonly type: "object"
  readonly [keyword: string]: unknown
}

export function jsonSchemaOf(schema: Schema.Schema.AnyNoContext): ObjectSchema {
  const definitions: Record<string, JSONSchema.JsonSchema7> = {}
  const written = JSONSchema.fromAST(schema.ast, {
    definitions,
    definitionPath: DEFINITIONS,
    target: "jsonSchema2020-12",
    // Unknown fields are ignored in requests, and may be added to answers.
    additionalPropertiesStrategy: "allow",
  })
  return narrow(described(inlined(written as JsonSchema, definitions), schema.ast), 0) as ObjectSchema
}

/** Some properties of an object, without what they consist of. */
export function outlineOf({ required, properties }: ObjectSchema, names: readonly string[]): ObjectSchema {
  const parts = properties as Readonly<Record<string, JsonSchema>>
  const outlined = ({ properties: _, required: __, items: ___, ...part }: JsonSchema): JsonSchema => part
  return {
    type: "object",
    required,
    properties: Object.fromEntries(names.map((name) => [name, outlined(parts[name] ?? {})])),
  }
}

/** Without those of the keywords that an earlier schema has had for a property of that name. Adds the others to `told`. */
export function toldOnce(schema: ObjectSchema, keywords: readonly string[], told: Set<string>): ObjectSchema {
  const tell = (part: JsonSchema, name: string): JsonSchema => {
    const kept = Object.entries(part).filter(([keyword, value]) => {
      const said = `${name} ${keyword} ${JSON.stringify(value)}`
      if (!keywords.includes(keyword) || name === "") return true
      const isNew = !told.has(said)
      told.add(said)
      return isNew
    })
    return withParts(Object.fromEntries(kept), tell)
  }
  return withParts(schema as JsonSchema, tell) as ObjectSchema
}

const DEFINITIONS = "#/$defs/"

interface JsonSchema {
  readonly $ref?: string
  readonly title?: string
  readonly description?: string
  readonly properties?: Readonly<Record<string, JsonSchema>>
  readonly items?: JsonSchema
  readonly anyOf?: readonly JsonSchema[]
  readonly required?: readonly string[]
}

/** Without defaults, what Effect says of every text and number, and what narrow hosts refuse. `depth`: how many objects are around it. */
function narrow(schema: JsonSchema, depth: number): JsonSchema {
  const kept = Object.entries(schema).filter(([keyword, value]) => !isNoise(keyword, value, depth))
  return withParts(Object.fromEntries(kept), (part, name) => narrow(part, name === "" ? depth : depth + 1))
}

function isNoise(keyword: string, value: unknown, depth: number): boolean {
  switch (keyword) {
    case "additionalProperties":
      return value === true
    case "description":
      return USUAL_DESCRIPTION.test(String(value))
    case "format":
      return value === "uri"
    case "pattern":
      return String(value).startsWith(WITHOUT_NUL)
    case "required":
      return Array.isArray(value) && value.length === 0
    // Bounds that no real street or name reaches.
    case "maxItems":
    case "maximum":
    case "maxLength":
    case "minimum":
      return depth > 1
    case "minItems":
    case "minLength":
      return value === 0 || depth > 1
    default:
      return false
  }
}

/** Of Effect's own schemas. */
const USUAL_DESCRIPTION = /^(?:a (?:string|number|boolean)(?: between .*)?|an integer)$/
/** How the pattern of any text begins. */
const WITHOUT_NUL = String.raw`^[^\u0000]*`

/** No schema here is recursive. Titles are names of checks, such as `int`, which do not help readers. */
function inlined(schema: JsonSchema, definitions: Readonly<Record<string, unknown>>): JsonSchema {
  const { $ref, ...rest } = schema
  const kept = Object.fromEntries(Object.entries(rest).filter(([keyword]) => keyword !== "title"))
  const target =
    $ref === undefined ? {} : inlined(definitions[$ref.slice(DEFINITIONS.length)] as JsonSchema, definitions)
  return withParts({ ...target, ...kept }, (part) => inlined(part, definitions))
}

/** A field with a hand-written schema has lost its description. */
function described(schema: JsonSchema, ast: SchemaAST.AST): JsonSchema {
  const kept = Option.getOrUndefined(SchemaAST.getDescriptionAnnotation(presentOf(ast)))
  const own =
    schema.description === undefined && kept !== undefined ? { ...schema, description: kept } : schema
  const bare = bareOf(ast)
  if (SchemaAST.isTypeLiteral(bare) && own.properties !== undefined) {
    const astByName = new Map(bare.propertySignatures.map(({ name, type }) => [String(name), type]))
    return withParts(own, (part, name) => describedBy(part, astByName.get(name)))
  }
  if (SchemaAST.isTupleType(bare)) return withParts(own, (part) => describedBy(part, bare.rest[0]?.type))
  return own
}

function describedBy(schema: JsonSchema, ast: SchemaAST.AST | undefined): JsonSchema {
  return ast === undefined ? schema : described(schema, ast)
}

/** The schema without its checks and its optionality. */
function bareOf(ast: SchemaAST.AST): SchemaAST.AST {
  const present = presentOf(ast)
  return SchemaAST.isRefinement(present) ? bareOf(present.from) : present
}

/** The schema without its optionality. */
function presentOf(ast: SchemaAST.AST): SchemaAST.AST {
  if (!SchemaAST.isUnion(ast)) return ast
  const [only, ...others] = ast.types.filter((type) => !SchemaAST.isUndefinedKeyword(type))
  return only !== undefined && others.length === 0 ? only : ast
}

/** Maps the direct sub-schemas; a property comes with its name. */
function withParts(schema: JsonSchema, change: (part: JsonSchema, name: string) => JsonSchema): JsonSchema {
  const { properties, items, anyOf } = schema
  return {
    ...schema,
    ...(properties === undefined
      ? {}
      : {
          properties: Object.fromEntries(
            Object.entries(properties).map(([name, part]) => [name, change(part, name)]),
          ),
        }),
    ...(items === undefined ? {} : { items: change(items, "") }),
    ...(anyOf === undefined ? {} : { anyOf: anyOf.map((part) => change(part, "")) }),
  }
}
