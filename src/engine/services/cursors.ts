/** Cursors of lists: the place behind the last row of a page, as an opaque text; and the refusal of a text that no page returned. */

import { decryptedBlock, encryptedBlock, hmac } from "#digest"
import { Either, Encoding } from "effect"
import { Refused } from "../../model/values/errors.ts"
import { Routine } from "./routine.ts"

/** The refusal of a cursor, the same in every list. */
export const wrongCursor: Routine<never, Refused> = wrongCursorIn("cursor")

function wrongCursorIn(field: string): Routine<never, Refused> {
  const problem = { field, message: "must be a cursor that an earlier page gave" }
  return Routine.suspend(() => Routine.fail(new Refused({ code: "VALIDATION_ERROR", problems: [problem] })))
}

export interface PlaceCursors<Place> {
  readonly cursorOf: (place: Place) => string
  /** Null for a text that `placeOf` refuses. */
  readonly placeIn: (cursor: string) => Place | null
  /** Refuses texts that no page of the list returned. */
  readonly placeOf: (cursor: string, field?: string) => Routine<Place, Refused>
}

/** The cursors of one kind of list. `read`: null for a text of another kind, which a first letter can tell. */
export function placeCursors<Place>(
  write: (place: Place) => string,
  read: (text: string) => Place | null,
): PlaceCursors<Place> {
  return cursorsOf(
    (place) => new TextEncoder().encode(write(place)),
    (bytes) => read(new TextDecoder().decode(bytes)),
  )
}

/** Base64 decoding accepts many spellings; only the one that the service writes is accepted. */
function cursorsOf<Place>(
  write: (place: Place) => Uint8Array,
  read: (bytes: Uint8Array) => Place | null,
): PlaceCursors<Place> {
  const cursorOf = (place: Place): string => Encoding.encodeBase64Url(write(place))
  const placeIn = (cursor: string): Place | null => {
    const bytes = Encoding.decodeBase64Url(cursor)
    const place = Either.isLeft(bytes) ? null : read(bytes.right)
    return place !== null && cursorOf(place) === cursor ? place : null
  }
  return {
    cursorOf,
    placeIn,
    placeOf: (cursor, field = "cursor") => {
      const place = placeIn(cursor)
      return place === null ? wrongCursorIn(field) : Routine.succeed(place)
    },
  }
}

export interface NumberedList {
  /** The service's key, from which the key of the list is derived. */
  readonly key: string
  readonly list: string
  /** Whose list it is: a cursor of one owner is refused in the list of another. */
  readonly owner: string
}

/**
 * Cursors of rows by their numbers, sealed: the numbers of a table count the rows of every organization, and two of
 * them would show how much the service has to do. One block of AES is a number and zeros, which a text of another list does not have
 * (src/DECISIONS.md §25).
 */
export function sealedCursors({ key, list, owner }: NumberedList): PlaceCursors<number> {
  const own = hmac(key, `cursor\n${list}\n${owner}`).subarray(0, BLOCK_BYTES)
  return cursorsOf(
    (number) => {
      const block = new Uint8Array(BLOCK_BYTES)
      new DataView(block.buffer).setBigUint64(NUMBER_AT, BigInt(number))
      return encryptedBlock(own, block)
    },
    (sealed) => {
      if (sealed.length !== BLOCK_BYTES) return null
      const block = decryptedBlock(own, sealed)
      const view = new DataView(block.buffer, block.byteOffset)
      const number = Number(view.getBigUint64(NUMBER_AT))
      return view.getBigUint64(0) === 0n && Number.isSafeInteger(number) ? number : null
    },
  )
}

/** Equal numbers of one list have equal cursors. */
const BLOCK_BYTES = 16
const NUMBER_AT = 8
