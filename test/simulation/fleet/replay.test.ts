/** A replay is the run that the command makes, in small steps: the same digest, the journal of every group, and what is wrong in words. */

import { expect, test } from "vitest"
import type { FromReplayWorker, ReplayRequest } from "../../../src/model/replay/messages.ts"
import { heldAt, textWithChanges } from "../../../src/model/replay/change-text.ts"
import { HOUR_MS, MINUTE_MS } from "../../../src/model/values/time.ts"
import { casesOf, inCase } from "../../../src/simulation/fleet/language/cases.ts"
import { ReplayRun } from "../../../src/simulation/fleet/replay/replay-run.ts"
import { withCosts } from "../../../src/simulation/fleet/results/costs.ts"
import { recordedReplication, replicate } from "../../../src/simulation/fleet/world/replication.ts"
import { CLOCK, fleetModel } from "./models.ts"

const MODEL = `
fleet: Busy
because: Everything happens.
clock: ${CLOCK}
horizon: 2h
seed: 7
sites:
  - as: curb
    at: [30.4, -97.7]
    reach_km: 2
    stalls: 3
    runners: 2
    vehicles: 4
    stores: [{ as: tacos, cooks: 2, at: [30.41, -97.71] }, { as: noodles }]
bot: { punctuality: { normal: { mean: 0s, sd: 4m } }, no_show: 10% }
vehicle: { breakdown: { every: { exponential: { mean: 1h } }, repair: 10m } }
demand:
  - { product: reservation, site: curb, store: tacos, per_hour: 20, ahead: { uniform: [10m, 40m] } }
  - { product: delivery, site: curb, store: noodles, per_hour: 10, cancel: 10% }
  - { product: courier, site: curb, store: tacos, per_hour: 6 }
`

type Told<Type extends FromReplayWorker["type"]> = Extract<FromReplayWorker, { readonly type: Type }>

/** A run, and what it told. */
function watched(text: string, { beside = {}, seed = null }: Partial<ReplayRequest> = {}) {
  const told: FromReplayWorker[] = []
  const request = { file: "busy.yaml", text, beside, seed }
  const run = new ReplayRun({
    token: 3,
    run: request,
    tell: (message) => told.push(message),
    chartsOf: () => ({}),
  })
  const all = <Type extends FromReplayWorker["type"]>(type: Type): readonly Told<Type>[] =>
    told.filter((one): one is Told<Type> => one.type === type)
  const journal = (address: string): readonly string[] => {
    run.journal(address)
    const record = all("journal").at(-1)?.record ?? null
    return record === null
      ? []
      : [...record.matchAll(/^\{"k":"turn".*?,"e":(.*)\}$/gmu)].map(([, entry]) => entry ?? "")
  }
  return { run, told, all, journal }
}

/** Until the run is over; each advance is one step. */
function stepped(run: ReplayRun): void {
  while (!run.isOver) run.advance(() => true)
}

test("the digest is that of the command, however the steps are cut", () => {
  const { digest, turns } = replicate(fleetModel(MODEL), { seed: 7 })
  const small = watched(MODEL)
  stepped(small.run)
  expect(small.all("done")).toEqual([{ type: "done", token: 3, digest, turns }])
  const whole = watched(MODEL)
  whole.run.advance(() => false)
  expect(whole.run.isOver).toBe(true)
  expect(whole.told.map(({ type }) => type)).toEqual(["opened", "chunk", "done"])
  expect(whole.all("done")).toEqual(small.all("done"))
  const other = watched(MODEL, { seed: 8 })
  stepped(other.run)
  expect(other.all("done")[0]?.digest).toBe(replicate(fleetModel(MODEL), { seed: 8 }).digest)
})

test("the first message offers what may be changed from an instant on, with what holds then; each change is right in the model", () => {
  const model = `${MODEL}\nchanges: [{ at: 10:30, vehicles: +1, demand: 0.5, payload_too_heavy: 7% }]\n`
  const { run, all } = watched(model)
  run.advance(() => true)
  const offers = all("opened")[0]?.offers ?? []
  const at = (name: string, minute: number): string => {
    const offer = offers.find((one) => one.name === name)
    const held = heldAt(offer?.today ?? [], minute * MINUTE_MS)
    return `${held?.value} ${held?.says}`.trim()
  }
  const { sites, demand } = fleetModel(MODEL)
  expect([29, 30].map((minute) => Number(at("vehicles at curb", minute)))).toEqual([
    sites[0]?.vehicles,
    (sites[0]?.vehicles ?? 0) + 1,
  ])
  expect([29, 30].map((minute) => at("payload_too_heavy", minute))).toEqual(["0%", "7%"])
  expect([29, 30].map((minute) => at("demand", minute).split(" ")[0])).toEqual(["1", "0.5"])
  const values = { count: "+1", factor: "2", share: "5%", breakdown: "20m" }
  const made = offers.map(({ name, form }) => ({
    at: "10:45",
    name: form.is === "breakdown" ? `${name} ${form.vehicles.at(-1)}` : name,
    value: form.is === "word" ? (form.words.at(-1) ?? "") : values[form.is],
  }))
  expect(made.length).toBeGreaterThan(6 + demand.length)
  const { changes } = fleetModel(textWithChanges(model, made))
  expect(changes.length).toBe(1 + made.length)
  expect(new Set(changes.flatMap(({ effects }) => [...effects.values()].map(({ is }) => is)))).toEqual(
    new Set([
      "count",
      "demand",
      "payload_too_heavy",
      "open_link_fails",
      "breakdown",
      "dispatch",
      "vehicle_dispatch",
      "breakdowns",
    ]),
  )
})

test("the first message tells what the model is, and chunks reach the end of the run one after the other", () => {
  const { run, told, all } = watched(MODEL)
  stepped(run)
  const model = fleetModel(MODEL)
  const { virtualMs, turns } = replicate(model, { seed: 7 })
  expect(told[0]).toMatchObject({
    type: "opened",
    head: {
      title: "Busy",
      seed: 7,
      startMs: Date.parse("2026-03-02T10:00:00-06:00"),
      horizonMs: 2 * HOUR_MS,
      timeZone: "America/Chicago",
      isOnStreets: false,
      sites: [
        {
          name: "curb",
          at: [30.4, -97.7],
          stalls: ["A001", "A002", "A003"],
          stores: [
            { name: "tacos", at: [30.41, -97.71], cooks: 2 },
            { name: "noodles", at: null, cooks: null },
          ],
        },
      ],
    },
  })
  const [opened] = all("opened")
  const ring = opened?.head.sites[0]?.area ?? []
  expect(ring.length).toBeGreaterThanOrEqual(4)
  expect(ring.every(([latitude, longitude]) => latitude > 30 && latitude < 31 && longitude < -97)).toBe(true)
  const untilMs = all("chunk").map(({ chunk }) => chunk.untilMs)
  expect(untilMs.length).toBeGreaterThan(100)
  expect(untilMs).toEqual(untilMs.toSorted((a, b) => a - b))
  expect([untilMs.at(-1), all("chunk").at(-1)?.turns]).toEqual([
    Math.ceil(virtualMs / HOUR_MS) * HOUR_MS,
    turns,
  ])
})

test("of a sweep the first case is run", () => {
  const text = `${MODEL}sweep: { vehicles: [2, 5], demand: [1.5, 1] }\n`
  const { run, all } = watched(text)
  stepped(run)
  const model = fleetModel(text)
  const first = inCase(model, casesOf(model)[0] ?? [])
  expect(first.sites[0]?.vehicles).toBe(2)
  expect(all("done")[0]?.digest).toBe(replicate(first, { seed: 7 }).digest)
})

test("the model runs on other seeds with the figures of the command, beside a run whose journals stay", () => {
  const priced = `${MODEL}costs: { currency: USD, runner_hour: 24, vehicle_hour: 9, lost_order: 15 }\n`
  const { run, all, journal } = watched(priced)
  expect([...run.onSeeds({ type: "seeds", token: 9, seeds: [7] })]).toEqual([])
  stepped(run)
  const entries = journal("vehicle/veh_0_0001")
  const steps = run.onSeeds({ type: "seeds", token: 9, seeds: [7, 12] })
  while (steps.next().done !== true) expect(journal("vehicle/veh_0_0001")).toEqual(entries)
  const model = fleetModel(priced)
  expect(all("figures")).toEqual(
    [7, 12].map((seed) => {
      const { figures } = withCosts(replicate(model, { seed }), model.costs)
      const of = (name: string): number => figures[`orders.${name}`] ?? 0
      return {
        type: "figures",
        token: 9,
        seed,
        figures: {
          asked: of("asked"),
          completed: of("completed"),
          late: of("late"),
          lost: of("declined") + of("canceled"),
          cost: { total: figures["cost.total"], currency: "USD" },
        },
      }
    }),
  )
  expect(all("figures")[0]?.figures.completed).toBeGreaterThan(20)
})

test("runs on other seeds measure the warm-up too, and a fault in one is sent with the token of the seeds", () => {
  const { run, all } = watched(`${MODEL}warm_up: 1h\n`)
  stepped(run)
  Array.from(run.onSeeds({ type: "seeds", token: 4, seeds: [7] }))
  const { figures } = replicate(fleetModel(MODEL), { seed: 7 })
  expect(all("figures")[0]?.figures).toMatchObject({ asked: figures["orders.asked"], cost: null })
  const stuck = watched(MODEL.replace("vehicle: {", "vehicle: { load: 72h,"))
  stepped(stuck.run)
  Array.from(stuck.run.onSeeds({ type: "seeds", token: 5, seeds: [7] }))
  expect(stuck.all("failed").map(({ token }) => token)).toEqual([3, 5])
})

test("the journal of every group is that of a full recording, in the middle of the run and after it", () => {
  const { run: recorded } = recordedReplication(fleetModel(MODEL), { seed: 7, name: "busy", variant: null })
  const byGroup = Map.groupBy(recorded.entries, ({ entry }) => entry.group)
  const textsOf = (group: string): readonly string[] =>
    (byGroup.get(group) ?? []).map(({ entry }) => entry.text)
  const { run, all, journal } = watched(MODEL)
  while ((all("chunk").at(-1)?.chunk.untilMs ?? 0) < HOUR_MS) run.advance(() => true)
  const early = [...byGroup.keys()].map((group) => [textsOf(group), journal(group)] as const)
  for (const [texts, entries] of early) expect(entries).toEqual(texts.slice(0, entries.length))
  const [written, answered] = [0, 1].map((at) =>
    early.reduce((sum, pair) => sum + (pair[at]?.length ?? 0), 0),
  )
  expect(answered).toBeGreaterThan(100)
  expect(answered).toBeLessThan(written ?? 0)
  stepped(run)
  for (const group of byGroup.keys()) expect(journal(group)).toEqual(textsOf(group))
  // A person may pick an actor inside of a group.
  const reservation = [...byGroup.keys()].find((group) => group.startsWith("reservation/")) ?? ""
  expect(journal(`${reservation}/bot`)).toEqual(textsOf(reservation))
  expect(journal("reservation/res_none")).toEqual([])
})

test("a mistake in the model is sent with its place, and nothing is run", () => {
  const { run, told } = watched(MODEL.replace("no_show: 10%", "no_shows: 10%"))
  run.advance(() => false)
  expect(run.isOver).toBe(true)
  expect(told).toEqual([
    {
      type: "failed",
      token: 3,
      mistake: {
        message: 'unknown key "no_shows", did you mean "no_show"?',
        place: { file: "busy.yaml", line: 15, column: 55 },
      },
    },
  ])
})

test("files beside the model are those of the request alone", () => {
  const replayed = MODEL.replace("per_hour: 20", "replay: asked.csv")
  const csv = "2026-03-02T10:30:00-06:00\n"
  const { run, all } = watched(replayed, { beside: { "asked.csv": csv } })
  stepped(run)
  expect(all("done")[0]?.digest).toBe(
    replicate(fleetModel(replayed, { "asked.csv": csv }), { seed: 7 }).digest,
  )
  for (const name of ["asked.csv", "constructor"]) {
    const without = watched(MODEL.replace("per_hour: 20", `replay: ${name}`))
    without.run.advance(() => false)
    expect(without.all("failed")[0]?.mistake.message).toContain(`there is no file "${name}" beside the model`)
  }
})

test("a fault of the run is sent after what came before it, which stays valid", () => {
  const stuck = MODEL.replace("vehicle: {", "vehicle: { load: 72h,")
  const { run, told, all, journal } = watched(stuck)
  stepped(run)
  expect(told.at(-1)).toMatchObject({
    type: "failed",
    mistake: { message: expect.stringContaining("time does not advance") as string, place: null },
  })
  expect(all("done")).toEqual([])
  expect(all("chunk").at(-1)?.chunk.untilMs).toBeGreaterThan(2 * HOUR_MS)
  expect(journal("vehicle/veh_0_0001").length).toBeGreaterThan(0)
  const count = told.length
  run.advance(() => true)
  expect(told).toHaveLength(count)
})
