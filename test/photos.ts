/** Photos as phones and attackers send them, made by code. */

import { crc32, deflateSync } from "node:zlib"
import sharp from "sharp"
import type { Sharp } from "sharp"

/** What a camera writes beside a picture; a kept photo must hold none of it. */
export const PLANTED = "PLANTED-CAMERA-7731"

const GPS = {
  GPSLatitudeRef: "N",
  GPSLatitude: "30/1 16/1 2/1",
  GPSLongitudeRef: "W",
  GPSLongitude: "97/1 44/1 35/1",
}

/** 60 by 40 as the sensor saw it, red above blue; upright it is 40 by 60, and blue is on the left. */
export async function phonePhoto(): Promise<Buffer> {
  const half = (background: string) =>
    sharp({ create: { width: 60, height: 20, channels: 3, background } })
      .png()
      .toBuffer()
  const [red, blue] = await Promise.all([half("#d02020"), half("#2020d0")])
  return sharp({ create: { width: 60, height: 40, channels: 3, background: "white" } })
    .composite([
      { input: red, top: 0, left: 0 },
      { input: blue, top: 20, left: 0 },
    ])
    .withExif({ IFD0: { Make: PLANTED }, IFD3: GPS })
    .withMetadata({ orientation: 6 })
    .jpeg({ quality: 95 })
    .toBuffer()
}

/** One colour, with the wide colours of a phone as its profile. */
export async function wideColourPhoto(): Promise<Buffer> {
  return flat("#c86464").withIccProfile("p3").jpeg({ quality: 100 }).toBuffer()
}

export async function cmykPhoto(): Promise<Buffer> {
  return flat("#d02020").toColourspace("cmyk").jpeg().toBuffer()
}

export async function transparentPng(): Promise<Buffer> {
  const background = { r: 0, g: 0, b: 0, alpha: 0 }
  return sharp({ create: { width: 8, height: 8, channels: 4, background } })
    .png()
    .toBuffer()
}

export async function webp(): Promise<Buffer> {
  return flat("#d02020").webp().toBuffer()
}

export async function wideJpeg(width: number, height: number): Promise<Buffer> {
  return sharp({ create: { width, height, channels: 3, background: "#808080" } })
    .jpeg()
    .toBuffer()
}

/** No picture compresses worse. */
export async function noiseJpeg(side: number): Promise<Buffer> {
  let state = 1
  const pixels = Buffer.alloc(3 * side * side).map(() => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    return state >>> 24
  })
  return sharp(pixels, { raw: { width: side, height: side, channels: 3 } })
    .jpeg({ quality: 75 })
    .toBuffer()
}

/** A PNG whose header says more than its data holds. */
export function pngOf(width: number, height: number, pixels = Buffer.alloc(1_000)): Buffer {
  const header = Buffer.alloc(13)
  header.writeUInt32BE(width, 0)
  header.writeUInt32BE(height, 4)
  // Eight bits each of red, green and blue.
  header.set([8, 2], 8)
  return Buffer.concat([
    Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]),
    chunk("IHDR", header),
    chunk("IDAT", deflateSync(pixels)),
    chunk("IEND", Buffer.alloc(0)),
  ])
}

function chunk(type: string, data: Buffer): Buffer {
  const named = Buffer.concat([Buffer.from(type, "latin1"), data])
  const framed = Buffer.alloc(8 + named.length)
  framed.writeUInt32BE(data.length, 0)
  framed.set(named, 4)
  framed.writeUInt32BE(crc32(named), 4 + named.length)
  return framed
}

/** The colour of a pixel: red, green, blue. */
export async function colourAt(photo: Uint8Array, left: number, top: number): Promise<readonly number[]> {
  const pixel = await sharp(photo).extract({ left, top, width: 1, height: 1 }).raw().toBuffer()
  return [...pixel]
}

function flat(background: string): Sharp {
  return sharp({ create: { width: 32, height: 32, channels: 3, background } })
}
