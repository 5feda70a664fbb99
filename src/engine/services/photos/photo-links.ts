/** Signed links to load photos. Signing may fail; the event or record then has no link. */

import { hmacHex } from "#digest"
import { Context, Data } from "effect"
import type { Environment } from "../../../model/caller.ts"
import type { EpochMs } from "../../../model/values/time.ts"
import type { Routine } from "../routine.ts"

/** The link could not be signed right now. */
export class PhotoSigningFailed extends Data.TaggedError("PhotoSigningFailed")<{ readonly photoId: string }> {
  override get message(): string {
    return `the link to photo ${this.photoId} could not be signed`
  }
}

export class PhotoLinks extends Context.Tag("PhotoLinks")<
  PhotoLinks,
  {
    readonly sign: (photo: {
      readonly photoId: string
      readonly environment: Environment
      readonly expiresAtMs: EpochMs
    }) => Routine<string, PhotoSigningFailed>
  }
>() {}

/**
 * The signature of a link: HMAC-SHA256 over environment, photo and expiry, as hex. `exp` is whole Unix seconds as text.
 */
export function photoSignature(
  {
    photoId,
    environment,
    exp,
  }: { readonly photoId: string; readonly environment: Environment; readonly exp: string },
  key: string,
): string {
  return hmacHex(key, `${environment}\n${photoId}\n${exp}`)
}

/** The photo of the sandbox advance: one fixed small picture. */
export const PLACEHOLDER_PHOTO_ID = "pho_sandboxplaceholder"
