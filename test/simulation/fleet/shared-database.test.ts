/**
 * Replications on many machines through a shared PostgreSQL: the same bytes as on one, even if workers are lost
 * meanwhile.
 */

import postgres from "postgres"
import { afterAll, beforeAll, expect, test } from "vitest"
import { programName } from "../../../src/live/configuration/build.ts"
import { readFleetFile } from "../../../src/cli/fleets/fleet-files.ts"
import type { FleetModel } from "../../../src/simulation/fleet/language/model.ts"
import { startGathering } from "../../../src/cli/fleets/parallel/gather.ts"
import { runFleet } from "../../../src/cli/fleets/parallel/run-fleet.ts"
import type { Replicate } from "../../../src/simulation/fleet/search/evaluate.ts"
import { modelOf, modelText } from "../../../src/cli/fleets/parallel/task-text.ts"
import { work } from "../../../src/cli/fleets/parallel/work.ts"
import { resultJson } from "../../../src/simulation/fleet/results/outputs.ts"
import { replicate } from "../../../src/simulation/fleet/world/replication.ts"
import { curbline, fileWith, running } from "../../cli/command-line.ts"
import { startPostgres } from "../../engine/store/postgres-server.ts"
import type { PostgresDatabase } from "../../engine/store/postgres-server.ts"
import { CLOCK, fleetModel } from "./models.ts"

const MODEL = `
fleet: A short lunch
because: Two cases are enough to compare.
clock: ${CLOCK}
horizon: 30m
replications: 2
sites: [{ as: curb, at: [30.4, -97.7], reach_km: 2, stalls: 3, runners: 2, vehicles: 3 }]
demand:
  - { product: reservation, site: curb, per_hour: 16 }
  - { product: delivery, site: curb, replay: asked.csv }
sweep: { runners: [1, 2] }
`
const ASKED = "2026-03-02T10:05:00-06:00\n2026-03-02T10:15:00-06:00\n"

let server: PostgresDatabase
let sql: postgres.Sql

beforeAll(async () => {
  server = await startPostgres()
  sql = postgres(server.url, { max: 1 })
})

afterAll(async () => {
  await sql.end()
  await server.stop()
})

/** On this thread, as the command does without any flag. */
const here: Replicate = async ({ model, seed, hasCourse }) => replicate(model, { seed, hasCourse })

/** A worker inside this process, until `stop`. */
function worker(program: string, made: number[] = [], replicates: Replicate = here) {
  const stopping = new AbortController()
  const ended = work({
    url: server.url,
    program,
    atOnce: 2,
    replicate: replicates,
    tell: () => {},
    onDone: ({ seed }) => made.push(seed),
    stopped: stopping.signal,
  })
  return {
    ended,
    stop: () => {
      stopping.abort()
      return ended
    },
  }
}

/** Gathers a run of a model, and the messages printed meanwhile. */
async function gathered(model: FleetModel, program: string, told: string[] = []) {
  const { replicate: elsewhere, close } = await startGathering({
    url: server.url,
    program,
    tell: (line) => told.push(line),
  })
  try {
    return await runFleet(model, { seeds: null, replicate: elsewhere })
  } finally {
    await close()
  }
}

test("two commands that want the same run, one after an interrupted one, print the bytes of a run on one machine", async () => {
  const file = fileWith("lunch.yaml", MODEL.replace("replay: asked.csv", "per_hour: 5"))
  const words = ["fleet", file, "--json", "--database", server.url]
  const interrupted = running(words)
  await interrupted.says("no worker yet")
  interrupted.signal("SIGINT")
  const left = await interrupted.ended
  expect(left.status).toBe(130)
  expect(left.err).toContain("the same command gathers it")

  const commands = [running(words), running(words)]
  const hands = running(["fleet", "work", "--database", server.url, "--threads", "1"])
  const ended = await Promise.all(commands.map((one) => one.ended))
  hands.signal("SIGTERM")
  const { status, err } = await hands.ended
  expect(status).toBe(130)
  expect(err).toContain(`program ${programName()}`)
  // Two cases of two seeds, each made once.
  expect(err.match(/^seed \d: /gm)).toHaveLength(4)
  const { model } = await readFleetFile(file)
  const alone = await runFleet(model as FleetModel, { seeds: null, replicate: here })
  for (const one of ended) {
    expect(one.status).toBe(0)
    expect(one.out).toBe(`${JSON.stringify(resultJson(alone), null, 2)}\n`)
  }
})

test("the seed of a worker that is killed in the middle is taken up by another", async () => {
  const model = fleetModel(MODEL.replace("replications: 2", "replications: 1"), { "asked.csv": ASKED })
  const lost = running([server.url, "p1"], "test/simulation/fleet/lost-worker.ts")
  const told: string[] = []
  const run = gathered(model, "p1", told)
  await lost.says("took seed 1")
  lost.signal("SIGKILL")
  await lost.ended
  // As if its lease had passed.
  await sql`update curbline_fleet.job set heartbeat_on = heartbeat_on - interval '1 hour' where state = 'active'`
  const made: number[] = []
  const other = worker("p1", made)
  expect(await run).toEqual(await runFleet(model, { seeds: null, replicate: here }))
  await other.stop()
  expect(made).toEqual([1, 1])
  const retried =
    await sql`select 1 from curbline_fleet.job where name = 'replications-p1' and retry_count = 1`
  expect(retried).toHaveLength(1)
})

test("what a worker has taken goes back when it is stopped, and what is made is not made again", async () => {
  const model = fleetModel(MODEL.replace("sweep: { runners: [1, 2] }", ""), { "asked.csv": ASKED })
  const run = gathered(model, "p2")
  const taken: number[] = []
  const idle = worker("p2", [], ({ seed }) => {
    taken.push(seed)
    return new Promise(() => {})
  })
  await expect.poll(() => new Set(taken)).toEqual(new Set([1, 2]))
  await idle.stop()
  const states = await sql`select state, retry_count from curbline_fleet.job where name = 'replications-p2'`
  expect(states.map(({ state }) => state)).toEqual(["retry", "retry"])
  const made: number[] = []
  const other = worker("p2", made)
  const first = await run
  const again = { ...model, because: "Another sentence." }
  expect(await gathered(again, "p2")).toEqual({ ...first, model: again })
  expect(made.toSorted((a, b) => a - b)).toEqual([1, 2])
  // Not requested for two days: they are deleted, and made again with the same bytes.
  await sql`update curbline_fleet.fleet_replications set used_at = used_at - interval '49 hours'`
  expect(await gathered(model, "p2")).toEqual(first)
  expect(made.toSorted((a, b) => a - b)).toEqual([1, 1, 2, 2])
  await other.stop()
})

test("a worker of another program takes nothing and says which one is asked for", async () => {
  const model = fleetModel(MODEL, { "asked.csv": ASKED })
  const told: string[] = []
  const { replicate: elsewhere, close } = await startGathering({
    url: server.url,
    program: "new",
    tell: (line) => told.push(line),
  })
  const wanted = elsewhere({ model, seed: 1, hasCourse: false })
  await expect.poll(() => told).toEqual([expect.stringContaining("no worker yet")])
  await expect(worker("old").ended).rejects.toMatchObject({ program: "old", asked: "new", jobs: 1 })
  const right = worker("new")
  expect(await wanted).toEqual(replicate(model, { seed: 1 }))
  await right.stop()
  await close()
})

test("a replication that breaks is told with its seed, and tried again when it is asked for again", async () => {
  const file = fileWith(
    "stuck.yaml",
    MODEL.replace("replay: asked.csv", "per_hour: 9")
      .replace("sweep: { runners: [1, 2] }", "vehicle: { load: 72h }")
      .replace("replications: 2", "replications: 1\nseed: 7"),
  )
  const { model } = await readFleetFile(file)
  const made: number[] = []
  const hands = worker(programName(), made)
  const { status, err } = await running(["fleet", file, "--database", server.url]).ended
  expect(status).toBe(3)
  expect(err).toContain("seed 7 broke")
  expect(err).toContain("time does not advance")
  await hands.stop()
  // The fault is not kept for later callers, when a worker may have what this one lacked.
  const able = worker(programName(), made, ({ model: asked, ...task }) =>
    here({ ...task, model: { ...asked, vehicle: { ...asked.vehicle, load: { is: "constant", ms: 0 } } } }),
  )
  const { cases } = await gathered(model as FleetModel, programName())
  await able.stop()
  expect([cases[0]?.replications.length, made]).toEqual([1, [7]])
})

test("a model goes to another machine as it is, with its replayed instants and without its titles", () => {
  const model = fleetModel(MODEL, { "asked.csv": ASKED })
  const sent = modelOf(modelText(model).text)
  expect(sent.replayed).toEqual(model.replayed)
  expect([sent.sites, sent.demand, sent.vehicle]).toEqual([model.sites, model.demand, model.vehicle])
  const changing = fleetModel(
    `${model.text}\nchanges: [{ at: 10:10, demand: 2 }]\nout: [{ stalls: 1, from: 10:10, to: 10:20 }]`,
    { "asked.csv": ASKED },
  )
  expect(modelOf(modelText(changing).text)).toMatchObject({ changes: changing.changes, out: changing.out })
  expect(modelText({ ...model, fleet: "Another title", replications: 9 })).toEqual(modelText(model))
  expect(modelText({ ...model, horizon: model.horizon + 1 }).key).not.toBe(modelText(model).key)
})

test("a URL that is none and a database that is not there are told without the password", () => {
  const model = fileWith("lunch.yaml", MODEL.replace("replay: asked.csv", "per_hour: 5"))
  const none = curbline("fleet", "work", "--database", "mysql://me:secret@db/x")
  expect(none.status).toBe(2)
  expect(none.err).toContain("a URL that begins with postgres://")
  const away = curbline("fleet", model, "--database", "postgres://me:secret@127.0.0.1:1/x")
  expect(away.status).toBe(2)
  expect(away.err).toContain("reaching the database 127.0.0.1:1/x: ")
  expect(none.err + away.err).not.toContain("secret")
  const both = curbline("fleet", model, "--database", server.url, "--workers", "2")
  expect([both.status, both.out]).toEqual([2, ""])
  expect(both.err).toContain("--workers is for this machine")
})
