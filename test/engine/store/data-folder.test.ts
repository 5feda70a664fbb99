/** A data folder that has lost its database, or whose database is damaged, is refused with words that help; nothing is written over. */

import {
  chownSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  readdirSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { sql } from "drizzle-orm"
import { PGlite } from "@electric-sql/pglite"
import { SystemError } from "@effect/platform/Error"
import * as FileSystem from "@effect/platform/FileSystem"
import * as Path from "@effect/platform/Path"
import { Cause, Effect, Exit, Layer } from "effect"
import { beforeAll, describe, expect, test } from "vitest"
import { secretIn } from "../../../src/live/configuration/service-secret.ts"
import {
  checkFiles,
  makeFolder,
  prepareDataFolder,
  whyNotOpened,
} from "../../../src/engine/store/data-folder.ts"
import { Database, layerPglite } from "../../../src/engine/store/database.ts"
import { layerLocalFiles } from "../../../src/engine/store/local-files.ts"
import type { LocalFiles } from "../../../src/engine/store/local-files.ts"

const kept = join(mkdtempSync(join(tmpdir(), "curbline-folder-")), "data")

/** The result of opening: the organizations in it, or the text of the refusal. */
async function opened(data: string): Promise<string> {
  const counting = Effect.flatMap(Database, ({ orm }) =>
    Effect.promise(async () => orm.execute(sql`select count(*)::int as n from organizations`)),
  )
  const exit = await Effect.runPromiseExit(
    Effect.provide(counting, layerPglite({ folder: join(data, "database") })),
  )
  if (Exit.isSuccess(exit)) return `${(exit.value as { rows: { n: number }[] }).rows[0]?.n} organizations`
  return (Cause.squash(exit.cause) as Error).message
}

function secretOf(data: string, files: Layer.Layer<LocalFiles> = layerLocalFiles): Promise<string> {
  return Effect.runPromise(Effect.provide(secretIn(data), files))
}

beforeAll(async () => {
  await secretOf(kept)
  await opened(kept)
})

function namesIn(data: string): readonly string[] {
  return readdirSync(data, { recursive: true, encoding: "utf8" }).toSorted((a, b) => a.localeCompare(b))
}

function copy(): string {
  const data = join(mkdtempSync(join(tmpdir(), "curbline-folder-")), "data")
  cpSync(kept, data, { recursive: true })
  return data
}

test("a secret that cannot be kept leaves nothing behind, and the fault says why", async () => {
  const fault = new SystemError({
    reason: "Unknown",
    module: "FileSystem",
    method: "link",
    description: "EIO: i/o error, link",
  })
  const removed: string[] = []
  const files = FileSystem.layerNoop({
    access: () => Effect.void,
    makeDirectory: () => Effect.void,
    exists: () => Effect.succeed(false),
    writeFileString: () => Effect.void,
    link: () => Effect.fail(fault),
    remove: (path) => Effect.sync(() => void removed.push(path)),
  })
  await expect(secretOf("data", Layer.merge(files, Path.layer))).rejects.toThrow(/EIO: i\/o error, link/)
  expect(removed).toEqual([`data/secret.${process.pid}`])
})

describe("a data folder", () => {
  test("is its owner's alone, and has no mark of an unfinished start once its database stands", () => {
    expect((statSync(kept).mode & 0o777).toString(8)).toBe("700")
    expect((statSync(join(kept, "database")).mode & 0o777).toString(8)).toBe("700")
    expect(readdirSync(kept).toSorted()).toEqual(["database", "database.lock", "secret"])
  })

  test.each<[string, (data: string) => void]>([
    ["no database beside its secret", (data) => rmSync(join(data, "database"), { recursive: true })],
    [
      "no database beside its demo.json",
      (data) => {
        rmSync(join(data, "database"), { recursive: true })
        rmSync(join(data, "secret"))
        writeFileSync(join(data, "demo.json"), "{}")
      },
    ],
    ["a database without PG_VERSION", (data) => rmSync(join(data, "database/PG_VERSION"))],
    [
      "an empty database beside its secret",
      (data) => {
        rmSync(join(data, "database"), { recursive: true })
        mkdirSync(join(data, "database"))
      },
    ],
  ])("with %s is refused, says what to do, and is left as it is", async (_, harm) => {
    const data = copy()
    harm(data)
    const before = namesIn(data)
    await expect(secretOf(data)).rejects.toThrow(/curbline restore FILE/)
    const said = await opened(data)
    expect(said).toContain(data)
    expect(said).toContain("curbline restore FILE")
    expect(namesIn(data)).toEqual(before)
  })

  test("with damaged files is refused, and the folder and the way back are named", async () => {
    const data = copy()
    const control = join(data, "database/global/pg_control")
    writeFileSync(control, Buffer.alloc(readFileSync(control).length, 0xff))
    const said = await opened(data)
    expect(said).toContain(`the files of the database in ${join(data, "database")} are damaged`)
    expect(said).toContain("(database files are incompatible with server)")
    expect(said).toContain("curbline restore FILE")
  })

  test("whose first start was cut off gets its database at the next one", async () => {
    const data = copy()
    rmSync(join(data, "database"), { recursive: true })
    const begun = new PGlite(join(data, "database"))
    await begun.waitReady
    await begun.close()
    rmSync(join(data, "database/global"), { recursive: true })
    writeFileSync(join(data, "database.unfinished"), "")
    expect(await opened(data)).toBe("0 organizations")
    expect(existsSync(join(data, "database.unfinished"))).toBe(false)
  })
})

describe("a mark of an unfinished first start that is not true", () => {
  const mark = (data: string): void => writeFileSync(join(data, "database.unfinished"), "")

  test.each<[string, (data: string) => void]>([
    ["a whole database", () => undefined],
    ["a database that lacks files", (data) => rmSync(join(data, "database/global"), { recursive: true })],
    ["a database without PG_VERSION", (data) => rmSync(join(data, "database/PG_VERSION"))],
    [
      "files of somebody else",
      (data) => {
        rmSync(join(data, "database"), { recursive: true })
        mkdirSync(join(data, "database"))
        writeFileSync(join(data, "database/letters.txt"), "dear")
      },
    ],
    [
      "an earlier database that was put aside",
      (data) => {
        renameSync(join(data, "database"), join(data, "database.cut-off"))
        mkdirSync(join(data, "database"))
      },
    ],
  ])("beside %s changes nothing, and the refusal says what to do", async (_, make) => {
    const data = copy()
    make(data)
    mark(data)
    const before = namesIn(data)
    const said = await opened(data)
    expect(said).toContain(
      `the file ${join(data, "database.unfinished")} says that a first start was interrupted`,
    )
    expect(said).toMatch(/remove that file.* and start again.*curbline restore FILE/)
    expect(said).not.toContain("\n")
    expect(namesIn(data)).toEqual(before)
    expect(existsSync(join(data, "database.lock"))).toBe(true)
  })

  test("a whole database is served again once the file is removed, as the refusal says", async () => {
    const data = copy()
    mark(data)
    expect(await opened(data)).toContain("remove that file")
    rmSync(join(data, "database.unfinished"))
    expect(await opened(data)).toBe("0 organizations")
  })

  test("what an earlier start put aside is kept when it has tables", async () => {
    const data = copy()
    cpSync(join(data, "database"), join(data, "database.cut-off"), { recursive: true })
    expect(await opened(data)).toBe("0 organizations")
    expect(existsSync(join(data, "database.cut-off/PG_VERSION"))).toBe(true)
  })
})

/** Node's error as the platform reports it. */
function refusal(code: string, method: string): SystemError {
  const cause = Object.assign(new Error(`${code}: as found, ${method}`), { code })
  return new SystemError({ reason: "Unknown", module: "FileSystem", method, cause })
}

/** The real files, but for what is replaced. */
function filesWith(replaced: Partial<FileSystem.FileSystem>): Layer.Layer<LocalFiles> {
  return Layer.merge(
    Layer.effect(
      FileSystem.FileSystem,
      Effect.map(FileSystem.FileSystem, (files) => ({ ...files, ...replaced })),
    ),
    Path.layer,
  ).pipe(Layer.provide(layerLocalFiles))
}

const failureIn = <E>(effect: Effect.Effect<unknown, E, LocalFiles>, files = layerLocalFiles): Promise<E> =>
  Effect.runPromise(Effect.provide(Effect.flip(effect), files))

describe("a data folder that this process cannot use is not said to be damaged", () => {
  const owner =
    /Run this as the user who owns its files, give them to this user \(chown -R\), or name another --data$/

  test.each([
    ["of another user", "EACCES", owner, true],
    ["on a read-only file system", "EROFS", /Mount its file system for writing/, true],
  ])("%s", async (_, code, advice, isUsage) => {
    const data = copy()
    const files = filesWith({ access: () => Effect.fail(refusal(code, "access")) })
    for (const effect of [
      prepareDataFolder(join(data, "database")),
      secretIn(data),
      checkFiles(join(data, "database")),
    ]) {
      const fault = await failureIn(effect, files)
      expect(fault).toMatchObject({ _tag: "FolderUnusable", folder: data, isUsage })
      expect(fault.message).toContain(`the folder ${data} cannot be used: ${code}: as found, access. `)
      expect(fault.message).toMatch(advice)
    }
  })

  test("a file that was removed after it was listed is no problem", async () => {
    const database = join(kept, "database")
    const files = filesWith({
      readDirectory: (path) => Effect.succeed([...readdirSync(path), "removed-meanwhile.tmp"]),
    })
    const exit = await Effect.runPromiseExit(Effect.provide(checkFiles(database), files))
    expect(exit).toEqual(Exit.void)
  })

  test.each([
    ["a full disk", "ENOSPC", /The disk is full: free some space and try again; nothing is damaged$/],
    ["a limit on the size of a file", "EFBIG", /Raise the limit on the size of a file \(ulimit -f\)/],
  ])("%s stops the trial, whose file does not stay", async (_, code, advice) => {
    const data = copy()
    const before = namesIn(data)
    const files = filesWith({
      writeFile: (path) =>
        Effect.zipRight(
          Effect.sync(() => writeFileSync(path, "half")),
          Effect.fail(refusal(code, "write")),
        ),
    })
    const why = await Effect.runPromise(
      Effect.provide(whyNotOpened(join(data, "database"), new Error("Aborted()")), files),
    )
    expect(why).toMatchObject({ _tag: "FolderUnusable", isUsage: false })
    expect(why.message).toMatch(advice)
    expect(namesIn(data)).toEqual(before)
  })

  test.each([
    ['could not write to file "pg_wal/xlogtemp.42": No space left on device', "FolderUnusable"],
    ['could not open file "global/1": Permission denied', "FolderUnusable"],
    ["could not locate a valid checkpoint record", "DataFolderFault"],
  ])("where the trial succeeds, the words of the server decide: %s", async (words, tag) => {
    const why = await Effect.runPromise(
      Effect.provide(whyNotOpened(join(kept, "database"), new Error(words)), layerLocalFiles),
    )
    expect(why).toMatchObject({ _tag: tag })
    expect(why.message).toContain(words)
  })

  test("a folder whose parent refuses it is tried once, not for ever", async () => {
    const tried: string[] = []
    const files = filesWith({
      exists: (path) => Effect.succeed(path === "/parent"),
      makeDirectory: (path) =>
        Effect.suspend(() => {
          tried.push(path)
          return Effect.fail(refusal("ENOENT", "mkdir"))
        }),
    })
    const fault = await failureIn(prepareDataFolder("/parent/new/data/database"), files)
    expect(fault.message).toBe(
      "the folder /parent/new/data cannot be used: ENOENT: as found, mkdir. Name another --data",
    )
    expect(tried).toEqual(["/parent/new"])
    const top = join(mkdtempSync(join(tmpdir(), "curbline-folder-")), "one")
    await Effect.runPromise(Effect.provide(makeFolder(join(top, "two")), layerLocalFiles))
    expect([top, join(top, "two")].map((one) => statSync(one).mode & 0o777)).toEqual([0o700, 0o700])
  })
})

test("what root has written in the folder of another user belongs to that user afterwards", async () => {
  const data = join(mkdtempSync(join(tmpdir(), "curbline-owner-")), "data")
  cpSync(kept, data, { recursive: true })
  const everything = [
    data,
    ...readdirSync(data, { recursive: true, encoding: "utf8" }).map((name) => join(data, name)),
  ]
  // Only root may give files away; for another user the owner is itself, before and after.
  const isRoot = process.getuid?.() === 0
  const uid = isRoot ? 65_534 : statSync(data).uid
  if (isRoot) for (const path of everything) chownSync(path, uid, uid)
  expect(await opened(data)).toBe("0 organizations")
  const names = readdirSync(data, { recursive: true, encoding: "utf8" })
  expect(names.filter((name) => statSync(join(data, name)).uid !== uid)).toEqual([])
})
