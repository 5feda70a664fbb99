/** Vehicles travel straight, by a matrix of times, or along streets; places that cannot be reached are mistakes of the model. */

import { readFileSync } from "node:fs"
import { join } from "node:path"
import fc from "fast-check"
import { describe, expect, test } from "vitest"
import { streetFileOf } from "../../../src/pages/html/map/street-file.ts"
import { metresBetween } from "../../../src/areas/dispatch/geography.ts"
import { readFleet } from "../../../src/simulation/fleet/language/read.ts"
import type { FleetModel } from "../../../src/simulation/fleet/language/model.ts"
import { isSteady } from "../../../src/simulation/fleet/language/steady.ts"
import { inputRows } from "../../../src/simulation/fleet/report/input-summary.ts"
import { adviceOf } from "../../../src/simulation/fleet/results/advice.ts"
import { fleetResult } from "../../../src/simulation/fleet/results/fleet-result.ts"
import { caseResult } from "../../../src/simulation/fleet/results/summary.ts"
import { PROFILES } from "../../../src/simulation/fleet/travel/profiles.ts"
import { streetNoteTexts } from "../../../src/simulation/fleet/travel/street-notes.ts"
import { StreetGraph } from "../../../src/simulation/fleet/travel/street-graph.ts"
import type { Pace } from "../../../src/simulation/fleet/travel/street-graph.ts"
import { streetLinesOf } from "../../../src/simulation/fleet/travel/street-lines.ts"
import type { StreetLine, StreetLines } from "../../../src/simulation/fleet/travel/street-lines.ts"
import { endOf, leftRadiusAtMs, partsAt, placeAt } from "../../../src/simulation/fleet/travel/route.ts"
import type { Route } from "../../../src/simulation/fleet/travel/route.ts"
import { replicate } from "../../../src/simulation/fleet/world/replication.ts"
import type { CoursePlace } from "../../../src/model/replay/course.ts"
import type { Place } from "../../../src/model/place.ts"
import { HOUR_MS, MINUTE_MS } from "../../../src/model/values/time.ts"
import { actorsOf, drivesOf, recorded } from "./recorded.ts"
import { CLOCK, fleetModel } from "./models.ts"

/** A place that many hundreds of metres north and east of the store. */
function at(north: number, east: number): Place {
  const metre = 100 / 111_195
  const round = (degrees: number): number => Math.round(degrees * 1e6) / 1e6
  return {
    latitude: round(30.4 + north * metre),
    longitude: round(-97.7 + (east * metre) / Math.cos((30.4 * Math.PI) / 180)),
  }
}

function street(
  corners: readonly (readonly [number, number])[],
  properties: Readonly<Record<string, unknown>> = {},
): object {
  const coordinates = corners.map(([north, east]) => {
    const { latitude, longitude } = at(north, east)
    return [longitude, latitude]
  })
  return { type: "Feature", properties, geometry: { type: "LineString", coordinates } }
}

function streets(...features: readonly object[]): string {
  return JSON.stringify({ type: "FeatureCollection", attribution: "Made up", features })
}

/** A square of four streets around the store, and a fast avenue through it. */
const TOWN = streets(
  street(
    [
      [10, -10],
      [10, 0],
      [10, 10],
    ],
    { name: "North", speed_kmh: 30 },
  ),
  street(
    [
      [-10, -10],
      [-10, 0],
      [-10, 10],
    ],
    { name: "South", speed_kmh: 30 },
  ),
  street(
    [
      [10, -10],
      [0, -10],
      [-10, -10],
    ],
    { name: "West", speed_kmh: 30 },
  ),
  street(
    [
      [10, 10],
      [0, 10],
      [-10, 10],
    ],
    { name: "East", speed_kmh: 30 },
  ),
  street(
    [
      [0, -10],
      [0, 0],
      [0, 10],
    ],
    { name: "Middle", speed_kmh: 50 },
  ),
)

function text(
  travel: string,
  { reach = 1, stores = "", demand = "per_hour: 10", vehicles = 3 } = {},
): string {
  return `fleet: A town
because: Its ways are known.
clock: ${CLOCK}
horizon: 3h
sites: [{ as: store, at: [30.4, -97.7], reach_km: ${reach}, vehicles: ${vehicles}${stores} }]
travel: ${travel}
demand: [{ product: delivery, site: store, ready_in: 10m, ${demand} }]
`
}

function problemsOf(written: string, town = TOWN): readonly string[] {
  const { problems } = readFleet({
    file: "m.yaml",
    text: written,
    beside: (name) => (name === "town.geojson" ? town : null),
  })
  return problems.map(({ place, message }) => `${place.line}:${place.column} ${message}`)
}

const STREETS = "{ streets: town.geojson }"

function onStreets(town = TOWN, more: Parameters<typeof text>[1] = {}): FleetModel {
  return fleetModel(text(STREETS, more), { "town.geojson": town })
}

describe("a mistake is reported at its line and column", () => {
  const placed = ", stores: [{ as: bowls, at: [30.42, -97.7] }]"

  test.each([
    [
      "no such file",
      text("{ streets: village.geojson }"),
      TOWN,
      '6:20 there is no file "village.geojson" beside the model',
    ],
    [
      "a store far away",
      text(STREETS, { stores: placed }),
      TOWN,
      '6:20 "bowls" is 1.2 km from the nearest street of town.geojson',
    ],
    [
      "a speed in words",
      text(STREETS),
      TOWN.replace('"speed_kmh":50', '"speed_kmh":"fast"'),
      '6:20 town.geojson: feature 5 ("Middle"): speed_kmh is "fast", expected a number from 1 to 130',
    ],
    [
      "a file without any street",
      text(STREETS),
      TOWN.replaceAll('"speed_kmh"', '"waterway":"river","speed_kmh"'),
      "6:20 town.geojson has no street that vehicles may drive",
    ],
    [
      "a site on a street that leads away only",
      text(STREETS, { reach: 0.1 }),
      streets(
        street(
          [
            [0, 0],
            [0, 5],
          ],
          { oneway: true },
        ),
      ),
      '6:20 no street of town.geojson leads from "store" and back',
    ],
    [
      "a store on an island",
      text(STREETS, { stores: placed }),
      TOWN.replace(
        '"features":[',
        `"features":[${JSON.stringify(
          street([
            [22, 0],
            [22, 5],
          ]),
        )},`,
      ),
      '6:20 no street of town.geojson leads from "store" to "bowls" and back',
    ],
    ["vehicles nowhere", text(STREETS, { vehicles: 0 }), TOWN, "6:9 no site has vehicles that could travel"],
  ])("%s", (_, written, town, problem) => {
    expect(problemsOf(written, town)).toContain(problem)
  })

  test.each([
    ["a place that is unknown", "store: { store: 2m, est: 9m }", '6:133 there is no place "est"'],
    [
      "a pair without a time",
      "store: { store: 2m }, east: { east: 3m }",
      '6:106 no travel time from "store" to "east"',
    ],
    ["no time within a place", "store: { store: 2m, east: 9m }", '6:106 no travel time within "east"'],
  ])("%s", (_, times, problem) => {
    const places = "[{ as: store, at: [30.4, -97.7] }, { as: east, at: [30.4, -97.69] }]"
    expect(problemsOf(text(`{ matrix: { places: ${places}, times: { ${times} } } }`))).toEqual([problem])
  })
})

/** Minutes of a way. */
function minutes(way: Route): number {
  return Math.round((endOf(way).atMs / MINUTE_MS) * 10) / 10
}

function graphOf(town: string): StreetGraph {
  return new StreetGraph(readLines(town).net, [at(0, 0)])
}

function readLines(town: string): StreetLines {
  const file = streetFileOf(JSON.parse(town))
  const read = typeof file === "string" ? file : streetLinesOf(file, PROFILES.car)
  if (typeof read === "string") throw new Error(read)
  return read
}

/** The speed of a vehicle without traffic. */
function pace(kmh: number): Pace {
  return { kmh, factor: 1, byKind: {}, out: [] }
}

const SHORT = [
  [0, 0],
  [0, 1],
] as const

describe("lines that are no streets", () => {
  const drawn = (...all: readonly Readonly<Record<string, unknown>>[]): StreetLines =>
    readLines(streets(...all.map((tags) => street(SHORT, tags))))

  test("are left out and counted by reason", () => {
    const { net, notes } = drawn(
      { name: "By hand" },
      { highway: "residential" },
      { highway: "primary_link" },
      { highway: "residential", railway: "tram" },
      { highway: "service", access: "private", motor_vehicle: "yes" },
      { waterway: "no" },
      { waterway: "river" },
      { waterway: "canal" },
      { highway: "steps" },
      { highway: "Footway" },
      { highway: "residential", access: "private" },
      { highway: "residential", motor_vehicle: "no" },
      { access: "no" },
      ...["railway", "power", "boundary", "barrier"].map((key) => ({ [key]: "one" })),
    )
    expect(net.lines).toHaveLength(6)
    expect(notes).toEqual({
      profile: "car",
      lines: 17,
      used: { residential: 2, primary_link: 1, service: 1 },
      leftOut: {
        waterway: 2,
        "highway=steps": 1,
        "highway=footway": 1,
        "access=private": 1,
        "motor_vehicle=no": 1,
        "access=no": 1,
        railway: 1,
        power: 1,
        boundary: 1,
        barrier: 1,
      },
      changing: 0,
      unknown: null,
      barriers: 0,
      turns: { used: 0, leftOut: 0 },
    })
    expect(streetNoteTexts("town.geojson", notes, { parts: 0, share: 0 })).toEqual([
      "town.geojson: 4 of 17 lines are streets of the profile car: 2 residential, 1 primary_link and 1 service.",
      "town.geojson: 11 of 17 lines are no streets for vehicles and are left out: 2 waterway, 1 access=no, 1 access=private, 1 barrier, 1 boundary, 1 highway=footway and 4 for other reasons.",
    ])
  })

  test("are not driven, although they are the shortest way", () => {
    const middle = (tags: string): Route =>
      graphOf(TOWN.replace('"speed_kmh":50', tags)).route(at(0, -10), at(0, 10), pace(60))
    expect(minutes(middle('"highway":"residential","speed_kmh":50'))).toBe(2.4)
    for (const tags of [
      '"waterway":"river"',
      '"highway":"steps"',
      '"access":"private"',
      '"railway":"rail"',
    ]) {
      expect(minutes(middle(`${tags},"speed_kmh":50`))).toBe(8)
    }
  })

  test("are named by the model's advice, by the answer's, and among the inputs", () => {
    const town = TOWN.replace('"speed_kmh":50', '"speed_kmh":50,"oneway":"reversible"').replace(
      '"features":[',
      `"features":[${JSON.stringify(street(SHORT, { power: "line" }))},`,
    )
    const told = [
      "town.geojson: 1 of 6 lines is no street for vehicles and is left out: 1 power.",
      "town.geojson: 1 street with oneway=reversible or oneway=alternating is driven in both directions.",
    ]
    const { advice } = readFleet({ file: "m.yaml", text: text(STREETS), beside: () => town })
    expect(advice.map(({ place, message }) => `${place.line}:${place.column} ${message}`)).toEqual(
      told.map((one) => `6:20 ${one}`),
    )
    const model = onStreets(town)
    const result = fleetResult(model, [caseResult(model, [], [replicate(model, { seed: 1 })])])
    expect(adviceOf(result)).toEqual(expect.arrayContaining(told))
    expect(Object.fromEntries(inputRows(model, []))["Travel"]).toBe(
      ["the fastest way along the streets of town.geojson", ...told].join("; "),
    )
  })
})

test("every spelling of oneway is known, and only those", () => {
  const read = (oneway: unknown): string => {
    const { net, notes } = readLines(streets(street(SHORT, { oneway })))
    const isUnknown = notes.unknown !== null
    return `${net.lines[0]?.direction}${notes.changing === 0 ? "" : ", changing"}${isUnknown ? ", unknown" : ""}`
  }
  const all = (values: readonly unknown[]): ReadonlySet<string> => new Set(values.map(read))
  expect(all(["yes", "YES", true, "true", 1, "1"])).toEqual(new Set(["forward"]))
  expect(all([-1, "-1", "reverse"])).toEqual(new Set(["backward"]))
  expect(all(["no", false, "false", 0, "0", null])).toEqual(new Set(["both"]))
  expect(all(["reversible", "alternating"])).toEqual(new Set(["both, changing"]))
  expect(all(["maybe", 2, {}, []])).toEqual(new Set(["both, unknown"]))
})

describe("ways along streets", () => {
  test("the faster avenue is taken, though the side street is as near", () => {
    const way = graphOf(TOWN).route(at(5, -10), at(5, 10), pace(60))
    // 500 m at 30 km/h, 2 km at 50, 500 m at 30.
    expect(minutes(way)).toBe(4.4)
    expect(Math.round(endOf(way).metres / 10)).toBe(300)
    expect(way.corners.map(({ place }) => place)).toContainEqual(at(0, 0))
  })

  test("a vehicle that is slower than the street drives at its own speed", () => {
    expect(minutes(graphOf(TOWN).route(at(0, -10), at(0, 10), pace(20)))).toBe(6)
  })

  test("a one-way street is driven in its direction only", () => {
    const oneway = graphOf(TOWN.replace('"speed_kmh":50', '"speed_kmh":50,"oneway":true'))
    expect(minutes(oneway.route(at(0, -10), at(0, 10), pace(60)))).toBe(2.4)
    // Back along the northern or southern street.
    expect(minutes(oneway.route(at(0, 10), at(0, -10), pace(60)))).toBe(8)
    const reverse = graphOf(TOWN.replace('"speed_kmh":50', '"speed_kmh":50,"oneway":-1'))
    expect(minutes(reverse.route(at(0, 10), at(0, -10), pace(60)))).toBe(2.4)
  })

  test("speeds of OpenStreetMap are read, and its words are not", () => {
    const speeds = ["50", "30 mph", "signals", 25].map((maxspeed) => {
      return readLines(streets(street(SHORT, { maxspeed }))).net.lines[0]?.kmh.forward ?? null
    })
    expect(speeds).toEqual([50, 30 * 1.609344, null, 25])
  })

  test("no way is faster than the fastest in any random town, by another algorithm", () => {
    const edge = fc.record({
      from: fc.nat({ max: 24 }),
      isEast: fc.boolean(),
      kmh: fc.constantFrom(20, 30, 50),
      direction: fc.constantFrom("both", "both", "forward", "backward"),
    })
    fc.assert(
      fc.property(fc.array(edge, { minLength: 12, maxLength: 60 }), fc.nat({ max: 24 }), (edges, to) => {
        const lines = edges.flatMap(({ from, isEast, kmh, direction }): readonly StreetLine[] => {
          const [row, column] = [Math.floor(from / 5), from % 5]
          const other = isEast ? [row, column + 1] : [row + 1, column]
          if ((other[0] ?? 5) > 4 || (other[1] ?? 5) > 4) return []
          const positions = [[row, column], other].map(([north = 0, east = 0]) => {
            const { latitude, longitude } = at(north * 3, east * 3)
            return [longitude, latitude] as const
          })
          return [{ positions, kmh: { forward: kmh, backward: kmh }, direction, kind: "", name: "", way: "" }]
        })
        if (lines.length === 0) return
        const graph = new StreetGraph({ lines, turns: [], closed: [], speeds: {} }, [at(0, 0)])
        const ends = [at(0, 0), at(Math.floor(to / 5) * 3, (to % 5) * 3)] as const
        const { toConnected } = graph.metresFrom(ends[1])
        if (toConnected > 0 || graph.metresFrom(ends[0]).toConnected > 0) return
        const way = endOf(graph.route(...ends, pace(60))).atMs
        expect(Math.abs(way - fastestMs(lines, ends))).toBeLessThan(50)
      }),
      { numRuns: 300 },
    )
  })
})

/** By Bellman and Ford over the lines, whose ends are their only positions. */
function fastestMs(lines: readonly StreetLine[], [from, to]: readonly [Place, Place]): number {
  const keyOf = ({ latitude, longitude }: Place): string => `${longitude} ${latitude}`
  const edges = lines.flatMap(({ positions, kmh, direction }) => {
    const [one, other] = positions.map(([longitude, latitude]) => ({ latitude, longitude }))
    if (one === undefined || other === undefined) return []
    const ms = (metresBetween(one, other) * HOUR_MS) / ((kmh.forward ?? 60) * 1000)
    return [
      ...(direction === "backward" ? [] : [{ from: keyOf(one), to: keyOf(other), ms }]),
      ...(direction === "forward" ? [] : [{ from: keyOf(other), to: keyOf(one), ms }]),
    ]
  })
  const best = new Map([[keyOf(from), 0]])
  for (let round = 0; round < 25; round += 1) {
    for (const one of edges) {
      const ms = (best.get(one.from) ?? Number.POSITIVE_INFINITY) + one.ms
      if (ms < (best.get(one.to) ?? Number.POSITIVE_INFINITY)) best.set(one.to, ms)
    }
  }
  return best.get(keyOf(to)) ?? Number.POSITIVE_INFINITY
}

describe("a way in two parts", () => {
  const way = graphOf(TOWN).route(at(5, -10), at(8, 10), pace(60))

  test("takes as long, and leads to the same places", () => {
    const { atMs, metres } = endOf(way)
    for (const cutMs of [0, 1_000, 60_000, 61_234, atMs - 1, atMs]) {
      const [first, rest] = partsAt(way, cutMs)
      expect(endOf(first).atMs + endOf(rest).atMs).toBe(atMs)
      expect(endOf(first).metres + endOf(rest).metres).toBeCloseTo(metres, 6)
      expect(rest.corners[0].place).toEqual(endOf(first).place)
      expect(endOf(rest).place).toEqual(at(8, 10))
      const laterMs = Math.floor((atMs - cutMs) / 2)
      expect(metresBetween(placeAt(rest, laterMs), placeAt(way, cutMs + laterMs))).toBeLessThanOrEqual(1)
    }
  })

  test("is cut where the vehicle is first far enough away", () => {
    const goneMs = leftRadiusAtMs(way, 150) ?? Number.NaN
    expect(metresBetween(at(5, -10), placeAt(way, goneMs))).toBeGreaterThanOrEqual(150)
    expect(metresBetween(at(5, -10), placeAt(way, goneMs - 2))).toBeLessThan(151)
  })
})

describe("a run on streets", () => {
  const model = onStreets()

  test("has the same demand as one that drives straight, ends every order, and repeats exactly", () => {
    const made = replicate(model, { seed: 3 })
    const straight = replicate(fleetModel(text("straight")), { seed: 3 })
    expect(replicate(fleetModel(text("straight").replace("travel: straight\n", "")), { seed: 3 })).toEqual(
      straight,
    )
    expect(replicate(onStreets(), { seed: 3 })).toEqual(made)
    expect(made.digest).not.toBe(straight.digest)
    expect(made.figures["deliveries.asked"]).toBe(straight.figures["deliveries.asked"])
    const { figures } = made
    const ended = ["declined", "completed", "canceled"].map((how) => figures[`deliveries.${how}`] ?? 0)
    expect(ended.reduce((sum, count) => sum + count, 0)).toBe(figures["deliveries.asked"])
    expect(figures["deliveries.completed"]).toBeGreaterThan(10)
  })

  test("its vehicles turn at corners of streets", () => {
    const corners = new Set(
      [at(10, 10), at(-10, 10), at(10, -10), at(-10, -10)].map((one) => JSON.stringify(one)),
    )
    const turned = drivesOf(recorded(model, 3).course).flatMap((legs) =>
      legs.slice(1).map(({ from: [latitude, longitude] }) => JSON.stringify({ latitude, longitude })),
    )
    expect(turned.some((place) => corners.has(place))).toBe(true)
  })

  test("its vehicles arrive at the store and leave it by their own reports", () => {
    const { counts, figures } = replicate(model, { seed: 3 })
    expect(Object.keys(counts).filter((name) => name.startsWith("exceptions"))).toEqual([])
    expect(figures["deliveries.stay_mean"]).toBeGreaterThan(0)
  })
})

describe("a run by a matrix", () => {
  const places = "[{ as: store, at: [30.4, -97.7] }, { as: east, at: [30.4, -97.69] }]"
  const times =
    'store: { store: 2m, east: { by_hour: { "10:00": 9m, "11:30": 14m } } }, east: { store: 7m, east: 3m }'
  const model = fleetModel(text(`{ matrix: { places: ${places}, times: { ${times} } } }`))

  test("drives as long as its times say, by direction and hour", () => {
    const isEast = ([, longitude]: CoursePlace): boolean => longitude > -97.695
    const { course } = recorded(model, 3)
    const byKind = new Map<string, Set<number>>()
    for (const actor of actorsOf(course, "vehicle")) {
      for (const { fromMs } of course.legsOf(actor)) {
        // A vehicle may be called back on its way home.
        const leg = course.legAt(actor, fromMs)
        if (leg?.state !== "to the store") continue
        const isLate = fromMs >= 1.5 * HOUR_MS
        const kind = `${isEast(leg.from) ? "east" : "store"} ${isEast(leg.to) ? "east" : "store"}${isLate ? " late" : ""}`
        const known = byKind.get(kind) ?? new Set()
        byKind.set(kind, known.add(Math.round((leg.untilMs - fromMs) / MINUTE_MS)))
      }
    }
    expect([...(byKind.get("east store") ?? [])]).toEqual([7])
    expect([...(byKind.get("store store") ?? [])]).toEqual([2])
    const toDoors = legsToDoors(model)
    expect(toDoors.filter(({ isToEast, isLate }) => isToEast && !isLate).map(({ min }) => min)).toContain(9)
    expect(toDoors.filter(({ isToEast, isLate }) => isToEast && isLate).map(({ min }) => min)).toContain(14)
    expect(new Set(toDoors.map(({ min }) => min))).toEqual(new Set([2, 9, 14]))
  })

  test("is steady only if its times are the same at every hour", () => {
    expect(isSteady(model)).toBe(false)
    const constant = times.replace(/\{ by_hour.*? \} \}/, "9m")
    expect(isSteady(fleetModel(text(`{ matrix: { places: ${places}, times: { ${constant} } } }`)))).toBe(true)
  })
})

/** The ways from the store to doors. */
function legsToDoors(model: FleetModel) {
  const { course } = recorded(model, 3)
  return drivesOf(course).flatMap((legs) => {
    const [first, last] = [legs[0], legs.at(-1)]
    if (first?.state !== "to the customer" || last === undefined) return []
    return [
      {
        isToEast: last.to[1] > -97.695,
        isLate: first.fromMs >= 1.5 * HOUR_MS,
        min: Math.round((last.untilMs - first.fromMs) / MINUTE_MS),
      },
    ]
  })
}

test("the shipped town is one graph, with ways over the river by its two bridges", () => {
  const file = readFileSync(
    join(import.meta.dirname, "../../../scenarios/fleets/two-bridges.geojson"),
    "utf8",
  )
  const { net } = readLines(file)
  const base = { latitude: 30.2974, longitude: -97.7408 }
  const graph = new StreetGraph(net, [base])
  const north = { latitude: 30.3081, longitude: -97.7402 }
  const way = graph.route(base, north, pace(30))
  expect(endOf(way).metres).toBeGreaterThan(1.5 * metresBetween(base, north))
  for (const { positions } of net.lines) {
    const [longitude = 0, latitude = 0] = positions[0] ?? []
    expect(graph.metresFrom({ latitude, longitude })).toEqual({ toAny: 0, toConnected: 0 })
  }
})
