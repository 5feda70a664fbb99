/** Cursors of lists: the place behind the last row of a page, as an opaque text; and the refusal of a text that no page returned. */

import { Refused } from "../model/errors.ts"
import { Routine } from "./routine.ts"

/** The refusal of a cursor, the same in every list. */
export const wrongCursor: Routine<never, Refused> = wrongCursorIn("cursor")

function wrongCursorIn(field: string): Routine<never, Refused> {
  const problem = { field, message: "must be a cursor that an earlier page gave" }
  return Routine.suspend(() => Routine.fail(new Refused({ code: "VALIDATION_ERROR", problems: [problem] })))
}

export interface PlaceCursors<Place> {
  readonly cursorOf: (place: Place) => string
  /** Refuses texts that no page of the list returned. */
  readonly placeOf: (cursor: string, field?: string) => Routine<Place, Refused>
}

/** The cursors of one kind of list. `read`: null for a text of another kind, which a first letter can tell. */
export function placeCursors<Place>(
  write: (place: Place) => string,
  read: (text: string) => Place | null,
): PlaceCursors<Place> {
  const cursorOf = (place: Place): string => Buffer.from(write(place)).toString("base64url")
  return {
    cursorOf,
    placeOf: (cursor, field = "cursor") => {
      const place = read(Buffer.from(cursor, "base64url").toString())
      // Base64 decoding accepts many spellings; only the one that the service writes is accepted.
      return place !== null && cursorOf(place) === cursor ? Routine.succeed(place) : wrongCursorIn(field)
    },
  }
}

export interface Cursors {
  readonly cursorOf: (number: number) => string
  /** Refuses texts that no page of the list returned. */
  readonly numberOf: (cursor: string, field?: string) => Routine<number, Refused>
}

/** Cursors of rows by their numbers. `mark` is a letter, so that the cursor of another kind is refused. */
export function cursors(mark: string): Cursors {
  const { cursorOf, placeOf } = placeCursors<number>(
    (number) => `${mark}${number}`,
    (text) => {
      const digits = text.startsWith(mark) ? text.slice(mark.length) : ""
      const number = /^\d+$/.test(digits) ? Number(digits) : Number.NaN
      return Number.isSafeInteger(number) ? number : null
    },
  )
  return { cursorOf, numberOf: placeOf }
}
