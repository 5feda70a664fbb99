/** Further sites, in some seeds: bookings, people and calls to runners are spread over them and the world's own site. */

import { textIfGiven } from "../scenario/language/field-values.ts"
import type { GivenCaller } from "../scenario/language/language.ts"
import type { Chance } from "./chance.ts"
import { NOWHERE } from "./nowhere.ts"
import type { Act, Move, World } from "./plan.ts"

export const SITES = ["south", "east"] as const

/** A plan begins at half past eleven in Chicago: in the last of these it is eleven in the evening. */
const TIME_ZONES = ["America/New_York", "Europe/Berlin", "Asia/Kolkata"] as const

/** The world's own site alone in most seeds. */
export function drawSites(chance: Chance): Pick<World, "sites"> {
  if (!chance.happens(200)) return {}
  const sites = SITES.slice(0, chance.between(1, SITES.length)).map((as): GivenCaller => {
    const stalls = chance.between(1, 3)
    return {
      as,
      fields: {
        stalls,
        ...(chance.happens(200) ? { active_stalls: chance.between(0, stalls) } : {}),
        ...(chance.happens(100) ? { runners: false } : {}),
        ...(chance.happens(800) ? { time_zone: chance.of(TIME_ZONES) } : {}),
      },
      place: NOWHERE,
    }
  })
  return { sites }
}

type Placed = Pick<World, "operators" | "runners" | "sites">

/** People of the world's own site, some of whom now work at a further one. */
export function withPeopleAtSites(chance: Chance, { sites = [], runners, operators }: Placed): Placed {
  const [first, ...others] = sites.map(({ as }) => as)
  if (first === undefined) return {}
  const moved = (permille: number) => (person: GivenCaller) => {
    const { site = "here" } = person.fields
    const goes = chance.happens(permille)
    const to = chance.of([first, ...others])
    return goes && site !== "elsewhere" ? { ...person, fields: { ...person.fields, site: to } } : person
  }
  return {
    ...(runners === undefined ? {} : { runners: runners.map(moved(500)) }),
    ...(operators === undefined ? {} : { operators: operators.map(moved(300)) }),
  }
}

type Command = Extract<Act, { readonly verb: "do" }>

/** The same moves at sites: each booking at one, and what a runner does mostly by a runner of that site. */
export function atSites(
  chance: Chance,
  { sites = [], runners = [] }: Placed,
  moves: readonly Move[],
): readonly Move[] {
  const [first, ...others] = sites.map(({ as }) => as)
  if (first === undefined) return moves
  const anySite = (): string => chance.of(["here", first, ...others])
  const siteByVisit = new Map<string, string>()
  const siteOfBooking = (name: string): string => {
    const usual = siteByVisit.get(name) ?? anySite()
    siteByVisit.set(name, usual)
    // The same booking may come again, now and then for another site.
    return chance.happens(50) ? anySite() : usual
  }
  let siteOfCalls = anySite()
  const placed = moves.map((move) =>
    changed(move, (act) => {
      if (act.command === "reservation.create") return withSite(act, siteOfBooking(act.as ?? ""))
      if (!act.command.startsWith("runners.")) return act
      if (act.command === "runners.call" || chance.happens(150)) siteOfCalls = anySite()
      return withSite(act, siteOfCalls)
    }),
  )
  const runnersAt = (site: string): readonly string[] =>
    runners.filter(({ fields }) => (fields["site"] ?? "here") === site).map(({ as }) => as)
  return placed.map((move) =>
    changed(move, (act) => {
      const site = siteByVisit.get(act.for ?? "") ?? siteOf(act)
      const isByRunner = runners.some(({ as }) => as === act.by)
      const [own, ...more] = runnersAt(site)
      const isMixedUp = chance.happens(act.command === "runners.answer" ? 400 : 200)
      if (!isByRunner || own === undefined || isMixedUp) return act
      return runnersAt(site).includes(act.by ?? "") ? act : { ...act, by: chance.of([own, ...more]) }
    }),
  )
}

export function changed(move: Move, change: (act: Command) => Command): Move {
  return move.act.verb === "do" ? { ...move, act: change(move.act) } : move
}

export function withSite(act: Command, site: string): Command {
  return site === "here" ? act : { ...act, with: { ...act.with, site } }
}

function siteOf({ with: values }: Command): string {
  return textIfGiven(values, "site") ?? "here"
}
