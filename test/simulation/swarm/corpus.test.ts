/** The corpus of the swarm: how few seeds are found, the file, and the command that runs and extends it. */

import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterAll, describe, expect, test } from "vitest"
import { program } from "../../../src/apps/composition/program.ts"
import { CorpusSearch, corpusText, lostFrom, readCorpus } from "../../../src/simulation/swarm/corpus.ts"
import type { Corpus } from "../../../src/simulation/swarm/corpus.ts"
import { curblineHere } from "../../cli/same-process.ts"

/** A corpus of seeds with these decisions and faults. */
function corpusOf(seeds: Readonly<Record<number, { decisions?: string[]; faults?: string[] }>>): Corpus {
  const search = new CorpusSearch(program.machines)
  for (const [seed, { decisions = [], faults = [] }] of Object.entries(seeds))
    search.add({
      seed: Number(seed),
      covered: [
        ["decision", decisions.map((name) => [name, 1] as const)],
        ["fault", faults.map((name) => [name, 1] as const)],
      ],
    })
  return search.corpus()
}

describe("the seeds of a corpus", () => {
  test("reach together all that was reached, and none of them is covered by the others", () => {
    const { seeds, reaches } = corpusOf({
      1: { decisions: ["a"] },
      2: { decisions: ["a", "b"] },
      3: { decisions: ["b"] },
      4: { decisions: ["b", "c"] },
      5: { decisions: ["a", "d"] },
    })
    expect(seeds).toEqual([4, 5])
    expect(reaches.decisions).toEqual(["a", "b", "c", "d"])
  })

  test("a decision counts again with another fault of its seed", () => {
    const { seeds } = corpusOf({
      1: { decisions: ["a"], faults: ["crashes"] },
      2: { decisions: ["b"], faults: ["late timers"] },
      3: { decisions: ["a"], faults: ["late timers"] },
      4: { decisions: ["a"], faults: ["late timers"] },
    })
    expect(seeds).toEqual([1, 2, 3])
  })

  test("a name that no seed reaches any more is named with its part", () => {
    const known = corpusOf({ 1: { decisions: ["a"], faults: ["crashes"] } })
    expect(lostFrom(known, corpusOf({ 1: { decisions: ["b"] } }))).toEqual([
      "decisions: a",
      "faults: crashes",
    ])
    expect(lostFrom(known, known)).toEqual([])
  })

  test("the file of the repository is written as it is read", () => {
    const text = readFileSync(new URL("corpus.json", import.meta.url), "utf8")
    const corpus = readCorpus(text)
    expect(corpusText(corpus)).toBe(text)
    for (const names of Object.values(corpus.reaches)) expect(names).toEqual(names.toSorted())
    expect(corpus.seeds).toEqual(corpus.seeds.toSorted((one, other) => one - other))
    expect(corpus.seeds.length).toBeGreaterThan(10)
  })
})

describe("curbline swarm --corpus", () => {
  const folder = mkdtempSync(join(tmpdir(), "curbline-corpus-"))
  const file = join(folder, "corpus.json")
  afterAll(() => {
    rmSync(folder, { recursive: true })
  })

  test("writes the file only with --extend, runs its seeds first, and names what they no longer reach", async () => {
    const made = await curblineHere("swarm", "--seeds", "3..6", "--corpus", file, "--extend")
    expect(made.out).toMatch(/\ncorpus: \d seeds?, \d new, 0 dropped, written to /)
    expect(made.status).toBe(0)
    const text = readFileSync(file, "utf8")
    const corpus = readCorpus(text)
    expect(corpus.reaches.transitions.length).toBeGreaterThan(20)

    const again = await curblineHere("swarm", "--seed", String(corpus.seeds[0]), "--corpus", file, "--json")
    expect(JSON.parse(again.out)).toMatchObject({
      seeds: corpus.seeds.length,
      corpus: { written: false, added: 0, no_longer_reached: [], beyond: [] },
    })
    expect(again.status).toBe(0)
    expect(readFileSync(file, "utf8")).toBe(text)

    const gone = "runner-call: no such state"
    const more = { ...corpus, reaches: { ...corpus.reaches, states: [gone] } }
    writeFileSync(file, corpusText(more))
    const lost = await curblineHere("swarm", "--seed", "3", "--corpus", file)
    expect(lost.out).toContain(`\nno longer reached: states: ${gone}\n`)
    expect(lost.status).toBe(1)
    expect(readFileSync(file, "utf8")).toBe(corpusText(more))
  })

  test.each([
    [["--extend"], "--extend goes with --corpus <file>"],
    [["--corpus", join(folder, "none.json")], "none.json is no corpus of the swarm: "],
    [["--corpus", file, "--host", "sql"], "--corpus goes with --host memory"],
  ])("a mistake ends with 2: %j", async (flags, message) => {
    const { status, err } = await curblineHere("swarm", "--seed", "1", ...flags)
    expect(err).toContain(message)
    expect(status).toBe(2)
  })
})
