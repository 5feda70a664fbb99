/**
 * One rule for the fields of every request: a field that may be absent may also be null, and null then counts as absent. Where null is
 * a value of its own, such as a label that null clears, the field's schema has it; an object with `KEEPS_NULLS` has none of the rule.
 */

import { SchemaAST as AST } from "effect"

/** Annotation of an object whose fields may not be null unless their schemas say so. */
export const KEEPS_NULLS = Symbol.for("curbline/KeepsNulls")

/** The value without the nulls that count as absent. Its depth must be bounded. */
export function withoutNulls(ast: AST.AST, value: unknown): unknown {
  return hasNull(value) ? without([ast], value) : value
}

function without(asts: readonly AST.AST[], value: unknown): unknown {
  if (typeof value !== "object" || value === null) return value
  const forms = asts.flatMap(formsOf)
  if (Array.isArray(value)) {
    const items = forms.flatMap((form) => (AST.isTupleType(form) ? form.rest.map(({ type }) => type) : []))
    return value.map((item: unknown) => without(items, item))
  }
  const known = forms.flatMap((form) => (followsRule(form) ? form.propertySignatures : []))
  const kept = Object.entries(value).flatMap(([name, part]) => {
    const fields = known.filter((field) => field.name === name)
    const isAbsent = part === null && fields.length > 0 && fields.every(isOnlyOptional)
    const types = fields.map(({ type }) => type)
    return isAbsent ? [] : [[name, without(types, part)] as const]
  })
  return Object.fromEntries(kept)
}

function followsRule(form: AST.AST): form is AST.TypeLiteral {
  return AST.isTypeLiteral(form) && form.annotations[KEEPS_NULLS] !== true
}

function hasNull(value: unknown): boolean {
  if (value === null) return true
  return typeof value === "object" && Object.values(value).some(hasNull)
}

/** True for a field that may be absent and has no meaning for null. */
function isOnlyOptional({ isOptional, type }: AST.PropertySignature): boolean {
  return isOptional && !formsOf(type).some(takesNull)
}

function takesNull(form: AST.AST): boolean {
  return (
    (AST.isLiteral(form) && form.literal === null) || AST.isUnknownKeyword(form) || AST.isAnyKeyword(form)
  )
}

/** The alternatives of a schema, as they are on the wire. */
function formsOf(ast: AST.AST): readonly AST.AST[] {
  if (AST.isUnion(ast)) return ast.types.flatMap(formsOf)
  if (AST.isSuspend(ast)) return formsOf(ast.f())
  return AST.isRefinement(ast) || AST.isTransformation(ast) ? formsOf(ast.from) : [ast]
}

/** The schema with null beside every field to which the rule applies, for documents. */
export function withNulls(ast: AST.AST): AST.AST {
  switch (ast._tag) {
    case "Union":
      return AST.Union.make(ast.types.map(withNulls), ast.annotations)
    case "Refinement":
      return new AST.Refinement(withNulls(ast.from), ast.filter, ast.annotations)
    case "Transformation":
      return new AST.Transformation(withNulls(ast.from), ast.to, ast.transformation, ast.annotations)
    case "TupleType": {
      const rest = ast.rest.map(({ type, annotations }) => new AST.Type(withNulls(type), annotations))
      return new AST.TupleType(ast.elements, rest, ast.isReadonly, ast.annotations)
    }
    case "TypeLiteral":
      if (!followsRule(ast)) return ast
      return new AST.TypeLiteral(
        ast.propertySignatures.map(fieldWithNull),
        ast.indexSignatures,
        ast.annotations,
      )
    default:
      return ast
  }
}

function fieldWithNull(field: AST.PropertySignature): AST.PropertySignature {
  const type = withNulls(field.type)
  const wider = isOnlyOptional(field) ? AST.Union.make([type, AST.null]) : type
  return new AST.PropertySignature(field.name, wider, field.isOptional, field.isReadonly, field.annotations)
}
