/**
 * The benchmark of analytics: one site with a million sessions in 60 days, on PostgreSQL and on PGlite. `npm run bench --
 * analytics`, with `--quick` for a tenth, `--pglite` for the embedded database alone. Times belong to the machine; the
 * ratios to a bare `select 1` and to a scan of the sessions, in the same run and turn about, are the claim. It fails when
 * the scan and the service disagree, never for being slow.
 */

import { sql } from "drizzle-orm"
import { Effect, Layer, ManagedRuntime } from "effect"
import { Streams } from "../../src/engine/kernel/random.ts"
import { DAY_MS, MINUTE_MS } from "../../src/model/values/time.ts"
import { layerLiveService } from "../../src/live/services/live-service.ts"
import { Analytics } from "../../src/areas/analytics/analytics.ts"
import { metricsOf } from "../../src/areas/analytics/figures.ts"
import { SessionRows } from "../../src/areas/analytics/rows.ts"
import type { PastSession } from "../../src/areas/analytics/rows.ts"
import type { Tally } from "../../src/areas/analytics/tally.ts"
import { ActorHost } from "../../src/engine/services/host.ts"
import { OutsideWorld } from "../../src/simulation/outside-world.ts"
import { writeSite } from "../../src/areas/catalog/store/bookable-catalog.ts"
import { Database, layerPglite, layerPostgres } from "../../src/engine/store/database.ts"
import type { DatabaseFault } from "../../src/engine/store/database.ts"
import { ManualClock } from "../../src/live/swarm-sql/manual-clock.ts"
import { startServer } from "../engine/store/postgres-server.ts"
import { printMachine } from "./machine-line.ts"

const SESSIONS = process.argv.includes("--quick") ? 100_000 : 1_000_000
const DAYS = 60
const STALLS = 250
const BATCH = 5_000
const ROUNDS = 200
/** A scan takes long; it is made once every so many rounds. */
const SCAN_EVERY = 20
const SEED = 7
const SITE = "00000000-0000-4000-8000-00000000be7c"

const operations = { type: "operator", by: "ops", environment: "production" } as const

const contestants = {
  "select 1": "bare",
  "metrics, month": "fast",
  "trends, today by the hour": "fast",
  "trends, month by the hour": "fast",
  "trends, year by the day": "fast",
  "metrics, month, by a scan": "scan",
} as const

type Name = keyof typeof contestants

async function compare(name: string, database: Layer.Layer<Database, DatabaseFault>): Promise<void> {
  const service = layerLiveService({ digestKey: "bench", secretKey: "bench", wakesUp: false })
  const outside = new OutsideWorld()
  const runtime = ManagedRuntime.make(Layer.provideMerge(service, Layer.merge(outside.layer, database)))
  const run = <A, E>(effect: Effect.Effect<A, E, Analytics | Database>): Promise<A> =>
    runtime.runPromise(effect)
  const startedMs = performance.now()
  await runtime.runPromise(fill)
  const seconds = (performance.now() - startedMs) / 1000
  console.log(
    `${name}: filled in ${seconds.toFixed(0)} s, ${thousands(SESSIONS / seconds)} sessions a second`,
  )
  await assertAgreement(run)
  const times = new Map<Name, number[]>()
  for (let round = 0; round < ROUNDS; round += 1) {
    for (const one of Object.keys(contestants) as Name[]) {
      if (contestants[one] === "scan" && round % SCAN_EVERY !== 0) continue
      const beforeMs = performance.now()
      await run(play(one))
      // The first rounds warm plans and caches.
      if (round >= 10) times.set(one, [...(times.get(one) ?? []), performance.now() - beforeMs])
    }
  }
  show(times)
  await runtime.dispose()
}

/** A mixture of short and long stays, from one seed. */
const fill = Effect.gen(function* () {
  const host = yield* ActorHost
  const rows = yield* SessionRows
  yield* host.run({ name: "a test", locks: {}, body: () => writeSite("production", site()) })
  const nowMs = Date.now()
  const chance = new Streams(SEED)
  const next = (): number => chance.fraction("stays")
  for (let made = 0; made < SESSIONS; made += BATCH) {
    const batch = Array.from({ length: BATCH }, (_, at): PastSession => {
      const lengthMs = Math.floor((2 + 26 * next()) * MINUTE_MS)
      const startsAtMs = nowMs - Math.floor(next() * DAYS * DAY_MS) - lengthMs
      return {
        sessionId: `import/${SITE}/${made + at}`,
        environment: "production",
        siteId: SITE,
        stallId: `stall_${at % STALLS}`,
        startsAtMs,
        endsAtMs: startsAtMs + lengthMs,
        source: "import",
      }
    })
    yield* host.run({ name: "a test", locks: {}, body: () => rows.add(batch) })
  }
  const { orm } = yield* Database
  for (const table of ["stall_sessions", "stall_quarters"])
    yield* Effect.promise(async () => orm.execute(sql.raw(`vacuum analyze ${table}`)))
})

function play(name: Name): Effect.Effect<unknown, unknown, Analytics | Database> {
  switch (name) {
    case "select 1":
      return Effect.flatMap(Database, ({ orm }) => Effect.promise(async () => orm.execute(sql`select 1`)))
    case "metrics, month":
      return metrics
    case "trends, today by the hour":
      return trends({})
    case "trends, month by the hour":
      return trends({ period: "month", granularity: "hour" })
    case "trends, year by the day": {
      const [startDate, endDate] = [-365, 1].map((days) =>
        new Date(Date.now() + days * DAY_MS).toISOString().slice(0, 10),
      )
      return trends({ startDate: startDate ?? "", endDate: endDate ?? "" })
    }
    case "metrics, month, by a scan":
      return scan(Date.now())
  }
}

const metrics = Effect.flatMap(Analytics, (analytics) =>
  analytics.metrics(operations, { siteId: SITE, period: "month" }),
)

function trends(
  more: Partial<Parameters<Analytics["Type"]["trends"]>[1]>,
): Effect.Effect<unknown, unknown, Analytics> {
  return Effect.flatMap(Analytics, (analytics) => analytics.trends(operations, { siteId: SITE, ...more }))
}

/** The same two spans from the sessions themselves. */
const scan = Effect.fnUntraced(function* (nowMs: number) {
  const { orm } = yield* Database
  const spanMs = 30 * DAY_MS
  const tallies = yield* Effect.forEach([nowMs - spanMs, nowMs - 2 * spanMs], (fromMs) =>
    Effect.promise(async () => {
      const toMs = fromMs + spanMs
      const [row] = await orm
        .select({
          began: sql<number>`began`,
          stayMs: sql<number>`stay_ms`,
          occupiedMs: sql<number>`occupied_ms`,
        })
        .from(
          sql`(select
            count(*) filter (where starts_at_ms >= ${fromMs}::bigint and starts_at_ms < ${toMs}::bigint)::float8 as began,
            coalesce(sum(ends_at_ms - starts_at_ms)
              filter (where starts_at_ms >= ${fromMs}::bigint and starts_at_ms < ${toMs}::bigint), 0)::float8 as stay_ms,
            coalesce(sum(greatest(0, least(ends_at_ms, ${toMs}::bigint) - greatest(starts_at_ms, ${fromMs}::bigint))), 0)::float8 as occupied_ms
            from stall_sessions
            where environment = 'production' and site_id = ${SITE}
              and starts_at_ms < ${toMs}::bigint and ends_at_ms > ${fromMs}::bigint) as scanned`,
        )
      return row as Tally
    }),
  )
  const [now, before] = tallies as [Tally, Tally]
  return metricsOf(now, before, { stalls: STALLS, elapsedMs: spanMs })
})

/** At one frozen instant, for several: the same figures to the last digit. */
async function assertAgreement(
  run: <A, E>(effect: Effect.Effect<A, E, Analytics | Database>) => Promise<A>,
): Promise<void> {
  const nowMs = Date.now()
  for (const atMs of [nowMs, nowMs - 1, nowMs - DAY_MS - 123_457, nowMs - 7 * DAY_MS]) {
    const frozen = Effect.withClock(metrics, new ManualClock(atMs))
    const [served, scanned] = [await run(frozen), await run(scan(atMs))].map((one) => JSON.stringify(one))
    if (served !== scanned) throw new Error(`at ${atMs} the service says\n${served}\nand a scan\n${scanned}`)
  }
  console.log("  the service and a scan say the same, at four instants")
}

function show(times: ReadonlyMap<Name, readonly number[]>): void {
  const bare = quantile(times.get("select 1") ?? [], 0.5)
  const scanned = quantile(times.get("metrics, month, by a scan") ?? [], 0.5)
  for (const [name, all] of times) {
    const p50 = quantile(all, 0.5)
    const p99 = quantile(all, 0.99)
    const ratios =
      contestants[name] === "fast"
        ? `${(p50 / bare).toFixed(1)} times select 1, ${(scanned / p50).toFixed(0)} times faster than the scan`
        : ""
    console.log(
      `  ${name.padEnd(28)} p50 ${p50.toFixed(2).padStart(8)} ms   p99 ${p99.toFixed(2).padStart(8)} ms   ${ratios}`,
    )
  }
}

function quantile(values: readonly number[], share: number): number {
  const sorted = values.toSorted((a, b) => a - b)
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN
}

function site(): Parameters<typeof writeSite>[1] {
  const stalls = Array.from({ length: STALLS }, (_, at) => ({
    stallId: `stall_${at}`,
    label: null,
    isActive: true,
  }))
  const zone = {
    zoneId: "zone_bench",
    name: "Bench",
    latitude: null,
    longitude: null,
    hasRunner: true,
    stalls,
    retailers: [],
  }
  return { siteId: SITE, name: "Bench", timezone: "America/Chicago", zones: [zone] }
}

function thousands(perSecond: number): string {
  return `${(perSecond / 1000).toFixed(1)}k`
}

printMachine()
console.log(`${SESSIONS} sessions in ${DAYS} days at one site with ${STALLS} stalls, seed ${SEED}\n`)

if (!process.argv.includes("--pglite")) {
  const server = await startServer()
  try {
    await compare("PostgreSQL", layerPostgres(server.url))
  } finally {
    await server.stop()
  }
}
await compare("PGlite, in memory", layerPglite("memory"))
