/** The swarm on the live service over PGlite: seeds break nothing, decide as memory does, and planted bugs of the database are found. */

import { sql } from "drizzle-orm"
import { Context, ManagedRuntime } from "effect"
import { afterAll, beforeAll, describe, expect, test } from "vitest"
import { Database } from "../../../src/engine/store/database.ts"
import { journal } from "../../../src/engine/store/schema.ts"
import { sqlPlanOf } from "../../../src/live/swarm-sql/explore.ts"
import { ABOUT_ANSWERS, ABOUT_KEPT_ROWS, ABOUT_REQUESTS } from "../../../src/live/swarm-sql/answers.ts"
import {
  ALL_SETTLED,
  NEEDS_THE_INSTANT,
  SAME_DECISIONS,
  SAME_HASH,
} from "../../../src/live/swarm-sql/judged.ts"
import { runOnSql } from "../../../src/live/swarm-sql/run.ts"
import { keepRows, putRowsBack } from "../../../src/live/swarm-sql/kept-rows.ts"
import { losingCommits } from "../../../src/live/swarm-sql/lost-commits.ts"
import type { LostPart } from "../../../src/live/swarm-sql/lost-commits.ts"
import { CATALOGUE } from "../../../src/simulation/swarm/catalogue.ts"
import { DAYS_OF_SITES } from "../../../src/simulation/swarm/invariants/sites.ts"
import type { Plan } from "../../../src/simulation/swarm/plan.ts"
import { callerKindOf, hasLimits } from "../../../src/simulation/swarm/callers.ts"
import { curblineHere } from "../../cli/same-process.ts"
import { layerCopiedPglite } from "../../engine/store/embedded-template.ts"

let runtime: ManagedRuntime.ManagedRuntime<Database, unknown>
let context: Context.Context<Database>

beforeAll(async () => {
  runtime = ManagedRuntime.make(layerCopiedPglite)
  const built = await runtime.runtime()
  context = built.context
})
afterAll(() => runtime.dispose())

/**
 * Small seeds, and what each is there for: `npx curbline swarm --host sql` runs more. Even ones have no fault of the machine. Together they
 * reach every kind of caller and fault, and write every table that those of the long tests write; 3, 557 and 2009 have found faults.
 */
const SEEDS: readonly (readonly [number, ...string[]])[] = [
  [8160, "a script for the fleet"],
  [7140, "people"],
  [44, "calls to runners"],
  [74, "orders at further stores"],
  [2789, "late results", "late timers", "limits of calls"],
  [8183, "lost answers of calls"],
  [5, "lost results", "strangers", "the plan's own calls"],
  [95, "a partial restore", "crashes"],
  [1817, "full mailboxes"],
  [3, "lost commits"],
  [557, "an upgrade"],
  [2009, "an upgrade"],
]

/** Those of the long tests beside them. */
const MORE_SEEDS: typeof SEEDS = [
  [2, "strangers"],
  [6, "people"],
  [14, "the plan's own calls"],
  [87, "limits of calls"],
  [9, "crashes"],
  [117, "lost answers of calls"],
  [15, "late timers"],
  [19, "late results"],
  [215, "lost commits"],
  [1272, "a script for the fleet"],
]

const ALL_SEEDS = process.env["CURBLINE_LONG_TESTS"] === "true" ? [...SEEDS, ...MORE_SEEDS] : SEEDS

/** Two results of one instant draw their nonces in another order than in memory; nothing else differs. */
const NONCES_IN_ANOTHER_ORDER = 1272

test.each(ALL_SEEDS.map(([seed, ...reasons]) => ({ seed, reasons, names: reasons.join(", ") })))(
  "seed $seed breaks nothing over the database: $names",
  async ({ seed, reasons }) => {
    const plan = sqlPlanOf(seed)
    const { broken, isSameAsMemory, entries, coverage } = await runOnSql(plan, context)
    expect(broken).toEqual([])
    expect(entries).toBeGreaterThan(0)
    if (seed % 2 === 0) expect(isSameAsMemory).toBe(seed !== NONCES_IN_ANOTHER_ORDER)
    const kinds = new Set(plan.moves.map(({ act }) => callerKindOf(plan, act)))
    const reached = [
      ...(kinds.has("stranger") ? ["strangers"] : []),
      ...(kinds.has("person") ? ["people"] : []),
      ...(kinds.has("own") ? ["the plan's own calls"] : []),
      ...(coverage.counts.get("answer")?.has("runners.answer taken") === true ? ["calls to runners"] : []),
      ...(hasLimits(plan) ? ["limits of calls"] : []),
      ...(isFleetScripted(plan) ? ["a script for the fleet"] : []),
      ...(isOrderedAtStores(plan) ? ["orders at further stores"] : []),
      ...(coverage.counts.get("fault")?.keys() ?? []),
    ]
    expect(reached).toEqual(expect.arrayContaining(reasons))
  },
)

test("an upgrade goes on with actors of the earlier machines, and starts those of this program", async () => {
  const { broken } = await runOnSql(sqlPlanOf(311), context)
  expect(broken).toEqual([])
  const rows = await Context.get(context, Database).orm.select({ text: journal.text }).from(journal)
  const machines = new Set(rows.flatMap(({ text }) => text.match(/webhook-delivery@\d+/g) ?? []))
  expect([...machines].toSorted()).toEqual(["webhook-delivery@1", "webhook-delivery@2"])
})

/** Whether orders are made at stores of further sites. */
function isOrderedAtStores({ moves }: Plan): boolean {
  return moves.some(
    ({ act }) =>
      act.verb === "do" && act.command === "delivery.create" && (act.with["site"] ?? "here") !== "here",
  )
}

/** Whether the fleet's answers are set before a command has looked at its settings. */
function isFleetScripted({ moves }: Plan): boolean {
  const [first, second] = moves.toSorted((one, other) => one.atMs - other.atMs)
  return (
    first?.act.verb === "do" &&
    first.act.command === "fleet.change" &&
    second?.act.verb === "inject" &&
    second.act.fault === "fleet.answers"
  )
}

test("the sentences that are checked otherwise over a database are invariants of the swarm", () => {
  const all = new Set(CATALOGUE.map(({ sentence }) => sentence))
  const otherwise = [
    ...ABOUT_ANSWERS,
    ...ABOUT_REQUESTS,
    ...ABOUT_KEPT_ROWS,
    ...NEEDS_THE_INSTANT,
    DAYS_OF_SITES,
  ]
  expect(otherwise.filter((sentence) => !all.has(sentence))).toEqual([])
})

const RATE_MODEL =
  "a call is refused for its rate exactly when its minute is used up, and says when the next begins"
const SIGNED_IN = "people on their shift are not asked to sign in"
const ENTERED = "every accepted command has its entry, its own or that of the call that it repeats"
const BOOKED_AT_SITE = "a booking is kept at the site that it names"
const HELD = "nothing leaves while calls are held after a restore"
const BAD_KEYS = "a key that is revoked, expired or unknown opens nothing"

/** As a bug of a statement would do it, which memory does not have. */
const BUGS = [
  [SAME_HASH, "a hash is stored wrong", "journal", "new.hash := 'f' || substr(new.hash, 2); return new;", 22],
  [
    ALL_SETTLED,
    "timers are not stored",
    "mailbox",
    "return case when new.kind = 'timer' then null else new end;",
    22,
  ],
  [SAME_DECISIONS, "errands are not stored", "courier_orders", "return null;", 6674],
  [RATE_MODEL, "a first call counts as a thousand", "request_counts", "new.count := 1000; return new;", 6674],
  [SIGNED_IN, "phones are not stored", "runner_phones", "return null;", 22],
  [ENTERED, "requests are not stored", "journal", "new.requester := null; return new;", 22],
  [
    BOOKED_AT_SITE,
    "a stall is that of another site",
    "reservations",
    "new.stall_id := 'stall_of_another_site'; return new;",
    22,
  ],
  [DAYS_OF_SITES, "a site loses its time zone", "sites", "new.timezone := 'UTC'; return new;", 22],
  [BAD_KEYS, "keys never expire", "api_keys", "new.expires_at_ms := null; return new;", 72],
] as const

describe("a planted bug of the database is found", () => {
  test.each(BUGS)("%s: %s", async (sentence, _, table, body, seed) => {
    const { orm } = Context.get(context, Database)
    await orm.execute(
      sql.raw(
        `create or replace function plant() returns trigger language plpgsql as 'begin ${body.replaceAll("'", "''")} end'`,
      ),
    )
    await orm.execute(
      sql.raw(`create trigger planted before insert on ${table} for each row execute function plant()`),
    )
    try {
      const { broken } = await runOnSql(sqlPlanOf(seed), context)
      expect(broken.map((one) => one.sentence)).toContain(sentence)
    } finally {
      await orm.execute(sql.raw(`drop trigger planted on ${table}`))
    }
  })
})

describe("a restored backup", () => {
  test("is found to have sent what was held, if nothing holds it", async () => {
    const { broken } = await runOnSql(sqlPlanOf(129), context, {
      plant: (faults) => Object.defineProperty(faults, "heldUntilMs", { get: () => 0, set: () => {} }),
    })
    expect(broken.map(({ sentence }) => sentence)).toContain(HELD)
  })

  test("has the rows of its moment and no others", async () => {
    const { orm } = Context.get(context, Database)
    const insert = (node: string) =>
      orm.execute(sql`insert into nodes (node_id, started_at_ms, beats) values (${node}, 0, 0)`)
    await orm.execute(sql`delete from nodes`)
    await insert("kept")
    await keepRows(orm)
    await orm.execute(sql`delete from nodes`)
    await insert("later")
    await putRowsBack(orm)
    expect(await orm.execute(sql`select node_id from nodes`)).toMatchObject({ rows: [{ node_id: "kept" }] })
    await orm.execute(sql`delete from nodes`)
  })
})

describe("a lost commit", () => {
  test.each([
    ["commit", 0, "keeps nothing when the connection ends before it"],
    ["answer", 1, "keeps everything when the connection ends before its answer"],
  ] as const)("of which the %s is lost leaves %i rows: it %s", async (part, kept, _) => {
    const database = Context.get(context, Database)
    await database.orm.execute(sql.raw("create table lost (id integer)"))
    try {
      const parts: LostPart[] = [part]
      const { orm } = losingCommits(database, () => parts.pop() ?? null)
      const insert = () => orm.transaction((open) => open.execute(sql.raw("insert into lost values (1)")))
      await expect(insert()).rejects.toMatchObject({ code: "08006" })
      const ids = sql.raw("select id from lost")
      const count = async () => Object(await database.orm.execute(ids)).rows.length as number
      expect(await count()).toBe(kept)
      await insert()
      expect(await count()).toBe(kept + 1)
    } finally {
      await database.orm.execute(sql.raw("drop table lost"))
    }
  })
})

test("a mistake ends with 2 and says what to write instead", async () => {
  const host = await curblineHere("swarm", "--host", "disk")
  expect(host).toMatchObject({
    status: 2,
    err: expect.stringContaining('--host takes memory or sql, not "disk"'),
  })
  const workers = await curblineHere("swarm", "--host", "sql", "--workers", "2")
  expect(workers).toMatchObject({
    status: 2,
    err: expect.stringContaining("--host sql runs on one thread: leave out --workers"),
  })
})
