/** The JSON of a body, read once for all of a request: its endpoint, rights, warnings and entry in the log of calls. */

const UTF_8 = new TextDecoder("utf-8", { fatal: true })
const PARSED = new WeakMap<Uint8Array, unknown>()

/** Shared by all who ask, so it must not be changed. Undefined for what is not JSON in UTF-8. Source: RFC 8259 §8.1. */
export function jsonOf(bytes: Uint8Array): unknown {
  if (!PARSED.has(bytes)) PARSED.set(bytes, parsed(bytes))
  return PARSED.get(bytes)
}

function parsed(bytes: Uint8Array): unknown {
  try {
    return JSON.parse(UTF_8.decode(bytes))
  } catch {
    return undefined
  }
}
