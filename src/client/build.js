/** Makes `dist`: JavaScript and declarations of this package. `npm pack` runs it; it needs the checkout's compiler. */

import { spawnSync } from "node:child_process"
import { rmSync } from "node:fs"
import { join } from "node:path"

const here = import.meta.dirname
const compiler = join(here, "../../node_modules/typescript-7/bin/tsc")

rmSync(join(here, "dist"), { recursive: true, force: true })
const { status } = spawnSync(process.execPath, [compiler, "-p", here], { stdio: "inherit" })
process.exit(status ?? 1)
