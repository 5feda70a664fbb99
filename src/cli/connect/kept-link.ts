/**
 * The tokens of a terminal's link, in a file that only its owner can read. Processes change it one at a time, under a lock
 * of the operating system, which is released when a process is killed.
 */

import { chmodSync, existsSync, mkdirSync, readFileSync, rmSync } from "node:fs"
import { homedir } from "node:os"
import { join } from "node:path"
import { Cause, Effect, Exit, Option, Schedule, Schema } from "effect"
import { holdFolder } from "../../engine/store/folder-lock.ts"
import { faultMessage } from "../kit/terminal.ts"
import { CommandFailed } from "../kit/usage-error.ts"
import { writeWhole } from "../kit/whole-file.ts"

const LINK = Schema.Struct({
  issuer: Schema.String,
  client_id: Schema.String,
  access_token: Schema.String,
  refresh_token: Schema.String,
})

export type KeptLink = Schema.Schema.Type<typeof LINK>

const decode = Schema.decodeUnknownOption(Schema.parseJson(LINK))

export class LinkFile {
  readonly #folder: string
  readonly #issuer: string
  readonly #path: string

  constructor(folder: string, issuer: string) {
    this.#folder = folder
    this.#issuer = issuer
    this.#path = join(folder, `${new URL(issuer).host.replace(/[^\w.-]/g, "_")}.json`)
  }

  /** Null without a link, and for a damaged file, which a new link replaces. */
  read(): KeptLink | null {
    if (!existsSync(this.#path)) return null
    const kept = Option.getOrNull(decode(readFileSync(this.#path, "utf8")))
    return kept?.issuer === this.#issuer ? kept : null
  }

  async write(link: KeptLink): Promise<void> {
    await writeWhole(this.#path, (write) => write(`${JSON.stringify(link)}\n`), { mode: 0o600 })
    // The file that it replaced may have been open to others.
    chmodSync(this.#path, 0o600)
  }

  remove(): void {
    rmSync(this.#path, { force: true })
  }

  /** Runs alone among all processes of this user, as soon as the others have ended. */
  async alone<A>(work: () => Promise<A>): Promise<A> {
    try {
      mkdirSync(this.#folder, { recursive: true, mode: 0o700 })
    } catch (cause) {
      throw new CommandFailed(`${this.#folder} cannot be made: ${faultMessage(cause)}`)
    }
    const holding = Effect.retry(holdFolder(this.#path), {
      while: ({ _tag }) => _tag === "FolderHeld",
      schedule: Schedule.spaced(LOCK_PAUSE_MS),
    })
    const working = Effect.tryPromise({ try: work, catch: (cause) => cause })
    const ended = await Effect.runPromiseExit(Effect.scoped(Effect.zipRight(holding, working)))
    if (Exit.isSuccess(ended)) return ended.value
    throw Cause.squash(ended.cause)
  }
}

const LOCK_PAUSE_MS = 100

/** The folder of all links of a user. Source: XDG Base Directory Specification. */
export function linksFolder({ APPDATA, XDG_CONFIG_HOME }: NodeJS.ProcessEnv): string {
  const given = process.platform === "win32" ? APPDATA : XDG_CONFIG_HOME
  return join(given === undefined || given === "" ? join(homedir(), ".config") : given, "curbline", "links")
}
