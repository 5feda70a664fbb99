/** Checks counts that a search or a sweep names: their sites exist and need them, and the promises can be kept by them. */

import { adviceFor } from "../../../scenario/language/problems.ts"
import type { Advice, Report } from "../../../scenario/language/problems.ts"
import type { WrittenMap } from "../../../scenario/language/source.ts"
import { isUsed } from "./check-questions.ts"
import type { Measuring } from "./check-questions.ts"
import { EACH_SITE, countNamed } from "../counts.ts"
import type { Count, CountName } from "../counts.ts"
import type { FleetModel, WrittenFleet } from "../model.ts"
import { figureNamed } from "../metrics.ts"
import type { Resource } from "../metrics.ts"
import { isOfEachPart, siteLimits, siteOfFigure } from "../part-limits.ts"
import { KNOB_MAX } from "../questions.ts"
import { isOfTime } from "../time-parts.ts"
import { spanAt } from "../written-part.ts"

/** True for a search of each site by itself. */
export function isEachSite(count: Count | null, { sites }: Pick<Measuring, "sites">): boolean {
  return count?.site === EACH_SITE && !sites.some(({ as }) => as === EACH_SITE)
}

/** The sites that have a use for the resource. */
export function sitesUsing(
  resource: Resource,
  model: Pick<FleetModel, "demand" | "sites">,
): readonly string[] {
  return model.sites.flatMap((site) => {
    const demand = model.demand.filter((one) => one.site === site.as)
    return isUsed(resource, { demand, sites: [site] }) ? [site.as] : []
  })
}

/** Counts of a sweep: each of them changes something, and none of them changes what another one sets. */
export function checkSweptCounts(written: WrittenFleet, root: WrittenMap, report: Report): void {
  const settings = [...written.sweep.keys()]
  for (const setting of settings) {
    const count = countNamed(setting)
    if (count === null || count.site === null) continue
    const tell = (message: string, advice: Advice): void =>
      report(spanAt(root, ["sweep", setting]), message, advice)
    if (isEachSite(count, written))
      tell(`a sweep has no ${setting}`, {
        help: `write ${count.resource} for every site at once, or the name of a site; find: { least: ${setting} } searches each site by itself`,
      })
    else checkAtSite(count, { written, tell })
    if (settings.includes(count.resource)) tell(...setTwice(count))
  }
}

function setTwice({ resource, site }: Count): readonly [string, Advice] {
  return [
    `${resource} is the count at every site, also at ${site}`,
    { help: `leave one of them out, or name each site: ${resource} at ${site}` },
  ]
}

interface Checking {
  readonly written: Measuring
  readonly tell: (message: string, advice: Advice) => void
}

/** A count at a site: it exists, and some order there needs the resource. */
export function checkAtSite({ resource, site }: Count, { written, tell }: Checking): void {
  const names = written.sites.map(({ as }) => as)
  if (site === null) return
  if (!names.includes(site)) {
    tell(`there is no site ${JSON.stringify(site)}`, adviceFor(site, names))
    return
  }
  const using = sitesUsing(resource, written)
  if (using.includes(site)) return
  tell(
    `no order at ${site} needs ${resource}`,
    using.length === 0
      ? { help: "leave it out" }
      : { expected: `one of ${using.map((one) => `${resource} at ${one}`).join(", ")}` },
  )
}

/** Counts of a search, and whether what it must keep depends on them. */
export function checkFoundCounts(written: WrittenFleet, root: WrittenMap, report: Report): void {
  const { find } = written
  if (find === null) return
  const least = find.least ?? []
  for (const [at, name] of least.entries()) {
    const place = least.length === 1 ? ["find", "least"] : ["find", "least", at]
    const tell = (message: string, advice: Advice = {}): void => report(spanAt(root, place), message, advice)
    const count = countNamed(name)
    if (count === null) continue
    const { resource } = count
    if (least.indexOf(name) !== at) tell(`${name} twice`)
    else if (count.site !== null && least.includes(resource)) tell(...setTwice(count))
    if (isEachSite(count, written)) {
      if (least.length > 1)
        tell("each site is searched for one count", {
          help: `write least: ${name}, or name a site: [${least.map((one) => `${countNamed(one)?.resource} at ${written.sites[0]?.as}`).join(", ")}]`,
        })
      if (sitesUsing(resource, written).length === 0) tell(`no order of this model needs ${resource}`)
    } else if (count.site !== null) checkAtSite(count, { written, tell })
    else if (!isUsed(resource, written)) tell(`no order of this model needs ${resource}`)
    if (find.at_most !== null && find.at_most > KNOB_MAX[resource]) {
      report(spanAt(root, ["find", "at_most"]), `${find.at_most} ${resource}`, {
        expected: `at most ${KNOB_MAX[resource]}`,
      })
    }
  }
  checkKept(written, root, report)
}

/** What a search of sites by their names can keep. */
function checkKept(written: WrittenFleet, root: WrittenMap, report: Report): void {
  const { find, promises } = written
  const searched = searchedSites(written)
  if (find === null || searched === null || searched.length === 0 || promises.length === 0) return
  const keeps = keptFigures(written)
  for (const [at, metric] of (find.that_keeps ?? []).entries()) {
    const site = siteOfFigure(metric, written)
    if (site === null || searched.includes(site)) continue
    report(
      spanAt(root, ["find", "that_keeps", at]),
      `${metric} does not depend on ${searchedCounts(find).join(" and ")}`,
      {
        expected: `a figure of the whole model, or of ${searched.join(", ")}`,
      },
    )
  }
  if (keeps.length === 0) {
    report(spanAt(root, ["find"]), `no promise depends on ${searchedCounts(find).join(" and ")}`, {
      help: `add a promise, such as wait_p95 at ${searched[0]}: "< 8m"`,
    })
  }
  if (find.least?.length === 1 && isEachSite(countNamed(find.least[0] ?? ""), written))
    checkKeptAtEach(written, { root, report, keeps, searched })
}

function checkKeptAtEach(
  written: WrittenFleet,
  {
    root,
    report,
    keeps,
    searched,
  }: {
    readonly root: WrittenMap
    readonly report: Report
    readonly keeps: readonly string[]
    readonly searched: readonly string[]
  },
): void {
  const tell = (message: string, advice: Advice): void =>
    report(spanAt(root, ["find", "least"]), message, advice)
  const ofDay = written.promises.find(({ metric }) => keeps.includes(metric) && isOfTime(metric))
  if (ofDay !== undefined) {
    tell(`${ofDay.metric} is a figure of all sites together, and each site is searched by itself`, {
      help: "name the other promises in that_keeps",
    })
    return
  }
  const ofAll = written.promises.find(
    (promise) =>
      keeps.includes(promise.metric) && figureNamed(promise.metric).part === null && !isOfEachPart(promise),
  )
  if (ofAll !== undefined) {
    tell(`${ofAll.metric} is a figure of all sites together, and each site is searched by itself`, {
      help: `leave it out of that_keeps, or promise it of sites: ${ofAll.metric} at ${searched[0]}`,
    })
    return
  }
  const without = searched.filter((site) => siteLimits(site, written, keeps).length === 0)
  if (without.length > 0 && keeps.length > 0) {
    tell(`nothing is promised of ${without.join(", ")}`, {
      help: `promise something there, or search the others by name: least: ${countNamed(written.find?.least?.[0] ?? "")?.resource} at ${searched.find((site) => !without.includes(site)) ?? "…"}`,
    })
  }
}

type Searching = Pick<WrittenFleet, "costs" | "demand" | "find" | "promises" | "sites">

/** The counts that a search changes, also those of a roster; the demand is none. */
function searchedCounts({ least, roster }: NonNullable<WrittenFleet["find"]>): readonly CountName[] {
  return least ?? (roster === null ? [] : [roster])
}

/**
 * The sites that a search names, or all that have a use for the count of each site; null for counts of every site at once, and for the
 * demand of all.
 */
function searchedSites(written: Searching): readonly string[] | null {
  const { find } = written
  if (find === null || find.most !== null) return null
  const counts = searchedCounts(find).flatMap((name) => countNamed(name) ?? [])
  if (counts.some(({ site }) => site === null)) return null
  return [
    ...new Set(
      counts.flatMap((count) =>
        isEachSite(count, written) ? sitesUsing(count.resource, written) : [count.site ?? ""],
      ),
    ),
  ]
}

/** The promised figures that a search must keep: those that it names, else all that its counts can change. */
export function keptFigures(written: Searching): readonly string[] {
  const searched = searchedSites(written)
  const all = written.promises.map(({ metric }) => metric)
  if (written.find?.that_keeps !== null && written.find?.that_keeps !== undefined)
    return written.find.that_keeps
  if (searched === null) return all
  return all.filter((metric) => {
    const site = siteOfFigure(metric, written)
    return site === null || searched.includes(site)
  })
}
