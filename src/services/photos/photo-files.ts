/** Photo files: what stands behind a signed link to a load photo. */

import { Context } from "effect"
import type { Effect } from "effect"
import type { Environment } from "../../model/caller.ts"

/** A link as it came in: nothing of it has been checked. */
export interface PresentedPhotoLink {
  readonly photoId: string
  readonly environment: Environment
  /** Unix seconds, as text. */
  readonly exp: string
  readonly sig: string
}

export interface PhotoFile {
  readonly bytes: Uint8Array
  readonly mediaType: "image/jpeg" | "image/png"
}

export class PhotoFiles extends Context.Tag("PhotoFiles")<
  PhotoFiles,
  {
    /**
     * The photo, or null: a wrong signature, a link past its time, a purged photo and one that never was look the same.
     * Signatures are compared in constant time.
     */
    readonly open: (link: PresentedPhotoLink) => Effect.Effect<PhotoFile | null>
  }
>() {}
