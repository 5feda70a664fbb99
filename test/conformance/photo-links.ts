/** The contract of PhotoLinks: a signed link with the photo and its expiry, or a failure that names the photo. */

import { Effect } from "effect"
import { describe, expect, test } from "vitest"
import { PhotoLinks, PhotoSigningFailed } from "../../src/engine/services/photos/photo-links.ts"

export interface PhotoLinksHarness {
  readonly run: <A, E>(effect: Effect.Effect<A, E, PhotoLinks>) => Promise<A>
  readonly breakSigning: () => void
}

type Photo = Parameters<PhotoLinks["Type"]["sign"]>[0]

const photo: Photo = {
  photoId: "pho_1",
  environment: "production",
  expiresAtMs: Date.parse("2026-06-02T15:00:00.900Z"),
}

export function photoLinksContract(name: string, make: () => PhotoLinksHarness): void {
  const sign = (h: PhotoLinksHarness, more: Partial<Photo> = {}): Promise<string> =>
    h.run(Effect.flatMap(PhotoLinks, (links) => links.sign({ ...photo, ...more })))

  describe(`photo links: ${name}`, () => {
    test("L5: a link is https, names the photo, its end in whole seconds, and a signature", async () => {
      const url = new URL(await sign(make()))
      expect(url.protocol).toBe("https:")
      expect(url.pathname).toBe("/rs/v1/photos/pho_1")
      expect([...url.searchParams.keys()].toSorted()).toEqual(["exp", "sig"])
      expect(url.searchParams.get("exp")).toBe(String(Date.parse("2026-06-02T15:00:00Z") / 1000))
      expect(url.searchParams.get("sig")).toMatch(/^[\w-]{32,}$/)
    })

    test("L5: the signature follows the photo and the end", async () => {
      const h = make()
      const urls = [
        await sign(h),
        await sign(h, { photoId: "pho_2" }),
        await sign(h, { expiresAtMs: photo.expiresAtMs + 1_000 }),
      ]
      expect(new Set(urls.map((url) => new URL(url).searchParams.get("sig"))).size).toBe(3)
      expect(await sign(h)).toBe(urls[0])
    })

    test("each environment has its own host", async () => {
      const h = make()
      const production = new URL(await sign(h))
      const sandbox = new URL(await sign(h, { environment: "sandbox" }))
      expect(production.host).not.toBe(sandbox.host)
    })

    test("E23: signing that fails says so, and names the photo", async () => {
      const h = make()
      h.breakSigning()
      const failure = await h.run(Effect.flip(Effect.flatMap(PhotoLinks, (links) => links.sign(photo))))
      expect(failure).toBeInstanceOf(PhotoSigningFailed)
      expect(failure.photoId).toBe("pho_1")
    })
  })
}
