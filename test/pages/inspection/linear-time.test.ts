/** Patterns over texts that people write: eight times the text takes about eight times as long, and not sixty-four times. */

import { expect, test } from "vitest"
import { keywordIn } from "../../../src/areas/messages/consent.ts"
import { topText } from "../../../src/simulation/scenario/language/file-kind.ts"
import { completions } from "../../../src/cli/studio/words.ts"
import { upTo, withoutEnd } from "../../../src/model/values/text-ends.ts"
import { filterOf, rowsPassing } from "../../../src/pages/inspection/filter.ts"
import { offerAt } from "../../../src/pages/web/studio/editor/completion.ts"
import { textChange } from "../../../src/pages/web/studio/editor/text-change.ts"
import { promiseLine } from "../../../src/simulation/fleet/forecast/promised-model.ts"
import { meantDuration } from "../../../src/simulation/scenario/language/shapes.ts"
import { runScenario } from "../../../src/simulation/scenario/run.ts"
import { recorded, scenarioNamed } from "./records.ts"

const { index } = recorded(
  runScenario(await scenarioNamed("reservations/the-open-link-fails-three-times")),
).run
const NAMES = { words: completions(), tags: [] }
const LENGTH = 2_000
/** Far from both, because garbage collection and compilation disturb short times. */
const RATIO_MAX = 24

const offer = (text: string): unknown => offerAt(text, text.length, NAMES)

test.each<[string, (length: number) => () => unknown]>([
  ["a promise of blanks", (length) => () => promiseLine(`a${" ".repeat(length)}b c`)],
  ["a promise of signs", (length) => () => promiseLine(`a${"<".repeat(length)} b c`)],
  [
    "the title of a scenario",
    (length) => () => topText(`scenario: a${" ".repeat(length)}\u0001`, "scenario"),
  ],
  ["the title of a fleet", (length) => () => topText(`fleet: "a${' "'.repeat(length)}\u0001`, "fleet")],
  ["the keys of a changed line", (length) => () => textChange("a".repeat(length), `${"a".repeat(length)}b`)],
  [
    "many keys of a changed line",
    (length) => () => textChange(`${"a: ".repeat(length)}1`, `${"a: ".repeat(length)}2`),
  ],
  [
    "blanks of a changed line",
    (length) => () => textChange(`a: b${" ".repeat(length)}1`, `a: c${" ".repeat(length)}2`),
  ],
  ["a long word in the editor", (length) => () => offer(`steps:\n  - ${"a".repeat(length)} `)],
  ["a long word in braces", (length) => () => offer(`given:\n  ${"a".repeat(length)} { b`)],
  ["lists in the editor", (length) => () => offer(`given:\n  ${"a: [".repeat(length)}b`)],
  ["blanks in a duration", (length) => () => meantDuration(`1${" ".repeat(length)}x`)],
  ["full stops of a text message", (length) => () => keywordIn(`a${".".repeat(length)}b`)],
  ["the end of an address", (length) => () => withoutEnd(`a${"/".repeat(length)}b`, "/")],
  ["the beginning of a name", (length) => () => upTo(`${"@".repeat(length)}\n`, "#")],
])("%s", (_, make) => {
  const manyMs = fastestMs(make(8 * LENGTH))
  const fewMs = fastestMs(make(LENGTH))
  expect(manyMs / Math.max(fewMs, 0.2)).toBeLessThan(RATIO_MAX)
})

test("a filter with several stars looks at each letter of a row about once", () => {
  const passing = (length: number) => {
    const row = { ...index, words: index.words.map(() => "a".repeat(length)) }
    const filter = filterOf("event:*a*a*a*b")
    return () => rowsPassing(row, filter)
  }
  const manyMs = fastestMs(passing(320))
  expect(manyMs / Math.max(fastestMs(passing(40)), 0.2)).toBeLessThan(RATIO_MAX)
})

/** By processor time: other work of the machine does not count. */
function fastestMs(work: () => unknown): number {
  const took = Array.from({ length: 12 }, () => {
    const from = process.cpuUsage()
    work()
    const { user, system } = process.cpuUsage(from)
    return (user + system) / 1000
  })
  return Math.min(...took)
}
