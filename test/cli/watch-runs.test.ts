import { EventEmitter } from "node:events"
import { mkdirSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest"
import { EXIT } from "../../src/cli/kit/exit-codes.ts"
import { watchRuns } from "../../src/cli/runs/watch-runs.ts"
import type { KeySource, WatchedChoice } from "../../src/cli/runs/watch-runs.ts"
import { folder } from "./command-line.ts"
import { eventually } from "../eventually.ts"

/** A terminal whose keys the test presses. */
class Keys extends EventEmitter {
  readonly modes: boolean[] = []

  setRawMode(isRaw: boolean): this {
    this.modes.push(isRaw)
    return this
  }

  pause(): this {
    return this
  }

  resume(): this {
    return this
  }

  press(keys: string): void {
    this.emit("data", Buffer.from(keys))
  }
}

const SCENARIO =
  "scenario: S\nbecause: B\nclock: 2026-03-02T11:30 America/Chicago\nsteps:\n  - { wait: 5m }\n"

describe("curbline run --watch", () => {
  let said = ""
  beforeEach(() => {
    said = ""
    vi.spyOn(process.stderr, "write").mockImplementation((text) => {
      said += String(text)
      return true
    })
  })
  afterEach(() => vi.restoreAllMocks())

  /** Watches a folder with `a.yaml` and `notes.txt`; each run is noted, and `ran` waits for the next. */
  function watching(options: { readonly throws?: string } = {}) {
    const top = folder()
    mkdirSync(join(top, "scenarios"))
    const file = join(top, "scenarios/a.yaml")
    writeFileSync(file, SCENARIO)
    writeFileSync(join(top, "scenario.schema.json"), "{}")
    const choices: WatchedChoice[] = []
    const waiting: (() => void)[] = []
    const keys = new Keys()
    const ended = watchRuns({
      paths: [join(top, "scenarios")],
      status: EXIT.passed,
      keys: keys as unknown as KeySource,
      run: async (choice) => {
        choices.push(choice)
        waiting.shift()?.()
        if (options.throws !== undefined) throw new Error(options.throws)
        return EXIT.failed
      },
    })
    const ran = () => new Promise<void>((resolve) => waiting.push(resolve))
    return { top, file, choices, keys, ended, ran }
  }

  test("keys choose what runs, and q ends with the status of the last run", async () => {
    const { keys, choices, ended, ran } = watching()
    expect(said).toContain("a all, f failed, p by a part of the title or file, Enter again, q quit")
    for (const key of ["a", "f", "\r", "pno shox\u007Fw\r", "\r", "a"]) {
      const next = ran()
      keys.press(key)
      await next
      await eventually(() => expect(choices.length).toBeGreaterThan(0))
    }
    keys.press("q")
    expect(await ended).toBe(EXIT.failed)
    expect(choices).toEqual([
      {},
      { failed: true },
      { failed: true },
      { grep: "no show" },
      { grep: "no show" },
      {},
    ])
    expect(keys.modes).toEqual([true, false])
  })

  test("before any run q ends with the status of the first one, and Ctrl-C with 130", async () => {
    const first = watching()
    first.keys.press("q")
    expect(await first.ended).toBe(EXIT.passed)
    const second = watching()
    second.keys.press("\u0003")
    expect(await second.ended).toBe(EXIT.interrupted)
  })

  test("Escape leaves the text, and other keys do nothing", async () => {
    const { keys, choices, ended } = watching()
    keys.press("pqa\u001Bxyz?")
    expect(said).toContain("Enter again, q quit\na part of the title")
    keys.press("q")
    await ended
    expect(choices).toEqual([])
  })

  test("an error that keeps a run from beginning is printed, and watching goes on", async () => {
    const { keys, ended, ran } = watching({ throws: 'no scenario has "x" in its title' })
    const next = ran()
    keys.press("px\r")
    await next
    await eventually(() => expect(said).toContain('error: no scenario has "x" in its title'))
    keys.press("q")
    expect(await ended).toBe(EXIT.usage)
  })

  test("changed scenarios and fragments run again, other files do not", async () => {
    const { top, file, keys, choices, ended, ran } = watching()
    const changed = ran()
    writeFileSync(join(top, "scenarios/notes.txt"), "n")
    writeFileSync(file, `${SCENARIO}# changed\n`)
    await changed
    const before = choices.length
    const fragment = ran()
    writeFileSync(join(top, "parts.yaml"), "fragments: {}\n")
    await fragment
    expect(choices.length).toBe(before + 1)
    writeFileSync(join(top, "other.yaml"), SCENARIO)
    writeFileSync(join(top, "scenarios/record.ndjson"), "{}")
    const again = ran()
    keys.press("\r")
    await again
    expect(choices.length).toBe(before + 2)
    keys.press("q")
    await ended
  })
})
