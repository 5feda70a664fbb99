/** The contract of PhotoStore. Writes go through the host's transactions, which is the only way to write. */

import { Effect } from "effect"
import { describe, expect, test } from "vitest"
import { ActorHost } from "../../src/engine/services/host.ts"
import type { Transaction } from "../../src/engine/services/host.ts"
import { PhotoStore } from "../../src/engine/services/photos/photo-store.ts"
import type { StoredPhoto } from "../../src/engine/services/photos/photo-store.ts"
import { Routine } from "../../src/engine/services/routine.ts"
import type { RowsHarness } from "./reservation-rows.ts"

const photo: StoredPhoto = {
  photoId: "pho_1",
  reservationId: "res_1",
  environment: "sandbox",
  mediaType: "image/png",
  bytes: Uint8Array.from({ length: 256 }, (_, at) => at),
  createdAtMs: Date.parse("2026-06-01T15:00:00.123Z"),
}

type Write = (store: PhotoStore["Type"]) => Effect.Effect<void, never, Transaction>

export function photoStoreContract(name: string, make: () => RowsHarness<PhotoStore>): void {
  type Harness = RowsHarness<PhotoStore>
  const write = (h: Harness, ...writes: Write[]): Promise<void> =>
    h.run(
      Effect.gen(function* () {
        const host = yield* ActorHost
        const store = yield* PhotoStore
        for (const one of writes)
          yield* host.run({ name: "a test", locks: {}, body: () => Routine.from(one(store)) })
      }),
    )
  const get = (h: Harness, photoId: string): Promise<StoredPhoto | null> =>
    h.run(Effect.flatMap(PhotoStore, (store) => store.get(photoId)))
  const put = (more: Partial<StoredPhoto> = {}): Write => {
    const one = { ...photo, ...more }
    return (store) => store.put(one)
  }

  describe(`photo store: ${name}`, () => {
    test("a photo comes back as it was put, every byte of it", async () => {
      const h = make()
      await write(h, put())
      const found = await get(h, "pho_1")
      expect({ ...found, bytes: [...(found?.bytes ?? [])] }).toEqual({ ...photo, bytes: [...photo.bytes] })
      expect(await get(h, "pho_2")).toBeNull()
    })

    test("a photo of several megabytes is kept whole", async () => {
      const h = make()
      const bytes = Uint8Array.from({ length: 3_000_001 }, (_, at) => at % 251)
      await write(h, put({ bytes }))
      expect(Buffer.compare((await get(h, "pho_1"))?.bytes ?? new Uint8Array(), bytes)).toBe(0)
    })

    test("a purge takes the oldest of its environment up to its limit, and nothing younger than asked", async () => {
      const h = make()
      const { createdAtMs } = photo
      await write(
        h,
        put({ photoId: "pho_2", reservationId: "res_2", createdAtMs: createdAtMs + 1 }),
        put(),
        put({ photoId: "pho_3", reservationId: "res_3", createdAtMs: createdAtMs + 2 }),
        put({ photoId: "pho_4", reservationId: "res_4", environment: "production" }),
      )
      // By their order: the body of a transaction may run twice.
      const purged: number[] = []
      const purge = (at: number, limit: number): Write => {
        const order = { beforeMs: createdAtMs + 1, limit }
        return (store) => Effect.map(store.purge("sandbox", order), (rows) => void (purged[at] = rows))
      }
      const left = async () =>
        (await Promise.all(["pho_1", "pho_2", "pho_3", "pho_4"].map((id) => get(h, id)))).map(
          (one) => one?.photoId,
        )
      await write(h, purge(0, 1))
      expect(await left()).toEqual([undefined, "pho_2", "pho_3", "pho_4"])
      await write(h, purge(1, 5), purge(2, 5))
      expect(await left()).toEqual([undefined, undefined, "pho_3", "pho_4"])
      expect(purged).toEqual([1, 1, 0])
    })

    test("a forgotten reservation takes its photo along", async () => {
      const h = make()
      await write(h, put(), put({ photoId: "pho_2", reservationId: "res_2" }))
      await write(h, (store) => store.forget("res_1"))
      expect([await get(h, "pho_1"), (await get(h, "pho_2"))?.photoId]).toEqual([null, "pho_2"])
    })

    test("a transaction that fails keeps no photo", async () => {
      const h = make()
      const failing = Effect.gen(function* () {
        const host = yield* ActorHost
        const store = yield* PhotoStore
        yield* host.run({
          name: "a test",
          locks: {},
          body: () => Routine.from(Effect.zipRight(store.put(photo), Effect.fail("no"))),
        })
      })
      expect(await h.run(Effect.flip(failing))).toBe("no")
      expect(await get(h, "pho_1")).toBeNull()
    })
  })
}
