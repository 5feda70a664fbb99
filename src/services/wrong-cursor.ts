/** Cursors of lists: the number of a row, as an opaque text; and the refusal of a text that no page returned. */

import { Refused } from "../model/errors.ts"
import { Routine } from "./routine.ts"

/** The refusal of a cursor, the same in every list. */
export const wrongCursor: Routine<never, Refused> = wrongCursorIn("cursor")

function wrongCursorIn(field: string): Routine<never, Refused> {
  const problem = { field, message: "must be a cursor that an earlier page gave" }
  return Routine.suspend(() => Routine.fail(new Refused({ code: "VALIDATION_ERROR", problems: [problem] })))
}

export interface Cursors {
  readonly cursorOf: (number: number) => string
  /** Refuses texts that no page of the list returned. */
  readonly numberOf: (cursor: string, field?: string) => Routine<number, Refused>
}

/** The cursors of one kind of list. `mark` is a letter, so that the cursor of another kind is refused. */
export function cursors(mark: string): Cursors {
  const cursorOf = (number: number): string => Buffer.from(`${mark}${number}`).toString("base64url")
  return {
    cursorOf,
    numberOf: (cursor, field = "cursor") => {
      const text = Buffer.from(cursor, "base64url").toString()
      const digits = text.startsWith(mark) ? text.slice(mark.length) : ""
      const number = /^\d+$/.test(digits) ? Number(digits) : Number.NaN
      // Base64 decoding accepts many spellings; only the one that the service writes is accepted.
      const isWritten = Number.isSafeInteger(number) && cursorOf(number) === cursor
      return isWritten ? Routine.succeed(number) : wrongCursorIn(field)
    },
  }
}
