/** Photo files: the photos behind signed links. The placeholder of the sandbox advance is built in. */

import { Context, Effect, Either, Encoding, Layer } from "effect"
import type { Environment } from "../../../model/caller.ts"
import { isSame } from "../constant-time.ts"
import type { PhotoFile } from "./photo-content.ts"
import { PLACEHOLDER_PHOTO_ID, photoSignature } from "./photo-links.ts"
import { PhotoStore } from "./photo-store.ts"
import { Routine } from "../routine.ts"

/** A link as received; nothing of it has been checked. */
export interface PresentedPhotoLink {
  readonly photoId: string
  readonly environment: Environment
  /** Unix seconds, as text. */
  readonly exp: string
  readonly sig: string
}

export class PhotoFiles extends Context.Tag("PhotoFiles")<
  PhotoFiles,
  {
    /**
     * The photo, or null: a wrong signature, an expired link, a purged photo and an unknown one look the same.
     * Signatures are compared in constant time.
     */
    readonly open: (link: PresentedPhotoLink) => Routine<PhotoFile | null>
  }
>() {}

/** Opens links that were signed with this key. Stored photos are read each time, so a purged one is gone at once. */
export function layerPhotoFiles(key: string): Layer.Layer<PhotoFiles, never, PhotoStore> {
  return Layer.effect(
    PhotoFiles,
    Effect.map(PhotoStore, (photos) => ({ open: (link) => open(link, { key, photos }) })),
  )
}

interface Opener {
  readonly key: string
  readonly photos: PhotoStore["Type"]
}

const open = Routine.fn(function* (link: PresentedPhotoLink, { key, photos }: Opener) {
  // The texts are compared, because decoding would ignore whatever follows the signature.
  if (!isSame(link.sig, photoSignature(link, key))) return null
  const nowMs = yield* Routine.nowMs
  if (!/^\d{1,12}$/.test(link.exp) || Number(link.exp) * 1000 <= nowMs) return null
  if (link.photoId === PLACEHOLDER_PHOTO_ID) return PLACEHOLDER_PHOTO
  const photo = yield* photos.get(link.photoId)
  if (photo === null || photo.environment !== link.environment) return null
  const { bytes, mediaType } = photo
  return { bytes, mediaType } satisfies PhotoFile
})

/** A grey pixel, as JPEG. */
export const PLACEHOLDER_PHOTO: PhotoFile = {
  mediaType: "image/jpeg",
  bytes: Either.getOrThrow(
    Encoding.decodeBase64(
      "/9j/4AAQSkZJRgABAQEASABIAAD/2wBDAP//////////////////////////////////////////////////////////////////////////////////////wAALCAABAAEBAREA/8QAFAABAAAAAAAAAAAAAAAAAAAACf/EABQQAQAAAAAAAAAAAAAAAAAAAAD/2gAIAQEAAD8AVN//2Q==",
    ),
  ),
}
