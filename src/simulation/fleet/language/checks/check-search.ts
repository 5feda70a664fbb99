/** Checks what a model searches: the least counts, the most demand, or the cheapest roster. */

import { adviceFor } from "../../../scenario/language/problems.ts"
import type { Advice, Report } from "../../../scenario/language/problems.ts"
import { showDuration } from "../../../scenario/language/shown-duration.ts"
import type { WrittenMap } from "../../../scenario/language/source.ts"
import { checkAtSite, isEachSite } from "./check-counts.ts"
import { countNamed } from "../counts.ts"
import { isUsed } from "./check-questions.ts"
import type { Resource } from "../metrics.ts"
import type { WrittenFleet } from "../model.ts"
import { SEARCHED } from "../questions.ts"
import { spanAt } from "../written-part.ts"

type WrittenFind = NonNullable<WrittenFleet["find"]>

/** `least`, `most` or `roster`. */
export function searchedWord(find: WrittenFind): (typeof SEARCHED)[number] {
  return SEARCHED.find((one) => find[one] !== null) ?? "least"
}

/** What a search looks for, what it keeps, and that nothing else of the model contradicts it. */
export function checkSearch(written: WrittenFleet, root: WrittenMap, report: Report): void {
  const { find, promises, sweep, until } = written
  if (find === null) return
  const tell = (key: string, message: string, advice: Advice = {}): void =>
    report(spanAt(root, ["find", key]), message, advice)
  if (promises.length === 0) {
    tell("", "there is no promise to keep", { help: 'add promises, such as promises: { wait_p95: "< 8m" }' })
  }
  const promised = promises.map(({ metric }) => metric)
  for (const [at, metric] of (find.that_keeps ?? []).entries()) {
    if (promised.length === 0 || promised.includes(metric)) continue
    report(
      spanAt(root, ["find", "that_keeps", at]),
      `${JSON.stringify(metric)} is not promised`,
      adviceFor(metric, promised),
    )
  }
  checkSought(find, written, { root, report, tell })
  if (sweep.size > 0) tell("", "a search makes its own cases", { help: "leave out sweep, or find" })
  if (until.length > 0) tell("", "a search makes its own replications", { help: "leave out until, or find" })
}

interface Checking {
  readonly root: WrittenMap
  readonly report: Report
  readonly tell: (key: string, message: string, advice?: Advice) => void
}

/** One thing is searched, with the words that belong to it. */
function checkSought(find: WrittenFind, written: WrittenFleet, checking: Checking): void {
  const { tell } = checking
  const words = SEARCHED.filter((one) => find[one] !== null)
  if (words.length !== 1) {
    const help = "such as least: runners, most: demand, or roster: runners with its shifts"
    tell("", "a search looks for exactly one thing", { expected: `one of ${SEARCHED.join(", ")}`, help })
    return
  }
  const { at_most: atMost, roster, shifts } = find
  if (find.least !== null && atMost !== null && !Number.isInteger(atMost))
    tell("at_most", `${atMost} of a count`, { expected: "a whole number" })
  if (roster !== null) checkRoster(find, written, checking)
  else if (shifts !== null)
    tell("shifts", "only a roster is made of shifts", { help: "write roster: runners, or leave them out" })
}

function checkRoster(find: WrittenFind, written: WrittenFleet, { tell }: Checking): void {
  const { roster, shifts } = find
  const count = countNamed(roster ?? "")
  if (count === null) return
  const { resource, site } = count
  const [first, ...others] = written.sites.map(({ as }) => as)
  if (resource === "stalls")
    tell("roster", `a roster of ${resource}`, {
      expected: "runners, vehicles or cooks, also at a site: runners at north",
    })
  else if (isEachSite(count, written) || (site === null && others.length > 0))
    tell("roster", "a roster is of one site", { help: `write roster: runners at ${first}` })
  else if (resource === "cooks" && isStore(site, written))
    tell("roster", "a roster of cooks is of all kitchens of a site", {
      help: oneKitchen(site ?? "", written),
    })
  else if (site !== null && !isEachSite(count, written))
    checkAtSite(count, { written, tell: (message, advice) => tell("roster", message, advice) })
  else if (!isUsed(resource, written)) tell("roster", `no order of this model needs ${resource}`)
  if (find.at_most !== null) tell("at_most", "a roster has no single count", { help: "leave it out" })
  if (shifts === null) {
    const help = "write shifts: { lengths: [4h, 6h, 8h], starts: each 30m }"
    tell("roster", "nothing says which shifts there may be", { help })
    return
  }
  checkRosterBreaks(shifts, resource, tell)
  if (shifts.from !== null && shifts.to !== null) {
    const [from, to] = [shifts.from, shifts.to]
    if (shifts.lengths.every((length) => from + length > to))
      tell("shifts", "no shift fits between its first start and its last end", {
        help: "make the time longer, or add a shorter shift; write a roster over midnight as two models",
      })
  }
}

/** True of a store that no site is called like. */
function isStore(name: string | null, { sites }: WrittenFleet): boolean {
  return (
    !sites.some(({ as }) => as === name) && sites.some(({ stores }) => stores.some(({ as }) => as === name))
  )
}

/** How to look for the roster of one kitchen. */
function oneKitchen(store: string, { sites }: WrittenFleet): string {
  const site = sites.find(({ stores }) => stores.some(({ as }) => as === store))
  const others = (site?.stores ?? []).filter(({ as, cooks }) => as !== store && cooks !== null)
  const at = `write roster: cooks at ${site?.as}`
  return others.length === 0
    ? at
    : `${at}, which is the same in each kitchen, and leave out cooks of ${others.map(({ as }) => as).join(", ")}, which then has cooks enough`
}

function checkRosterBreaks(
  { breaks, lengths }: NonNullable<WrittenFind["shifts"]>,
  resource: Resource,
  tell: Checking["tell"],
): void {
  if (breaks === null) return
  const { from, to, lasts } = breaks
  if (resource !== "runners") tell("shifts", `${resource} have no breaks`, { help: "leave breaks out" })
  else if (lasts === 0 || from + lasts > to)
    tell("shifts", "the break is longer than the time for it", { expected: "lasts of at most to less from" })
  else if (lengths.every((length) => length < to))
    tell("shifts", "no shift is long enough for its break", {
      expected: `a length of ${showDuration(to)} or more`,
    })
}
