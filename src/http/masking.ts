/**
 * Bodies for the request log: only values of fields that their schema marks as loggable are kept, besides words of
 * closed sets and booleans. Everything else is replaced, and so are the names of fields that no schema knows. Source:
 * choice G23.
 */

import { Option, SchemaAST } from "effect"
import { LOGGED_BODY_LENGTH_MAX } from "../model/values/limits.ts"
import { LOGGABLE } from "../model/values/schema.ts"

/** Stands for a value that the log does not show. */
export const MASK = "•••"

export interface Masked {
  readonly value: unknown
  /** True when parts were left out because of the size. */
  readonly isCut: boolean
}

/** `null`: the schema is not known, so nothing is kept. */
export function masked(ast: SchemaAST.AST | null, value: unknown): Masked {
  const room = new Room()
  const kept = keep(ast === null ? [] : [ast], value, room)
  return { value: kept ?? MASK, isCut: room.isCut }
}

/** The size that is left, in characters of JSON. */
class Room {
  #left = LOGGED_BODY_LENGTH_MAX
  isCut = false

  /** False when the part does not fit. */
  take(length: number): boolean {
    if (this.isCut) return false
    this.#left -= length
    this.isCut = this.#left < 0
    return !this.isCut
  }
}

/** Undefined when it does not fit. `asts` are alternatives. */
function keep(asts: readonly SchemaAST.AST[], value: unknown, room: Room): unknown {
  const forms = asts.flatMap((ast) => formsOf(ast, false))
  if (Array.isArray(value)) return keptList(forms, value, room)
  if (typeof value === "object" && value !== null) return keptObject(forms, value, room)
  const shown = value === null || forms.some((form) => isShown(form, value)) ? value : MASK
  return room.take(JSON.stringify(shown)?.length ?? 0) ? shown : undefined
}

/** A schema without its wrappers, and whether one of them says that its value may be shown. */
interface Form {
  readonly ast: SchemaAST.AST
  readonly isLoggable: boolean
}

function formsOf(ast: SchemaAST.AST, isMarked: boolean): readonly Form[] {
  const isLoggable = isMarked || Option.isSome(SchemaAST.getAnnotation(LOGGABLE)(ast))
  switch (ast._tag) {
    case "Refinement":
    case "Transformation":
      return formsOf(ast.from, isLoggable)
    case "Suspend":
      return formsOf(ast.f(), isLoggable)
    case "Union":
      return ast.types.flatMap((type) => formsOf(type, isLoggable))
    default:
      return [{ ast, isLoggable }]
  }
}

function isShown({ ast, isLoggable }: Form, value: unknown): boolean {
  if (SchemaAST.isLiteral(ast)) return ast.literal === value
  if (SchemaAST.isBooleanKeyword(ast)) return typeof value === "boolean"
  if (SchemaAST.isNumberKeyword(ast)) return isLoggable && typeof value === "number"
  return isLoggable && SchemaAST.isStringKeyword(ast) && typeof value === "string"
}

function keptList(
  forms: readonly Form[],
  list: readonly unknown[],
  room: Room,
): readonly unknown[] | undefined {
  if (!room.take(2)) return undefined
  const types = forms.flatMap(({ ast }) =>
    SchemaAST.isTupleType(ast) ? ast.rest.map(({ type }) => type) : [],
  )
  const kept: unknown[] = []
  for (const item of list) {
    const one = room.take(1) ? keep(types, item, room) : undefined
    if (one === undefined) break
    kept.push(one)
  }
  return kept
}

function keptObject(forms: readonly Form[], value: object, room: Room): object | undefined {
  if (!room.take(2)) return undefined
  const known = forms.flatMap(({ ast }) => (SchemaAST.isTypeLiteral(ast) ? ast.propertySignatures : []))
  const kept: [string, unknown][] = []
  for (const [name, inside] of Object.entries(value)) {
    const types = known.filter((one) => one.name === name).map(({ type }) => type)
    const shownName = types.length === 0 ? MASK : name
    const isRoom = room.take(shownName.length + 4)
    const one = isRoom ? keep(types, types.length === 0 ? MASK : inside, room) : undefined
    if (one === undefined) break
    kept.push([shownName, one])
  }
  return Object.fromEntries(kept)
}
