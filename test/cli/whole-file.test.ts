/** A file is written as a whole or not at all. */

import fs, {
  existsSync,
  mkdirSync,
  readFileSync,
  readdirSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs"
import { syncBuiltinESMExports } from "node:module"
import { join } from "node:path"
import { afterEach, expect, test, vi } from "vitest"
import { checkPlaceOf, writeWhole } from "../../src/cli/kit/whole-file.ts"
import { CommandFailed, UsageError } from "../../src/cli/kit/usage-error.ts"
import { folder } from "./command-line.ts"

afterEach(() => {
  vi.restoreAllMocks()
  syncBuiltinESMExports()
})

/** The next writes find the disk full. */
function fillDisk(): void {
  vi.spyOn(fs, "writeFileSync").mockImplementation(() => {
    throw Object.assign(new Error("ENOSPC: no space left on device, write"), { code: "ENOSPC" })
  })
  syncBuiltinESMExports()
}

test("the parts of a file are in it when the body has ended, and only then", async () => {
  const top = folder()
  const file = join(top, "out")
  writeFileSync(file, "earlier")
  const result = await writeWhole(
    file,
    async (write) => {
      write("one ")
      await Promise.resolve()
      expect(readFileSync(file, "utf8")).toBe("earlier")
      write(new TextEncoder().encode("two"))
      return 2
    },
    { mode: 0o600 },
  )
  expect([result, readFileSync(file, "utf8"), statSync(file).mode & 0o777]).toEqual([2, "one two", 0o600])
  expect(readdirSync(top)).toEqual(["out"])
})

test.each<readonly [string, (write: (part: string) => void) => void, unknown]>([
  [
    "a body that fails",
    (write) => {
      write("half")
      throw new Error("the database is away")
    },
    new Error("the database is away"),
  ],
  [
    "a disk that is full",
    (write) => {
      fillDisk()
      write("half")
    },
    expect.any(CommandFailed),
  ],
])("%s leaves the file of before, and no draft", async (_, body, expected) => {
  const top = folder()
  const file = join(top, "out")
  writeFileSync(file, "earlier")
  const failed = await writeWhole(file, body).catch((cause: unknown) => cause)
  expect(failed).toEqual(expected)
  if (failed instanceof CommandFailed)
    expect(failed.message).toBe(`${file} cannot be written: ENOSPC: no space left on device, write`)
  expect([readFileSync(file, "utf8"), readdirSync(top)]).toEqual(["earlier", ["out"]])
})

test("behind a link, the file that it leads to is replaced", async () => {
  const top = folder()
  writeFileSync(join(top, "file"), "earlier")
  symlinkSync("file", join(top, "link"))
  await writeWhole(join(top, "link"), (write) => write("later"))
  expect(readFileSync(join(top, "file"), "utf8")).toBe("later")
  expect(readdirSync(top).toSorted()).toEqual(["file", "link"])
})

test("what is no file is not replaced", async () => {
  await writeWhole("/dev/null", (write) => write("text"))
  expect(statSync("/dev/null").isFile()).toBe(false)
  expect(existsSync(`/dev/null.${process.pid}`)).toBe(false)
})

test("a place that cannot hold the file is refused before any work", () => {
  const top = folder()
  mkdirSync(join(top, "folder"))
  writeFileSync(join(top, "file"), "")
  for (const [file, problem] of [
    [join(top, "folder"), "is a folder, not a file"],
    [join(top, "missing", "out"), `there is no folder ${join(top, "missing")}`],
    [join(top, "file", "out"), `${join(top, "file")} is not a folder`],
  ] as const) {
    expect(() => checkPlaceOf(file)).toThrow(UsageError)
    expect(() => checkPlaceOf(file)).toThrow(problem)
  }
})
