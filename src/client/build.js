/** Makes `dist`: JavaScript and declarations of this package. `npm pack` runs it; it needs the checkout's compiler and command. */

import { spawnSync } from "node:child_process"
import { rmSync } from "node:fs"
import { join } from "node:path"

const here = import.meta.dirname
const command = join(here, "../cli/curbline.js")
const compiler = join(here, "../../node_modules/typescript-7/bin/tsc")

run(command, "generate", "--types")
rmSync(join(here, "dist"), { recursive: true, force: true })
run(compiler, "-p", here)

function run(...words) {
  const { status } = spawnSync(process.execPath, words, { stdio: "inherit" })
  if (status !== 0) process.exit(status ?? 1)
}
