/**
 * Declared tables: that the migrations make them as they are declared, and that memory and SQL give the same answers, statement
 * by statement, on random rows and conditions.
 */

import { readdirSync } from "node:fs"
import { sql } from "drizzle-orm"
import { Context, Effect, Exit, Layer, Scope } from "effect"
import fc from "fast-check"
import { afterAll, beforeAll, describe, expect, test, vi } from "vitest"
import { Transaction } from "../../../src/engine/services/host.ts"
import {
  bigint,
  boolean,
  double,
  epochMs,
  integer,
  json,
  sealed,
  serial,
  text,
  choice,
} from "../../../src/engine/services/tables/columns.ts"
import {
  above,
  among,
  atLeast,
  atMost,
  below,
  contains,
  descending,
  either,
  noneOf,
  not,
  notNull,
  oneOf,
} from "../../../src/engine/services/tables/conditions.ts"
import type { Tests } from "../../../src/engine/services/tables/conditions.ts"
import { table } from "../../../src/engine/services/tables/table.ts"
import type { NewRowOf, Table } from "../../../src/engine/services/tables/table.ts"
import { SealedTables } from "../../../src/engine/services/tables/tables.ts"
import type { TableAccessOf } from "../../../src/engine/services/tables/tables.ts"
import { MemoryStore } from "../../../src/engine/memory/memory-store.ts"
import { layerMemoryTables } from "../../../src/engine/memory/memory-tables.ts"
import { Database } from "../../../src/engine/store/database.ts"
import { layerSealedTables } from "../../../src/engine/store/sql-tables.ts"
import { inTransaction } from "../../../src/engine/store/transaction.ts"
import { creationOf } from "./declared-tables.ts"
import { layerCopiedPglite } from "./embedded-template.ts"

const SOURCE = new URL("../../../src/", import.meta.url)

const scope = Effect.runSync(Scope.make())
let context: Context.Context<Database | SealedTables>

beforeAll(async () => {
  const layer = Layer.provideMerge(layerSealedTables("test"), layerCopiedPglite)
  context = await Effect.runPromise(Layer.buildWithScope(layer, scope))
})
afterAll(() => Effect.runPromise(Scope.close(scope, Exit.void)))

const execute = (statement: string) =>
  Context.get(context, Database).orm.execute(sql.raw(statement)) as unknown as Promise<{
    readonly rows: readonly Readonly<Record<string, string>>[]
  }>

describe("declarations", () => {
  test("the migrations make every declared table: columns, types, nulls, key and indexes", async () => {
    const declared = await declaredTables()
    expect(declared.length).toBeGreaterThan(5)
    await execute("create schema declared")
    for (const statement of declared.flatMap((one) => creationOf(one, "declared"))) await execute(statement)
    const migrated = new Set(await shapeOf("public"))
    const missing = (await shapeOf("declared")).filter((line) => !migrated.has(line))
    expect(missing).toEqual([])
    const names = new Set(declared.map(({ name }) => name))
    const columnsOf = async (schema: string) =>
      (
        await execute(`select table_name || '.' || column_name as line from information_schema.columns
        where table_schema = '${schema}'`)
      ).rows.map(({ line = "" }) => line)
    const known = new Set(await columnsOf("declared"))
    const undeclared = (await columnsOf("public")).filter(
      (line) => names.has(line.split(".")[0] ?? "") && !known.has(line),
    )
    expect(undeclared).toEqual([])
  })
})

async function declaredTables(): Promise<readonly Table[]> {
  const files = readdirSync(SOURCE, { recursive: true, encoding: "utf8" })
    .map((name) => name.replaceAll("\\", "/"))
    .filter((name) =>
      /^(?:engine\/services\/.*|(?:areas\/[^/]+|http\/access|apps\/(?:inspector|operations|operators|portal))(?:\/people)?\/[^/]+)\.ts$/.test(
        name,
      ),
    )
  const modules = await Promise.all(
    files.map((name) => import(new URL(name, SOURCE).href) as Promise<Readonly<Record<string, unknown>>>),
  )
  const isTable = (value: unknown): value is Table =>
    typeof value === "object" && value !== null && "columns" in value && "indexes" in value && "many" in value
  return [...new Set(modules.flatMap((exported) => Object.values(exported)).filter(isTable))]
}

/** A serial's default names its schema, and is compared as being one. */
async function shapeOf(schema: string): Promise<readonly string[]> {
  const columns =
    await execute(`select table_name || '.' || column_name || ' ' || data_type || ' nulls ' || is_nullable
      || case when column_default like 'nextval(%' then ' serial' else '' end as line
    from information_schema.columns where table_schema = '${schema}'`)
  const indexes = await execute(`select indexdef as line from pg_indexes where schemaname = '${schema}'`)
  return [...columns.rows, ...indexes.rows].map(({ line = "" }) =>
    line.replace("CREATE UNIQUE INDEX", "CREATE INDEX").replaceAll(`${schema}.`, ""),
  )
}

const things = table("things", {
  one: "a thing",
  many: "things",
  columns: {
    owner: text(),
    place: choice<"east" | "north" | "south">(),
    number: serial().hidden(),
    count: integer(),
    size: bigint().nullable(),
    weight: double().nullable(),
    isOpen: boolean(),
    isOld: boolean().default(false).hidden(),
    label: text().nullable().named("title"),
    details: json<readonly string[] | null>().nullable(),
    secret: sealed(text().nullable(), "sealed_secret"),
    atMs: epochMs(),
  },
  key: ["owner", "place"],
  indexes: [
    { name: "things_open", by: ["place", "count"], where: { isOpen: true } },
    { name: "things_some", by: ["count"], where: { place: oneOf("east", "north"), size: notNull } },
    { name: "things_labels", by: ["label"] },
  ],
})

type Things = TableAccessOf<typeof things>
type Thing = NewRowOf<typeof things>
type Columns = (typeof things)["columns"]

const few = fc.integer({ min: 0, max: 4 })
const owner = fc.constantFrom("a", "B", "ä", "a b", "C-1", "c1")
const place = fc.constantFrom("east", "north", "south")
/** Few, so that one row is read and written several times. */
const key = fc.constantFrom({ owner: "a", place: "east" } as const, { owner: "B", place: "south" } as const)
const label = fc.constantFrom("x", "Y", "z z", null)
const thing: fc.Arbitrary<Thing> = fc.record({
  owner,
  place,
  count: few,
  size: fc.option(few),
  weight: fc.option(fc.constantFrom(0.5, 1.25, 2)),
  isOpen: fc.boolean(),
  label,
  details: fc.constantFrom(null, ["ö", "'"], []),
  secret: fc.constantFrom("tok", "", null),
  atMs: few,
})

const numeric = fc.oneof(few, few.map(above), few.map(atLeast), few.map(atMost), few.map(below), few.map(not))
const tests: fc.Arbitrary<Tests<Columns>> = fc.record(
  {
    owner: fc.oneof(
      owner,
      owner.map(above),
      fc.array(owner, { maxLength: 3 }).map((all) => oneOf(...all)),
    ),
    place: fc.oneof(
      place,
      place.map(not),
      fc.array(place, { maxLength: 2 }).map((all) => oneOf(...all)),
      fc.array(place, { maxLength: 2 }).map((all) => noneOf(...all)),
      fc.array(place, { maxLength: 4 }).map((all) => among(...all)),
    ),
    count: fc.oneof(numeric, fc.tuple(few.map(atLeast), fc.option(few.map(atMost), { nil: undefined }))),
    size: fc.oneof(numeric, fc.constantFrom(null, notNull)),
    weight: fc.oneof(fc.constantFrom(null, notNull), fc.constantFrom(0.5, 2).map(atLeast)),
    isOpen: fc.boolean(),
    isOld: fc.boolean(),
    label: fc.oneof(label, fc.constant(notNull), fc.constantFrom("", "a", "A", "%", "É").map(contains)),
    details: fc.constantFrom(null, notNull),
    secret: fc.constantFrom(null, notNull),
    atMs: numeric,
    number: fc.oneof(few.map(above), few.map(below)),
  },
  { requiredKeys: [] },
)
const where = fc.oneof(
  { weight: 4, arbitrary: tests },
  { weight: 1, arbitrary: fc.array(tests, { maxLength: 2 }).map((all) => either(...all)) },
)
const name = fc.constantFrom("owner", "place", "count", "size", "label", "atMs", "number")
const order = fc
  .array(fc.oneof(name, name.map(descending)), { maxLength: 3 })
  // The order is complete, so that both give the same.
  .map((terms) => [...terms, "owner" as const, "place" as const])

type Step = (access: Things) => Effect.Effect<unknown, never, Transaction>

const change = fc.record(
  {
    count: fc.oneof(few, fc.constant({ plus: 1 })),
    size: fc.option(few),
    isOld: fc.boolean(),
    label,
    details: fc.constantFrom(null, ["new"]),
    secret: fc.constantFrom("other", null),
  },
  { requiredKeys: [] },
)

const step: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 3,
    arbitrary: fc.tuple(thing, key).map(
      ([row, one]): Step =>
        (access) =>
          access.upsert({ ...row, ...one }),
    ),
  },
  {
    weight: 4,
    arbitrary: thing.map(
      (row): Step =>
        (access) =>
          access.upsert(row),
    ),
  },
  {
    weight: 2,
    arbitrary: thing.map(
      (row): Step =>
        (access) =>
          access.insertIfAbsent(row),
    ),
  },
  {
    weight: 1,
    arbitrary: thing.map(
      (row): Step =>
        (access) =>
          access.insertOrIgnore(row),
    ),
  },
  // The transaction defers the insert, and later changes of the row become a part of it.
  {
    weight: 5,
    arbitrary: fc.tuple(thing, fc.oneof(key, fc.record({ owner, place }))).map(
      ([row, one]): Step =>
        (access) =>
          Effect.flatMap(access.get(one), (known) =>
            known === null ? access.insert({ ...row, ...one }) : Effect.void,
          ),
    ),
  },
  {
    weight: 3,
    arbitrary: fc.tuple(key, fc.array(change, { minLength: 1, maxLength: 3 })).map(
      ([one, changes]): Step =>
        (access) =>
          Effect.zipRight(
            Effect.forEach(changes, (c) => access.update(one, c)),
            access.get(one),
          ),
    ),
  },
  // Rows by key are read often: a transaction keeps them, and its writes must change what it has kept.
  {
    weight: 8,
    arbitrary: key.map(
      (one): Step =>
        (access) =>
          access.get(one),
    ),
  },
  {
    weight: 4,
    arbitrary: fc.tuple(key, fc.oneof(fc.constant({}), tests), change).map(
      ([one, more, c]): Step =>
        (access) =>
          access.update({ ...more, ...one }, c),
    ),
  },
  {
    weight: 1,
    arbitrary: key.map(
      (one): Step =>
        (access) =>
          access.delete(one),
    ),
  },
  {
    weight: 1,
    arbitrary: fc.tuple(where, order).map(
      ([w, o]): Step =>
        (access) =>
          access.first(w, o),
    ),
  },
  {
    weight: 4,
    arbitrary: fc.tuple(where, order, fc.option(few, { nil: undefined }), fc.boolean()).map(
      ([w, o, limit, locks]): Step =>
        (access) =>
          access.list(w, {
            order: o,
            ...(limit === undefined ? {} : { limit }),
            ...(locks ? { lock: "skip locked" as const } : {}),
          }),
    ),
  },
  {
    weight: 3,
    arbitrary: fc.tuple(where, change).map(
      ([w, c]): Step =>
        (access) =>
          access.update(w, c),
    ),
  },
  {
    weight: 1,
    arbitrary: where.map(
      (w): Step =>
        (access) =>
          access.delete(w),
    ),
  },
  {
    weight: 1,
    arbitrary: fc.tuple(where, order, few).map(
      ([w, o, limit]): Step =>
        (access) =>
          access.deleteFirst(w, { order: o, limit }),
    ),
  },
)

describe("memory and SQL", () => {
  test("give the same answers to random statements", async () => {
    for (const statement of creationOf(things, "public")) await execute(statement)
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 5, maxLength: 25 }), async (steps) => {
        await execute("truncate things restart identity")
        const inMemory = Effect.runSync(
          Effect.provide(answersOf(steps), layerMemoryTables(new MemoryStore())),
        )
        const overSql = await Effect.runPromise(
          inTransaction(Context.get(context, Database), Effect.provide(answersOf(steps), context)),
        )
        expect(overSql).toEqual(inMemory)
      }),
      { numRuns: 150 },
    )
  })
})

describe("a list that a request sends", () => {
  test("is a parameter: whatever words it has, in whatever order, they make one statement", async () => {
    const { orm } = Context.get(context, Database)
    const built = vi.spyOn(orm, "select")
    const access = Context.get(context, SealedTables).of(things)
    for (const words of [
      ["east"],
      ["north", "east"],
      ["east", "north"],
      ["east", "east", "north"],
      [],
    ] as const)
      await Effect.runPromise(access.list({ place: among(...words) }, { order: ["owner"] }))
    expect(built).toHaveBeenCalledTimes(1)
    built.mockRestore()
  })
})

/** Every answer, then what is there at the end. */
function answersOf(steps: readonly Step[]): Effect.Effect<readonly unknown[], never, SealedTables> {
  const all = Effect.gen(function* () {
    const access = (yield* SealedTables).of(things)
    const answers = yield* Effect.forEach(steps, (one) => one(access))
    return [...answers, yield* access.list({}, { order: ["owner", "place"] })]
  })
  return Effect.provideService(all, Transaction, {} as Transaction["Type"])
}
