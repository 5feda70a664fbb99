/** `node test/engine/store/make-embedded-template.ts FOLDER`: makes the embedded database that tests copy (embedded-template.ts). */

import { appendFileSync, readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { PGlite } from "@electric-sql/pglite"
import { Effect, Layer } from "effect"
import { layerPglite } from "../../../src/engine/store/database.ts"
import { ARCHIVE, FILES } from "./embedded-template.ts"

const folder = process.argv[2]
if (folder === undefined) throw new Error("usage: node test/engine/store/make-embedded-template.ts <folder>")
const files = join(folder, FILES)
await Effect.runPromise(Effect.scoped(Layer.build(layerPglite({ folder: files }))))
// The database writes all of its page buffers at each start, which takes a tenth of a start's processor time with the service's
// 128 MB. Tests have few rows.
const settings = join(files, "postgresql.conf")
appendFileSync(settings, "\nshared_buffers = 32MB\n")
const ofFolder = readFileSync(settings)
// The archive is opened in memory, and no crash leaves it: its log need not be complete at each commit.
appendFileSync(settings, "synchronous_commit = off\nfull_page_writes = off\n")
const database = await PGlite.create(files)
const archive = await database.dumpDataDir("none")
await database.close()
writeFileSync(settings, ofFolder)
writeFileSync(join(folder, ARCHIVE), Buffer.from(await archive.arrayBuffer()))
