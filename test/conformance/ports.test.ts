/** That the contracts leave out no port of the store. */

import { readdirSync } from "node:fs"
import { Effect, Layer } from "effect"
import { expect, test } from "vitest"
import { Database, layerPglite } from "../../src/store/database.ts"
import { SecretBox, layerSecretBox } from "../../src/store/secret-box.ts"
import { STORE_PORTS } from "./store-ports.ts"

const STORE = new URL("../../src/store/", import.meta.url)

/** What no contract is about: the database itself, and what seals its columns. */
const NO_PORTS: ReadonlySet<string> = new Set([Database.key, SecretBox.key])

type StoreLayer = Layer.Layer<unknown, never, Database | SecretBox>

test("every layer of a port in src/store is held to a contract on every store", async () => {
  const modules = await Promise.all(
    readdirSync(STORE)
      .filter((name) => name.endsWith(".ts"))
      .map((name) => import(new URL(name, STORE).href) as Promise<Readonly<Record<string, unknown>>>),
  )
  const layers = modules.flatMap((exported) => Object.values(exported)).filter(Layer.isLayer)
  expect(layers.length).toBeGreaterThan(20)
  const keysOf = (layer: StoreLayer) =>
    Effect.map(Effect.scoped(Layer.build(layer)), ({ unsafeMap }) => [...unsafeMap.keys()])
  const keys = await Effect.runPromise(
    Effect.all(layers.map((layer) => keysOf(layer as unknown as StoreLayer))).pipe(
      Effect.provide(Layer.merge(layerPglite("memory"), layerSecretBox("test"))),
    ),
  )
  const all = new Set(keys.flat().filter((key) => !NO_PORTS.has(key)))
  expect(STORE_PORTS.toSorted()).toEqual([...all].toSorted())
})
