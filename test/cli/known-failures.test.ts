/** What fails outside of the program ends a command with one line; a fault of the program keeps its stack. */

import { Effect } from "effect"
import { expect, test } from "vitest"
import { knownFailure } from "../../src/cli/kit/known-failures.ts"
import { CommandFailed, UsageError } from "../../src/cli/kit/usage-error.ts"
import { DataFolderFault, FolderUnusable } from "../../src/engine/store/data-folder.ts"
import { databaseFault } from "../../src/engine/store/database.ts"

const system = (code: string): Error => Object.assign(new Error(`${code}: found`), { code })

const failed = (cause: unknown): Promise<unknown> =>
  Effect.runPromise(Effect.fail(cause)).catch((thrown: unknown) => thrown)

const died = (cause: unknown): Promise<unknown> =>
  Effect.runPromise(Effect.die(cause)).catch((thrown: unknown) => thrown)

const FULL = new FolderUnusable({ folder: "/data", found: system("ENOSPC") })
const CLOSED = new FolderUnusable({ folder: "/data", found: system("EACCES") })
const LOST = new DataFolderFault({ folder: "/data", problem: "it has lost its database" })

test.each<readonly [string, unknown, number, string]>([
  [
    "a database that does not answer",
    databaseFault("reading", system("ECONNREFUSED")),
    1,
    "reading failed: ECONNREFUSED: found",
  ],
  [
    "a database with a reason of its own",
    databaseFault("reading", system("3D000")),
    1,
    "reading failed with 3D000: 3D000: found",
  ],
  [
    "a folder of another user, below a fault of the database",
    databaseFault("opening", CLOSED),
    2,
    CLOSED.message,
  ],
  ["a full disk, below a fault of the database", databaseFault("opening", FULL), 1, FULL.message],
  ["a lost database", LOST, 2, LOST.message],
  ["a file that does not exist", system("ENOENT"), 2, "ENOENT: found"],
  ["a file that may not be read", system("EACCES"), 2, "EACCES: found"],
  ["a full disk", system("ENOSPC"), 1, "ENOSPC: found"],
  ["a file that is too large", new Error("around", { cause: system("EFBIG") }), 1, "EFBIG: found"],
  ["a usage error in an effect", new UsageError("no such thing"), 2, "no such thing"],
  ["a command that failed in an effect", new CommandFailed("not now"), 1, "not now"],
])("%s", async (_, cause, status, line) => {
  for (const thrown of [cause, await failed(cause), await died(cause)])
    expect(knownFailure(thrown)).toEqual({ status, line })
})

test("a fault of the program is not known", async () => {
  for (const cause of [
    new TypeError("x is not a function"),
    "text",
    null,
    Object.assign(new Error("x"), { code: "ERR_ASSERTION" }),
  ])
    for (const thrown of [cause, await died(cause)]) expect(knownFailure(thrown)).toBeNull()
  expect(knownFailure(await failed(new Error("x")))).toBeNull()
})
