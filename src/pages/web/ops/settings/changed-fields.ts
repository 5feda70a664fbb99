/** What a form changes of a record: two operators may change different fields. */

/** The fields of the body whose values differ from the known record's. */
export function changedFields<Body extends object>(
  body: Body,
  known: { readonly [Name in keyof Body]?: unknown },
): Partial<Body> {
  const differing = Object.entries(body).filter(
    ([name, value]) => JSON.stringify(value) !== JSON.stringify(known[name as keyof Body]),
  )
  return Object.fromEntries(differing) as Partial<Body>
}
