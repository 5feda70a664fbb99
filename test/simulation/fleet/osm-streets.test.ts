/** Streets mean what their tags mean in OpenStreetMap: who may use them, in which directions, how fast, and which turns are allowed. */

import { describe, expect, test } from "vitest"
import { streetFileOf } from "../../../src/pages/html/map/street-file.ts"
import { profileNamed } from "../../../src/simulation/fleet/language/streets/profile-file.ts"
import { readFleet } from "../../../src/simulation/fleet/language/read.ts"
import { isSteady } from "../../../src/simulation/fleet/language/steady.ts"
import { PROFILES } from "../../../src/simulation/fleet/travel/profiles.ts"
import type { StreetProfile } from "../../../src/simulation/fleet/travel/profiles.ts"
import { endOf } from "../../../src/simulation/fleet/travel/route.ts"
import { routingOf } from "../../../src/simulation/fleet/travel/routing.ts"
import { limitOf } from "../../../src/simulation/fleet/travel/speed-limit.ts"
import { StreetGraph } from "../../../src/simulation/fleet/travel/street-graph.ts"
import { directionOf, speedsOf, whyNoStreet } from "../../../src/simulation/fleet/travel/street-kinds.ts"
import { streetLinesOf } from "../../../src/simulation/fleet/travel/street-lines.ts"
import type { StreetLines } from "../../../src/simulation/fleet/travel/street-lines.ts"
import { streetNoteTexts } from "../../../src/simulation/fleet/travel/street-notes.ts"
import type { Place } from "../../../src/model/place.ts"
import { HOUR_MS } from "../../../src/model/values/time.ts"
import { CLOCK, fleetModel } from "./models.ts"

const { car, on_foot: onFoot, sidewalk_robot: robot } = PROFILES

type Tags = Readonly<Record<string, string>>

test.each<[Tags, ...(string | null)[]]>([
  // Tags, and why a car, a robot and a person do not use the line.
  [{ highway: "residential" }, null, null, null],
  [{ highway: "motorway" }, null, "highway=motorway", "highway=motorway"],
  [{ highway: "primary" }, null, "highway=primary", null],
  [{ highway: "tertiary" }, null, "highway=tertiary", null],
  [{ highway: "tertiary", sidewalk: "both" }, null, null, null],
  [{ highway: "tertiary", sidewalk: "separate" }, null, "highway=tertiary", null],
  [{ highway: "footway" }, "highway=footway", null, null],
  [{ highway: "steps" }, "highway=steps", "highway=steps", null],
  [{ highway: "pedestrian", area: "yes" }, "area", "area", "area"],
  [{ highway: "construction" }, "highway=construction", "highway=construction", "highway=construction"],
  [{ highway: "service", service: "driveway" }, null, null, null],
  [{ highway: "service", service: "emergency_access" }, "highway=service", null, null],
  // The most specific key decides.
  [{ highway: "service", access: "private" }, "access=private", "access=private", "access=private"],
  [{ highway: "service", access: "no", foot: "yes" }, "access=no", null, null],
  [{ highway: "service", access: "private", motorcar: "yes" }, null, "access=private", "access=private"],
  [{ highway: "residential", vehicle: "no" }, "vehicle=no", null, null],
  [{ highway: "residential", vehicle: "no", motor_vehicle: "destination" }, null, null, null],
  [{ highway: "residential", motor_vehicle: "no", motorcar: "yes" }, null, null, null],
  [{ highway: "residential", foot: "no" }, null, "foot=no", "foot=no"],
  [{ highway: "residential", bicycle: "no", hgv: "no" }, null, null, null],
  // A list closes when each of its values does.
  [
    { highway: "service", access: "private;no" },
    "access=private;no",
    "access=private;no",
    "access=private;no",
  ],
  [
    { highway: "service", motor_vehicle: "agricultural; forestry" },
    "motor_vehicle=agricultural;forestry",
    null,
    null,
  ],
  [{ highway: "service", motor_vehicle: "agricultural;destination" }, null, null, null],
  [{ highway: "track", motor_vehicle: "agricultural;destination" }, null, "highway=track", null],
  [
    { highway: "service", access: "private", motorcar: "" },
    "access=private",
    "access=private",
    "access=private",
  ],
  // An explicit permission opens a class.
  [{ highway: "pedestrian", motor_vehicle: "yes" }, null, null, null],
  [{ highway: "pedestrian", access: "yes" }, "highway=pedestrian", null, null],
  [{ highway: "trunk", foot: "designated" }, null, null, null],
  [{ highway: "cycleway", motor_vehicle: "destination" }, null, null, null],
  // No permission opens steps, a street that is not built, or a class that the profile closes.
  [{ highway: "steps", foot: "yes" }, "highway=steps", "highway=steps", null],
  [{ highway: "proposed", foot: "yes" }, "highway=proposed", "highway=proposed", "highway=proposed"],
  [
    { highway: "construction", foot: "yes", motor_vehicle: "yes" },
    "highway=construction",
    "highway=construction",
    "highway=construction",
  ],
  [{ highway: "razed", motorcar: "yes" }, "highway=razed", "highway=razed", "highway=razed"],
  [{ highway: "service", service: "emergency_access", motor_vehicle: "yes" }, "highway=service", null, null],
  [{ railway: "rail" }, "railway", "railway", "railway"],
])("%j is used as OpenStreetMap says", (tags, byCar, byRobot, byFoot) => {
  expect([car, robot, onFoot].map((profile) => whyNoStreet(tags, profile))).toEqual([byCar, byRobot, byFoot])
})

test.each<[Tags, string]>([
  [{}, "both"],
  [{ oneway: "yes" }, "forward"],
  [{ oneway: "-1" }, "backward"],
  [{ junction: "roundabout" }, "forward"],
  [{ junction: "circular" }, "forward"],
  [{ junction: "roundabout", oneway: "-1" }, "backward"],
  [{ highway: "motorway" }, "forward"],
  [{ highway: "motorway_link" }, "forward"],
  [{ highway: "motorway_link", oneway: "no" }, "both"],
  [{ highway: "trunk" }, "both"],
  [{ oneway: "yes", "oneway:bicycle": "no" }, "forward"],
  [{ "oneway:bicycle": "yes" }, "both"],
  [{ oneway: "no", "oneway:motor_vehicle": "yes" }, "forward"],
])("%j leads a car %s, and people in both directions", (tags, direction) => {
  expect(directionOf(tags, car)).toBe(direction)
  expect(directionOf(tags, onFoot)).toBe("both")
})

test.each<[Tags, number | null]>([
  [{ maxspeed: "50" }, 50],
  [{ maxspeed: "50 km/h" }, 50],
  [{ maxspeed: "50 kmh" }, 50],
  [{ maxspeed: "30 mph" }, 48.28032],
  [{ maxspeed: "20mph" }, 32.18688],
  [{ maxspeed: "50; 30" }, 30],
  [{ maxspeed: "walk" }, 6],
  [{ maxspeed: "none" }, 130],
  [{ maxspeed: "RU:urban" }, 60],
  [{ maxspeed: "RU:rural" }, 90],
  [{ maxspeed: "DE:urban" }, 50],
  [{ maxspeed: "DE:motorway" }, 130],
  [{ maxspeed: "DE:zone:30" }, 30],
  [{ maxspeed: "FR:zone30" }, 30],
  [{ maxspeed: "GB:nsl_single" }, 97],
  [{ maxspeed: "GB:zone:20" }, 32.18688],
  [{ "zone:maxspeed": "GB:20" }, 32.18688],
  [{ maxspeed: "US:zone30" }, 48.28032],
  [{ maxspeed: "BE-VLG:urban" }, 50],
  [{ maxspeed: "XX:living_street" }, 10],
  [{ maxspeed: "signals" }, null],
  [{ maxspeed: "signals", "source:maxspeed": "FI:urban" }, 50],
  [{ maxspeed: "constructor:prototype" }, null],
  [{ maxspeed: "0" }, null],
  [{}, null],
])("%j is a limit of %s km/h", (tags, kmh) => {
  expect(limitOf(tags, "forward")).toBe(kmh)
})

test.each<[Tags, StreetProfile, number, number]>([
  [{ highway: "residential" }, car, 25, 25],
  [{ highway: "residential", maxspeed: "40" }, car, 40, 40],
  [{ highway: "residential", maxspeed: "signals" }, car, 25, 25],
  [{ highway: "primary", maxspeed: "80", "maxspeed:backward": "50" }, car, 80, 50],
  [{ highway: "primary", "maxspeed:forward": "30 mph" }, car, 48.28032, 65],
  [{ highway: "primary", maxspeed: "80", surface: "gravel" }, car, 40, 40],
  [{ highway: "residential", maxspeed: "40" }, onFoot, 5, 5],
  [{ highway: "steps" }, onFoot, 2, 2],
  [{ highway: "footway", surface: "grass" }, robot, 2, 2],
  // A class that access opens is driven like a service street.
  [{ highway: "track", motor_vehicle: "yes" }, car, 15, 15],
  [{ highway: "cycleway", motor_vehicle: "destination" }, car, 15, 15],
  [{ highway: "track", motor_vehicle: "yes", surface: "mud" }, car, 10, 10],
  [{ highway: "primary", foot: "yes" }, robot, 5, 5],
])("%j is driven at the limit or the speed of its class", (tags, profile, forward, backward) => {
  expect(speedsOf(tags, profile)).toEqual({ forward, backward })
})

/** A place that many hundreds of metres north and east of the middle. */
function at(north: number, east: number): readonly [number, number] {
  const metre = 100 / 111_195
  const round = (degrees: number): number => Math.round(degrees * 1e7) / 1e7
  return [round(25 + (east * metre) / Math.cos((60 * Math.PI) / 180)), round(60 + north * metre)]
}

function placeAt(north: number, east: number): Place {
  const [longitude, latitude] = at(north, east)
  return { latitude, longitude }
}

interface Way {
  readonly id: number
  readonly corners: readonly (readonly [number, number])[]
  readonly tags?: Tags
}

/** A square of ways with a cross in it: its middle is the corner of four ways. */
const CROSS: readonly Way[] = [
  {
    id: 1,
    corners: [
      [0, -5],
      [0, 0],
    ],
  },
  {
    id: 2,
    corners: [
      [0, 0],
      [0, 5],
    ],
  },
  {
    id: 3,
    corners: [
      [0, 0],
      [5, 0],
    ],
  },
  {
    id: 4,
    corners: [
      [0, 0],
      [-5, 0],
    ],
  },
  {
    id: 5,
    corners: [
      [0, -5],
      [5, -5],
      [5, 0],
      [5, 5],
      [0, 5],
      [-5, 5],
      [-5, 0],
      [-5, -5],
      [0, -5],
    ],
  },
]

function overpass(ways: readonly Way[], others: readonly object[] = []): object {
  const elements = ways.map(({ id, corners, tags = { highway: "residential", maxspeed: "30" } }) => ({
    type: "way",
    id,
    tags,
    geometry: corners.map(([north, east]) => {
      const [lon, lat] = at(north, east)
      return { lat, lon }
    }),
  }))
  return { version: 0.6, elements: [...elements, ...others] }
}

function linesOf(file: object, profile = car): StreetLines {
  const read = streetFileOf(file)
  const lines = typeof read === "string" ? read : streetLinesOf(read, profile)
  if (typeof lines === "string") throw new Error(lines)
  return lines
}

const HERE = at(0, 0)

function restriction(tags: Tags, from: number, to: number): object {
  const members = [
    { type: "way", ref: from, role: "from" },
    { type: "node", ref: 99, role: "via", lon: HERE[0], lat: HERE[1] },
    { type: "way", ref: to, role: "to" },
  ]
  return { type: "relation", id: 7, tags: { type: "restriction", ...tags }, members }
}

/** Hundreds of metres of the fastest way from the west to the north of the cross, and to the south. */
function driven(others: readonly object[], profile = car): readonly number[] {
  const graph = new StreetGraph(linesOf(overpass(CROSS, others), profile).net, [placeAt(0, -5)])
  const pace = { kmh: 30, factor: 1, byKind: {}, out: [] }
  return [placeAt(5, 0), placeAt(-5, 0)].map((to) =>
    Math.round(endOf(graph.route(placeAt(0, -4), to, pace)).metres / 100),
  )
}

describe("turn restrictions", () => {
  const round = 11
  test.each<[string, readonly object[], readonly number[]]>([
    ["none", [], [9, 9]],
    ["no left turn", [restriction({ restriction: "no_left_turn" }, 1, 3)], [round, 9]],
    ["only left turn", [restriction({ restriction: "only_left_turn" }, 1, 3)], [9, round]],
    [
      "two of one way",
      [
        restriction({ restriction: "no_left_turn" }, 1, 3),
        restriction({ restriction: "no_right_turn" }, 1, 4),
      ],
      [round, round],
    ],
    ["of lorries", [restriction({ "restriction:hgv": "no_left_turn" }, 1, 3)], [9, 9]],
    ["except cars", [restriction({ restriction: "no_left_turn", except: "psv;motorcar" }, 1, 3)], [9, 9]],
    ["of cars", [restriction({ "restriction:motorcar": "no_left_turn" }, 1, 3)], [round, 9]],
    ["by the hour", [restriction({ "restriction:conditional": "no_left_turn @ (Mo-Fr)" }, 1, 3)], [9, 9]],
    ["from another way", [restriction({ restriction: "no_right_turn" }, 2, 3)], [9, 9]],
  ])("%s", (_, others, metres) => {
    expect(driven(others)).toEqual(metres)
  })

  test("do not hold for people on foot", () => {
    expect(driven([restriction({ restriction: "no_left_turn" }, 1, 3)], onFoot)).toEqual([9, 9])
  })

  test("no turn back in the middle of a way lets vehicles go straight on", () => {
    // Ways 1 and 2 as one, which leads through the middle.
    const whole: Way = {
      id: 1,
      corners: [
        [0, -5],
        [0, 0],
        [0, 5],
      ],
    }
    const others = CROSS.filter(({ id }) => id > 2)
    const back = restriction({ restriction: "no_u_turn" }, 1, 1)
    const graph = new StreetGraph(linesOf(overpass([whole, ...others], [back])).net, [placeAt(0, -5)])
    const route = graph.route(placeAt(0, -4), placeAt(0, 4), { kmh: 30, factor: 1, byKind: {}, out: [] })
    expect(Math.round(endOf(route).metres / 100)).toBe(8)
  })

  test("a way may end where its last turn is restricted, and begin there", () => {
    const turns = [
      restriction({ restriction: "only_left_turn" }, 1, 3),
      restriction({ restriction: "no_u_turn" }, 2, 2),
    ]
    const graph = new StreetGraph(linesOf(overpass(CROSS, turns)).net, [placeAt(0, -5), placeAt(0, 0)])
    const pace = { kmh: 30, factor: 1, byKind: {}, out: [] }
    const metres = (from: Place, to: Place): number =>
      Math.round(endOf(graph.route(from, to, pace)).metres / 100)
    // To and from a stop, whose ways are found at once, and between two other places.
    expect(metres(placeAt(0, -4), placeAt(0, 0))).toBe(4)
    expect(metres(placeAt(0, 0), placeAt(-5, 0))).toBe(5)
    expect(metres(placeAt(0, -5), placeAt(0, 0))).toBe(5)
    expect(metres(placeAt(0, 4), placeAt(0, 1))).toBe(3)
  })
})

describe("barriers", () => {
  const barrier = (tags: Tags): object => ({ type: "node", id: 50, lon: HERE[0], lat: HERE[1], tags })
  test.each<[Tags, boolean]>([
    [{ barrier: "bollard" }, true],
    [{ barrier: "gate" }, false],
    [{ barrier: "gate", access: "private" }, true],
    [{ barrier: "gate", access: "private;no" }, true],
    [{ barrier: "gate", access: "private;destination" }, false],
    [{ barrier: "lift_gate", access: "no", motorcar: "yes" }, false],
    [{ barrier: "bollard", motor_vehicle: "yes" }, false],
    [{ highway: "crossing", access: "no" }, false],
  ])("%j closes the way: %s", (tags, isClosed) => {
    expect(driven([barrier(tags)])).toEqual(isClosed ? [11, 11] : [9, 9])
    expect(driven([barrier({ barrier: "bollard" })], onFoot)).toEqual([9, 9])
  })
})

describe("turn restrictions over ways", () => {
  type Corner = readonly [number, number]
  const line = (id: number, ...corners: readonly Corner[]): Way => ({ id, corners })
  /** Way 1 comes from the west to the middle, ways 2 and 8 lead on to a crossing with 3 to the north and 4 to the south. */
  const TWO_CROSSINGS: readonly Way[] = [
    line(1, [0, -5], [0, 0]),
    line(2, [0, 0], [0, 1]),
    line(8, [0, 1], [0, 2]),
    line(3, [0, 2], [5, 2]),
    line(4, [0, 2], [-5, 2]),
    line(6, [0, 2], [0, 5]),
    line(7, [-5, 0], [0, 0]),
    line(5, [0, -5], [5, -5], [5, 2], [5, 5], [0, 5], [-5, 5], [-5, 2], [-5, 0], [-5, -5], [0, -5]),
  ]
  const over = (kind: string, ways: readonly number[], to = 3): object => ({
    type: "relation",
    id: 7,
    tags: { type: "restriction", restriction: kind },
    members: [
      { type: "way", ref: 1, role: "from" },
      ...ways.map((ref) => ({ type: "way", ref, role: "via" })),
      { type: "way", ref: to, role: "to" },
    ],
  })

  /** Hundreds of metres from the west to the north, the south and way 7, and from way 7 to the north. */
  const metresWith = (others: readonly object[], profile = car): readonly number[] => {
    const graph = new StreetGraph(linesOf(overpass(TWO_CROSSINGS, others), profile).net, [placeAt(0, -5)])
    const pace = { kmh: 30, factor: 1, byKind: {}, out: [] }
    const [west, south] = [placeAt(0, -4), placeAt(-4, 0)]
    const ends = [
      [west, placeAt(5, 2)],
      [west, placeAt(-5, 2)],
      [west, south],
      [south, placeAt(5, 2)],
    ] as const
    return ends.map(([from, to]) => Math.round(endOf(graph.route(from, to, pace)).metres / 100))
  }

  test.each<[string, readonly object[], readonly number[]]>([
    ["none", [], [11, 11, 8, 11]],
    ["no left turn from way 1 alone", [over("no_left_turn", [2, 8])], [13, 11, 8, 11]],
    ["only left turn, and no way beside", [over("only_left_turn", [2, 8])], [11, 13, 12, 11]],
    [
      "a second of one way",
      [over("no_right_turn", [2, 8], 4), over("no_left_turn", [2, 8])],
      [13, 11, 8, 11],
    ],
    ["a first of one way", [over("no_left_turn", [2, 8]), over("no_right_turn", [2, 8], 4)], [13, 11, 8, 11]],
    ["ways in another order", [over("no_left_turn", [8, 2])], [13, 11, 8, 11]],
    ["over a way that is not there", [over("no_left_turn", [2, 77])], [11, 11, 8, 11]],
    ["over ways that do not lead there", [over("no_left_turn", [7])], [11, 11, 8, 11]],
  ])("%s", (_, others, metres) => {
    expect(metresWith(others)).toEqual(metres)
  })

  test("are not for people on foot, and one whose way is not there is counted", () => {
    expect(metresWith([over("no_left_turn", [2, 8])], onFoot)).toEqual([11, 11, 8, 11])
    const file = overpass(TWO_CROSSINGS, [over("no_left_turn", [2, 8]), over("no_left_turn", [2, 77])])
    expect(linesOf(file).notes.turns).toEqual({ used: 1, leftOut: 1 })
  })

  test("over a street that is entered from that way alone leave it connected", () => {
    const tags = { highway: "residential", oneway: "yes" }
    const ways = TWO_CROSSINGS.map((way) => ([1, 2, 8].includes(way.id) ? { ...way, tags } : way)).filter(
      ({ id }) => id !== 7,
    )
    const { net } = linesOf(overpass(ways, [over("no_left_turn", [2, 8])]))
    expect(new StreetGraph(net, [placeAt(0, -5)]).unconnected).toMatchObject({ parts: 0, lines: [] })
  })

  test("are read from the relations at the ways of GeoJSON", () => {
    const file = overpass(TWO_CROSSINGS) as { readonly elements: readonly Record<string, unknown>[] }
    const roles = new Map([
      [1, "from"],
      [2, "via"],
      [8, "via"],
      [3, "to"],
    ])
    const features = file.elements.map(({ id, tags, geometry }) => {
      const role = roles.get(Number(id))
      const reltags = { type: "restriction", restriction: "no_left_turn" }
      return {
        type: "Feature",
        id: `way/${Number(id)}`,
        properties: {
          ...(tags as Tags),
          ...(role === undefined ? {} : { "@relations": [{ rel: 7, role, reltags }] }),
        },
        geometry: {
          type: "LineString",
          coordinates: (geometry as readonly { lat: number; lon: number }[]).map(({ lat, lon }) => [
            lon,
            lat,
          ]),
        },
      }
    })
    const read = linesOf({ type: "FeatureCollection", features })
    expect(read.net).toEqual(linesOf(overpass(TWO_CROSSINGS, [over("no_left_turn", [2, 8])])).net)
  })
})

test("streets without a way from and to the sites are lines of their own, and a one-way loop is not", () => {
  const island: Way = {
    id: 20,
    corners: [
      [3, 3],
      [3, 4],
      [4, 4],
    ],
    tags: { highway: "service", oneway: "-1" },
  }
  const { unconnected } = new StreetGraph(linesOf(overpass([...CROSS, island])).net, [placeAt(0, 0)])
  expect(unconnected).toEqual({
    parts: 1,
    metres: 200,
    share: 0.0323,
    lines: [
      [placeAt(3, 4), placeAt(3, 3)],
      [placeAt(4, 4), placeAt(3, 4)],
    ],
  })
  const loop = { highway: "residential", oneway: "yes" }
  const ways = CROSS.map((way) => (way.id === 5 ? { ...way, tags: loop } : way))
  expect(new StreetGraph(linesOf(overpass(ways)).net, [placeAt(0, 0)]).unconnected).toMatchObject({
    parts: 0,
    metres: 0,
    lines: [],
  })
})

test("what was used, left out, closed and not connected is said", () => {
  const island: Way = {
    id: 20,
    corners: [
      [3, 3],
      [3, 4],
    ],
  }
  const steps: Way = {
    id: 21,
    corners: [
      [1, 1],
      [2, 2],
    ],
    tags: { highway: "steps" },
  }
  const odd: Way = {
    id: 22,
    corners: [
      [5, 5],
      [6, 5],
    ],
    tags: { highway: "service", oneway: "maybe" },
  }
  const others = [
    { type: "node", id: 50, lon: at(6, 5)[0], lat: at(6, 5)[1], tags: { barrier: "block" } },
    restriction({ restriction: "no_left_turn" }, 1, 3),
    restriction({ "restriction:hgv": "no_left_turn" }, 1, 3),
  ]
  const { net, notes } = linesOf(overpass([...CROSS, island, steps, odd], others))
  const graph = new StreetGraph(net, [placeAt(0, 0)])
  expect(streetNoteTexts("town.json", notes, graph.unconnected)).toEqual([
    "town.json: 7 of 8 lines are streets of the profile car: 6 residential and 1 service.",
    "town.json: 1 of 8 lines is no street for vehicles and is left out: 1 highway=steps.",
    'town.json: 1 street with a oneway that is not known is driven in both directions: a way (id way/22) has "maybe".',
    "town.json: 1 barrier closes a street.",
    "town.json: 1 of 2 turn restrictions holds; the others are conditional, of other vehicles, or of streets that are not there.",
    "town.json: 1 part of the streets, 1.6 % of their length, is not connected to the sites in both directions and is not used.",
  ])
})

describe("a profile of a model's own", () => {
  const own = (text: string): StreetProfile | string => profileNamed("van.yaml", () => text)

  test("changes rows of another", () => {
    const profile = own(
      "like: car\nclasses: { track: 20, motorway: no }\nsurfaces: { gravel: 25 }\nbarriers: [gate]\n",
    )
    if (typeof profile === "string") throw new Error(profile)
    expect(whyNoStreet({ highway: "motorway" }, profile)).toBe("highway=motorway")
    expect(whyNoStreet({ highway: "motorway", motorcar: "yes" }, profile)).toBe("highway=motorway")
    expect(speedsOf({ highway: "track", surface: "gravel" }, profile)).toEqual({ forward: 20, backward: 20 })
    expect(speedsOf({ highway: "primary", surface: "gravel" }, profile)).toEqual({
      forward: 25,
      backward: 25,
    })
    expect(profile).toMatchObject({ name: "van", barriers: ["gate"], closed: car.closed })
  })

  test("opens classes by access at 5 km/h when it has no service streets", () => {
    const profile = own("like: car\nclasses: { service: no }\n")
    if (typeof profile === "string") throw new Error(profile)
    expect(speedsOf({ highway: "track", motor_vehicle: "yes" }, profile)).toEqual({ forward: 5, backward: 5 })
  })

  test.each([
    ["van", "", 'there is no profile "van": write car, sidewalk_robot, on_foot, or a file such as van.yaml'],
    [
      "van.yaml",
      "like: lorry\n",
      'van.yaml:1:7 unknown value "lorry", expected one of car, sidewalk_robot, on_foot',
    ],
    [
      "van.yaml",
      "like: car\nclasses: { track: fast }\n",
      'van.yaml:2:19 "fast" is not a number, expected km/h from 1 to 130',
    ],
    [
      "van.yaml",
      "like: car\nspeeds: { residential: { by_hour: { 8: 0.7 } } }\n",
      'van.yaml:2:24 "8" is no time of day, expected such as 07:00',
    ],
  ])("a mistake of %s is named", (name, text, problem) => {
    expect(profileNamed(name, () => text)).toBe(problem)
  })
})

describe("a model with streets of OpenStreetMap", () => {
  const model = (travel: string): string => `fleet: A town
because: Its ways are known.
clock: ${CLOCK}
horizon: 3h
sites: [{ as: store, at: [60, 25], reach_km: 0.4, vehicles: 3 }]
travel: ${travel}
demand: [{ product: delivery, site: store, ready_in: 10m, per_hour: 10 }]
`
  const beside = {
    "town.json": JSON.stringify(overpass(CROSS)),
    "van.yaml": "like: car\nclasses: { residential: no }\n",
  }

  test("drives slower on a class of streets at the hours that its profile says", () => {
    const rush = (of: string): string =>
      `like: car\nspeeds: { ${of}: { by_hour: { "00:00": 1, "08:00": 0.5, "10:00": 2 } } }\n`
    const msWith = (profile: string, hour: number): number => {
      const written = model("{ streets: town.json, profile: van.yaml }")
      const slowed = fleetModel(written, { ...beside, "van.yaml": profile })
      expect(isSteady(slowed)).toBe(false)
      const routing = routingOf(slowed.travel, slowed.vehicle)
      return endOf(routing.route(placeAt(0, -5), placeAt(0, 5), hour * HOUR_MS)).atMs
    }
    expect(msWith(rush("residential"), 9)).toBe(2 * msWith(rush("residential"), 7))
    expect(msWith(rush("residential"), 11)).toBe(msWith(rush("residential"), 7) / 2)
    expect(msWith(rush("motorway"), 9)).toBe(msWith(rush("motorway"), 7))
  })

  test("drives slower at the hours that its speeds say", () => {
    const speeds = 'speeds: { by_hour: { "00:00": 1, "12:00": 0.5 } }'
    const slowed = fleetModel(model(`{ streets: town.json, ${speeds} }`), beside)
    const routing = routingOf(slowed.travel, slowed.vehicle)
    const ms = (hour: number): number =>
      endOf(routing.route(placeAt(0, -5), placeAt(0, 5), hour * HOUR_MS)).atMs
    expect(ms(11) / HOUR_MS).toBeCloseTo(1 / 25, 3)
    expect(ms(13)).toBe(2 * ms(11))
    expect(isSteady(slowed)).toBe(false)
    expect(isSteady(fleetModel(model("{ streets: town.json }"), beside))).toBe(true)
  })

  test.each([
    ["{ streets: town.json, profile: van.yaml }", "town.json has no street that vehicles may drive"],
    ["{ streets: town.json, profile: lorry.yaml }", 'there is no file "lorry.yaml" beside the model'],
    [
      "{ matrix: { places: [{ as: a, at: [60, 25] }], times: { a: { a: 3m } } }, profile: car }",
      "profile without streets",
    ],
  ])("%s is a mistake", (travel, message) => {
    const files: Readonly<Record<string, string>> = beside
    const { problems } = readFleet({
      file: "m.yaml",
      text: model(travel),
      beside: (name) => files[name] ?? null,
    })
    expect(problems.map((one) => one.message)).toContain(message)
  })
})
