/** What a YAML file is, by its keys. Every command and the studio decide it here. */

import { Parser } from "yaml"
import type { CST } from "yaml"

/** Kinds of files by the key that only they have. A file with several of these keys is of the first kind. */
const KIND_BY_KEY = {
  fleet: "fleet model",
  scenario: "scenario",
  what_if: "what-if file",
  fragments: "file of fragments",
} as const

type KindKey = keyof typeof KIND_BY_KEY
export type FileKind = (typeof KIND_BY_KEY)[KindKey]

const KEYS = Object.keys(KIND_BY_KEY) as readonly KindKey[]
/** Most files are scenarios: a text that never names another key need not be parsed. */
const MAY_BE_OTHER = /\b(?:fleet|what_if|fragments)["']?\s*:|\\/
const IS_SCENARIO = /^\uFEFF?[\s{]*["']?scenario["']?\s*:/m

/** A text that a byte order mark begins, as some editors write it, means the same without it. */
export function withoutMark(text: string): string {
  return text.startsWith("\uFEFF") ? text.slice(1) : text
}

/**
 * Null for a text without any of these keys at the top. Comments, `---`, quotes, indentation, braces and mistakes elsewhere in the text
 * change nothing.
 */
export function kindOfText(text: string): FileKind | null {
  if (!MAY_BE_OTHER.test(text)) return IS_SCENARIO.test(text) ? "scenario" : null
  const found = topKeys(text)
  const key = KEYS.find((one) => found.has(one))
  return key === undefined ? null : KIND_BY_KEY[key]
}

/** The text of a key at the top, such as the title of a file that has mistakes; null when it has none. */
export function topText(text: string, key: KindKey): string | null {
  const found = topKeys(text).get(key)?.split("\n", 1)[0]?.trim()
  return found === undefined || found === "" ? null : found
}

/** Keys at the top with their texts; of a text that is not YAML as far as the parser can follow it. */
function topKeys(text: string): ReadonlyMap<string, string> {
  const found = new Map<string, string>()
  for (const token of new Parser().parse(withoutMark(text))) {
    if (token.type !== "document") continue
    const { value } = token
    if (value?.type !== "block-map" && value?.type !== "flow-collection") continue
    for (const { key, value: said } of value.items) {
      const name = scalarText(key)
      if (name !== null && !found.has(name)) found.set(name, scalarText(said) ?? "")
    }
  }
  if (KEYS.some((key) => found.has(key))) return found
  // An unclosed quote or bracket above hides the keys below it.
  for (const [, name = "", said = ""] of withoutMark(text).matchAll(LINE)) found.set(name, said.trim())
  return found
}

const LINE = /^["']?(\w+)["']?[^\S\n]*:(?:\s|$)(.*)$/gm

function scalarText(token: CST.Token | null | undefined): string | null {
  switch (token?.type) {
    case "scalar":
      return token.source
    case "single-quoted-scalar":
    case "double-quoted-scalar":
      return token.source.replace(/^(["'])(.*)\1$/s, "$2")
    default:
      return null
  }
}
