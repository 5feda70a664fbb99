/** Checks that the contracts cover every port of the store. */

import { readFileSync, readdirSync } from "node:fs"
import { FileSystem } from "@effect/platform/FileSystem"
import { Path } from "@effect/platform/Path"
import { Effect, Layer } from "effect"
import { expect, test } from "vitest"
import { layerHoldsInSql } from "../../src/areas/courier/store/holds.ts"
import { HoldsInSql } from "../../src/areas/dispatch/holds.ts"
import { Database } from "../../src/engine/store/database.ts"
import { SecretBox, layerSecretBox } from "../../src/engine/store/secret-box.ts"
import { layerSealedTables, layerTables } from "../../src/engine/store/sql-tables.ts"
import { SealedTables, Tables } from "../../src/engine/services/tables/tables.ts"
import { STORE_PORTS } from "./store-ports.ts"
import { layerCopiedPglite } from "../engine/store/embedded-template.ts"

const SOURCE = new URL("../../src/", import.meta.url)

/** What no contract is about: the database itself, its declared tables, the box that seals columns, an expression of SQL, and the platform's files. */
const NO_PORTS: ReadonlySet<string> = new Set([
  Database.key,
  FileSystem.key,
  HoldsInSql.key,
  Path.key,
  SealedTables.key,
  SecretBox.key,
  Tables.key,
])

type StoreLayer = Layer.Layer<unknown, never, Database | HoldsInSql | SealedTables | SecretBox | Tables>

/** The files of src/engine/store, those of the areas, and the repositories over declared tables. */
const STORES = /^engine\/store\/[^/]+$|^(?:areas|apps|http)\/[^/]+\/store\/|-repository\.ts$/
const names = readdirSync(SOURCE, { recursive: true, encoding: "utf8" })
  .map((name) => name.replaceAll("\\", "/"))
  .filter((name) => name.endsWith(".ts"))

type Exports = Readonly<Record<string, unknown>>

const load = (name: string): Promise<Exports> => import(new URL(name, SOURCE).href) as Promise<Exports>

/** Rows that stand beside their tables: the classes that `repository` makes. */
async function repositoriesIn(name: string): Promise<readonly unknown[]> {
  const text = readFileSync(new URL(name, SOURCE), "utf8")
  const classes = [...text.matchAll(/class (\w+) extends repository</g)].map(([, one = ""]) => one)
  if (classes.length === 0) return []
  const exported = await load(name)
  return classes.map((one) => (exported[one] as { readonly layer: unknown }).layer)
}

test("every layer of a port of the store is held to a contract on every store", async () => {
  const modules = await Promise.all(names.filter((name) => STORES.test(name)).map(load))
  const repositories = (await Promise.all(names.map(repositoriesIn))).flat()
  expect(repositories.length).toBeGreaterThan(20)
  const layers = [...modules.flatMap((exported) => Object.values(exported)), ...repositories].filter(
    Layer.isLayer,
  )
  expect(layers.length).toBeGreaterThan(20)
  const keysOf = (layer: StoreLayer) =>
    Effect.map(Effect.scoped(Layer.build(layer)), ({ unsafeMap }) => [...unsafeMap.keys()])
  const keys = await Effect.runPromise(
    Effect.all(layers.map((layer) => keysOf(layer as unknown as StoreLayer))).pipe(
      Effect.provide(
        Layer.mergeAll(layerTables, layerSealedTables("test"), layerSecretBox("test"), layerHoldsInSql).pipe(
          Layer.provideMerge(layerCopiedPglite),
        ),
      ),
    ),
  )
  const all = new Set(keys.flat().filter((key) => !NO_PORTS.has(key)))
  expect(STORE_PORTS.toSorted()).toEqual([...all].toSorted())
})
