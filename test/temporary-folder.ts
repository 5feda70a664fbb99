/**
 * Each process of the tests has a temporary folder, which is emptied after each test file: what its tests and the processes that they start
 * make under `tmpdir()` is a gigabyte for some files, and a machine may have little room. What several files of a process use stands beside
 * it, in the folder that `CURBLINE_TEST_KEPT` names.
 */

import { chmodSync, mkdirSync, mkdtempSync, readdirSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterAll } from "vitest"

const kept = (process.env["CURBLINE_TEST_KEPT"] ??= tmpdir())
const own = process.env["CURBLINE_TEST_FOLDER"]
const folder = own ?? mkdtempSync(join(kept, "curbline-test-"))
if (own === undefined) process.once("exit", () => rmSync(folder, { recursive: true, force: true }))
mkdirSync(folder, { recursive: true })
// The tests' PostgreSQL runs as another user when they run as root.
chmodSync(folder, 0o711)
process.env["CURBLINE_TEST_FOLDER"] = folder
process.env["TMPDIR"] = folder
// Node would keep the compiled code of served processes there.
process.env["NODE_COMPILE_CACHE"] ??= join(kept, "node-compile-cache")

afterAll(() => {
  for (const name of readdirSync(folder))
    rmSync(join(folder, name), { recursive: true, force: true, maxRetries: 5 })
})
