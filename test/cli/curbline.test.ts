import { spawn, spawnSync } from "node:child_process"
import { once } from "node:events"
import { appendFileSync, existsSync, readFileSync, writeFileSync } from "node:fs"
import { dirname, join } from "node:path"
import { createInterface } from "node:readline"
import { describe, expect, test } from "vitest"
import { ROOT, curbline, fileWith, folder } from "./command-line.ts"
import { curblineHere } from "./same-process.ts"

const GOOD = "scenarios/reservations/the-bot-never-shows-up.yaml"
const text = readFileSync(join(ROOT, GOOD), "utf8")

describe("curbline run", () => {
  test("a scenario that holds ends with 0 and says so", async () => {
    const { status, out } = await curblineHere("run", GOOD)
    expect(out).toMatch(
      /^✓ The bot never shows up {2}1h 50ms in \d+ ms, 20 events, seed 42\n1 passed, 0 failed\n$/,
    )
    expect(status).toBe(0)
  })

  test("a scenario that fails ends with 1 and shows expected, actual, place, why and how to see it again", async () => {
    const file = fileWith("late.yaml", text.replace("at: 12:05 }", "at: 12:06 }"))
    const { status, out } = await curblineHere("run", file)
    expect(status).toBe(1)
    expect(out).toContain(
      "failed: expected that the exception bot_no_show of lunch is published at 12:06, found that it was published at 12:05",
    )
    expect(out).toContain(`--> ${file}:21:5`)
    expect(out).toContain("expected: the exception bot_no_show of lunch is published at 12:06")
    expect(out).toContain("actual:   it was published at 12:05")
    expect(out).toContain("armed: window and grace at 12:30, in 24m")
    expect(out).toContain("last: 12:05 timer bot wait → runner-task")
    expect(out).toContain("because: 11:55 command runner.at_unit → runner-task")
    expect(out).toContain(`again:    npx curbline run ${file} --seed 42`)
    expect(out).toContain("0 passed, 1 failed")
  })

  test("a file with a mistake ends with 2, points at it, and nothing is run", () => {
    const file = fileWith("typo.yaml", text.replace("expect: { exception", "expct: { exception"))
    const { status, out, err } = curbline("run", file)
    expect(status).toBe(2)
    expect(out).toBe("")
    expect(err).toContain('error: unknown key "expct", did you mean "expect"?')
    expect(err).toContain(`--> ${file}:21:5`)
    expect(err).toContain("1 problem; nothing was run")
  })

  test("--json prints one object with verdicts, figures and failures", async () => {
    const file = fileWith("late.yaml", text.replace("at: 12:05 }", "at: 12:06 }"))
    const { status, out } = await curblineHere("run", GOOD, file, "--json")
    expect(status).toBe(1)
    const result = JSON.parse(out)
    expect(result).toMatchObject({ passed: 1, failed: 1 })
    expect(result.runs[0]).toMatchObject({
      scenario: "The bot never shows up",
      file: GOOD,
      seed: 42,
      verdict: "passed",
      virtual_ms: 3_600_050,
      events: 20,
      hash: expect.stringMatching(/^[0-9a-f]{64}$/),
      failures: [],
    })
    expect(result.runs[0].wall_ms).toBeGreaterThan(0)
    expect(result.runs[1].failures).toEqual([expect.objectContaining({ file, line: 21, column: 5 })])
  })

  test("--seed takes one seed or a range, and says what it does not take", async () => {
    const seeds = async (words: string): Promise<number[]> =>
      JSON.parse((await curblineHere("run", GOOD, "--json", "--seed", words)).out).runs.map(
        (run: { seed: number }) => run.seed,
      )
    expect(await seeds("7")).toEqual([7])
    expect(await seeds("3..5")).toEqual([3, 4, 5])
    expect(await seeds("4294967295")).toEqual([4_294_967_295])
    const wrong = {
      x: 'a number or a range such as 1..20, not "x"',
      "5..3": 'a number or a range such as 1..20, not "5..3"',
      "-1": 'a number or a range such as 1..20, not "-1"',
      "1..1000000000": 'at most 100000 seeds, "1..1000000000" is 1000000000',
      4294967296: 'seeds from 0 to 4294967295, not "4294967296"',
    }
    for (const [words, takes] of Object.entries(wrong)) {
      expect(await curblineHere("run", GOOD, `--seed=${words}`)).toMatchObject({
        status: 2,
        out: "",
        err: `error: --seed takes ${takes}\n`,
      })
    }
  })

  test("a record that cannot be written is told before anything runs", async () => {
    const nowhere = join(folder(), "nowhere", "out.ndjson")
    expect(await curblineHere("run", GOOD, "--record", nowhere)).toMatchObject({
      status: 2,
      out: "",
      err: expect.stringMatching(/^error: the record .*out\.ndjson cannot be written: ENOENT/),
    })
    const file = fileWith("kept.yaml", text)
    for (const flag of ["--record", "--report", "--junit"])
      expect(await curblineHere("run", file, flag, file)).toMatchObject({
        status: 2,
        err: `error: ${flag} would write over the scenario ${file}\n`,
      })
    expect(await curblineHere("run", file, "--report", nowhere, "--junit", nowhere)).toMatchObject({
      status: 2,
      err: `error: --report and --junit name the same file, ${nowhere}\n`,
    })
    expect(readFileSync(file, "utf8")).toBe(text)
  })

  test("a file that is no scenario is refused by name", async () => {
    expect(await curblineHere("run", "README.md")).toMatchObject({
      status: 2,
      out: "",
      err: "error: README.md is no scenario: its name ends in neither .yaml, .yml nor .scenario.ts\n",
    })
  })

  test("many seeds without a terminal are plain lines", async () => {
    const { status, out, err } = await curblineHere("run", GOOD, "--seed", "1..30")
    expect(status).toBe(0)
    expect(err).toBe("")
    expect(out.split("\n")).toHaveLength(32)
    expect(out).toContain("\n30 passed, 0 failed\n")
  })

  test("--check-determinism runs a folder twice and ends with 0", async () => {
    const { status, out, err } = await curblineHere("run", "scenarios/seeds", "--check-determinism")
    expect(err).toBe("")
    expect(out).toMatch(/\n\d+ passed, 0 failed\n$/)
    expect(status).toBe(0)
  })

  test("a path that does not exist, or holds no scenario, ends with 2", async () => {
    expect(await curblineHere("run", "nowhere")).toMatchObject({
      status: 2,
      err: "error: there is no file or folder nowhere\n",
    })
    const empty = folder()
    expect(await curblineHere("run", empty)).toMatchObject({
      status: 2,
      err: `error: no scenario in ${empty}\n`,
    })
  })

  test("a TypeScript scenario that cannot be loaded is named", async () => {
    const file = fileWith("broken.scenario.ts", "export const scenarios = nothing\n")
    expect(await curblineHere("run", file)).toMatchObject({
      status: 2,
      err: `error: ${file} cannot be loaded: nothing is not defined\n`,
    })
    const none = fileWith("none.scenario.ts", "export const other = 1\n")
    expect(await curblineHere("run", none)).toMatchObject({
      status: 2,
      err: `error: ${none} exports no list "scenarios"\n`,
    })
  })

  test("--watch runs again when a file changes, and Ctrl-C ends it with 130", async () => {
    const file = fileWith("watched.yaml", text)
    const child = spawn(process.execPath, ["src/cli/curbline.js", "run", file, "--watch"], { cwd: ROOT })
    const ended = once(child, "exit")
    const saidToErr = createInterface({ input: child.stderr })[Symbol.asyncIterator]()
    expect((await saidToErr.next()).value).toBe(`watching ${file}; Ctrl-C ends it`)
    const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]()
    const next = async (): Promise<string> => String((await lines.next()).value)
    expect(await next()).toContain("✓ The bot never shows up")
    expect(await next()).toBe("1 passed, 0 failed")
    appendFileSync(file, "\n# a change\n")
    expect(await next()).toContain("✓ The bot never shows up")
    expect(await next()).toBe("1 passed, 0 failed")
    child.kill("SIGINT")
    expect(await ended).toEqual([130, null])
  })
})

describe("curbline check", () => {
  test("counts what it read and runs nothing", async () => {
    expect(await curblineHere("check", "scenarios/reservations")).toMatchObject({
      status: 0,
      out: expect.stringMatching(/^\d+ scenarios in \d+ files, no problem\n$/),
    })
  })

  test("speaks of one in the singular", async () => {
    expect((await curblineHere("check", GOOD)).out).toBe("1 scenario in 1 file, no problem\n")
  })

  test("reports every problem of a file", async () => {
    const file = fileWith(
      "two.yaml",
      text.replace("expect: { exception", "expct: { exception").replace("11:46", "1146"),
    )
    const { status, err } = await curblineHere("check", file)
    expect(status).toBe(2)
    expect(err).toContain('unknown key "expct"')
    expect(err).toContain("the bare number 1146 is not a time")
    expect(err).toContain("2 problems in 1 file\n")
  })
})

test("a file that is not UTF-8 is not read with other letters", async () => {
  const latin1 = Buffer.from(text.replace(/^scenario: .*$/m, "scenario: Café"), "latin1")
  const utf16 = Buffer.concat([Buffer.from([0xff, 0xfe]), Buffer.from(text, "utf16le")])
  for (const [bytes, message] of [
    [latin1, "the file is not UTF-8 text"],
    [utf16, "the file is UTF-16 text, and only UTF-8 is read"],
  ] as const) {
    const file = fileWith("letters.yaml", bytes)
    const { status, err } = await curblineHere("run", file)
    expect(status).toBe(2)
    expect(err).toContain(`error: ${message}\n`)
    expect(err).toContain("help: save it as UTF-8 in the editor that wrote it\n")
  }
})

test("fleet models, what-if files and files beside a model are not read with other letters either", async () => {
  const latin1 = (name: string, written: string): string => fileWith(name, Buffer.from(written, "latin1"))
  const fleet = [
    "fleet: Caf\u00E9",
    "because: Letters stay.",
    "clock: 2026-03-02T11:00 America/Chicago",
    "horizon: 1h",
    "sites: [{ as: curb, at: [30.4, -97.7], stalls: 1, runners: 1 }]",
    "demand: [{ product: reservation, site: curb, replay: asked.csv }]",
  ].join("\n")
  const model = latin1("latin.yaml", fleet)
  const record = join(folder(), "run.ndjson")
  await curblineHere("run", GOOD, "--record", record)
  const moment = /^\{"k":"turn".*?"s":(\d+)/m.exec(readFileSync(record, "utf8"))?.[1] ?? ""
  const whatIf = latin1("other.yaml", "what_if: The caf\u00E9 is closed.\nsteps: []\n")
  for (const [command, place] of [
    [["check", model], `${model}:1:11`],
    [["fleet", model], `${model}:1:11`],
    [["check", whatIf], `${whatIf}:1:17`],
    [["fork", record, "--at", moment, "--with", whatIf], `${whatIf}:1:17`],
  ] as const) {
    const { status, err } = await curblineHere(...command)
    expect(status, command.join(" ")).toBe(2)
    expect(err, command.join(" ")).toContain("error: the file is not UTF-8 text\n")
    expect(err).toContain(`--> ${place}\n`)
    expect(err).toContain("help: save it as UTF-8 in the editor that wrote it\n")
  }
  const beside = fileWith("utf8.yaml", fleet)
  writeFileSync(
    join(dirname(beside), "asked.csv"),
    Buffer.from("asked, caf\u00E9\n2026-03-02T11:10\n", "latin1"),
  )
  const { status, err } = await curblineHere("check", beside)
  expect(status).toBe(2)
  expect(err).toContain("asked.csv is not UTF-8 text; save it as UTF-8 in the editor that wrote it\n")
})

test("curbline explain tells a scenario in plain sentences", async () => {
  const { status, out } = await curblineHere("explain", GOOD)
  expect(status).toBe(0)
  expect(out).toMatch(/^The bot never shows up\nThe runner waits ten minutes, then operations must know\.\n/)
  expect(out).toContain(" When at 11:30 the partner books lunch")
  expect(out).toContain(" Then at 12:05 the exception bot_no_show is published for lunch.")
})

describe("curbline replay", () => {
  const record = join(folder(), "out.ndjson")

  test("a record of a whole folder replays to the same bytes", async () => {
    expect((await curblineHere("run", "scenarios/reservations", "--record", record)).status).toBe(0)
    const { status, out } = await curblineHere("replay", record)
    expect(out).toMatch(/^\d+ runs, \d+ entries: the same to the byte\n([0-9a-f]{64}\n)+$/)
    expect(status).toBe(0)
  })

  test("a record of one run is told in the singular", async () => {
    const one = join(folder(), "one.ndjson")
    expect((await curblineHere("run", GOOD, "--record", one)).err).toBe(`recorded 1 run in ${one}\n`)
    expect((await curblineHere("replay", one)).out).toMatch(/^1 run, \d+ entries: the same to the byte\n/)
  })

  test("a record with one changed byte fails at that entry", async () => {
    const lines = readFileSync(record, "utf8").split("\n")
    const at = lines.findIndex((line) => line.startsWith('{"k":"turn"') && line.includes('"runner.at_unit"'))
    writeFileSync(
      record,
      lines.with(at, (lines[at] ?? "").replace('"did":"moved"', '"did":"mowed"')).join("\n"),
    )
    const { status, out } = await curblineHere("replay", record)
    expect(status).toBe(1)
    expect(out).toContain(`${record}:${at + 1}: entry reservation/res_`)
    expect(out).toContain("differs\n  at character ")
  })

  test("a record of states alone is small, and says that it cannot be replayed", async () => {
    const states = join(folder(), "states.ndjson")
    expect((await curblineHere("run", GOOD, "--record", states, "--recording", "states")).status).toBe(0)
    const kept = readFileSync(states, "utf8")
    expect(kept).toContain('"states":[{"a":"reservation/')
    expect(kept).not.toContain('"context"')
    expect(await curblineHere("replay", states)).toMatchObject({
      status: 1,
      out: `${states}:1: the record has states only; only a full record can be replayed\n`,
    })
    expect((await curblineHere("run", GOOD, "--recording", "some")).status).toBe(2)
  })

  test("a file that is no record is named", async () => {
    for (const [file, why] of [
      ["README.md", "the line is not a JSON object"],
      ["package.json", "the line is not a JSON object"],
      [fileWith("empty.ndjson", ""), "the record holds no run"],
      [fileWith("other.ndjson", '{"k":"turn"}\n'), "the record does not begin with a run line"],
    ] as const)
      expect(await curblineHere("replay", file)).toEqual({
        status: 2,
        out: "",
        err: `error: ${file} is no run record: line 1: ${why}\n`,
      })
    expect(await curblineHere("replay", "nowhere.ndjson")).toMatchObject({
      status: 2,
      err: "error: there is no file nowhere.ndjson\n",
    })
    expect(await curblineHere("replay", "scenarios")).toMatchObject({
      status: 2,
      err: "error: scenarios is a folder, not a file\n",
    })
    expect(await curblineHere("replay", "README.md/record")).toMatchObject({
      status: 2,
      err: "error: cannot read README.md/record: ENOTDIR: not a directory, open 'README.md/record'\n",
    })
  })
})

describe("curbline chart", () => {
  test("--mermaid and --table print what machines/README.md shows", async () => {
    const readme = readFileSync(join(ROOT, "machines/README.md"), "utf8")
    for (const machine of ["reservation", "bot", "runner-task", "open-link", "webhook-delivery"]) {
      const mermaid = (await curblineHere("chart", machine, "--mermaid")).out.trimEnd()
      expect(readme).toContain(mermaid)
      const table = (await curblineHere("chart", machine, "--table")).out
      const rows = table.split("\n").filter((line) => line.startsWith("| `"))
      expect(rows.length).toBeGreaterThan(5)
      for (const row of rows) expect(readme).toContain(row)
    }
  })

  test("--svg prints the kept picture of a machine", async () => {
    const kept = readFileSync(join(ROOT, "test/pages/chart/pictures/webhook-endpoint.svg"), "utf8")
    expect(await curblineHere("chart", "webhook-endpoint", "--svg")).toMatchObject({
      status: 0,
      out: kept,
      err: "",
    })
  })

  test("two forms at once exclude each other", async () => {
    expect(await curblineHere("chart", "bot", "--table", "--mermaid")).toMatchObject({
      status: 2,
      out: "",
      err: expect.stringContaining("option '--mermaid' cannot be used with option '--table'"),
    })
    expect((await curblineHere("chart", "bot", "--table", "--outline")).status).toBe(2)
  })

  test("an unknown machine is answered with those that exist", async () => {
    expect(await curblineHere("chart", "reservatoin")).toMatchObject({
      status: 2,
      err:
        'error: there is no machine "reservatoin"; there are bot, compartment, courier-order, courier-payment, delivery, open-link, reservation, runner-call, ' +
        "runner-task, vehicle, webhook-delivery, webhook-endpoint, customer, errand-agent, kitchen-order, partner-bot, runner-round, runner-shift\n",
    })
  })
})

describe("the command itself", () => {
  test("an unknown word or flag ends with 2 and a suggestion", async () => {
    expect(await curblineHere("rn")).toMatchObject({
      status: 2,
      err: "error: unknown command 'rn'\n(Did you mean run?)\n",
    })
    expect((await curblineHere("run", GOOD, "--sed", "1")).err).toContain("(Did you mean --seed?)")
    expect((await curblineHere("run")).status).toBe(2)
  })

  test("without words it shows its help and ends with 2", () => {
    expect(curbline()).toMatchObject({
      status: 2,
      out: "",
      err: expect.stringMatching(/^Usage: curbline[^]*\n {2}run [^]*Exit status: 0 passed/),
    })
  })

  test("the examples below the help of a command use flags that it has, and files that exist", async () => {
    let examples = 0
    for (const name of [
      "run",
      "check",
      "explain",
      "replay",
      "fork",
      "swarm",
      "words",
      "init",
      "studio",
      "fleet",
      "inspect",
      "chart",
      "completion",
    ]) {
      const { out: help } = await curblineHere(name, "--help")
      for (const [, own = "", rest = ""] of help.matchAll(/npx curbline (\S+)(.*)$/gm)) {
        examples += 1
        const { out } = own === name ? { out: help } : await curblineHere(own, "--help")
        for (const [flag] of rest.matchAll(/--[a-z-]+/g)) expect(out).toContain(flag)
        for (const [path] of rest.matchAll(/scenarios\S*/g)) {
          if (!rest.includes("my-")) expect([path, existsSync(join(ROOT, path))]).toEqual([path, true])
        }
      }
    }
    expect(examples).toBeGreaterThan(12)
  })

  test("--help and --version go to stdout and end with 0", () => {
    expect(curbline("--help")).toMatchObject({
      status: 0,
      out: expect.stringContaining("Exit status: 0 passed"),
    })
    expect(curbline("--version")).toMatchObject({ status: 0, out: "curbline 0.2.0\n" })
  })

  test("a reader that stops reading ends it quietly", () => {
    const { stderr } = spawnSync(
      "sh",
      ["-c", `"${process.execPath}" src/cli/curbline.js run scenarios | head -1`],
      {
        cwd: ROOT,
        encoding: "utf8",
      },
    )
    expect(stderr).toBe("")
  })

  test("a Node that is too old is told in words", () => {
    const old = `Object.defineProperty(process.versions, "node", { value: "20.1.0" }); import("./src/cli/curbline.js")`
    const { status, stderr } = spawnSync(process.execPath, ["--eval", old], { cwd: ROOT, encoding: "utf8" })
    expect(status).toBe(2)
    expect(stderr).toMatch(/^curbline needs Node 24, this is v\d+.*Run it as "npx curbline" after "npm ci"/)
  })

  test("generated files are fresh", async () => {
    expect(await curblineHere("generate", "--check")).toMatchObject({ status: 0, err: "" })
  })
})
