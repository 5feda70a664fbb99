/** A row of a table of ignored events: these events, all for the same reason. */
export function ignored<Event extends string>(
  reason: string,
  events: readonly Event[],
): { readonly [event: string]: string } {
  return Object.fromEntries(events.map((event) => [event, reason]))
}
