/** From a seed to its plan. Each part has a stream of its own, so that one more draw in a part changes no other part. */

import { Streams } from "../../engine/kernel/random.ts"
import { EVENT_TYPES, PICKUP_EVENT_TYPES } from "../../model/webhook.ts"
import { MINUTE_MS } from "../../model/values/time.ts"
import type { GivenPolicy, GivenSite, GivenWebhook } from "../scenario/language/language.ts"
import { SCENARIO_USERS } from "../scenario/language/courier-words.ts"
import { Chance } from "./chance.ts"
import { drawOrder, drawVehicle } from "./draw-deliveries.ts"
import { drawEndpoints } from "./draw-endpoints.ts"
import { drawErrand } from "./draw-errands.ts"
import {
  drawDeferred,
  drawDrift,
  drawFaults,
  drawGoneReceivers,
  drawInjections,
  drawKinds,
} from "./draw-faults.ts"
import type { FaultKind } from "./draw-faults.ts"
import { drawLimits } from "./draw-limits.ts"
import { byPeople, drawPeople } from "./draw-people.ts"
import { drawRare } from "./draw-rare.ts"
import { drawVisit } from "./draw-reservations.ts"
import { atSites, drawSites, withPeopleAtSites } from "./draw-sites.ts"
import { atStores, drawStores } from "./draw-stores.ts"
import { drawCallers, drawStrangers } from "./draw-strangers.ts"
import { command } from "./moves.ts"
import { NOWHERE } from "./nowhere.ts"
import type { Move, Plan, World } from "./plan.ts"

/** Faults end this long after the last move. */
const REST_MS = 10 * MINUTE_MS

export function drawPlan(seed: number): Plan {
  const streams = new Streams(seed)
  const chance = (part: string): Chance => new Chance(streams, `swarm/${part}`)
  const kinds = drawKinds(chance("kinds"))
  const world = drawWorld(chance, seed)
  const own = ownMoves(chance, world)
  const rare = drawRare(chance, world, own)
  const lastMs = Math.max(0, ...own.map(({ atMs }) => atMs))
  const vehicles = (world.delivery?.vehicles ?? []).flatMap(({ as }) => {
    const driftMs = drawDrift(chance(`drift/${as}`), kinds)
    return drawVehicle(chance(`vehicle/${as}`), as, { driftMs, untilMs: lastMs })
  })
  const names = {
    visits: own.flatMap(({ act }) =>
      act.verb === "do" && act.command === "reservation.create" && act.as !== null ? [act.as] : [],
    ),
    hooks: [...world.webhooks, ...world.pickupWebhooks].map(({ as }) => as),
    untilMs: lastMs,
  }
  const injections = [
    ...drawInjections(chance("injections"), kinds, names),
    ...drawGoneReceivers(chance("gone receivers"), names),
  ]
  const strangers = drawStrangers(chance("strangers"), world, own, lastMs)
  const placed = atSites(chance("moves at sites"), world, [
    ...byPeople(chance("people's moves"), world, own),
    ...strangers,
    ...byPeople(chance("fleet's moves"), world, vehicles),
    ...injections,
    ...phones(chance("phones"), kinds, lastMs),
    ...byPeople(chance("people's rare moves"), world, rare),
  ])
  const moves = atStores(chance("moves at stores"), world, placed)
  return {
    seed,
    world,
    faults: { ...drawFaults(chance("faults"), kinds), ...drawDeferred(chance("deferred calls")) },
    moves: moves.toSorted((one, other) => one.atMs - other.atMs),
    faultsEndMs: Math.max(0, ...moves.map(({ atMs }) => atMs)) + REST_MS,
  }
}

/** The actors of a plan, each with a course of its own: visits, orders, errands, and partners who change their endpoints. */
function ownMoves(chance: (part: string) => Chance, world: World): readonly Move[] {
  const isSandbox = world.environment === "sandbox"
  const counts = chance("counts")
  const products = counts.some(["visit", "order", "errand"], 600)
  const count = (product: "visit" | "order" | "errand"): number => {
    const drawn = counts.weighted([
      [4, counts.between(1, 2)],
      [3, counts.between(3, 4)],
      [1, counts.between(5, 8)],
    ])
    return products.includes(product) ? drawn : 0
  }
  const each = (product: "visit" | "order" | "errand", draw: (name: string) => readonly Move[]) =>
    Array.from({ length: count(product) }, (_, number) => draw(`${product}-${number}`)).flat()
  const vehicles = (world.delivery?.vehicles ?? []).map(({ as }) => as)
  return [
    ...compartments(counts),
    ...each("visit", (name) => drawVisit(chance(name), name, { isSandbox })),
    ...each("order", (name) => drawOrder(chance(name), name, { isSandbox, vehicles })),
    ...each("errand", (name) => drawErrand(chance(name), name)),
    ...drawEndpoints(chance("endpoints"), world),
  ]
}

function compartments(chance: Chance): readonly Move[] {
  if (!chance.happens(400)) return []
  const values = { open_url: "https://fleet.example/open" }
  return [command({ atMs: 0, actor: "fleet" }, "fleet.change", values)]
}

function phones(chance: Chance, kinds: ReadonlySet<FaultKind>, untilMs: number): readonly Move[] {
  if (!kinds.has("disabled phones")) return []
  const values = { of: chance.of(SCENARIO_USERS) }
  const atMs = chance.between(0, untilMs)
  return [
    command({ atMs, actor: "operations" }, "phone.disable", values),
    command(
      { atMs: Math.min(untilMs, atMs + chance.between(1, 60) * MINUTE_MS), actor: "operations" },
      "phone.enable",
      values,
    ),
  ]
}

function drawWorld(chance: (part: string) => Chance, seed: number): World {
  const world = drawPlace(chance("world"), seed)
  const { sites, delivery } = drawStores(chance("stores"), { ...world, ...drawSites(chance("sites")) })
  const people = drawPeople(chance("people"))
  return {
    ...world,
    ...sites,
    delivery,
    policy: { ...world.policy, ...drawLimits(chance("limits")) },
    ...drawCallers(chance("callers")),
    ...people,
    ...withPeopleAtSites(chance("people at sites"), { ...sites, ...people }),
  }
}

function drawPlace(chance: Chance, seed: number): World {
  const environment = chance.happens(300) ? "sandbox" : "production"
  const isSandbox = environment === "sandbox"
  return {
    seed,
    environment,
    site: drawSite(chance, isSandbox),
    policy: chance.happens(400) ? drawPolicy(chance) : {},
    webhooks: hooks(chance, { prefix: "partner", types: EVENT_TYPES }),
    pickupWebhooks: hooks(chance, { prefix: "shop", types: PICKUP_EVENT_TYPES }),
    delivery: {
      fields: {
        supervisors: chance.happens(500),
        ...(chance.happens(100) ? { configured: false } : {}),
        ...(chance.happens(200) ? { area_km: 3 } : {}),
      },
      vehicles: Array.from({ length: isSandbox ? 1 : chance.between(1, 4) }, (_, number) => ({
        as: `van-${number}`,
        fields: {
          north_m: chance.of([-500, 200, 1_000, 1_000, 3_000]),
          ...(chance.happens(100) ? { online: false } : {}),
        },
        place: NOWHERE,
      })),
    },
  }
}

const usualSite = { stalls: 0, activeStalls: 0, hasRunner: true } as const

function drawSite(chance: Chance, isSandbox: boolean): GivenSite {
  if (isSandbox) return { builtIn: "sandbox-test", ...usualSite }
  if (chance.happens(500))
    return {
      builtIn: chance.of(["domain-north", "domain-north", "one-stall", "no-runners", "no-stalls"]),
      ...usualSite,
    }
  const stalls = chance.between(1, 4)
  const activeStalls = Math.max(1, stalls - chance.between(0, 1))
  return { builtIn: null, stalls, activeStalls, hasRunner: !chance.happens(100) }
}

function drawPolicy(chance: Chance): GivenPolicy {
  const minutes = (max: number) => ({ ms: chance.between(0, max) * MINUTE_MS })
  return {
    ...(chance.happens(500) ? { window_grace: minutes(30) } : {}),
    ...(chance.happens(500) ? { bot_wait: minutes(20) } : {}),
    ...(chance.happens(500) ? { staging_lead: minutes(20) } : {}),
    ...(chance.happens(500) ? { open_link_attempts: chance.between(1, 4) } : {}),
    ...(chance.happens(200) ? { announces_handoffs: false } : {}),
  }
}

function hooks(
  chance: Chance,
  { prefix, types }: { readonly prefix: string; readonly types: readonly string[] },
): readonly GivenWebhook[] {
  const [first = "", ...rest] = types
  return Array.from({ length: chance.between(0, 2) }, (_, number) => ({
    as: `${prefix}-${number}`,
    events: chance.happens(500) ? types : chance.some([first, ...rest], 600),
    answers: [{ type: "status", status: 200, afterMs: null }],
    place: NOWHERE,
  }))
}
