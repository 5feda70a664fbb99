/** Load photos in the database: stored with their load, and served by any node, also after a restart. */

import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { Context, Effect, Layer } from "effect"
import { afterAll, beforeAll, describe, expect, test } from "vitest"
import { layerSignedPhotos } from "../../../src/live/gateways/signed-photos.ts"
import { PhotoFiles } from "../../../src/engine/services/photos/photo-files.ts"
import { PhotoLinks } from "../../../src/engine/services/photos/photo-links.ts"
import { PhotoStore } from "../../../src/engine/services/photos/photo-store.ts"
import { Transaction } from "../../../src/engine/services/host.ts"
import { Routine } from "../../../src/engine/services/routine.ts"
import { Database, layerPglite } from "../../../src/engine/store/database.ts"
import { layerTables } from "../../../src/engine/store/sql-tables.ts"
import { declaredTable } from "../../../src/engine/store/declared-table.ts"
import { loadPhotos as declaredPhotos } from "../../../src/engine/services/photos/photo-store.ts"
import { inTransaction } from "../../../src/engine/store/transaction.ts"
import { PHOTO, app, booked, bringTo, codeOf, handoffOf, runner } from "../../conformance/harness.ts"
import { liveHarness, openTestDatabase } from "../../conformance/live.ts"
import type { TestDatabase } from "../../conformance/live.ts"
import { copyTemplateTo, layerCopiedPglite } from "./embedded-template.ts"

const loadPhotos = declaredTable(declaredPhotos)
const signing = layerSignedPhotos({
  key: "of every node",
  baseUrls: { production: "https://api.example", sandbox: "https://sandbox.example" },
})

/** A node of its own over a database that is there. */
function onNode<A>(
  database: Context.Context<Database>,
  effect: Effect.Effect<A, never, PhotoFiles | PhotoLinks | PhotoStore | Database>,
): Promise<A> {
  const layer = signing.pipe(
    Layer.provideMerge(PhotoStore.layer.pipe(Layer.provide(layerTables))),
    Layer.provideMerge(Layer.succeedContext(database)),
  )
  return Effect.runPromise(Effect.provide(effect, layer))
}

const sign = (photoId: string): Effect.Effect<URL, never, PhotoLinks> =>
  Effect.flatMap(PhotoLinks, (links) =>
    links.sign({ photoId, environment: "production", expiresAtMs: Date.parse("2100-01-01T00:00:00Z") }),
  ).pipe(
    Effect.orDie,
    Effect.map((url) => new URL(url)),
  )

const open = (url: URL) =>
  Effect.flatMap(PhotoFiles, (files) =>
    files.open({
      photoId: url.pathname.split("/").at(-1) ?? "",
      environment: "production",
      exp: url.searchParams.get("exp") ?? "",
      sig: url.searchParams.get("sig") ?? "",
    }),
  )

describe("load photos on the live host", () => {
  let shared: TestDatabase
  beforeAll(() => {
    shared = openTestDatabase(layerCopiedPglite)
  })
  afterAll(() => shared.close())

  async function rows(): Promise<(typeof loadPhotos.$inferSelect)[]> {
    return Context.get(await shared.context, Database)
      .orm.select()
      .from(loadPhotos)
  }

  test("a load that is refused keeps no photo; one that is taken keeps one, of its reservation", async () => {
    const h = liveHarness(shared.context)
    const id = await booked(h)
    expect(await codeOf(h, runner.load(app, id, PHOTO))).toBe("INVALID_STATE")
    expect(await rows()).toEqual([])
    await bringTo(h, id, "LOADED")
    expect(await codeOf(h, runner.load(app, id, PHOTO))).toBe("INVALID_STATE")
    const kept = await rows()
    expect(kept).toMatchObject([{ reservationId: id, environment: "production", mediaType: "image/jpeg" }])
    expect(kept[0]?.createdAtMs).toBe(h.now())
    expect((await h.close()).difference).toBeNull()
  })

  test("L5: what one node stored and signed, another opens; after a purge, none does", async () => {
    const h = liveHarness(shared.context)
    const id = await booked(h)
    await bringTo(h, id, "HANDOFF_READY")
    expect(handoffOf(await h.run(runner.load(app, id, PHOTO))).load_photo_skipped).toBe(false)
    const [kept] = await rows()
    const database = await shared.context
    const url = await onNode(database, sign(kept?.photoId ?? ""))
    const found = await onNode(database, open(url))
    expect(found).toEqual({ mediaType: "image/jpeg", bytes: kept?.bytes })
    expect(kept?.bytes.length).toBeGreaterThan(100)
    await onNode(database, purgeAll())
    expect(await onNode(database, open(url))).toBeNull()
    expect((await h.close()).difference).toBeNull()
  })
})

test("L5: a link still opens its photo after a restart", async () => {
  const folder = mkdtempSync(join(tmpdir(), "curbline-photos-"))
  const started = async <A>(
    effect: Effect.Effect<A, never, PhotoFiles | PhotoLinks | PhotoStore | Database>,
  ): Promise<A> => {
    const database = openTestDatabase(layerPglite({ folder: join(folder, "database") }))
    const answered = await onNode(await database.context, effect)
    await database.close()
    return answered
  }
  copyTemplateTo(join(folder, "database"))
  try {
    const url = await started(Effect.zipRight(put("pho_kept"), sign("pho_kept")))
    const found = await started(open(url))
    expect([...(found?.bytes ?? [])]).toEqual([...PHOTO])
  } finally {
    rmSync(folder, { recursive: true })
  }
})

function purgeAll(): Effect.Effect<void, never, Database | PhotoStore> {
  return written((photos) =>
    Effect.asVoid(photos.purge("production", { beforeMs: Number.MAX_SAFE_INTEGER, limit: 10 })),
  )
}

function put(photoId: string): Effect.Effect<void, never, Database | PhotoStore> {
  const photo = { reservationId: "res_1", environment: "production", createdAtMs: 0 } as const
  return written((photos) => photos.put({ ...photo, photoId, mediaType: "image/jpeg", bytes: PHOTO }))
}

/** One write in a transaction of its own, without a host. */
function written(
  write: (photos: PhotoStore["Type"]) => Effect.Effect<void, never, Transaction>,
): Effect.Effect<void, never, Database | PhotoStore> {
  const handle = Context.make(Transaction, {
    nowMs: 0,
    turn: () => Routine.die("no turn is taken here"),
    group: () => Routine.succeed(null),
    afterCommit: () => Routine.die("nothing is committed here"),
  })
  return Effect.gen(function* () {
    const photos = yield* PhotoStore
    yield* inTransaction(yield* Database, Effect.provide(write(photos), handle))
  })
}
