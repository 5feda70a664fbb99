/** Entries of a journal as rows: when, what, and the number in the group's journal. */

interface JournalRow {
  readonly number: number
  readonly atMs: number
  /** `bot: arrived` for an event of an actor, `bot begins` for its start. */
  readonly what: string
}

/** The fields of an entry that a row shows. */
interface SeenEntry {
  readonly to: string
  readonly instantMs: number
  readonly event?: { readonly type: string }
}

/** In their order. */
export function journalRows(entries: readonly string[], startMs: number): readonly JournalRow[] {
  return entries.map((text, at) => {
    const { to, instantMs, event } = JSON.parse(text) as SeenEntry
    const actor = to.split("/").at(-1) ?? to
    return {
      number: at + 1,
      atMs: instantMs - startMs,
      what: event === undefined ? `${actor} begins` : event.type,
    }
  })
}
