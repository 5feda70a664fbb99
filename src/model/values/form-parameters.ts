/** Parameters of query strings and forms. */

/** One value of a parameter. */
export interface SentValue {
  /** As UTF-8. */
  readonly text: string
  /** Its bytes, percent-encoded, so that the value can be returned unchanged. */
  readonly encoded: string
}

/** By name; empty values count as not sent. RFC 6749 §3.1. */
export type SentParameters = ReadonlyMap<string, readonly SentValue[]>

/** A form's parameters, each sent once; empty ones are left out. */
export type FormParameters = ReadonlyMap<string, string>
