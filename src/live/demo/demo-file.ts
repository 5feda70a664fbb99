/** `demo.json` in the data folder: the keys of the demo. Only its owner can read it. */

import { FileSystem } from "@effect/platform/FileSystem"
import { Path } from "@effect/platform/Path"
import { Data, Effect, Option, Schema } from "effect"
import { makeFolder } from "../../engine/store/data-folder.ts"
import { nodeErrorOf } from "../../engine/store/local-files.ts"
import type { LocalFiles } from "../../engine/store/local-files.ts"

const NAME = "demo.json"

const ACCESS = Schema.Struct({
  base_url: Schema.String,
  api_key: Schema.String,
  zone_id: Schema.String,
  retailer_id: Schema.String,
  site_id: Schema.String,
  operator_token: Schema.String,
})

/** Files of older versions have no `courier`. */
const FILE = Schema.Struct({
  production: ACCESS,
  sandbox: ACCESS,
  courier: Schema.optional(
    Schema.Struct({
      mcp_url: Schema.String,
      issuer: Schema.String,
      phone: Schema.String,
      redirect_uri: Schema.String,
    }),
  ),
})

export type KeptDemo = Schema.Schema.Type<typeof FILE>

/** The keys that an earlier start wrote; null when the file is missing or damaged. */
export const readDemo = (dataDir: string): Effect.Effect<KeptDemo | null, never, LocalFiles> =>
  Effect.map(textIn(dataDir), (found) =>
    found === null ? null : Option.getOrNull(Schema.decodeOption(Schema.parseJson(FILE))(found)),
  )

/** True when the file exists but cannot be parsed: its keys are still valid but cannot be shown. */
export const isDemoDamaged = (dataDir: string): Effect.Effect<boolean, never, LocalFiles> =>
  Effect.zipWith(textIn(dataDir), readDemo(dataDir), (text, demo) => text !== null && demo === null)

const textIn = Effect.fnUntraced(function* (dataDir: string) {
  const files = yield* FileSystem
  const { join } = yield* Path
  return yield* Effect.orElseSucceed(files.readFileString(join(dataDir, NAME)), () => null)
})

export class DemoFileFault extends Data.TaggedError("DemoFileFault")<{
  readonly file: string
  readonly cause: unknown
}> {
  override get message(): string {
    const why = this.cause instanceof Error ? this.cause.message : String(this.cause)
    return `the demo's keys cannot be written to ${this.file}: ${why}`
  }
}

/** Writes the whole file or leaves the old one. Creates the folder when it is missing. */
export const writeDemo = Effect.fnUntraced(function* (dataDir: string, demo: KeptDemo) {
  const files = yield* FileSystem
  const { join } = yield* Path
  const file = join(dataDir, NAME)
  const draft = `${file}.${process.pid}`
  const write = Effect.gen(function* () {
    yield* makeFolder(dataDir)
    yield* files.writeFileString(draft, `${JSON.stringify(demo, null, 2)}\n`, { mode: 0o600 })
    yield* files.chmod(draft, 0o600)
    yield* files.rename(draft, file)
  })
  yield* write.pipe(
    Effect.onError(() => Effect.ignore(files.remove(draft, { force: true }))),
    Effect.mapError((cause) => new DemoFileFault({ file, cause: nodeErrorOf(cause) })),
  )
})
