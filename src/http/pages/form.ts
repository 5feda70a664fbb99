/**
 * Query strings and forms as they were sent: every value of every name, with its bytes. Source: URL standard, section
 * 5.
 */

import { Malformed } from "../../model/values/errors.ts"
import { faultInPairs } from "../../model/values/well-formed.ts"
import type { FormParameters } from "../../model/values/form-parameters.ts"
import type { SentParameters, SentValue } from "../../model/values/form-parameters.ts"

/**
 * A form as text. Throws Malformed if it is not UTF-8, or contains NUL or a broken escape. Every API that takes forms
 * uses this.
 */
export function formTextIn(body: Uint8Array | undefined): string {
  const text = utf8In(body)
  const fault =
    text === null ? { field: "body", message: "must be UTF-8" } : faultInPairs(text, { whole: "body" })
  if (fault !== null) throw new Malformed(fault)
  return text ?? ""
}

function utf8In(body: Uint8Array | undefined): string | null {
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(body)
  } catch {
    return null
  }
}

/** The values of each name, in order. */
export function parametersIn(text: string): SentParameters {
  const parameters = new Map<string, SentValue[]>()
  for (const pair of text.split("&")) {
    if (pair === "") continue
    const at = pair.indexOf("=")
    const name = valueOf(at < 0 ? pair : pair.slice(0, at)).text
    const values = parameters.get(name) ?? []
    values.push(valueOf(at < 0 ? "" : pair.slice(at + 1)))
    parameters.set(name, values)
  }
  return parameters
}

/** Null when a name was sent more than once. Empty values are left out. RFC 6749 §3.2. */
export function formIn(text: string): FormParameters | null {
  const parameters = parametersIn(text)
  if ([...parameters.values()].some(({ length }) => length > 1)) return null
  const sent = [...parameters].map(([name, [value]]) => [name, value?.text ?? ""] as const)
  return new Map(sent.filter(([, value]) => value !== ""))
}

/** True for `application/x-www-form-urlencoded`, with any parameters after it. */
export function isForm(contentType: string | undefined): boolean {
  return contentType?.split(";")[0]?.trim().toLowerCase() === "application/x-www-form-urlencoded"
}

function valueOf(written: string): SentValue {
  const bytes = bytesOf(written)
  return { text: new TextDecoder().decode(bytes), encoded: encodedOf(bytes) }
}

/** A percent sign that begins no escape stands for itself. */
function bytesOf(written: string): Uint8Array {
  const plain = Buffer.from(written.replaceAll("+", " "), "utf8")
  const bytes: number[] = []
  for (let at = 0; at < plain.length; at += 1) {
    const hex = plain[at] === 0x25 ? plain.toString("latin1", at + 1, at + 3) : ""
    if (/^[\da-f]{2}$/i.test(hex)) {
      bytes.push(Number.parseInt(hex, 16))
      at += 2
    } else bytes.push(plain[at] ?? 0)
  }
  return Uint8Array.from(bytes)
}

/** RFC 3986 §2.3: escapes all but the unreserved characters. */
function encodedOf(bytes: Uint8Array): string {
  return [...bytes]
    .map((byte) => {
      const character = String.fromCharCode(byte)
      return /[\w.~-]/.test(character) ? character : `%${byte.toString(16).toUpperCase().padStart(2, "0")}`
    })
    .join("")
}
