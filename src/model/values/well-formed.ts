/**
 * Faults that no request may contain, in any format: NUL, which PostgreSQL cannot store in text; invalid Unicode; and
 * JSON so deep that a recursive reader would overflow the stack. Source: our choices G5 and G16.
 */

import type { FieldProblem } from "./errors.ts"
import { JSON_DEPTH_MAX } from "./limits.ts"

const NUL = "must not contain NUL"

interface Visited {
  readonly value: unknown
  readonly depth: number
  readonly name: string
  readonly parent: Visited | null
}

/**
 * The first fault in a JSON value, or null. Fields are dotted paths. Uses its own stack, because the caller chooses the
 * depth.
 */
export function faultInJson(value: unknown): FieldProblem | null {
  const left: Visited[] = [{ value, depth: 0, name: "", parent: null }]
  for (let at = left.pop(); at !== undefined; at = left.pop()) {
    if (typeof at.value === "string") {
      const message = faultOfText(at.value)
      if (message !== null) return { field: pathOf(at), message }
    }
    if (typeof at.value !== "object" || at.value === null) continue
    const depth = at.depth + 1
    if (depth > JSON_DEPTH_MAX) {
      const message = `must not be nested more than ${JSON_DEPTH_MAX} levels deep`
      return { field: pathOf(at).split(".")[0] ?? "body", message }
    }
    for (const [name, part] of Object.entries(at.value)) {
      const message = faultOfText(name)
      if (message !== null) return { field: pathOf(at), message: `a name in it ${message}` }
      if (typeof part === "string" || typeof part === "object") {
        left.push({ value: part, depth, name, parent: at })
      }
    }
  }
  return null
}

/** True for JSON that is too deep for recursive functions. */
export function isTooDeep(value: unknown): boolean {
  const left: (readonly [value: unknown, depth: number])[] = [[value, 0]]
  for (let at = left.pop(); at !== undefined; at = left.pop()) {
    const [one, depth] = at
    if (depth > JSON_DEPTH_MAX) return true
    if (typeof one !== "object" || one === null) continue
    for (const part of Object.values(one)) if (typeof part === "object") left.push([part, depth + 1])
  }
  return false
}

/** True for JSON with more values than this, inside each other or beside each other. Looks at no more of them. */
export function hasMoreValues(value: unknown, max: number): boolean {
  const left: unknown[] = [value]
  let count = 0
  for (let one = left.pop(); one !== undefined; one = left.pop()) {
    count += 1
    if (count + left.length > max) return true
    if (typeof one === "object" && one !== null) for (const part of Object.values(one)) left.push(part)
  }
  return false
}

/** The dotted path of a field; the request itself is `body`. */
function pathOf(visited: Visited): string {
  const names: string[] = []
  for (let at = visited; at.parent !== null; at = at.parent) names.push(at.name)
  return names.length === 0 ? "body" : names.toReversed().join(".")
}

function faultOfText(text: string): string | null {
  if (text.includes("\0")) return NUL
  return text.isWellFormed() ? null : "must not contain half of a surrogate pair"
}

/**
 * The first fault in a query string or a form as it was sent, or null. `whole` is the field that is reported when a
 * name is malformed. Values under the names in `opaque` are not checked. Source: URL standard §5, read strictly.
 */
export function faultInPairs(
  sent: string,
  { whole, opaque = [] }: { readonly whole: string; readonly opaque?: readonly string[] },
): FieldProblem | null {
  if (!sent.includes("%") && !sent.includes("\0")) return null
  for (const pair of sent.split("&")) {
    const at = pair.indexOf("=")
    const name = strictly(at < 0 ? pair : pair.slice(0, at))
    if (name.text === null) return { field: whole, message: `a name in it ${name.fault}` }
    if (at < 0 || opaque.includes(name.text)) continue
    const value = strictly(pair.slice(at + 1))
    if (value.text === null) return { field: name.text, message: value.fault }
  }
  return null
}

type Decoded = { readonly text: string } | { readonly text: null; readonly fault: string }

function strictly(written: string): Decoded {
  if (/%(?![\da-f]{2})/i.test(written)) {
    return { text: null, fault: "has a % that two hex digits do not follow; write it as %25" }
  }
  try {
    const text = decodeURIComponent(written.replaceAll("+", " "))
    return text.includes("\0") ? { text: null, fault: NUL } : { text }
  } catch {
    return { text: null, fault: "must be UTF-8 in percent encoding" }
  }
}
