/**
 * `npm run record-release`: runs the conformance suite on PostgreSQL, and keeps which statements this version prepares and which
 * migrations it has, as `test/engine/store/released/<version>.json`. To be run once for each release, on its commit.
 */

import { spawnSync } from "node:child_process"
import { mkdtempSync, readFileSync, readdirSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { MIGRATIONS, RELEASED, statementsIn } from "./released.ts"
import type { Release } from "./released.ts"

const folder = mkdtempSync(join(tmpdir(), "curbline-release-"))
const log = join(folder, "statements.log")
const { status } = spawnSync("npx", ["vitest", "run", "test/conformance/postgres.test.ts"], {
  stdio: "inherit",
  env: { ...process.env, CURBLINE_TEST_STATEMENTS: log },
})
if (status !== 0) throw new Error(`the conformance suite ended with ${status ?? "a signal"}`)
const { version } = JSON.parse(readFileSync("package.json", "utf8")) as { readonly version: string }
const release: Release = {
  version,
  migrations: readdirSync(MIGRATIONS).toSorted(),
  statements: statementsIn(readFileSync(log, "utf8")),
}
writeFileSync(join(RELEASED, `${version}.json`), `${JSON.stringify(release, null, 2)}\n`)
rmSync(folder, { recursive: true })
process.stdout.write(`${release.statements.length} statements of version ${version}\n`)
