/** The tracking page on a real port, over what a test says that it shows. */

import { Context, Runtime } from "effect"
import type { Effect } from "effect"
import type { AddressInfo } from "node:net"
import type { Refused } from "../../src/model/values/errors.ts"
import { trackingPlugin } from "../../src/areas/tracking/http/plugin.ts"
import { Tracking } from "../../src/areas/tracking/tracking.ts"
import type { TrackingAnswer, TrackingView } from "../../src/areas/tracking/tracking.ts"
import { madeUpTown } from "../../src/pages/html/map/made-up-town.ts"
import { streetsOf } from "../../src/pages/html/map/streets.ts"
import { bridgeTo } from "../../src/http/bridge.ts"
import type { Environment } from "../../src/model/caller.ts"
import type { CompartmentState } from "../../src/model/compartment.ts"
import type { EpochMs } from "../../src/model/values/time.ts"
import { servedPages } from "../../src/pages/bundling/served-pages.ts"
import { bareApp } from "../http/bare-app.ts"
import { Routine } from "../../src/engine/services/routine.ts"

export const NOON: EpochMs = Date.parse("2026-03-02T18:00:00Z")
const MINUTE_MS = 60_000

const STORE = { latitude: 30.4021, longitude: -97.7253 }
const DOOR = { latitude: 30.388, longitude: -97.7 }

/** The first steps, at these minutes after noon. */
function stepsAt(...minutes: readonly number[]): TrackingView["steps"] {
  const names = ["booked", "at_store", "on_its_way", "at_the_door", "delivered"] as const
  return names.map((step, at) => {
    const minute = minutes[at]
    return { step, atMs: minute === undefined ? null : NOON + minute * MINUTE_MS }
  })
}

export const BOOKED: TrackingView = {
  type: "found",
  environment: "production",
  state: "confirmed",
  storeName: "Lunchbox & <Sons>",
  orderNumber: "5521",
  city: "Austin",
  timeZone: "America/Chicago",
  steps: stepsAt(0),
  arrival: { fromMs: NOON + 32 * MINUTE_MS, toMs: NOON + 44 * MINUTE_MS },
  change: null,
  map: { store: STORE, door: DOOR, vehicle: null, trail: [] },
  vehicle: null,
  street: "2301 Rosewood Ave",
  opening: { instruction: null, compartment: null },
  receipt: null,
  items: [
    { name: "Salmon bowl", quantity: 2 },
    { name: "Miso soup, no scallions", quantity: 1 },
  ],
  fee: { cents: 495, currency: "usd", status: "captured" },
  failureReason: null,
  endedAtMs: null,
  nowMs: NOON,
}

export const ON_THE_WAY: TrackingView = {
  ...BOOKED,
  state: "en_route_to_customer",
  steps: stepsAt(0, 14, 22),
  nowMs: NOON + 24 * MINUTE_MS,
  arrival: { fromMs: NOON + 36 * MINUTE_MS, toMs: NOON + 41 * MINUTE_MS },
  change: { byMinutes: 4, firstToldMs: NOON + 35 * MINUTE_MS, why: "store" },
  map: {
    store: STORE,
    door: DOOR,
    vehicle: { latitude: 30.396, longitude: -97.712, recordedAtMs: NOON + 24 * MINUTE_MS },
    trail: [STORE, { latitude: 30.399, longitude: -97.722 }, { latitude: 30.397, longitude: -97.715 }],
  },
  vehicle: { label: "CB-07", look: "white" },
}

export const AT_THE_DOOR: TrackingView = {
  ...ON_THE_WAY,
  state: "arrived_at_customer",
  steps: stepsAt(0, 14, 22, 38),
  nowMs: NOON + 39 * MINUTE_MS,
  arrival: null,
  change: null,
}

/** The same, of a fleet that can be asked to open. */
export function atDoorWith(state: CompartmentState, wrongTries = 0): TrackingView {
  const compartment = { state, wrongTries, triesLeft: 5 - wrongTries }
  return { ...AT_THE_DOOR, opening: { instruction: null, compartment } }
}

export const DELIVERED: TrackingView = {
  ...AT_THE_DOOR,
  state: "completed",
  steps: stepsAt(0, 14, 22, 38, 40),
  endedAtMs: NOON + 40 * MINUTE_MS,
  nowMs: NOON + 50 * MINUTE_MS,
  city: null,
  map: null,
  vehicle: null,
  street: null,
  opening: null,
  receipt: {
    from: ["11410 Century Oaks Terrace", "Austin, TX 78758"],
    to: ["2301 Rosewood Ave", "Unit 7", "Austin, TX 78702"],
    bookedAtMs: NOON,
    deliveredAtMs: NOON + 40 * MINUTE_MS,
  },
}

export const CANCELLED: TrackingView = {
  ...DELIVERED,
  receipt: null,
  state: "cancelled",
  steps: stepsAt(0),
  fee: { cents: 495, currency: "usd", status: "refunded" },
}

export const FAILED: TrackingView = { ...CANCELLED, state: "failed", failureReason: "store_no_handover" }

/** The direct delivery of a sandbox. */
export const TEST_DELIVERY: TrackingView = {
  ...ON_THE_WAY,
  environment: "sandbox",
  orderNumber: "order-77",
  fee: null,
}

/** States that differ from others in one column alone. */
export const NARROW_ALONE: readonly string[] = ["wrong digits", "opening", "opened", "not opened", "locked"]

/** Every state that the page has, by name. */
export const TRACKING_STATES = {
  booked: BOOKED,
  "on its way": ON_THE_WAY,
  "at the door": AT_THE_DOOR,
  "at the door to be opened": atDoorWith("closed"),
  "wrong digits": atDoorWith("closed", 2),
  opening: atDoorWith("opening"),
  opened: atDoorWith("opened"),
  "not opened": atDoorWith("failed"),
  locked: atDoorWith("locked", 5),
  delivered: DELIVERED,
  cancelled: CANCELLED,
  failed: FAILED,
  "direct-delivery": TEST_DELIVERY,
  expired: { type: "expired" },
  unknown: { type: "unknown" },
} as const

export interface TrackingPages {
  readonly origin: string
  shown: TrackingAnswer
  /** How often the page was asked for. */
  views: number
  isBroken: boolean
  /** The digits that were sent. */
  digits: readonly string[]
  /** What the page shows after digits were sent. */
  onOpen: () => TrackingAnswer
  readonly close: () => Promise<void>
}

export async function openTracking(environment: Environment = "production"): Promise<TrackingPages> {
  const app = await bareApp({ environment })
  const pages: TrackingPages = {
    origin: "",
    shown: BOOKED,
    views: 0,
    isBroken: false,
    digits: [],
    onOpen: () => atDoorWith("opening"),
    close: () => app.close(),
  }
  const known = Context.make(Tracking, {
    view: () =>
      Routine.sync(() => {
        if (pages.isBroken) throw new Error("secret of the inside")
        pages.views += 1
        return pages.shown
      }),
    card: () => Routine.succeed(null),
    deliveryOf: () => Routine.succeed("dlv_1"),
    open: (_environment, _token, digits) =>
      Routine.sync(() => {
        pages.digits = [...pages.digits, digits]
        pages.shown = pages.onOpen()
        return true
      }),
  })
  const streets = streetsOf(madeUpTown(STORE))
  await app.register(trackingPlugin, {
    run: bridgeTo(Runtime.updateContext(Runtime.defaultRuntime, () => known)),
    environment,
    noted: (_deliveryId: string, opening: Effect.Effect<boolean, Refused>) => opening,
    streets: typeof streets === "string" ? null : streets,
    page: servedPages(() => Promise.resolve()).page,
  })
  await app.listen({ host: "127.0.0.1", port: 0 })
  return Object.assign(pages, { origin: `http://127.0.0.1:${(app.server.address() as AddressInfo).port}` })
}
