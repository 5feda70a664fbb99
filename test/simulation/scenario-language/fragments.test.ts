import { mkdirSync, mkdtempSync, symlinkSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { dirname, join } from "node:path"
import { describe, expect, test } from "vitest"
import { openFragmentFile } from "../../../src/cli/scenarios/fragment-files.ts"
import { languageNames } from "../../../src/cli/scenarios/scenario-files.ts"
import { formatProblem } from "../../../src/simulation/scenario/language/problems.ts"
import { readScenarios } from "../../../src/simulation/scenario/language/read.ts"
import { runScenario } from "../../../src/simulation/scenario/run.ts"

const HEAD = "scenario: S\nbecause: B\nclock: 2026-03-02T11:30 America/Chicago\n"
const BOOKED = "  - { do: reservation.create, as: lunch, with: { window: [11:45, 12:15] } }\n"
const ARRIVE = "{ with: [order], steps: [{ do: bot.report, for: $order, with: { status: ARRIVED } }] }"

type Files = { readonly [path: string]: string }

/** Reads `s/main.yaml` of a folder with these files. */
function read(steps: string, files: Files, uses = "parts.yaml") {
  const folder = mkdtempSync(join(tmpdir(), "curbline-fragments-"))
  for (const [path, text] of Object.entries({ "scenario.schema.json": "{}", ...files })) {
    const at = join(folder, path)
    mkdirSync(dirname(at), { recursive: true })
    writeFileSync(at, text)
  }
  mkdirSync(join(folder, "s"), { recursive: true })
  const text = `${HEAD}uses: [${uses}]\nsteps:\n${BOOKED}${steps}`
  const { scenarios, problems } = readScenarios(
    join(folder, "s/main.yaml"),
    text,
    languageNames(),
    openFragmentFile,
  )
  const said = problems.map((one) => formatProblem(one).replaceAll(`${folder}/`, "")).join("\n")
  return { scenarios, said }
}

describe("fragments", () => {
  test("a step that uses one stands for its steps, with the values of its parameters", () => {
    const { scenarios, said } = read("  - { at: 11:50, use: arrive, with: { order: lunch } }\n", {
      "s/parts.yaml": `fragments:\n  arrive: ${ARRIVE}\n`,
    })
    expect(said).toBe("")
    const step = scenarios[0]?.steps[1]
    expect(step).toMatchObject({ verb: "do", command: "bot.report", for: "lunch" })
    expect(step?.at).toMatchObject({ type: "clock", msOfDay: (11 * 60 + 50) * 60_000 })
    expect(step?.place).toMatchObject({ line: 2, usedAt: { line: 7 } })
  })

  test("a mistake in a fragment points to its file and line, and names the step that uses it", () => {
    const { said } = read("  - { use: arrive, with: { order: lunch } }\n", {
      "s/parts.yaml":
        "fragments:\n  arrive:\n    with: [order]\n    steps:\n      - { do: bot.repot, for: $order }\n",
    })
    expect(said).toContain(
      'error: unknown command "bot.repot", did you mean "bot.report"?\n --> s/parts.yaml:5:15',
    )
    expect(said).toContain("= used at: s/main.yaml:7:5")
  })

  test("a mistake in a value points to the scenario", () => {
    const { said } = read("  - { use: arrive, with: { order: lunhc } }\n", {
      "s/parts.yaml": `fragments:\n  arrive: ${ARRIVE}\n`,
    })
    expect(said).toContain('error: nothing is named "lunhc", did you mean "lunch"?\n --> s/main.yaml:7:35')
  })

  test("an unknown fragment, parameter or value is a mistake with what is possible", () => {
    const files = {
      "s/parts.yaml": `fragments:\n  arrive: ${ARRIVE.replace("for: $order", "for: $odrer")}\n`,
    }
    expect(read("  - { use: arive, with: { order: lunch } }\n", files).said).toContain(
      'there is no fragment "arive", did you mean "arrive"?',
    )
    expect(read("  - { use: arrive, with: { order: lunch } }\n", files).said).toContain(
      'the fragment has no parameter "$odrer", did you mean "$order"?',
    )
    expect(read("  - { use: arrive }\n", files).said).toContain('the key "order" is missing')
    expect(read("  - { use: arrive, with: { order: lunch, bot: b } }\n", files).said).toContain(
      'unknown key "bot"',
    )
  })

  test("a failure in a fragment has its line and the step that uses it", () => {
    const { scenarios, said } = read("  - { use: gone, with: { order: lunch } }\n", {
      "s/parts.yaml":
        "fragments:\n  gone:\n    with: [order]\n    steps:\n      - expect: { reservation: $order, status: canceled }\n",
    })
    expect(said).toBe("")
    const failures = scenarios.flatMap((scenario) => runScenario(scenario).failures)
    expect(failures.map(({ place }) => [place?.line, place?.usedAt?.line])).toEqual([[5, 7]])
  })

  test("fragments and files that use each other are refused", () => {
    expect(
      read("  - { use: a }\n", {
        "s/parts.yaml": "fragments:\n  a: { steps: [{ use: b }] }\n  b: { steps: [{ use: a }] }\n",
      }).said,
    ).toContain("fragments use each other: a uses b uses a")
    expect(
      read("  - { use: a }\n", {
        "s/parts.yaml": "uses: [more.yaml]\nfragments: { a: { steps: [{ wait: 1m }] } }\n",
        "s/more.yaml": "uses: [parts.yaml]\nfragments: { b: { steps: [{ wait: 1m }] } }\n",
      }).said,
    ).toContain("files of fragments use each other: s/parts.yaml uses s/more.yaml uses s/parts.yaml")
  })

  test("many fragments in fragments stay below the limit of steps", () => {
    const ten = (name: string): string => `{ steps: [${Array.from({ length: 20 }, () => name).join(", ")}] }`
    const use = (name: string): string => `{ use: ${name} }`
    const levels = ["a", "b", "c", "d"].map((name, at) => `  ${name}: ${ten(use("bcde"[at] ?? ""))}\n`)
    const { said } = read("  - { use: a }\n", {
      "s/parts.yaml": `fragments:\n${levels.join("")}  e: ${ten("{ wait: 1s }")}\n`,
    })
    expect(said).toContain("too many steps with those of the fragments")
  })

  test("files are read inside of the folder of scenarios only", () => {
    const inside = { "parts.yaml": `fragments:\n  arrive: ${ARRIVE}\n` }
    const step = "  - { use: arrive, with: { order: lunch } }\n"
    expect(read(step, inside, "../parts.yaml").said).toBe("")
    expect(read(step, {}, "../../parts.yaml").said).toContain("leads out of the folder")
    expect(read(step, {}, "/etc/parts.yaml").said).toContain("is absolute")
    expect(read(step, {}, "nothing.yaml").said).toContain("nothing.yaml does not exist")
    expect(read(step, { "s/parts.yaml": "scenario: S\n" }).said).toContain("is no file of fragments")
  })

  test("a link is no file of the folder", () => {
    const folder = mkdtempSync(join(tmpdir(), "curbline-fragments-"))
    const other = mkdtempSync(join(tmpdir(), "curbline-elsewhere-"))
    writeFileSync(join(other, "parts.yaml"), "fragments: {}\n")
    symlinkSync(join(other, "parts.yaml"), join(folder, "parts.yaml"))
    expect(openFragmentFile(join(folder, "main.yaml"), "parts.yaml")).toEqual({
      refused: "is no file of the folder",
    })
  })
})
