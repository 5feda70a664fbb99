/** The type of a load photo, detected only from its bytes. */

import { Refused } from "../../../model/values/errors.ts"
import { PHOTO_BYTES_MAX } from "../../../model/values/limits.ts"
import { Routine } from "../routine.ts"

export interface PhotoFile {
  readonly bytes: Uint8Array
  readonly mediaType: "image/jpeg" | "image/png"
}

/** The first bytes of each file type. Source: JPEG is ITU T.81 (SOI, then a marker); PNG is ISO 15948 §5.2. */
const BEGINNINGS: readonly (readonly [PhotoFile["mediaType"], readonly number[]])[] = [
  ["image/jpeg", [0xff, 0xd8, 0xff]],
  ["image/png", [0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]],
]

/** Refuses what is empty, too large, or does not begin as JPEG or PNG. */
export function readPhoto(bytes: Uint8Array): Routine<PhotoFile, Refused> {
  const problem = problemOf(bytes)
  const mediaType = mediaTypeOf(bytes)
  return problem === null && mediaType !== null
    ? Routine.succeed({ bytes, mediaType })
    : Routine.fail(noPhoto(problem ?? "must be JPEG or PNG; HEIC, WebP and other formats are not accepted"))
}

export function noPhoto(message: string): Refused {
  return new Refused({ code: "VALIDATION_ERROR", problems: [{ field: "photo", message }] })
}

function problemOf({ length }: Uint8Array): string | null {
  if (length === 0) return "must hold a photo, is empty"
  return length > PHOTO_BYTES_MAX ? `must be at most ${PHOTO_BYTES_MAX} bytes, is ${length}` : null
}

function mediaTypeOf(bytes: Uint8Array): PhotoFile["mediaType"] | null {
  const found = BEGINNINGS.find(([, beginning]) => beginning.every((byte, at) => bytes[at] === byte))
  return found?.[0] ?? null
}
