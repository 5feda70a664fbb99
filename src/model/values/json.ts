/** Plain JSON: the values of contexts, events, facts and journal entries. */

export type Json =
  null | boolean | number | string | readonly Json[] | { readonly [key: string]: Json | undefined }

export type JsonObject = { readonly [key: string]: Json | undefined }

/**
 * A copy with other values of some fields. Where objects of many shapes pass through one line, `{ ...one, ...fields }` takes
 * twice as long.
 */
export function withFields<One extends object, Fields extends object>(
  one: One,
  fields: Fields,
): One & Fields {
  return Object.assign({}, one, fields)
}
