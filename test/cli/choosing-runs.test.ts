/** Which scenarios `curbline run` runs: --grep, --tag, --failed and --shard; and its report for CI, --junit. */

import { readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { SaxesParser } from "saxes"
import { describe, expect, test } from "vitest"
import { junitXml } from "../../src/cli/scenarios/junit.ts"
import { curblineIn, fileWith, folder } from "./command-line.ts"
import { curblineHere, curblineHereIn } from "./same-process.ts"

/** A scenario that passes or fails. */
function scenarioText(title: string, { status = "confirmed" } = {}): string {
  return `scenario: ${JSON.stringify(title)}
because: It is run or not.
clock: 2026-03-02T11:30 America/Chicago
steps:
  - { do: reservation.create, as: lunch, with: { window: [11:45, 12:15] } }
  - expect: { reservation: lunch, status: ${status} }
`
}

function folderWith(files: Readonly<Record<string, string>>): string {
  const made = folder()
  for (const [name, text] of Object.entries(files)) writeFileSync(join(made, name), text)
  return made
}

const THREE = folderWith({
  "a-first.yaml": scenarioText("The bot is early"),
  "b-second.yaml": scenarioText("The bot is late"),
  "c-third.yaml": scenarioText("A stall is free"),
})

async function titlesOf(...words: readonly string[]): Promise<readonly string[]> {
  const { out, err } = await curblineHere("run", ...words, "--json")
  expect(err).toBe("")
  return JSON.parse(out).runs.map(
    ({ scenario, seed }: { scenario: string; seed: number }) => `${scenario} ${seed}`,
  )
}

describe("curbline run --grep", () => {
  test("takes a part of the title in any case, or of the file's name", async () => {
    expect(await titlesOf(THREE, "--grep", "the BOT")).toEqual(["The bot is early 1", "The bot is late 1"])
    expect(await titlesOf(THREE, "--grep", "c-third")).toEqual(["A stall is free 1"])
  })

  test("a text that nothing has ends with 2 and proposes the nearest title", async () => {
    const { status, err } = await curblineHere("run", THREE, "--grep", "The bot is lat3")
    expect(status).toBe(2)
    expect(err).toBe(
      'error: --grep: none of 3 scenarios has "The bot is lat3" in its title or file name, did you mean "The bot is late"?\n',
    )
  })
})

describe("curbline run --shard", () => {
  test("the parts have every run once", async () => {
    const first = await titlesOf(THREE, "--seed", "1..2", "--shard", "1/2")
    const parts = [first, await titlesOf(THREE, "--seed", "1..2", "--shard", "2/2")]
    expect(parts.map((part) => part.length)).toEqual([3, 3])
    expect(parts.flat().toSorted()).toEqual((await titlesOf(THREE, "--seed", "1..2")).toSorted())
  })

  test("a part without a run passes and says so", async () => {
    const { status, out, err } = await curblineHere("run", THREE, "--shard", "4/4")
    expect({ status, out, err }).toEqual({
      status: 0,
      out: "0 passed, 0 failed\n",
      err: "nothing is in part 4/4: there are fewer runs than parts\n",
    })
  })

  test.each(["0/3", "4/3", "1", "1/0", "a/b", "-1/2"])("%s is no part", async (part) => {
    const { status, err } = await curblineHere("run", THREE, `--shard=${part}`)
    expect(status).toBe(2)
    expect(err).toBe(`error: --shard takes a part such as 1/3, from 1/N to N/N, not "${part}"\n`)
  })
})

describe("curbline run --failed", () => {
  const good = scenarioText("The good one")
  const bad = scenarioText("The bad one", { status: "canceled" })

  test("still knows what failed after other files, seeds and parts were run, until it passes or is gone", async () => {
    const here = folderWith({ "good.yaml": good, "bad.yaml": bad })
    expect(curblineIn(here, "run", "bad.yaml", "--seed", "4").status).toBe(1)
    expect((await curblineHereIn(here, "run", "good.yaml")).status).toBe(0)
    expect((await curblineHereIn(here, "run", "bad.yaml", "--seed", "5", "--shard", "2/2")).status).toBe(0)
    expect((await curblineHereIn(here, "run", ".", "--failed")).out).toMatch(/seed 4\n[^]*0 passed, 1 failed/)

    writeFileSync(join(here, "bad.yaml"), bad.replace("The bad one", "Another one"))
    expect(await curblineHereIn(here, "run", ".", "--failed")).toMatchObject({
      status: 0,
      out: "0 passed, 0 failed\n",
    })
  })

  test("runs what failed in this folder, until it passes", async () => {
    const here = folderWith({ "good.yaml": good, "bad.yaml": bad })
    expect((await curblineHereIn(here, "run", ".", "--seed", "4..5")).out).toContain("2 passed, 2 failed")

    const again = await curblineHereIn(here, "run", ".", "--failed")
    expect(again.out).not.toContain("The good one")
    expect(again.out).toMatch(/seed 4\n[^]*seed 5\n[^]*0 passed, 2 failed/)
    expect(await curblineHereIn(here, "run", "good.yaml", "--failed")).toMatchObject({
      status: 0,
      err: "none of these scenarios has failed here, or it has passed since\n",
    })

    writeFileSync(join(here, "bad.yaml"), bad.replace("canceled", "confirmed"))
    expect((await curblineHereIn(here, "run", ".", "--failed")).out).toContain("2 passed, 0 failed")
    expect(await curblineHereIn(here, "run", ".", "--failed")).toEqual({
      status: 0,
      out: "0 passed, 0 failed\n",
      err: "none of these scenarios has failed here, or it has passed since\n",
    })
  })

  test("a file of the last run that cannot be read is as if there were none", async () => {
    const here = folderWith({ "bad.yaml": bad })
    expect((await curblineHereIn(here, "run", "bad.yaml")).status).toBe(1)
    writeFileSync(join(here, ".curbline/cache/last-run.json"), "{")
    expect((await curblineHereIn(here, "run", "bad.yaml", "--failed")).status).toBe(0)
  })
})

interface Element {
  readonly name: string
  readonly attributes: Readonly<Record<string, string>>
  readonly children: Element[]
  text: string
}

/** The root of an XML document; a document that is not well-formed throws. */
function parsed(xml: string): Element {
  const root: Element = { name: "", attributes: {}, children: [], text: "" }
  const open = [root]
  const parser = new SaxesParser()
  parser.on("error", (problem) => {
    throw problem
  })
  parser.on("opentag", ({ name, attributes }) => {
    const element: Element = { name, attributes, children: [], text: "" }
    open.at(-1)?.children.push(element)
    open.push(element)
  })
  parser.on("text", (text) => {
    const last = open.at(-1)
    if (last !== undefined) last.text += text
  })
  parser.on("closetag", () => void open.pop())
  parser.write(xml).close()
  const [only] = root.children
  if (only === undefined) throw new Error("the document has no element")
  return only
}

describe("curbline run --junit", () => {
  test("has a suite for each file and a case for each run, with failures", async () => {
    const title = `<b>"Ada" & 'Grace'</b>`
    const file = fileWith("marks.yaml", scenarioText(title, { status: "canceled" }))
    const to = fileWith("junit.xml", "")
    const { status } = await curblineHere("run", THREE, file, "--junit", to)
    expect(status).toBe(1)
    const root = parsed(readFileSync(to, "utf8"))
    expect(root).toMatchObject({ name: "testsuites", attributes: { tests: "4", failures: "1", errors: "0" } })
    expect(root.children.map(({ attributes }) => attributes["name"])).toEqual([
      ...["a-first.yaml", "b-second.yaml", "c-third.yaml"].map((name) => join(THREE, name)),
      file,
    ])
    const [testCase] = root.children.at(-1)?.children ?? []
    expect(testCase?.attributes).toMatchObject({ name: `${title}, seed 1`, classname: file, line: "6" })
    const [failure] = testCase?.children ?? []
    expect(failure).toMatchObject({ name: "failure", attributes: { type: "expectation" } })
    expect(failure?.attributes["message"]).toBe(
      "expected that lunch has status canceled, found that lunch has status confirmed",
    )
    expect(failure?.text).toContain(`--> ${file}:6:5\n  expected: lunch has status canceled`)
  })

  test("stays well-formed with any text, and shows a fault of the engine as an error", () => {
    const wild = `]]> <!-- & \u0000 \u001B[31m \uD800 \uFFFE "x" 'y' 😀`
    const common = { file: wild, title: wild, seed: 1, line: 1, wallMs: 1234.5 }
    const root = parsed(
      junitXml([
        { ...common, failures: [{ message: wild, text: wild }], fault: null },
        { ...common, failures: [], fault: { message: wild, text: wild } },
      ]),
    )
    const shown = `]]> <!-- & \uFFFD \uFFFD[31m \uFFFD \uFFFD "x" 'y' 😀`
    expect(root.attributes).toMatchObject({ failures: "1", errors: "1", time: "2.469" })
    const [failed, faulty] = root.children[0]?.children ?? []
    expect(failed?.children[0]).toMatchObject({
      name: "failure",
      attributes: { message: shown },
      text: shown,
    })
    expect(faulty?.children[0]).toMatchObject({ name: "error", attributes: { message: shown }, text: shown })
  })

  test("a place that cannot be written ends with 2", async () => {
    const { status, err } = await curblineHere("run", THREE, "--junit", join(THREE, "missing", "junit.xml"))
    expect(status).toBe(2)
    expect(err).toContain("the JUnit report")
    expect(err).toContain("cannot be written")
  })
})
