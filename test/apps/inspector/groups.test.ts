/**
 * The inspector's reads of groups and their journals, over both databases, and a record of one group that can be
 * replayed alone.
 */

import { readFileSync } from "node:fs"
import { sql } from "drizzle-orm"
import { Context, Effect } from "effect"
import { expect, test } from "vitest"
import { readRecord } from "../../../src/pages/inspection/run-reader.ts"
import { INSPECTED_GROUPS_LOOKED_MAX, LATE_MS, PAGE_SIZE } from "../../../src/model/values/limits.ts"
import { SECOND_MS } from "../../../src/model/values/time.ts"
import { Inspection } from "../../../src/apps/inspector/inspection.ts"
import type { GroupFilter, ListedGroups } from "../../../src/apps/inspector/inspection.ts"
import { program } from "../../../src/apps/composition/program.ts"
import { replayRecord } from "../../../src/simulation/replay.ts"
import { Database } from "../../../src/engine/store/database.ts"
import { groups } from "../../../src/engine/store/schema.ts"
import {
  HOOK,
  booked,
  bringTo,
  partner,
  reservations,
  sandboxPartner,
  subscribe,
} from "../../conformance/harness.ts"
import type { LiveHarness } from "../../conformance/live.ts"
import { overBothDatabases } from "../../conformance/live-harnesses.ts"
import { asked } from "./service.ts"

const inspection = Effect.serviceFunctions(Inspection)

const EVERY: GroupFilter = {
  kind: null,
  addressPart: null,
  orderNumber: null,
  organization: null,
  word: null,
  state: null,
  includesSettled: true,
  isStuck: false,
  isLate: false,
  hasPendingCall: false,
  beforeNumber: null,
}

async function listed(h: LiveHarness, filter: Partial<GroupFilter> = {}): Promise<readonly string[]> {
  const { groups: found } = await asked(h, inspection.list("production", { ...EVERY, ...filter }))
  return found.map(({ address }) => address)
}

async function readGroups(context: Context.Context<Database>): Promise<readonly string[]> {
  const { orm } = Context.get(context, Database)
  const rows = await orm.select({ address: groups.address, environment: groups.environment }).from(groups)
  return rows.map(({ address, environment }) => `${address} ${environment}`)
}

async function recordOf(h: LiveHarness, address: string): Promise<string> {
  const pieces: string[] = []
  const { next } = await asked(h, inspection.record("production", address))
  for (let piece = await h.run(next); piece !== null; piece = await h.run(next)) pieces.push(piece)
  return pieces.join("")
}

overBothDatabases((_, { make, context }) => {
  const changed = async (statement: ReturnType<typeof sql>): Promise<void> => {
    await Context.get(await context(), Database).orm.execute(statement)
  }

  test("groups are listed newest first, those of the own environment alone, with kind and state narrowed", async () => {
    const h = make()
    const first = await booked(h, { order_number: "A-1001" })
    const second = await booked(h, { order_number: "A-1002" })
    const other = await booked(h, {}, sandboxPartner)
    await h.run(reservations.cancel(partner, first))
    expect(await listed(h)).toEqual([`reservation/${second}`, `reservation/${first}`])
    expect(await listed(h, { includesSettled: false })).toEqual([`reservation/${second}`])
    const order = { includesSettled: false, orderNumber: "A-1001" }
    expect(await listed(h, order)).toEqual([`reservation/${first}`])
    for (const state of ["open", "confirmed", "open.confirmed"])
      expect(await listed(h, { state })).toEqual([`reservation/${second}`])
    expect(await listed(h, { state: "canceled" })).toEqual([`reservation/${first}`])
    expect(await listed(h, { kind: "vehicle" })).toEqual([])
    const { groups: found } = await asked(h, inspection.list("sandbox", EVERY))
    expect(found.map(({ address }) => address)).toEqual([`reservation/${other}`])
    expect(found[0]?.actors.map(({ machine }) => machine)).toContain("runner-task@1")
    expect(found[0]?.nextDue).toEqual({
      atMs: expect.any(Number),
      to: `reservation/${other}`,
      type: expect.stringContaining("window and grace"),
    })
    expect(Number(found[0]?.nextDue?.atMs)).toBeGreaterThan(h.now())
    for (const look of [inspection.head, inspection.record])
      await expect(asked(h, look("production", `reservation/${other}`))).rejects.toMatchObject({
        code: "NOT_FOUND",
      })
  })

  test("what is stuck, late, or waits for an answer is found", async () => {
    const h = make()
    await subscribe(h)
    h.script(HOOK, [{ type: "timeout" }])
    const id = await booked(h)
    await h.advance(1)
    const [sending = ""] = await listed(h, { hasPendingCall: true })
    expect(sending).toMatch(/^webhook-delivery\//)
    const list = (filter: Partial<GroupFilter>) =>
      asked(h, inspection.list("production", { ...EVERY, ...filter }))
    const waits = await list({ hasPendingCall: true })
    expect(waits.groups[0]?.pending).toEqual([{ actor: sending, call: "webhook", attempt: 1 }])
    expect([await listed(h, { isStuck: true }), await listed(h, { isLate: true })]).toEqual([[], []])
    await changed(sql`update groups set stopped_because = 'a fault' where address = ${`reservation/${id}`}`)
    await changed(
      sql`update mailbox set due_ms = due_ms - 86400000 where group_address = ${`reservation/${id}`}`,
    )
    expect(await listed(h, { isStuck: true })).toEqual([`reservation/${id}`])
    expect(await listed(h, { isLate: true })).toEqual([`reservation/${id}`])
    const { groups: stopped, counts, nowMs } = await list({ isStuck: true })
    expect(counts).toEqual([
      { kind: "reservation", open: 1, stuck: 1 },
      { kind: "webhook-delivery", open: 1, stuck: 0 },
    ])
    expect(nowMs).toBe(h.now())
    expect(await listed(h, { addressPart: id.slice(-5) })).toEqual([`reservation/${id}`])
    const [stuck] = stopped
    expect([Number(stuck?.lateMs) > LATE_MS, stuck?.stoppedBecause]).toEqual([true, "a fault"])
    const shown = await asked(h, inspection.entries("production", `reservation/${id}`, 0))
    expect(shown.stoppedBecause).toBe("a fault")
    // Its mailbox is put right again: the harness replays everything at its end.
    await changed(
      sql`update mailbox set due_ms = due_ms + 86400000 where group_address = ${`reservation/${id}`}`,
    )
  })

  test("an event finds what published it and its webhook deliveries; a status finds the calls that it answered", async () => {
    const h = make()
    await subscribe(h)
    h.script(HOOK, [{ type: "status", status: 503, afterMs: 20 }])
    const id = await booked(h)
    await h.advance(SECOND_MS)
    const [sent = ""] = await listed(h, { kind: "webhook-delivery" })
    const found = await listed(h, { word: "reservation.status_changed" })
    expect(found.toSorted()).toEqual([`reservation/${id}`, sent].toSorted())
    expect(await listed(h, { word: "reservation.exception" })).toEqual([])
    for (const word of ["503", "status_503"]) expect(await listed(h, { word })).toEqual([sent])
    expect(await listed(h, { word: "500" })).toEqual([])
  })

  test("groups of an older program are given their environment by the migration, which may run twice", async () => {
    const h = make()
    await subscribe(h)
    await booked(h)
    await booked(h, {}, sandboxPartner)
    const rows = async (): Promise<unknown> => (await readGroups(await context())).toSorted()
    const before = await rows()
    await changed(sql`update groups set environment = null`)
    const file = new URL("../../../src/engine/store/migrations/0085_group_environments.sql", import.meta.url)
    for (const statement of readFileSync(file, "utf8").split(/;\s*$/m))
      if (statement.trim() !== "") await changed(sql.raw(statement))
    expect(await rows()).toEqual(before)
    expect(JSON.stringify(before)).not.toContain("null")
  })

  test("a list goes on where its page ended, and one look goes through so many groups", async () => {
    const h = make()
    await booked(h)
    const planted = sql`
      insert into groups (address, kind, revision, instant_ms, occurred_us, head, actors, is_settled, environment)
      select 'planted/' || n, 'planted', 1, n, n, '', '[]', false, 'production'
      from generate_series(1, ${INSPECTED_GROUPS_LOOKED_MAX + 30}) n`
    await changed(planted)
    const pages: ListedGroups[] = []
    for (let before: number | null = null; pages.length < 3; before = pages.at(-1)?.nextBefore ?? null)
      pages.push(
        await asked(h, inspection.list("production", { ...EVERY, kind: "planted", beforeNumber: before })),
      )
    const addresses = pages.flatMap((page) => page.groups.map(({ address }) => address))
    expect([addresses.length, new Set(addresses).size]).toEqual([3 * PAGE_SIZE, 3 * PAGE_SIZE])
    // None of the planted groups is in the state: the read ends before the reservation, and returns where to continue.
    const short = await asked(h, inspection.list("production", { ...EVERY, state: "open" }))
    expect(short.groups).toEqual([])
    const rest = await asked(
      h,
      inspection.list("production", { ...EVERY, state: "open", beforeNumber: short.nextBefore }),
    )
    expect([rest.groups.length, rest.nextBefore]).toEqual([1, null])
    await changed(sql`delete from groups where kind = 'planted'`)
  })

  test("a record of one group is not believed when it holds another, or leaves out its last entry", async () => {
    const h = make()
    const id = await booked(h)
    await bringTo(h, id, "AT_STORE")
    const record = await recordOf(h, `reservation/${id}`)
    const differs = (text: string): string => replayRecord(text, program).difference?.message ?? "nothing"
    expect(differs(record)).toBe("nothing")
    expect(
      differs(record.replace(`"groups":["reservation/${id}"]`, '"groups":["reservation/other"]')),
    ).toContain("does not name")
    expect(differs(record.replace(`"groups":["reservation/${id}"]`, '"groups":[]'))).toContain(
      "groups is not",
    )
    const lines = record.trimEnd().split("\n")
    expect(differs(`${lines.toSpliced(-2, 1).join("\n")}\n`)).toContain("hash")
  })

  test("one group's record replays alone, whatever it was sent from outside; the page's lines are its lines", async () => {
    const h = make()
    await subscribe(h)
    const id = await booked(h)
    await bringTo(h, id, "LOADED")
    await h.advance(1_000)
    const addresses = await listed(h)
    expect(addresses.length).toBeGreaterThan(2)
    for (const address of addresses) {
      const record = await recordOf(h, address)
      const lines = record.trimEnd().split("\n")
      const { difference, hashes, entries } = replayRecord(record, program)
      expect([address, difference]).toEqual([address, null])
      expect(hashes).toEqual([(JSON.parse(lines.at(-1) ?? "") as { readonly hash: string }).hash])
      const [run] = readRecord(record)
      expect([run?.problem, run?.index.s.length]).toEqual([null, entries])
      const shown = await asked(h, inspection.entries("production", address, 0))
      expect(shown.lines.trimEnd().split("\n")).toEqual(
        lines.filter((line) => line.startsWith('{"k":"turn"')),
      )
      expect(await asked(h, inspection.entries("production", address, shown.revision))).toEqual({
        lines: "",
        revision: shown.revision,
        stoppedBecause: null,
        nowMs: h.now(),
      })
      expect(JSON.stringify(await asked(h, inspection.head("production", address)))).toBe(lines[0])
    }
  })
})
