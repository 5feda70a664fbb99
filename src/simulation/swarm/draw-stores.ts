/** Stores at further sites, in some seeds: deliveries start at them and at the world's own store, with vehicles of one fleet or of several. */

import { numberIfGiven, textIfGiven } from "../scenario/language/field-values.ts"
import type { FieldValues, GivenCaller, GivenDelivery, GivenVehicle } from "../scenario/language/language.ts"
import type { Chance } from "./chance.ts"
import { command } from "./moves.ts"
import { NOWHERE } from "./nowhere.ts"
import type { Act, Move, World } from "./plan.ts"
import { SITES, changed, withSite } from "./draw-sites.ts"

type Stores = Pick<World, "delivery"> & { readonly sites: Pick<World, "sites"> }
type Command = Extract<Act, { readonly verb: "do" }>

const isStore = ({ fields }: GivenCaller): boolean => fields["delivers"] === true

/** Stores at the further sites of a world; in a few seeds these are there for their stores alone. */
export function drawStores(chance: Chance, { delivery, sites, environment }: World): Stores {
  const drawn = sites ?? (chance.happens(100) ? newSites(chance) : [])
  if (delivery === null || drawn.length === 0 || !chance.happens(700))
    return { delivery, sites: sites === undefined ? {} : { sites } }
  const stores = drawn.map((site): GivenCaller => ({
    ...site,
    fields: { ...site.fields, ...drawStore(chance) },
  }))
  const further = stores.flatMap((store) => drawFleet(chance, store, environment))
  return {
    sites: { sites: stores },
    delivery: { ...delivery, vehicles: [...delivery.vehicles, ...further] },
  }
}

function newSites(chance: Chance): readonly GivenCaller[] {
  return SITES.slice(0, chance.between(1, SITES.length)).map((as) => ({
    as,
    fields: { stalls: chance.between(1, 2) },
    place: NOWHERE,
  }))
}

/** Near stores share customers, far ones do not. */
function drawStore(chance: Chance): FieldValues {
  return {
    delivers: true,
    store_north_m: chance.of([-4_000, 1_500, 3_000, 7_000]),
    ...(chance.happens(300) ? { own_fleet: false } : {}),
    ...(chance.happens(600) ? { area_km: chance.of([1, 3, 8]) } : {}),
    ...(chance.happens(600) ? { price_cents: chance.of([499, 1_299]) } : {}),
    ...(chance.happens(80) ? { configured: false } : {}),
    ...(chance.happens(60) ? { active: false } : {}),
    ...(chance.happens(400) ? { supervisors: true } : {}),
  }
}

function drawFleet(
  chance: Chance,
  { as, fields }: GivenCaller,
  environment: World["environment"],
): readonly GivenVehicle[] {
  const isShared = fields["own_fleet"] === false
  const count = environment === "sandbox" ? 1 : chance.between(isShared ? 0 : 1, 2)
  return Array.from({ length: count }, (_, number) => ({
    as: `${as}-van-${number}`,
    fields: {
      site: as,
      north_m: chance.of([-500, 200, 1_000, 3_000]),
      ...(chance.happens(100) ? { online: false } : {}),
    },
    place: NOWHERE,
  }))
}

type Placed = Pick<World, "delivery" | "sites">

const OF_ORDER: readonly string[] = [
  "delivery.create",
  "delivery.read",
  "delivery.cancel",
  "delivery.advance",
]

/**
 * The same moves at stores: an order starts at one of them. Some are tried at another one first, for the same customer, or are
 * quoted again there; now and then a call names the wrong one.
 */
export function atStores(chance: Chance, world: Placed, moves: readonly Move[]): readonly Move[] {
  const [first, ...others] = (world.sites ?? []).filter(isStore).map(({ as }) => as)
  if (first === undefined) return moves
  const anyStore = (): string => chance.of(["here", first, ...others])
  const storeByOrder = new Map<string, string>()
  const compass = compassOf(world)
  const ordersPlaced = moves.flatMap((move): readonly Move[] => {
    const { act } = move
    if (act.verb !== "do") return [move]
    if (act.command === "delivery.quote") {
      const store = anyStore()
      storeByOrder.set(act.as ?? "", store)
      const quoted = changed(move, (one) => withSite(one, store))
      if (!chance.happens(300)) return [quoted]
      return [changed(quoted, (one) => compass.sameCustomer(one, anyStore())), quoted]
    }
    if (act.command === "delivery.requote") {
      const before = storeByOrder.get(act.for ?? "") ?? "here"
      const store = chance.happens(300) ? anyStore() : before
      storeByOrder.set(act.for ?? "", store)
      return [changed(move, (one) => compass.sameCustomer(withSite(one, before), store))]
    }
    if (!OF_ORDER.includes(act.command)) return [move]
    const named = chance.happens(60) ? anyStore() : (storeByOrder.get(act.for ?? "") ?? "here")
    // Named in every call: the store of the last quote may change at the moment of the call.
    return [{ ...move, act: { ...act, with: { ...act.with, site: named } } }]
  })
  return [...doors(moves, world), ...compass.reports(chance, ordersPlaced)]
}

/** The fleets of stores open their compartments as well, each at a URL of its own. */
function doors(moves: readonly Move[], { sites = [] }: Placed): readonly Move[] {
  const isChange = ({ act }: Move): boolean => act.verb === "do" && act.command === "fleet.change"
  if (!moves.some(isChange)) return []
  const own = sites.filter((site) => isStore(site) && site.fields["own_fleet"] !== false)
  return own.map(({ as }) =>
    command({ atMs: 0, actor: `fleet/${as}` }, "fleet.change", {
      site: as,
      open_url: `https://${as}.fleet.example/open`,
    }),
  )
}

/** Metres that count from one store, counted from another. */
function compassOf({ sites = [], delivery }: Placed) {
  const northOf = (store: string): number => {
    const fields = sites.find(({ as }) => as === store)?.fields ?? {}
    return numberIfGiven(fields, "store_north_m") ?? 0
  }
  const homes = homesOf(sites, delivery)
  return {
    /** The quote for the same place at another store. */
    sameCustomer: (act: Command, store: string): Command => {
      const from = northOf(textIfGiven(act.with, "site") ?? "here")
      const north = numberIfGiven(act.with, "north_m")
      const moved = north === undefined ? {} : { north_m: north + from - northOf(store) }
      return { ...act, with: { ...act.with, ...moved, site: store } }
    },
    /** Vehicles that may have runs of several stores report from each of them. */
    reports: (chance: Chance, moves: readonly Move[]): readonly Move[] =>
      moves.map((move) =>
        changed(move, (act) => {
          const [home, ...more] = homes.get(act.for ?? "") ?? []
          if (act.command !== "vehicle.report" || home === undefined || more.length === 0) return act
          return chance.happens(150)
            ? { ...act, with: { ...act.with, site: chance.of([home, ...more]) } }
            : act
        }),
      ),
  }
}

/** The stores to which each vehicle of the world's own fleet drives. */
function homesOf(
  sites: readonly GivenCaller[],
  delivery: GivenDelivery | null,
): ReadonlyMap<string, readonly string[]> {
  const shared = sites
    .filter((site) => isStore(site) && site.fields["own_fleet"] === false)
    .map(({ as }) => as)
  const isShared = (store: string): boolean => store === "here" || shared.includes(store)
  const vehicles = (delivery?.vehicles ?? []).filter(({ fields }) =>
    isShared(textIfGiven(fields, "site") ?? "here"),
  )
  return new Map(vehicles.map(({ as }) => [as, ["here", ...shared]]))
}
