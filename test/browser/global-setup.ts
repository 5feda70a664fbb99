/** Before any test: installs a Chromium where there is none. Quick where there is one. */

import { spawnSync } from "node:child_process"
import { fileURLToPath } from "node:url"

export function setup(): void {
  const script = fileURLToPath(new URL("install-chromium.sh", import.meta.url))
  const { status } = spawnSync("sh", [script], { stdio: ["ignore", "ignore", "inherit"] })
  // The tests that need it fail by themselves and say what is missing.
  if (status !== 0) process.stderr.write(`${script} ended with ${status}: tests of pages will fail\n`)
}
