/** Photo decoder: makes the photo that is kept and served from the bytes that were sent. */

import { Context, Layer } from "effect"
import type { Effect } from "effect"
import type { Refused } from "../../../model/values/errors.ts"
import { readPhoto } from "./photo-content.ts"
import type { PhotoFile } from "./photo-content.ts"

export class PhotoDecoder extends Context.Tag("PhotoDecoder")<
  PhotoDecoder,
  {
    /**
     * Fails with `VALIDATION_ERROR` for what is no photo. Dies with `TurnedAway` when too many photos wait. It may take
     * seconds, so it runs before a transaction, never inside of one.
     */
    readonly decode: (bytes: Uint8Array) => Effect.Effect<PhotoFile, Refused>
  }
>() {}

/** For simulated runs: checks size and first bytes, and keeps the bytes as they are. */
export const layerPlainPhotoDecoder: Layer.Layer<PhotoDecoder> = Layer.succeed(PhotoDecoder, {
  decode: readPhoto,
})
