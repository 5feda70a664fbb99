/** Commands with a mistyped folder or file: they end with one line before any work, and leave everything as it is. */

import fs, { existsSync, mkdirSync, readFileSync, readdirSync, writeFileSync } from "node:fs"
import { syncBuiltinESMExports } from "node:module"
import { join } from "node:path"
import { Effect } from "effect"
import { afterEach, describe, expect, test, vi } from "vitest"
import { holdFolder } from "../../src/engine/store/folder-lock.ts"
import { folder } from "../cli/command-line.ts"
import type { Ended } from "../cli/command-line.ts"
import { curblineHereWith } from "../cli/same-process.ts"
import { preparedDataFolder } from "./service-process.ts"

afterEach(() => {
  vi.restoreAllMocks()
  syncBuiltinESMExports()
})

/** Writes to the files of exports find the disk full. */
function fillDisk(): void {
  const { writeFileSync: write } = fs
  vi.spyOn(fs, "writeFileSync").mockImplementation((place, ...rest) => {
    if (typeof place === "number")
      throw Object.assign(new Error("ENOSPC: no space left on device, write"), { code: "ENOSPC" })
    write(place, ...rest)
  })
  syncBuiltinESMExports()
}

function run(...words: readonly string[]): Promise<Ended> {
  return curblineHereWith({ DATABASE_URL: "", CURBLINE_SECRET: "", CURBLINE_OPERATOR_TOKEN: "" }, ...words)
}

const oneLine = (text: string): unknown =>
  expect.stringMatching(new RegExp(`^error: [^\n]*${text.replace(/[.*+?^${}()|[\]\\]/g, "\\$&")}[^\n]*\n$`))

describe("a folder without a database", () => {
  test.each([
    ["calls", "status"],
    ["calls", "release"],
    ["operators", "create", "--email", "a@example.com", "--name", "Ana", "--role", "admin"],
    ["operators", "accounts"],
    ["orgs", "create", "--name", "Wheels"],
    ["orgs", "list"],
    ["sites", "show", "site_1"],
    ["journal", "export"],
    ["restore", "--hold-calls"],
    ["restore", "--resume-calls"],
  ])("is not given one by %s %s", async (...words) => {
    const top = folder()
    const missing = join(top, "mistyped")
    expect(await run(...words, "--data", missing)).toEqual({
      status: 2,
      out: "",
      err: oneLine(`there is no database in ${missing}`),
    })
    expect(await run(...words, "--data", top)).toMatchObject({ status: 2 })
    expect(readdirSync(top)).toEqual([])
  })

  test("whose first start was interrupted counts as none", async () => {
    const data = folder()
    mkdirSync(join(data, "database"))
    writeFileSync(join(data, "database/PG_VERSION"), "17")
    writeFileSync(join(data, "database.unfinished"), "")
    expect(await run("orgs", "list", "--data", data)).toMatchObject({
      status: 2,
      err: oneLine("there is no database"),
    })
  })

  test.each([
    ["orgs", "list"],
    ["calls", "status"],
  ])("with a mark of an interrupted first start beside its data is refused by %s %s", async (...words) => {
    const data = preparedDataFolder()
    writeFileSync(join(data, "database.unfinished"), "")
    expect(await run(...words, "--data", data)).toMatchObject({
      status: 2,
      err: oneLine("says that a first start was interrupted, but"),
    })
    expect(existsSync(join(data, "database/PG_VERSION"))).toBe(true)
  })

  test("behind a file is none either", async () => {
    const file = join(folder(), "file")
    writeFileSync(file, "")
    const data = join(file, "data")
    expect(await run("orgs", "list", "--data", data)).toMatchObject({
      status: 2,
      err: oneLine("there is no database"),
    })
  })
})

describe("an export of the journal", () => {
  const earlier = (): string => {
    const file = join(folder(), "journal.ndjson")
    writeFileSync(file, "a good one\n")
    return file
  }
  const isKept = (file: string): void => {
    expect(readFileSync(file, "utf8")).toBe("a good one\n")
    expect(readdirSync(join(file, ".."))).toEqual(["journal.ndjson"])
  }

  test("that is refused leaves the file of an earlier one", async () => {
    const file = earlier()
    const data = preparedDataFolder()
    expect(await run("journal", "export", "--out", file, "--data", folder())).toMatchObject({ status: 2 })
    isKept(file)
    const held = Effect.scoped(
      Effect.zipRight(
        holdFolder(join(data, "database")),
        Effect.promise(() => run("journal", "export", "--out", file, "--data", data)),
      ),
    )
    expect(await Effect.runPromise(held)).toEqual({ status: 2, out: "", err: oneLine("holds the database") })
    isKept(file)
  })

  test("that fails in the middle leaves it too, and says why in one line", async () => {
    const file = earlier()
    const data = preparedDataFolder()
    fillDisk()
    const failed = await run("journal", "export", "--out", file, "--data", data)
    vi.restoreAllMocks()
    syncBuiltinESMExports()
    expect(failed).toEqual({
      status: 1,
      out: "",
      err: oneLine(`${file} cannot be written: ENOSPC: no space left on device, write`),
    })
    isKept(file)
    expect(await run("journal", "export", "--out", file, "--data", data)).toMatchObject({ status: 0 })
    expect(readFileSync(file, "utf8")).toMatch(/^\{"k":"run"/)
  })

  test("into a folder that does not exist opens no database", async () => {
    const data = preparedDataFolder()
    const file = join(folder(), "missing", "journal.ndjson")
    expect(await run("journal", "export", "--out", file, "--data", data)).toEqual({
      status: 2,
      out: "",
      err: oneLine("there is no folder"),
    })
    expect(readdirSync(data)).toEqual(["database"])
  })
})

describe("a backup", () => {
  test("into a folder that does not exist is refused before any work", async () => {
    const data = preparedDataFolder()
    const top = folder()
    expect(await run("backup", join(top, "missing", "x.backup"), "--data", data)).toEqual({
      status: 2,
      out: "",
      err: oneLine(`there is no folder ${join(top, "missing")}`),
    })
    expect([readdirSync(data), existsSync(join(top, "missing"))]).toEqual([["database"], false])
  })

  test("of a folder that cannot be used is refused in one line", async () => {
    const data = preparedDataFolder()
    mkdirSync(join(data, "database.lock"))
    const { status, err } = await run("backup", join(folder(), "x.backup"), "--data", data)
    expect([status, err]).toEqual([2, oneLine(`the folder ${data} cannot be used`)])
  })
})
