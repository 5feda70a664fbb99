/**
 * Who may use which streets, and how fast: a table for cars, one for robots on pavements and one for people on foot. A model may
 * change the rows of a table in a file of its own.
 *
 * Sources: OpenStreetMap wiki, "Key:highway", "Key:access" (order of precedence), "Key:barrier"; the speeds are those of
 * OSRM's published `car.lua` and `foot.lua` for towns, rounded to 5 km/h. Speeds of robots are our own choice.
 */

import type { Hourly } from "../language/spread.ts"

export interface StreetProfile {
  readonly name: string
  /** Speed without a limit, by class of `highway`, or by class and service (`service/driveway`). A class with null is not used, whatever access says. */
  readonly kmhByClass: Readonly<Record<string, number | null>>
  /** Classes that are used where they have a pavement alone. */
  readonly onPavement: readonly string[]
  /** Keys of access, the most general one first: the most specific one that a line has decides. */
  readonly access: readonly string[]
  /** Values of access that close a line. */
  readonly closed: readonly string[]
  /** Values of `barrier` that close a point. */
  readonly barriers: readonly string[]
  /** At most so fast on a `surface`. */
  readonly kmhBySurface: Readonly<Record<string, number>>
  /** Keys of `oneway`, the most general one first; without any, both directions are used. */
  readonly oneway: readonly string[]
  /** Times the speeds on streets of a class of `highway`, by the hour. */
  readonly speeds: Readonly<Record<string, Hourly<number>>>
  /** True when limits and turn restrictions hold. */
  readonly isDriving: boolean
}

const CLOSED = ["no", "private", "agricultural", "forestry", "emergency", "military", "psv", "bus"]

const CAR: StreetProfile = {
  name: "car",
  kmhByClass: {
    motorway: 90,
    motorway_link: 45,
    trunk: 85,
    trunk_link: 40,
    primary: 65,
    primary_link: 30,
    secondary: 55,
    secondary_link: 25,
    tertiary: 40,
    tertiary_link: 20,
    unclassified: 25,
    residential: 25,
    living_street: 10,
    road: 25,
    service: 15,
    "service/emergency_access": null,
  },
  onPavement: [],
  access: ["access", "vehicle", "motor_vehicle", "motorcar"],
  closed: CLOSED,
  barriers: [
    "bollard",
    "block",
    "chain",
    "cycle_barrier",
    "debris",
    "jersey_barrier",
    "log",
    "motorcycle_barrier",
    "planter",
    "bus_trap",
    "stile",
    "turnstile",
    "kissing_gate",
    "horse_stile",
  ],
  kmhBySurface: {
    cobblestone: 30,
    sett: 40,
    unpaved: 40,
    compacted: 60,
    fine_gravel: 60,
    gravel: 40,
    pebblestone: 40,
    dirt: 30,
    earth: 30,
    ground: 30,
    grass: 15,
    sand: 15,
    mud: 10,
  },
  oneway: ["oneway", "oneway:vehicle", "oneway:motor_vehicle", "oneway:motorcar"],
  speeds: {},
  isDriving: true,
}

const ON_FOOT: StreetProfile = {
  name: "on_foot",
  kmhByClass: {
    trunk: 5,
    trunk_link: 5,
    primary: 5,
    primary_link: 5,
    secondary: 5,
    secondary_link: 5,
    tertiary: 5,
    tertiary_link: 5,
    unclassified: 5,
    residential: 5,
    living_street: 5,
    road: 5,
    service: 5,
    track: 5,
    path: 5,
    footway: 5,
    pedestrian: 5,
    cycleway: 5,
    corridor: 5,
    platform: 5,
    steps: 2,
  },
  onPavement: [],
  access: ["access", "foot"],
  closed: [...CLOSED, "use_sidepath"],
  barriers: [],
  kmhBySurface: { fine_gravel: 4, gravel: 4, pebblestone: 4, mud: 2, sand: 3 },
  oneway: [],
  speeds: {},
  isDriving: false,
}

const SIDEWALK_ROBOT: StreetProfile = {
  name: "sidewalk_robot",
  kmhByClass: {
    secondary: 5,
    tertiary: 5,
    unclassified: 5,
    residential: 5,
    living_street: 5,
    service: 5,
    path: 4,
    footway: 6,
    pedestrian: 6,
    cycleway: 6,
  },
  onPavement: ["secondary", "tertiary", "unclassified"],
  access: ["access", "foot"],
  closed: [...CLOSED, "use_sidepath"],
  barriers: [
    "block",
    "chain",
    "cycle_barrier",
    "debris",
    "log",
    "stile",
    "turnstile",
    "kissing_gate",
    "horse_stile",
  ],
  kmhBySurface: {
    cobblestone: 3,
    sett: 4,
    unpaved: 3,
    compacted: 5,
    fine_gravel: 4,
    gravel: 2,
    pebblestone: 2,
    dirt: 2,
    earth: 2,
    ground: 2,
    grass: 2,
    sand: 1,
    mud: 1,
  },
  oneway: [],
  speeds: {},
  isDriving: false,
}

export const PROFILES: Readonly<Record<"car" | "on_foot" | "sidewalk_robot", StreetProfile>> = {
  car: CAR,
  on_foot: ON_FOOT,
  sidewalk_robot: SIDEWALK_ROBOT,
}
