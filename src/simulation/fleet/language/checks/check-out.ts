/** Checks what a model says is out: its times are in the run, and a site or a store has what is out. */

import type { LocalStart } from "../../../scenario/language/language.ts"
import { adviceFor, nearest } from "../../../scenario/language/problems.ts"
import type { Advice, Report } from "../../../scenario/language/problems.ts"
import { counted } from "../../../scenario/language/counted.ts"
import { showDuration } from "../../../scenario/language/shown-duration.ts"
import { SECOND_MS } from "../../../../model/values/time.ts"
import { SiteClock } from "../../../scenario/language/site-clock.ts"
import type { WrittenMap } from "../../../scenario/language/source.ts"
import { checkAtSite } from "./check-counts.ts"
import { isUsed } from "./check-questions.ts"
import { countsAt } from "../counts.ts"
import type { FleetSite, WrittenFleet } from "../model.ts"
import { outSpans } from "../out.ts"
import type { FleetOut, OutEffect } from "../out.ts"
import { streetGraphOf } from "../../travel/routing.ts"
import type { Travel } from "../../travel/routing.ts"
import { streetWords } from "../../travel/street-choice.ts"
import type { StreetChoice } from "../../travel/street-choice.ts"
import { meanMsOf } from "../spread.ts"
import { spanAt } from "../written-part.ts"

interface Checking {
  readonly root: WrittenMap
  readonly report: Report
  readonly clock: LocalStart
  /** Null when it has a mistake. */
  readonly travel: Travel | null
}

export function checkOut(written: WrittenFleet, { root, report, clock, travel }: Checking): void {
  for (const [at, { when, effects }] of written.out.entries()) {
    checkTimes(when, written, {
      clock,
      tell: (...words) =>
        report(spanAt(root, ["out", at, when.is === "chance" ? "every" : "from"]), ...words),
    })
    for (const [key, effect] of effects) {
      const tell: Tell = (message, advice = {}) => report(spanAt(root, ["out", at, key]), message, advice)
      if (effect.is === "street") checkStreet(effect.street, travel, tell)
      else checkEffect(effect, written, tell)
    }
  }
}

type Tell = (message: string, advice?: Advice) => void

function checkTimes(
  when: FleetOut["when"],
  { horizon }: WrittenFleet,
  { clock, tell }: { readonly clock: LocalStart; readonly tell: Tell },
): void {
  if (when.is === "chance") {
    if (meanMsOf(when.every) + meanMsOf(when.lasts) < SECOND_MS)
      tell("it breaks down without a pause", { expected: "a second or more from one to the next on average" })
    return
  }
  if ("wallMs" in when.from !== "wallMs" in when.to)
    return tell("from and to are not of one kind", {
      help: "write two times of day, or two times with dates",
    })
  const { startMs } = new SiteClock(clock)
  if (outSpans(when, { startMs, horizonMs: horizon, timeZone: clock.timeZone }).length > 0) return
  tell("the time is outside of the run, or ends before it begins", {
    help: `orders come for ${showDuration(horizon)} from ${clock.local}`,
  })
}

function checkStreet(street: StreetChoice, travel: Travel | null, tell: Tell): void {
  if (travel === null) return
  if (travel.is !== "streets")
    return tell("vehicles of this model use no streets", { help: "write travel: { streets: FILE }" })
  if (streetGraphOf(travel).edgesOf(street).length > 0) return
  const words = street.is === "name" ? JSON.stringify(street.name) : streetWords(street)
  const names = [...new Set(travel.net.lines.flatMap(({ name }) => (name === "" ? [] : [name])))]
  tell(
    `${travel.file} has no street that is ${words}`,
    street.is === "name"
      ? { ...meantBy(street.name, names), help: "vehicles use the streets of their profile alone" }
      : {},
  )
}

/** Not all names: a town has many. */
function meantBy(name: string, names: readonly string[]): Advice {
  const suggestion = nearest(name, names)
  return suggestion === undefined ? {} : { suggestion }
}

function checkEffect(
  effect: Exclude<OutEffect, { readonly is: "street" }>,
  written: WrittenFleet,
  tell: Tell,
): void {
  if (effect.is === "service") return
  if (effect.is === "kitchen") {
    const stores = written.sites.flatMap((site) => site.stores.map(({ as }) => as))
    if (!stores.includes(effect.store))
      tell(`there is no store ${JSON.stringify(effect.store)}`, adviceFor(effect.store, stores))
    return
  }
  const { resource, site, count } = effect
  checkAtSite({ resource, site }, { written, tell })
  if (site === null && !isUsed(resource, written)) tell(`no order of this model needs ${resource}`)
  const has = (one: FleetSite): number => {
    const counts = countsAt(one, resource)
    return resource === "cooks" ? Math.max(0, ...counts) : counts.reduce((sum, each) => sum + each, 0)
  }
  const sites = written.sites.filter(({ as }) => site === null || as === site)
  const most = Math.max(0, ...sites.map(has))
  if (most > 0 && count > most)
    tell(`${counted(count, resource.slice(0, -1))} where there are ${most}`, { expected: `at most ${most}` })
}
