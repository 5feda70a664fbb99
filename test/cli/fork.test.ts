/** `curbline fork`: both courses as text, the new one as a record, and mistakes in words. */

import { spawn, spawnSync } from "node:child_process"
import { once } from "node:events"
import { readFileSync } from "node:fs"
import { join } from "node:path"
import { createInterface } from "node:readline"
import { beforeAll, describe, expect, test } from "vitest"
import { ROOT, fileWith } from "./command-line.ts"
import { curblineHere } from "./same-process.ts"

const SCENARIO = "scenarios/reservations/the-open-link-fails-three-times.yaml"
const WHAT_IF = "scenarios/what-ifs/the-open-link-answers.yaml"

const record = fileWith("run.ndjson", "")
/** The line with which the runner reaches the unit, as the manual finds it. */
let atUnit = ""

beforeAll(async () => {
  await curblineHere("run", SCENARIO, "--record", record)
  const line = readFileSync(record, "utf8")
    .split("\n")
    .find((one) => one.includes('"event":{"type":"runner.at_unit"'))
  atUnit = String((JSON.parse(line ?? "{}") as { readonly s: number }).s)
})

describe("curbline fork", () => {
  test("the shipped example: what is equal, what differs first, how both end, and the record of it", async () => {
    const forked = fileWith("forked.ndjson", "")
    const { status, out, err } = await curblineHere(
      "fork",
      record,
      "--at",
      atUnit,
      "--with",
      WHAT_IF,
      "--out",
      forked,
    )
    expect(status).toBe(0)
    expect(out).toContain("both courses are the same up to 11:58:00")
    expect(out).toMatch(
      /after it 8 equal, 0 equal at another time, 2 with another outcome, 7 only recorded, 0 only in the what-if/,
    )
    expect(out).toContain("first difference: open-link-1 …jqSE at 11:58:00.050")
    expect(out).toMatch(/^~ {14}open-link-1 …jqSE failed +opened$/m)
    expect(err).toContain("invented, because a journal has no personal data")
    expect(err).toContain(`npx curbline inspect ${record} ${forked} shows both courses from the moment on`)
    expect(await curblineHere("replay", forked)).toMatchObject({ status: 0 })
    const page = fileWith("both.html", "")
    expect(await curblineHere("inspect", record, forked, "--out", page)).toMatchObject({ status: 0 })
    expect(readFileSync(page, "utf8")).toContain("what if")
  })

  test("--report writes both courses as one file, also of the second run of a record", async () => {
    // Both runs are alike up to the moment, as rows of a matrix with one seed are.
    const two = fileWith("two.ndjson", readFileSync(record, "utf8").repeat(2))
    const page = fileWith("both.html", "")
    for (const [file, at, run] of [
      [record, atUnit, 0],
      [two, `2:${atUnit}`, 1],
    ] as const) {
      const { status, err } = await curblineHere(
        "fork",
        file,
        "--at",
        at,
        "--with",
        WHAT_IF,
        "--report",
        page,
      )
      expect(status).toBe(0)
      expect(err).toContain(`wrote ${page}`)
      const data = JSON.parse(/id="data">(.*)<\/script>\n/.exec(readFileSync(page, "utf8"))?.[1] ?? "")
      expect(data.comparisons).toHaveLength(1)
      expect(data.comparisons[0]).toMatchObject({
        first: run,
        second: run + 1,
        fork: { title: "the open link had answered 200" },
      })
      expect(data.opensAt.run).toBe(run)
      expect(data.runs.at(-1).file).toBe("what-if.ndjson")
    }
  })

  test("--with - takes the steps from stdin, and --inspect serves both courses until Ctrl-C", async () => {
    const child = spawn(
      process.execPath,
      ["src/cli/curbline.js", "fork", record, "--at", atUnit, "--with", "-", "--inspect"],
      { cwd: ROOT, env: { ...process.env, CI: "1" } },
    )
    child.stdin.end(readFileSync(join(ROOT, WHAT_IF), "utf8"))
    try {
      const lines: string[] = []
      for await (const line of createInterface({ input: child.stdout })) {
        lines.push(line)
        if (line.startsWith("http://127.0.0.1:")) break
      }
      expect(lines.join("\n")).toContain("after it 8 equal")
      const html = await (await fetch(lines.at(-1) ?? "")).text()
      expect(
        JSON.parse(/id="data">(.*)<\/script>\n/.exec(html)?.[1] ?? "").comparisons[0].fork,
      ).not.toBeNull()
    } finally {
      child.kill("SIGINT")
    }
    const [status] = (await once(child, "exit")) as [number | null]
    expect(status).toBe(0)
  })

  test("a mistake in steps from stdin names it", () => {
    const { status, stderr } = spawnSync(
      process.execPath,
      ["src/cli/curbline.js", "fork", record, "--at", atUnit, "--with", "-"],
      { cwd: ROOT, encoding: "utf8", input: "what_if: x\nsteps:\n  - wiat: 1m\n" },
    )
    expect(status).toBe(2)
    expect(stderr).toContain("--> stdin:3:")
  })

  test("--full prints equal entries too", async () => {
    const { out } = await curblineHere("fork", record, "--at", atUnit, "--with", WHAT_IF, "--full")
    expect(out).not.toContain("… 1 equal")
    expect(out).toMatch(/^ {2}12:02:00 +runner-task …jqSE command load.recorded/m)
  })

  test("a step that fails is exit status 1, and a bad file 2 with its lines", async () => {
    const failing = fileWith(
      "failing.yaml",
      "what_if: x\nnames: { lunch: jqSE }\nsteps:\n  - expect: { reservation: lunch, status: canceled }\n",
    )
    const failed = await curblineHere("fork", record, "--at", atUnit, "--with", failing)
    expect(failed.status).toBe(1)
    expect(failed.out).toContain(`failing.yaml:4:5)`)
    const bad = fileWith("bad.yaml", "what_if: x\nsteps:\n  - { at: 11:40, do: runner.lod, for: lunch }\n")
    const refused = await curblineHere("fork", record, "--at", atUnit, "--with", bad)
    expect(refused.status).toBe(2)
    expect(refused.err).toContain('did you mean "runner.load"?')
    expect(refused.err).toContain("11:40 has passed: the moment of the fork")
    expect(refused.err).toContain("nothing was run")
  })

  test("what is no moment, no journal or no file is named", async () => {
    const fork = async (file: string, at: string, whatIf = WHAT_IF) =>
      curblineHere("fork", file, "--at", at, "--with", whatIf)
    expect(await fork(record, "9999")).toMatchObject({
      status: 2,
      err: expect.stringContaining("has no entry 9999"),
    })
    expect(await fork(record, "soon")).toMatchObject({
      status: 2,
      err: expect.stringContaining("a moment is a line"),
    })
    expect(await fork("package.json", "3")).toMatchObject({
      status: 2,
      err: expect.stringContaining("line 1: the line is not a JSON object"),
    })
    expect(await fork("nowhere.ndjson", "3")).toMatchObject({
      status: 2,
      err: "error: there is no file nowhere.ndjson\n",
    })
    expect(await fork(record, atUnit, "nowhere.yaml")).toMatchObject({
      status: 2,
      err: "error: there is no file nowhere.yaml\n",
    })
  })

  test("check reads what-if files, and run says how one is run", async () => {
    expect(await curblineHere("check", "scenarios/what-ifs")).toMatchObject({
      status: 0,
      out: "0 scenarios and 1 what-if file in 1 file, no problem\n",
    })
    expect(await curblineHere("run", WHAT_IF)).toMatchObject({
      status: 2,
      err: expect.stringContaining("npx curbline fork RECORD --at N --with"),
    })
  })

  test("the manual's commands are those of the example", () => {
    const manual = readFileSync(join(ROOT, "scenarios/what-ifs/README.md"), "utf8")
    expect(manual).toContain(`--at ${atUnit} --with ${WHAT_IF}`)
    expect(manual).toContain(SCENARIO)
  })
})
