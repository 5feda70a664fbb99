/** `demo.json` in the data folder: what the demo's keys are. Readable by its owner alone. */

import { chmodSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { Data, Effect, Option, Schema } from "effect"

function demoFile(dataDir: string): string {
  return join(dataDir, "demo.json")
}

const ACCESS = Schema.Struct({
  base_url: Schema.String,
  api_key: Schema.String,
  zone_id: Schema.String,
  retailer_id: Schema.String,
  site_id: Schema.String,
  operator_token: Schema.String,
})

/** Files of older programs have no `courier`. */
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

/** What an earlier start wrote; null when there is no file, or when it is damaged. */
export function readDemo(dataDir: string): KeptDemo | null {
  const found = textOf(demoFile(dataDir))
  return found === null ? null : Option.getOrNull(Schema.decodeOption(Schema.parseJson(FILE))(found))
}

/** True when the file is there and is not what a start writes: its keys are still good, and cannot be shown. */
export function isDemoDamaged(dataDir: string): boolean {
  return textOf(demoFile(dataDir)) !== null && readDemo(dataDir) === null
}

function textOf(file: string): string | null {
  try {
    return readFileSync(file, "utf8")
  } catch {
    return null
  }
}

export class DemoFileFault extends Data.TaggedError("DemoFileFault")<{
  readonly file: string
  readonly cause: unknown
}> {
  override get message(): string {
    const why = this.cause instanceof Error ? this.cause.message : String(this.cause)
    return `the demo's keys cannot be written to ${this.file}: ${why}`
  }
}

/** Writes the whole file or leaves what was there. Makes the folder when it is missing. */
export function writeDemo(dataDir: string, demo: KeptDemo): Effect.Effect<void, DemoFileFault> {
  const file = demoFile(dataDir)
  const draft = `${file}.${process.pid}`
  const write = (): void => {
    mkdirSync(dataDir, { recursive: true, mode: 0o700 })
    try {
      writeFileSync(draft, `${JSON.stringify(demo, null, 2)}\n`, { mode: 0o600 })
      chmodSync(draft, 0o600)
      renameSync(draft, file)
    } catch (cause) {
      rmSync(draft, { force: true })
      throw cause
    }
  }
  return Effect.try({ try: write, catch: (cause) => new DemoFileFault({ file, cause }) })
}
