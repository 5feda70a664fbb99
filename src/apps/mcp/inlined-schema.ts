/** A JSON Schema from the model's schema, without references: clients and models read it as one object. */

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
  return described(inlined(written as JsonSchema, definitions), schema.ast) as ObjectSchema
}

const DEFINITIONS = "#/$defs/"

interface JsonSchema {
  readonly $ref?: string
  readonly title?: string
  readonly description?: string
  readonly properties?: Readonly<Record<string, JsonSchema>>
  readonly items?: JsonSchema
  readonly anyOf?: readonly JsonSchema[]
}

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
  const kept = Option.getOrUndefined(SchemaAST.getDescriptionAnnotation(ast))
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
  if (SchemaAST.isRefinement(ast)) return bareOf(ast.from)
  if (!SchemaAST.isUnion(ast)) return ast
  const [only, ...others] = ast.types.filter((type) => !SchemaAST.isUndefinedKeyword(type))
  return only !== undefined && others.length === 0 ? bareOf(only) : ast
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
