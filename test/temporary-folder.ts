/**
 * Each test file has a temporary folder of its own, which goes with the file: what its tests and the processes that they start make under
 * `tmpdir()` is a gigabyte for some files, and a machine may have little room. What several files of a process use stands beside it, in
 * the folder that `CURBLINE_TEST_KEPT` names.
 */

import { chmodSync, mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterAll } from "vitest"

const kept = (process.env["CURBLINE_TEST_KEPT"] ??= tmpdir())
const folder = mkdtempSync(join(kept, "curbline-test-"))
// The tests' PostgreSQL runs as another user when they run as root.
chmodSync(folder, 0o711)
process.env["TMPDIR"] = folder
// Node would keep the compiled code of served processes there.
process.env["NODE_COMPILE_CACHE"] ??= join(kept, "node-compile-cache")

afterAll(() => {
  process.env["TMPDIR"] = kept
  // What a process writes while it ends comes back; it must not fail the test.
  rmSync(folder, { recursive: true, force: true, maxRetries: 5 })
})
