/**
 * Load photos through sharp: decoded within bounds and written anew as JPEG. So a partner gets the picture alone: no place,
 * no camera data, nothing behind the picture's end. The picture is turned upright first, because that was metadata as well.
 */

import { Effect, Layer } from "effect"
import type sharpPackage from "sharp"
import { noPhoto, readPhoto } from "../../engine/services/photos/photo-content.ts"
import type { PhotoFile } from "../../engine/services/photos/photo-content.ts"
import { madeOnce } from "../../engine/services/made-once.ts"
import { besideDatabase } from "../../engine/services/presence.ts"
import { PhotoDecoder } from "../../engine/services/photos/photo-decoder.ts"
import { TurnedAway } from "../../model/values/errors.ts"
import type { Refused } from "../../model/values/errors.ts"
import {
  PHOTOS_AT_ONCE_MAX,
  PHOTOS_WAITING_MAX,
  PHOTO_DECODING_MS_MAX,
  PHOTO_PIXELS_MAX,
  PHOTO_SIDE_MAX,
} from "../../model/values/limits.ts"
import { SECOND_MS } from "../../model/values/time.ts"
import { makeWorkLine } from "../../engine/services/work-line.ts"

type Sharp = typeof sharpPackage

/** As the runner's page writes it. */
const QUALITY = 82

/** Pictures are decoded in Node's thread pool, which has four threads, one at a time. */
export const layerSharpPhotos: Layer.Layer<PhotoDecoder> = Layer.effect(
  PhotoDecoder,
  Effect.gen(function* () {
    const loaded = Effect.promise(madeOnce(loadSharp))
    const inTurn = yield* makeWorkLine({ atOnceMax: PHOTOS_AT_ONCE_MAX, waitingMax: PHOTOS_WAITING_MAX })
    const overloaded = Effect.die(new TurnedAway({ code: "OVERLOADED" }))
    return {
      decode: (bytes) =>
        Effect.flatMap(readPhoto(bytes), () =>
          besideDatabase(
            inTurn(
              Effect.flatMap(loaded, (sharp) => decoded(sharp, bytes)),
              overloaded,
            ),
          ),
        ),
    }
  }),
)

/** Loaded with the first photo. Of the formats that the library reads, it is left the two that are accepted. */
async function loadSharp(): Promise<Sharp> {
  const { default: sharp } = await import("sharp")
  sharp.cache(false)
  sharp.concurrency(1)
  sharp.block({ operation: ["VipsForeignLoad"] })
  sharp.unblock({ operation: ["VipsForeignLoadJpegBuffer", "VipsForeignLoadPngBuffer"] })
  return sharp
}

function decoded(sharp: Sharp, sent: Uint8Array): Effect.Effect<PhotoFile, Refused> {
  return Effect.gen(function* () {
    const { width, height } = yield* reading(() => sharp(sent, { limitInputPixels: false }).metadata())
    if (width * height > PHOTO_PIXELS_MAX) {
      return yield* noPhoto(
        `must have at most ${PHOTO_PIXELS_MAX / 1_000_000} megapixels, has ${width} × ${height} pixels`,
      )
    }
    const bytes = yield* reading(() =>
      // Phones write JPEG that is not quite to the letter; what is cut off or cannot be decoded is an error all the same.
      sharp(sent, { limitInputPixels: PHOTO_PIXELS_MAX, failOn: "error" })
        .autoOrient()
        .resize({ width: PHOTO_SIDE_MAX, height: PHOTO_SIDE_MAX, fit: "inside", withoutEnlargement: true })
        .flatten({ background: "white" })
        .jpeg({ quality: QUALITY })
        .timeout({ seconds: PHOTO_DECODING_MS_MAX / SECOND_MS })
        .toBuffer(),
    )
    return { bytes, mediaType: "image/jpeg" }
  })
}

/** A starved machine may need longer than the limit for a good photo: then the sender tries again. */
function reading<A>(read: () => Promise<A>): Effect.Effect<A, Refused> {
  return Effect.tryPromise(read).pipe(
    Effect.catchAll(({ error }) =>
      String(error).includes("timeout")
        ? Effect.die(new TurnedAway({ code: "OVERLOADED" }))
        : noPhoto("must be a whole JPEG or PNG picture; this one is damaged, cut off or too complex"),
    ),
  )
}
