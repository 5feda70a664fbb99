/** Joins still pictures into one that moves. Source: "WebP Container Specification" (Google), chunks VP8X, ANIM and ANMF. */

const ANIMATED = 0x02
const HEADER_BYTES = 12

/** Each picture is an opaque WebP of the same size; `frameMs` is how long each is shown. It repeats for ever. */
export function animatedWebp(
  pictures: readonly Buffer[],
  { width, height, frameMs }: { readonly width: number; readonly height: number; readonly frameMs: number },
): Buffer {
  const size = Buffer.concat([uint24(width - 1), uint24(height - 1)])
  const frames = pictures.map((picture) =>
    chunk(
      "ANMF",
      Buffer.concat([uint24(0), uint24(0), size, uint24(frameMs), Buffer.alloc(1), bitstreamOf(picture)]),
    ),
  )
  const parts = [
    chunk("VP8X", Buffer.concat([Buffer.from([ANIMATED, 0, 0, 0]), size])),
    // No colour behind it, and no end.
    chunk("ANIM", Buffer.alloc(6)),
    ...frames,
  ]
  const body = Buffer.concat([Buffer.from("WEBP"), ...parts])
  return Buffer.concat([Buffer.from("RIFF"), uint32(body.length), body])
}

/** The chunk with the picture itself, among those about its colours. */
function bitstreamOf(picture: Buffer): Buffer {
  for (let from = HEADER_BYTES; from < picture.length;) {
    const bytes = picture.readUInt32LE(from + 4)
    const end = from + 8 + bytes + (bytes % 2)
    if (/^VP8[ L]$/.test(picture.toString("latin1", from, from + 4))) return picture.subarray(from, end)
    from = end
  }
  throw new Error("a still picture has no chunk with its bitstream")
}

function chunk(name: string, data: Buffer): Buffer {
  return Buffer.concat([Buffer.from(name), uint32(data.length), data, Buffer.alloc(data.length % 2)])
}

function uint24(value: number): Buffer {
  const bytes = Buffer.alloc(3)
  bytes.writeUIntLE(value, 0, 3)
  return bytes
}

function uint32(value: number): Buffer {
  const bytes = Buffer.alloc(4)
  bytes.writeUInt32LE(value)
  return bytes
}
