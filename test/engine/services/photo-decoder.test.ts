/** L6: what a load photo may be, and what is kept of it. */

import { Cause, Effect, Either, Exit } from "effect"
import type { Layer } from "effect"
import sharp from "sharp"
import type { Metadata } from "sharp"
import { describe, expect, test } from "vitest"
import { PhotoDecoder, layerPlainPhotoDecoder } from "../../../src/engine/services/photos/photo-decoder.ts"
import type { PhotoFile } from "../../../src/engine/services/photos/photo-content.ts"
import { PLACEHOLDER_PHOTO } from "../../../src/engine/services/photos/photo-files.ts"
import { layerSharpPhotos } from "../../../src/live/gateways/sharp-photos.ts"
import { PHOTOS_WAITING_MAX, PHOTO_BYTES_MAX, PHOTO_SIDE_MAX } from "../../../src/model/values/limits.ts"
import type { Refused } from "../../../src/model/values/errors.ts"
import {
  PLANTED,
  cmykPhoto,
  colourAt,
  noiseJpeg,
  phonePhoto,
  pngOf,
  transparentPng,
  webp,
  wideColourPhoto,
  wideJpeg,
} from "../../photos.ts"

const LAYERS: readonly (readonly [name: string, layer: Layer.Layer<PhotoDecoder>])[] = [
  ["plain", layerPlainPhotoDecoder],
  ["sharp", layerSharpPhotos],
]

const WHITE_PIXEL = pngOf(1, 1, Buffer.from([0, 255, 255, 255]))

function decodeBy(layer: Layer.Layer<PhotoDecoder>) {
  return async (bytes: Uint8Array): Promise<PhotoFile | Refused> => {
    const decoding = Effect.flatMap(PhotoDecoder, (decoder) => decoder.decode(bytes))
    return Either.merge(await Effect.runPromise(Effect.either(Effect.provide(decoding, layer))))
  }
}

async function kept(sent: Uint8Array): Promise<PhotoFile & { readonly info: Metadata }> {
  const file = (await decodeBy(layerSharpPhotos)(sent)) as PhotoFile
  return { ...file, info: await sharp(file.bytes).metadata() }
}

function problemIn(answer: PhotoFile | Refused): string {
  return "code" in answer ? `${answer.code} ${answer.message}` : "taken"
}

describe.each(LAYERS)("L6: what a photo may be: %s", (_, layer) => {
  const decode = decodeBy(layer)

  test("JPEG and PNG, told by their bytes, up to the limit of bytes", async () => {
    const full = Buffer.alloc(PHOTO_BYTES_MAX)
    full.set(PLACEHOLDER_PHOTO.bytes)
    expect(await decode(full)).toMatchObject({ mediaType: "image/jpeg" })
    expect(problemIn(await decode(WHITE_PIXEL))).toBe("taken")
  })

  test.each<[string, Uint8Array, RegExp]>([
    ["empty", new Uint8Array(), /photo: must hold a photo, is empty/],
    ["one byte too long", new Uint8Array(PHOTO_BYTES_MAX + 1), /at most 10485760 bytes, is 10485761/],
    ["a JPEG cut after two bytes", Uint8Array.of(0xff, 0xd8), /must be JPEG or PNG; HEIC/],
    ["a PNG cut in its signature", WHITE_PIXEL.subarray(0, 7), /JPEG or PNG/],
    ["a PNG that went through a text transfer", Uint8Array.of(0x89, 0x50, 0x4e, 0x47, 0x0a), /JPEG or PNG/],
    ["an SVG", Buffer.from("<svg/>"), /JPEG or PNG/],
    ["a GIF", Buffer.from("GIF89a,,,,"), /JPEG or PNG/],
    ["HEIC, as iPhones keep it", Buffer.from("\0\0\0\x18ftypheic\0\0\0\0mif1heic"), /JPEG or PNG/],
  ])("not one that is %s", async (__, bytes, message) => {
    const problem = problemIn(await decode(bytes))
    expect(problem).toMatch(/^VALIDATION_ERROR /)
    expect(problem).toMatch(message)
  })

  test("not a WebP", async () => {
    expect(problemIn(await decode(await webp()))).toMatch(/JPEG or PNG/)
  })
})

describe("L6: what is kept of a photo", () => {
  test("a phone's photo loses place and camera, and stands upright", async () => {
    const sent = await phonePhoto()
    expect((await sharp(sent).metadata()).orientation).toBe(6)
    expect(sent.includes(PLANTED)).toBe(true)
    const { bytes, mediaType, info } = await kept(sent)
    expect([mediaType, info.format, info.width, info.height]).toEqual(["image/jpeg", "jpeg", 40, 60])
    expect([info.orientation, info.exif, info.xmp, info.iptc, info.icc]).toEqual(Array(5).fill(undefined))
    expect(Buffer.from(bytes).includes(PLANTED)).toBe(false)
    const [left, right] = [await colourAt(bytes, 5, 30), await colourAt(bytes, 34, 30)]
    expect([left[2], right[0]].map((value) => (value ?? 0) > 150)).toEqual([true, true])
    expect([left[0], right[2]].map((value) => (value ?? 255) < 90)).toEqual([true, true])
  })

  test("colours of another profile become the usual ones, without a profile", async () => {
    const sent = await wideColourPhoto()
    expect((await sharp(sent).metadata()).hasProfile).toBe(true)
    const { bytes, info } = await kept(sent)
    expect([info.space, info.hasProfile]).toEqual(["srgb", false])
    const colour = await colourAt(bytes, 10, 10)
    for (const [at, value] of [0xc8, 0x64, 0x64].entries())
      expect(Math.abs((colour[at] ?? 0) - value)).toBeLessThan(5)
  })

  test("a picture for the press becomes one for screens", async () => {
    const { info } = await kept(await cmykPhoto())
    expect([info.space, info.channels]).toEqual(["srgb", 3])
  })

  test("what is transparent in a PNG becomes white", async () => {
    const { bytes, mediaType } = await kept(await transparentPng())
    expect([mediaType, await colourAt(bytes, 4, 4)]).toEqual(["image/jpeg", [255, 255, 255]])
  })

  test("what stands behind the picture's end is left out", async () => {
    const behind = Buffer.from("<script>alert(1)</script>")
    const { bytes } = await kept(Buffer.concat([await phonePhoto(), behind]))
    expect(Buffer.from(bytes).includes(behind)).toBe(false)
  })

  test("a large picture is made smaller; one of noise is still below the limit of bytes", async () => {
    const { info } = await kept(await wideJpeg(8_160, 6_120))
    expect([info.width, info.height]).toEqual([PHOTO_SIDE_MAX, (PHOTO_SIDE_MAX * 3) / 4])
    const { bytes } = await kept(await noiseJpeg(PHOTO_SIDE_MAX))
    expect(bytes.length).toBeLessThan(PHOTO_BYTES_MAX)
  })
})

describe("L6: what cannot be decoded", () => {
  const problem = async (bytes: Uint8Array) => problemIn(await decodeBy(layerSharpPhotos)(bytes))
  const DAMAGED = /VALIDATION_ERROR .*photo: must be a whole JPEG or PNG picture; this one is damaged/

  test.each<[string, Uint8Array]>([
    ["HTML behind the first bytes of a JPEG", Buffer.from("\xff\xd8\xff<html><script>", "latin1")],
    [
      "HTML behind the signature of a PNG",
      Buffer.concat([WHITE_PIXEL.subarray(0, 8), Buffer.from("<html>")]),
    ],
    ["the signature of a PNG alone", WHITE_PIXEL.subarray(0, 8)],
    ["a PNG with fewer pixels than it says", pngOf(200, 200)],
    ["a PNG without pixels", pngOf(0, 0)],
  ])("%s", async (_, bytes) => {
    expect(await problem(bytes)).toMatch(DAMAGED)
  })

  test("a JPEG that was cut off", async () => {
    const whole = await phonePhoto()
    for (const share of [0.5, 0.9]) {
      expect(await problem(whole.subarray(0, Math.floor(whole.length * share)))).toMatch(DAMAGED)
    }
  })

  test("a picture of too many pixels, by its header alone", async () => {
    expect(await problem(pngOf(60_000, 60_000))).toMatch(/at most 50 megapixels, has 60000 × 60000 pixels/)
    expect(await problem(await wideJpeg(8_000, 6_251))).toMatch(/has 8000 × 6251 pixels/)
  })

  test("photos beyond those that may wait are turned away; the others are decoded", async () => {
    const photo = await phonePhoto()
    const decoding = Effect.flatMap(PhotoDecoder, (decoder) => Effect.exit(decoder.decode(photo)))
    const photos = Array.from({ length: PHOTOS_WAITING_MAX + 2 }, () => decoding)
    const inTurn = Effect.gen(function* () {
      return { crowded: yield* Effect.all(photos, { concurrency: "unbounded" }), after: yield* decoding }
    })
    const { crowded, after } = await Effect.runPromise(Effect.provide(inTurn, layerSharpPhotos))
    expect(crowded.filter(Exit.isSuccess)).toHaveLength(PHOTOS_WAITING_MAX)
    const causes = crowded.filter(Exit.isFailure).map(({ cause }) => Cause.squash(cause))
    expect(causes).toMatchObject([{ code: "OVERLOADED" }, { code: "OVERLOADED" }])
    expect(Exit.isSuccess(after)).toBe(true)
  })
})
