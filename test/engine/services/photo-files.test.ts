/** Load photos: which links open them. */

import { Effect, Layer } from "effect"
import { describe, expect, test } from "vitest"
import { layerSignedPhotos } from "../../../src/live/gateways/signed-photos.ts"
import type { Environment } from "../../../src/model/caller.ts"
import { PLACEHOLDER_PHOTO, PhotoFiles } from "../../../src/engine/services/photos/photo-files.ts"
import type { PresentedPhotoLink } from "../../../src/engine/services/photos/photo-files.ts"
import { PLACEHOLDER_PHOTO_ID, PhotoLinks } from "../../../src/engine/services/photos/photo-links.ts"
import { PhotoStore } from "../../../src/engine/services/photos/photo-store.ts"
import type { StoredPhoto } from "../../../src/engine/services/photos/photo-store.ts"
import { Routine } from "../../../src/engine/services/routine.ts"

const NEVER = Date.parse("2100-01-01T00:00:00Z")
const baseUrls = { production: "https://api.example", sandbox: "https://sandbox.example" }

const photo: StoredPhoto = {
  photoId: "pho_1",
  reservationId: "res_1",
  environment: "production",
  mediaType: "image/png",
  bytes: Uint8Array.of(1, 2, 3),
  createdAtMs: 0,
}

const store = Layer.succeed(PhotoStore, {
  put: () => Routine.void,
  get: (id) => Routine.succeed(id === photo.photoId ? photo : null),
  purge: () => Routine.succeed(0),
  forget: () => Routine.void,
})

function signed(photoId: string, environment: Environment, expiresAtMs = NEVER): PresentedPhotoLink {
  const url = new URL(
    Effect.runSync(
      Effect.flatMap(PhotoLinks, (links) => links.sign({ photoId, environment, expiresAtMs })).pipe(
        Effect.provide(Layer.provide(layerSignedPhotos({ key: "k", baseUrls }), store)),
      ),
    ),
  )
  expect(url.origin).toBe(baseUrls[environment])
  const { exp = "", sig = "" } = Object.fromEntries(url.searchParams)
  return { photoId, environment, exp, sig }
}

function open(link: PresentedPhotoLink, key = "k") {
  return Effect.runSync(
    Effect.flatMap(PhotoFiles, (files) => files.open(link)).pipe(
      Effect.provide(Layer.provide(layerSignedPhotos({ key, baseUrls }), store)),
    ),
  )
}

describe("links to load photos", () => {
  test("L5: a signed link opens its photo, and the placeholder in both environments", () => {
    expect(open(signed("pho_1", "production"))).toEqual({ bytes: photo.bytes, mediaType: "image/png" })
    for (const environment of ["production", "sandbox"] as const) {
      expect(open(signed(PLACEHOLDER_PHOTO_ID, environment))).toEqual(PLACEHOLDER_PHOTO)
    }
  })

  test.each<[string, PresentedPhotoLink]>([
    ["a photo that never was, or was purged", signed("pho_2", "production")],
    ["another environment's photo, though well signed", signed("pho_1", "sandbox")],
    ["a link shown to the other host", { ...signed("pho_1", "production"), environment: "sandbox" }],
    ["a link past its end", signed("pho_1", "production", Date.parse("2001-01-01T00:00:00Z"))],
    ["an end that was not signed", { ...signed("pho_1", "production"), exp: "4102444801" }],
    ["an end that is no number", { ...signed("pho_1", "production"), exp: "soon" }],
    ["a signature of another photo", { ...signed("pho_1", "production"), photoId: "pho_3" }],
    ["no signature", { ...signed("pho_1", "production"), sig: "" }],
    ["half a signature", { ...signed("pho_1", "production"), sig: "00ff" }],
    ["no hexadecimal", { ...signed("pho_1", "production"), sig: "zz".repeat(32) }],
    ["one digit more", { ...signed("pho_1", "production"), sig: `${signed("pho_1", "production").sig}0` }],
    ["more behind it", { ...signed("pho_1", "production"), sig: `${signed("pho_1", "production").sig}.jpg` }],
    [
      "capitals that were not signed",
      { ...signed("pho_1", "production"), sig: signed("pho_1", "production").sig.toUpperCase() },
    ],
  ])("L5: nothing opens: %s", (_, link) => {
    expect(open(link)).toBeNull()
  })

  test("L5: a link signed with another key opens nothing", () => {
    expect(open(signed("pho_1", "production"), "another")).toBeNull()
  })
})
