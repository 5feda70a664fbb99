/** What is wrong with the fields of a request, in words, from the issues that its schema found. */

import { Option, SchemaAST } from "effect"
import type { ParseResult } from "effect"
import type { FieldProblem } from "./errors.ts"
import { PROBLEMS_MAX } from "./limits.ts"
import { listed } from "./listed.ts"

/** Characters of a value that a sentence repeats; longer values are cut. */
const SHOWN_LENGTH_MAX = 60

/** The beginning of a text as sentences repeat it, without the mark of the cut. */
export function shownPart(text: string): string {
  return text.length <= SHOWN_LENGTH_MAX
    ? text
    : Array.from(text.slice(0, 2 * SHOWN_LENGTH_MAX))
        .slice(0, SHOWN_LENGTH_MAX)
        .join("")
}

/** The same with the mark of the cut. */
export function shortened(text: string): string {
  const part = shownPart(text)
  return part.length < text.length ? `${part}…` : part
}

/** One issue of one field: a whole sentence, or what the value must be. */
type Leaf = { readonly path: readonly PropertyKey[] } & (
  { readonly sentence: string } | { readonly wanted: SchemaAST.AST; readonly actual: unknown }
)

/**
 * One problem for each field, up to a bound; fields are dotted paths, and the request itself is `body`. A body of a megabyte may
 * have a quarter of a million wrong entries, so the function stops reading them at the bound.
 */
export function problemsOf(error: ParseResult.ParseError): readonly FieldProblem[] {
  const leavesByField = new Map<string, Leaf[]>()
  let isCut = false
  for (const leaf of leavesOf(error.issue, [])) {
    const field = leaf.path.length === 0 ? "body" : leaf.path.map(String).join(".")
    const known = leavesByField.get(field)
    isCut = known === undefined && leavesByField.size === PROBLEMS_MAX
    if (isCut) break
    if (known === undefined) leavesByField.set(field, [leaf])
    else known.push(leaf)
  }
  const fields = [...leavesByField.keys()]
  const problems = [...leavesByField]
    .filter(([field]) => !fields.some((other) => other.startsWith(`${field}.`)))
    .map(([field, leaves]) => ({ field, message: sentenceOf(leaves) }))
  return isCut ? [...problems, { field: "body", message: "has more problems than these" }] : problems
}

function* leavesOf(issue: ParseResult.ParseIssue, path: readonly PropertyKey[]): Generator<Leaf> {
  switch (issue._tag) {
    case "Pointer":
      yield* leavesOf(issue.issue, [...path, ...[issue.path].flat()])
      return
    case "Composite":
      for (const one of [issue.issues].flat() as readonly ParseResult.ParseIssue[]) yield* leavesOf(one, path)
      return
    case "Missing":
      yield { path, sentence: "is missing" }
      return
    case "Refinement":
      yield* leavesOfRules(issue, path)
      return
    case "Transformation":
      yield* leavesOf(issue.issue, path)
      return
    case "Type":
      yield issue.message === undefined
        ? { path, wanted: issue.ast, actual: issue.actual }
        : { path, sentence: issue.message }
      return
    case "Forbidden":
    case "Unexpected":
      yield { path, sentence: issue.message ?? "is not valid" }
  }
}

/** A value of another kind breaks the rules as well: they are named with it. */
function* leavesOfRules(issue: ParseResult.Refinement, path: readonly PropertyKey[]): Generator<Leaf> {
  const leaves = leavesOf(issue.issue, path)
  const { value: first } = leaves.next()
  if (first === undefined) return
  const second = leaves.next()
  const isOwn = "wanted" in first && first.path.length === path.length && second.done === true
  yield isOwn ? { ...first, wanted: issue.ast } : first
  if (second.done === true) return
  yield second.value
  yield* leaves
}

/** A field with several alternatives, such as a value or null, has one issue for each: they are listed. */
function sentenceOf(leaves: readonly Leaf[]): string {
  const [first] = leaves
  for (const leaf of leaves) if ("sentence" in leaf) return leaf.sentence
  if (first === undefined || !("wanted" in first)) return "is not valid"
  const wanted = new Set(leaves.flatMap((leaf) => ("wanted" in leaf ? alternativesOf(leaf.wanted) : [])))
  return `must be ${choiceOf([...wanted])}, is ${shown(first.actual)}`
}

/** Words of the API are listed as they are: `one of "a", "b"`. */
function choiceOf(words: readonly string[]): string {
  const areLiterals = words.length > 1 && words.every((word) => word.startsWith('"'))
  return areLiterals ? `one of ${words.join(", ")}` : listed(words, "or")
}

/** What a schema takes, in words: one for each alternative. */
function alternativesOf(ast: SchemaAST.AST): readonly string[] {
  switch (ast._tag) {
    case "Union":
      return ast.types.flatMap(alternativesOf)
    case "Transformation":
      return alternativesOf(ast.from)
    case "Refinement":
      return [boundedWords(ast)]
    case "Literal":
      return [JSON.stringify(ast.literal)]
    case "UndefinedKeyword":
      return []
    case "StringKeyword":
    case "TemplateLiteral":
      return ["a text"]
    case "NumberKeyword":
      return ["a number"]
    case "BooleanKeyword":
      return ["true or false"]
    case "TupleType":
      return ["a list"]
    default:
      return ["an object"]
  }
}

interface Bounds {
  readonly type?: string
  readonly minimum?: number
  readonly maximum?: number
  readonly exclusiveMinimum?: number
  readonly minItems?: number
  readonly maxItems?: number
}

/** A schema with rules, which say what they mean as JSON Schema: `a whole number from 1 to 999`. */
function boundedWords(ast: SchemaAST.Refinement): string {
  let bounds: Bounds = {}
  let base: SchemaAST.AST = ast
  while (base._tag === "Refinement") {
    bounds = { ...Option.getOrElse(SchemaAST.getJSONSchemaAnnotation(base), () => ({})), ...bounds }
    base = base.from
  }
  const word = bounds.type === "integer" ? "a whole number" : (alternativesOf(base)[0] ?? "a value")
  const { minimum, maximum, exclusiveMinimum, minItems, maxItems } = bounds
  if (maxItems !== undefined) return `${word} of ${minItems ?? 0} to ${maxItems} entries`
  if (minItems !== undefined) return `${word} of at least ${minItems} entries`
  if (exclusiveMinimum !== undefined)
    return `${word} above ${exclusiveMinimum}${maximum === undefined ? "" : ` and at most ${maximum}`}`
  if (minimum !== undefined && maximum !== undefined) return `${word} from ${minimum} to ${maximum}`
  if (minimum !== undefined) return `${word} of at least ${minimum}`
  return maximum === undefined ? word : `${word} of at most ${maximum}`
}

/** A value in a sentence. */
function shown(value: unknown): string {
  if (Array.isArray(value)) return "a list"
  if (typeof value === "object" && value !== null) return "an object"
  if (typeof value !== "string") return String(value)
  const part = shownPart(value)
  return `${JSON.stringify(part)}${part.length < value.length ? "…" : ""}`
}
