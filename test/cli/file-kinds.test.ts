/** Whatever form a file has, every command and the studio take it for the same kind. */

import { join } from "node:path"
import { describe, expect, test } from "vitest"
import { EXIT } from "../../src/cli/kit/exit-codes.ts"
import { openFragmentFile } from "../../src/cli/scenarios/fragment-files.ts"
import { readPaths, sortedPaths } from "../../src/cli/scenarios/scenario-files.ts"
import { ScenarioFolder } from "../../src/cli/studio/folder.ts"
import { kindOfText, topText } from "../../src/simulation/scenario/language/file-kind.ts"
import { fileWith } from "./command-line.ts"
import { curblineHere } from "./same-process.ts"

const CLOCK = "clock: 2026-03-02T11:30 America/Chicago"

const FILES = {
  "fleet model": `fleet: A short lunch
because: It is short.
${CLOCK}
horizon: 30m
replications: 1
sites: [{ as: curb, at: [30.4, -97.7], stalls: 2, runners: 1, stores: [{ as: store, preparation: 5m }] }]
demand: [{ product: reservation, site: curb, every: 20m, ahead: 5m }]
`,
  scenario: `scenario: Nothing to do
because: Time goes by.
${CLOCK}
steps:
  - { do: reservation.create, as: lunch, with: { window: [11:45, 12:15] } }
  - { expect: { reservation: lunch, status: confirmed } }
`,
  "what-if file": `what_if: Nothing else happens
steps:
  - { wait: 5m }
`,
  "file of fragments": `fragments:
  pause: { says: Time goes by, steps: [{ wait: 5m }] }
`,
} as const
type Kind = keyof typeof FILES
const KINDS = Object.keys(FILES) as readonly Kind[]

const quotedKey = (text: string): string => text.replace(/^(\w+):/, '"$1":')

/** Forms that mean the same. */
const FORMS: Readonly<Record<string, (text: string) => string>> = {
  plain: (text) => text,
  "a byte order mark": (text) => `\uFEFF${text}`,
  "line ends of Windows": (text) => text.replaceAll("\n", "\r\n"),
  "both of these": (text) => `\uFEFF${text.replaceAll("\n", "\r\n")}`,
  "comments above": (text) => `# fleet: not this\n\n# scenario: nor this\n${text}`,
  "a line ---": (text) => `---\n${text}`,
  "a mark, a comment and ---": (text) => `\uFEFF# A comment\n--- # another\n${text}`,
  "a quoted key": quotedKey,
  "a key in single quotes": (text) => quotedKey(text).replaceAll('"', "'"),
  "a blank before the colon": (text) => text.replace(/^(\w+):/, "$1 :"),
  "every line indented": (text) => text.replaceAll(/^(?=.)/gm, "  "),
  "its key at the end": (text) => text.replace(/^(\w+: [^\n]+\n)([^]*)$/, "$2$1"),
}

/** Forms in which a file is refused, as the kind that it is. */
const REFUSED_FORMS: Readonly<Record<string, (text: string) => string>> = {
  "a tab at the start": (text) => `\t${text}`,
  "a tab after the colon": (text) => text.replace(/^(\w+):/, "$1:\t"),
  "a directive": (text) => `%YAML 1.2\n---\n${text}`,
  "a second document": (text) => `${text}---\nmore: 1\n`,
  "a bracket that is not closed": (text) => `${text}tags: [a\n`,
  "an unclosed quote above": (text) => `because: "\n${text}`,
}

const LISTS = {
  "fleet model": "fleets",
  scenario: "scenarios",
  "what-if file": "whatIfs",
  "file of fragments": "fragments",
} as const

describe("a text", () => {
  test.each(
    KINDS.flatMap((kind) =>
      Object.entries({ ...FORMS, ...REFUSED_FORMS }).map(([form, change]) => ({ kind, form, change })),
    ),
  )("is a $kind with $form", ({ kind, change }) => {
    expect(kindOfText(change(FILES[kind]))).toBe(kind)
  })

  test("is what its key at the top says, and not what a key inside or a comment says", () => {
    expect(kindOfText("because: none\n")).toBeNull()
    expect(kindOfText("because: none\nmore:\n  fleet: inside\n")).toBeNull()
    expect(kindOfText("because: |\n  fleet: inside\nscenario: yes\n")).toBe("scenario")
    expect(kindOfText("scenario: one\ngiven: { site: { own_fleet: false }, fragments: [] }\n")).toBe(
      "scenario",
    )
    expect(kindOfText("{ fleet: one, because: none }")).toBe("fleet model")
    expect(kindOfText('{ "because": none, "fleet": one }')).toBe("fleet model")
    expect(kindOfText("? fleet\n: one\n")).toBe("fleet model")
    expect(kindOfText("")).toBeNull()
    expect(kindOfText("- fleet: one\n")).toBeNull()
  })

  test("has its title in every form, also with mistakes elsewhere", () => {
    for (const change of Object.values({ ...FORMS, ...REFUSED_FORMS }))
      expect(topText(change(FILES["fleet model"]), "fleet")).toBe("A short lunch")
    expect(topText('"scenario": "In quotes"\n', "scenario")).toBe("In quotes")
    expect(topText("scenario:\n", "scenario")).toBeNull()
  })
})

/** What a command says of a file that it does not take. */
const REFUSALS: Readonly<Record<Kind, RegExp>> = {
  "fleet model": /is a fleet model; run it with "npx curbline fleet /,
  scenario: /is a scenario; run it with "npx curbline run /,
  "what-if file": /is a what-if file; run it with "npx curbline fork /,
  "file of fragments": /has fragments; run a scenario that uses it/,
}

describe.each(Object.entries(FORMS))("a file with %s", (form, change) => {
  test.each(KINDS)("is a %s for every command", async (kind) => {
    const file = fileWith(form.length % 2 === 0 ? "one.yaml" : "one.yml", change(FILES[kind]))
    const own = await curblineHere("check", file)
    if (kind === "file of fragments") expect(own).toMatchObject({ status: EXIT.usage })
    else expect({ ...own, out: "" }).toEqual({ status: EXIT.passed, out: "", err: "" })
    for (const command of ["run", "explain"]) {
      const ended = await curblineHere(command, file)
      if (kind === "scenario") expect(ended.status, ended.err).toBe(EXIT.passed)
      else expect(ended).toMatchObject({ status: EXIT.usage, err: expect.stringMatching(REFUSALS[kind]) })
    }
    const fleet = await curblineHere("fleet", file)
    if (kind === "fleet model") expect(fleet.status, fleet.err).toBe(EXIT.passed)
    else expect(fleet).toMatchObject({ status: EXIT.usage, err: expect.stringMatching(REFUSALS[kind]) })
    expect(sortedPaths([join(file, "..")])[LISTS[kind]]).toEqual([file])
  })

  test.each(KINDS)("is a %s for the studio, which reads and writes it", (kind) => {
    const name = "one.yml"
    const at = fileWith(name, change(FILES[kind]))
    const opened = new ScenarioFolder(join(at, ".."))
    expect(opened.paths()).toEqual(kind === "scenario" ? [name] : [])
    expect(opened.fleets()).toEqual(kind === "fleet model" ? [name] : [])
    const { text, version } = opened.read(name)
    expect(text.startsWith("\uFEFF")).toBe(false)
    const next = opened.write(name, `${text}# saved\n`, version)
    expect(opened.read(name)).toEqual({ text: `${text}# saved\n`, version: next })
  })

  test("has fragments for the scenarios that use it", () => {
    const file = fileWith("fragments.yaml", change(FILES["file of fragments"]))
    expect(openFragmentFile(join(file, "../one.yaml"), "fragments.yaml")).toHaveProperty("source")
  })
})

describe("a mistake", () => {
  test.each(Object.entries(REFUSED_FORMS))("is one of its own kind: %s", async (_, change) => {
    const model = fileWith("model.yaml", change(FILES["fleet model"]))
    const [checked, ran] = [await curblineHere("check", model), await curblineHere("fleet", model)]
    expect([checked.status, ran.status]).toEqual([EXIT.usage, EXIT.usage])
    const problems = (text: string): string => text.replace(/\n\d+ problem.*\n$/, "")
    expect(problems(ran.err)).toBe(problems(checked.err))
    expect((await curblineHere("run", model)).err).toMatch(REFUSALS["fleet model"])
  })

  test("in the first line of a file with a byte order mark has its place without it", async () => {
    const file = fileWith("one.yaml", `\uFEFFscenaro: One\n${FILES.scenario.replace(/^.*\n/, "")}`)
    const { err } = await curblineHere("check", file)
    expect(err).toContain(`${file}:1:1`)
    expect(err).not.toContain("\uFEFF")
  })

  test.each([
    ["with its mark", Buffer.from(`\uFEFF${FILES["fleet model"]}`, "utf16le")],
    ["of the other byte order", Buffer.from(`\uFEFF${FILES["fleet model"]}`, "utf16le").swap16()],
    ["without a mark", Buffer.from(FILES["fleet model"], "utf16le")],
  ])("is UTF-16 %s, and each command says so", async (_, bytes) => {
    const file = fileWith("model.yaml", bytes)
    for (const command of ["check", "run", "explain", "fleet"]) {
      const { status, err } = await curblineHere(command, file)
      expect(status).toBe(EXIT.usage)
      expect(err).toContain("the file is UTF-16 text, and only UTF-8 is read")
      expect(err).toContain("save it as UTF-8")
    }
    const opened = new ScenarioFolder(join(file, ".."))
    expect(() => opened.read("model.yaml")).toThrow(/is not UTF-8 text; save it as UTF-8/)
    await expect(readPaths([file])).resolves.toMatchObject({ problems: [{ place: { line: 1 } }] })
  })
})
