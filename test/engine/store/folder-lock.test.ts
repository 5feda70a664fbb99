/** The lock on a data folder. */

import { Effect } from "effect"
import { join } from "node:path"
import { readdirSync } from "node:fs"
import { expect, test } from "vitest"
import { FolderHeld, holdFolder, isFolderHeld } from "../../../src/engine/store/folder-lock.ts"
import { layerPglite } from "../../../src/engine/store/database.ts"
import { folder } from "../../cli/command-line.ts"

test("a folder is held once, until its holder lets go, and is then free", () => {
  const data = folder()
  const place = join(data, "database")
  const outcome = Effect.runSync(
    Effect.scoped(
      Effect.gen(function* () {
        yield* holdFolder(place)
        const second = yield* Effect.flip(Effect.scoped(holdFolder(place)))
        return { isHeld: isFolderHeld(place), second, other: isFolderHeld(join(data, "other")) }
      }),
    ),
  )
  expect(outcome).toEqual({ isHeld: true, second: new FolderHeld({ folder: place }), other: false })
  expect(outcome.second.message).toBe(`another process holds ${place}`)
  expect(isFolderHeld(place)).toBe(false)
  expect(readdirSync(data).toSorted()).toEqual(["database.lock", "other.lock"])
})

test("the embedded database is not opened while its folder is held", async () => {
  const place = join(folder(), "database")
  const opened = Effect.scoped(
    Effect.zipRight(holdFolder(place), Effect.provide(Effect.void, layerPglite({ folder: place }))),
  )
  await expect(Effect.runPromise(opened)).rejects.toThrow(
    `opening the embedded database failed: another process holds ${place}`,
  )
})
