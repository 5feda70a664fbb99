/** `node test/store/make-embedded-template.ts FOLDER`: makes the embedded database that tests copy (embedded-template.ts). */

import { writeFileSync } from "node:fs"
import { join } from "node:path"
import { PGlite } from "@electric-sql/pglite"
import { Effect, Layer } from "effect"
import { layerPglite } from "../../src/store/database.ts"
import { ARCHIVE, FILES } from "./embedded-template.ts"

const folder = process.argv[2]
if (folder === undefined) throw new Error("usage: node test/store/make-embedded-template.ts <folder>")
const files = join(folder, FILES)
await Effect.runPromise(Effect.scoped(Layer.build(layerPglite({ folder: files }))))
const database = await PGlite.create(files)
const archive = await database.dumpDataDir("none")
await database.close()
writeFileSync(join(folder, ARCHIVE), Buffer.from(await archive.arrayBuffer()))
