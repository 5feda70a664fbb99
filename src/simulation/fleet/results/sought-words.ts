/** What a search looks for, in words. */

import type { FleetCase } from "../language/cases.ts"
import type { Find } from "../language/questions.ts"
import { rosterNamed } from "../language/roster.ts"
import { besidePhrase, casePhrase, verb } from "./phrases.ts"
import type { WhyNot } from "./questions.ts"

/** What follows "no" where nothing was found: `number of runners and stalls`, `demand`, `roster of runners at north`. */
export function soughtWords(find: Find): string {
  switch (find.is) {
    case "least":
      return `number of ${find.least.join(" and ")}`
    case "most":
      return "demand"
    case "roster":
      return `roster of ${find.count}`
  }
}

/** Why nothing was found; the case is the one that came nearest. */
export function whyNotWords(find: Find, settings: FleetCase, why: WhyNot): string {
  const what = casePhrase(settings)
  switch (why) {
    case "no help":
      return find.is === "most"
        ? `${what} helps no more than twice as much`
        : `${what} ${verb(settings, "help")} no more than half as many`
    case "at most":
      return `${what} ${verb(settings, "be") === "be" ? "are" : "is"} the most that the search may try`
    case "not sure":
      return `${what} may be enough, and more replications than a search makes would have to say so`
  }
}

/** What is searched, as a title begins: `The least runners and stalls`, `The most demand`, `The cheapest roster of runners`. */
export function titleOfSearch(find: Find): string {
  switch (find.is) {
    case "least":
      return `The least ${find.least.join(" and ")}`
    case "most":
      return "The most demand"
    case "roster":
      return `The cheapest roster of ${find.count}`
  }
}

/** How it was searched, in sentences that follow the promises. */
export function searchWords({ is }: Find): string {
  switch (is) {
    case "least":
      return "the counts were doubled until the promises held, and then halved, on the same seeds. The answer and its neighbours were then made again on other seeds; the figures above are of those. More of a count is taken never to hurt."
    case "most":
      return "the demand was doubled until a promise broke, and then the distance was halved, on the same seeds. On other seeds it was then moved until one factor surely keeps the promises and a larger one surely breaks them. A factor with which two of a hundred orders more are lost is refused; the figures above are of those. More demand is taken never to help."
    case "roster":
      return "the work of each quarter of an hour was measured with enough people, and the least spare people over it that keep the promises gave the first roster. Then one person was taken away for a while, again and again, wherever that saves most for the least risk, and the cheapest shifts for the rest were computed; all on the same seeds. A roster with which two of a hundred orders more are lost than with enough people is refused. The answer and its neighbours were made again on other seeds; the figures above are of those. More people are taken never to hurt, and that no cheaper roster exists is not proven."
  }
}

/** A neighbour of the answer where they differ in one setting: `5`, `1.4 times`, `25 hours of runners (1 fewer from 11:00 to 15:00)`. */
export function belowName(differing: FleetCase, answer: FleetCase): string {
  const [only] = differing
  if (only === undefined) return ""
  if (rosterNamed(only[0]) !== null) return besidePhrase(differing, answer)
  return only[0] === "demand" ? `${only[1]} times` : String(only[1])
}
