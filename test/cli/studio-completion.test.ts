/** Which words the studio's editor completes at a place of a scenario's text, and how wide a pause is on its line of time. */

import { describe, expect, test } from "vitest"
import { completions } from "../../src/cli/studio/words.ts"
import { offerAt } from "../../src/pages/web/studio/editor/completion.ts"
import { clockOf, timeScale } from "../../src/pages/web/studio/time-scale.ts"

const names = { words: completions(), tags: ["courier", "stall"] }

const HEAD = `scenario: x
because: y
clock: 2026-03-02T11:30 America/Chicago
`

/** The labels at the sign `|`, and the part of the text that an option replaces. */
function offered(
  text: string,
): { readonly labels: readonly string[]; readonly word: string; readonly isKey: boolean } | null {
  const position = text.indexOf("|")
  const offer = offerAt(text.replace("|", ""), position, names)
  return offer === null
    ? null
    : {
        labels: offer.options.map(({ label }) => label),
        word: text.slice(offer.from, position),
        isKey: offer.isKey,
      }
}

describe("the editor completes", () => {
  test.each([
    ["keys at the beginning of a line", `${HEAD}pro|`, "pro", ["promises", "given", "steps"]],
    ["verbs of a step", `${HEAD}steps:\n  - ex|`, "ex", ["do", "expect", "inject", "at"]],
    ["verbs inside of braces", `${HEAD}steps:\n  - { at: 11:40, d| }`, "d", ["do", "expect"]],
    [
      "commands",
      `${HEAD}steps:\n  - { at: 11:40, do: runner.as| }`,
      "runner.as",
      ["runner.assign", "bot.report"],
    ],
    ["commands of a step in lines", `${HEAD}steps:\n  - at: 11:40\n    do: |`, "", ["runner.assign"]],
    [
      "arguments of the command",
      `${HEAD}steps:\n  - { do: bot.report, for: lunch, with: { st| } }`,
      "st",
      ["status", "label", "eta"],
    ],
    [
      "values of an argument",
      `${HEAD}steps:\n  - { do: bot.report, for: lunch, with: { status: AR| } }`,
      "AR",
      ["ARRIVED", "SECURED"],
    ],
    ["faults", `${HEAD}steps:\n  - { inject: web|`, "web", ["webhook.down", "webhook.answers"]],
    ["facts", `${HEAD}steps:\n  - expect: { res|`, "res", ["reservation", "exception"]],
    ["fields of a fact", `${HEAD}steps:\n  - expect: { reservation: lunch, st| }`, "st", ["status", "stall"]],
    [
      "values of a field of a fact",
      `${HEAD}steps:\n  - expect: { reservation: lunch, status: | }`,
      "",
      ["confirmed", "arrived"],
    ],
    ["states", `${HEAD}steps:\n  - expect: { state: op|, actor: bot }`, "op", ["open.confirmed"]],
    [
      "codes",
      `${HEAD}steps:\n  - refuse: { do: bot.report, for: lunch, code: INV| }`,
      "INV",
      ["INVALID_STATE"],
    ],
    [
      "names of the file",
      `${HEAD}steps:\n  - { do: errand.check, as: dinner }\n  - { do: errand.reserve, for: | }`,
      "",
      ["dinner"],
    ],
    [
      "names after other keys that take one",
      `${HEAD}given:\n  partners: [{ as: rival }]\nsteps:\n  - { do: reservation.read, by: r| }`,
      "r",
      ["rival"],
    ],
    [
      "names as the subject of a fact",
      `${HEAD}steps:\n  - { do: errand.check, as: dinner }\n  - expect: { errand: | }`,
      "",
      ["dinner"],
    ],
    ["tags of the folder", `tags: [|]\n${HEAD}`, "", ["courier", "stall"]],
    ["keys of given", `${HEAD}given:\n  web|`, "web", ["webhooks", "policy"]],
    ["fields of a key of given", `${HEAD}given:\n  policy: { bot| }`, "bot", ["bot_wait"]],
    ["invariants", `${HEAD}always:\n  - no|`, "no", ["no stall is shared without need"]],
    ["figures", `${HEAD}promises:\n  ev|`, "ev", ["events"]],
  ])("%s", (_, text, word, some) => {
    const offer = offered(text)
    expect(offer?.word).toBe(word)
    for (const label of some) expect(offer?.labels).toContain(label)
  })

  test.each([
    ["a key of the file", `${HEAD}pro|`, true],
    ["a key of given", `${HEAD}given:\n  web|`, true],
    ["a verb", `${HEAD}steps:\n  - ex|`, true],
    ["a field of a fact", `${HEAD}steps:\n  - expect: { reservation: lunch, st| }`, true],
    ["a figure", `${HEAD}promises:\n  ev|`, true],
    ["a command", `${HEAD}steps:\n  - { at: 11:40, do: runner.as| }`, false],
    ["a value", `${HEAD}steps:\n  - expect: { reservation: lunch, status: | }`, false],
    ["an invariant", `${HEAD}always:\n  - no|`, false],
    ["a tag of a list", `${HEAD}tags:\n  - |`, false],
  ])("%s as what it is: a key, after which a colon follows, or not", (_, text, isKey) => {
    expect(offered(text)?.isKey).toBe(isKey)
  })

  test.each([
    ["a comment", `${HEAD}# do: |`],
    ["the title", "scenario: the bo|"],
    [
      "a field without values of a table",
      `${HEAD}steps:\n  - { do: reservation.create, with: { order_number: 1| } }`,
    ],
  ])("nothing in %s", (_, text) => {
    expect(offered(text)).toBe(null)
  })

  test("not the arguments of another command", () => {
    const { labels = [] } = offered(`${HEAD}steps:\n  - { do: runner.assign, for: lunch, with: { | } }`) ?? {}
    expect(labels).toContain("runner")
    expect(labels).not.toContain("status")
  })
})

describe("the line of time", () => {
  test("puts together what happens within a second, and narrows quiet time", () => {
    const { moments, placeOf, width } = timeScale([0, 50, 600_000, 4_200_000, 4_200_900])
    expect(moments.map(({ t }) => t)).toEqual([0, 600_000, 4_200_000])
    const [, ten = 0, hour = 0] = moments.map(({ at }) => at)
    expect(hour - ten).toBeGreaterThan(ten)
    expect(hour - ten).toBeLessThan(2 * ten)
    expect(placeOf(50)).toBe(0)
    expect(placeOf(300_000)).toBeCloseTo(ten / 2)
    expect(placeOf(9_000_000)).toBe(hour)
    expect(width).toBeGreaterThan(hour)
  })

  test("shows the site's clock, as short as it can", () => {
    const clock = clockOf(Date.parse("2026-03-02T17:30:00.000Z"), "America/Chicago")
    expect([0, 600_000, 605_000, 605_050].map(clock)).toEqual(["11:30", "11:40", "11:40:05", "11:40:05.050"])
  })
})
