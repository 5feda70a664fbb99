/** `curbline run --watch`: runs again at every change of a scenario or of a fragment, and on a terminal at a key. */

import { existsSync, statSync, watch } from "node:fs"
import type { FSWatcher } from "node:fs"
import { dirname, join, resolve, sep } from "node:path"
import type { ReadStream } from "node:tty"
import { kindOfText } from "../../simulation/scenario/language/file-kind.ts"
import type { ExitStatus } from "../kit/exit-codes.ts"
import { EXIT } from "../kit/exit-codes.ts"
import { scenarioFolderOf } from "../scenarios/fragment-files.ts"
import { isScenarioFile } from "../scenarios/scenario-files.ts"
import { textAt } from "../kit/text-files.ts"
import { err, faultMessage } from "../kit/terminal.ts"

const WATCH_SETTLES_MS = 100

/** What is run: everything of the command line, what failed last, or what a text selects. */
export interface WatchedChoice {
  readonly failed?: true
  readonly grep?: string
}

export interface Watching {
  readonly paths: readonly string[]
  /** Runs once; a mistake in a file or in the choice is thrown. */
  readonly run: (choice: WatchedChoice) => Promise<ExitStatus>
  /** The status of the run before. */
  readonly status: ExitStatus
  /** Where keys come from; null without a terminal. */
  readonly keys: KeySource | null
}

/** The part of a terminal that keys need. */
export type KeySource = Pick<ReadStream, "off" | "on" | "pause" | "resume" | "setRawMode">

const HELP = "a all, f failed, p by a part of the title or file, Enter again, q quit"

/** Ends with `q`, with the status of the last run. */
export async function watchRuns(watching: Watching): Promise<ExitStatus> {
  const { paths, keys } = watching
  const loop = new WatchLoop(watching)
  const watchers = watchFiles(paths, () => loop.changed())
  const how = keys === null ? "Ctrl-C ends it" : HELP
  err(`watching ${paths.join(", ")}; ${how}`)
  if (keys === null) return loop.ended
  const onData = (data: Buffer | string): void => {
    for (const key of String(data)) loop.key(key)
  }
  keys.setRawMode(true)
  keys.on("data", onData)
  keys.resume()
  try {
    return await loop.ended
  } finally {
    keys.off("data", onData)
    keys.setRawMode(false)
    keys.pause()
    for (const watcher of watchers) watcher.close()
  }
}

/** One run after the other; changes and keys during a run cause one more run. */
class WatchLoop {
  readonly ended: Promise<ExitStatus>
  readonly #run: Watching["run"]
  readonly #end: (status: ExitStatus) => void
  #status: ExitStatus
  #choice: WatchedChoice = {}
  #settling: NodeJS.Timeout | undefined
  #isRunning = false
  #isNextQueued = false
  /** The text that is being written after `p`; null outside of it. */
  #written: string | null = null

  constructor({ run, status }: Pick<Watching, "run" | "status">) {
    const { promise, resolve: end } = Promise.withResolvers<ExitStatus>()
    this.ended = promise
    this.#end = end
    this.#run = run
    this.#status = status
  }

  /** Several changes at once are one. */
  changed(): void {
    clearTimeout(this.#settling)
    this.#settling = setTimeout(() => this.#again(), WATCH_SETTLES_MS)
  }

  key(key: string): void {
    if (key === CTRL_C) return this.#quit(EXIT.interrupted)
    if (this.#written !== null) return this.#write(key, this.#written)
    switch (key) {
      case "\r":
      case "\n":
        return this.#again()
      case "a":
        return this.#choose({})
      case "f":
        return this.#choose({ failed: true })
      case "p":
        this.#written = ""
        return void process.stderr.write("a part of the title or of the file, then Enter: ")
      case "q":
        return this.#quit(this.#status)
      case "h":
      case "?":
        return err(HELP)
      default:
    }
  }

  /** One key of the text after `p`. */
  #write(key: string, written: string): void {
    if (key === "\r" || key === "\n") {
      this.#written = null
      process.stderr.write("\n")
      return this.#choose(written === "" ? {} : { grep: written })
    }
    if (key === ESCAPE) {
      this.#written = null
      return void process.stderr.write("\n")
    }
    if (key === BACKSPACE || key === "\b") {
      if (written !== "") process.stderr.write("\b \b")
      this.#written = [...written].slice(0, -1).join("")
      return
    }
    if (/\p{Cc}/u.test(key)) return
    process.stderr.write(key)
    this.#written = written + key
  }

  #choose(choice: WatchedChoice): void {
    this.#choice = choice
    this.#again()
  }

  #quit(status: ExitStatus): void {
    clearTimeout(this.#settling)
    this.#end(status)
  }

  #again(): void {
    if (this.#isRunning) {
      this.#isNextQueued = true
      return
    }
    this.#isRunning = true
    void this.#runAll().finally(() => {
      this.#isRunning = false
      if (!this.#isNextQueued) return
      this.#isNextQueued = false
      this.#again()
    })
  }

  async #runAll(): Promise<void> {
    try {
      this.#status = await this.#run(this.#choice)
    } catch (cause) {
      err(`error: ${faultMessage(cause)}`)
      this.#status = EXIT.usage
    }
  }
}

const CTRL_C = "\u0003"
const ESCAPE = "\u001B"
const BACKSPACE = "\u007F"

/** Calls back for a scenario of the paths, and for a file of fragments of their folders. */
function watchFiles(paths: readonly string[], changed: () => void): readonly FSWatcher[] {
  const wanted = paths.map((path) => resolve(path))
  const folders = new Set(wanted.map((path) => (statSync(path).isDirectory() ? path : dirname(path))))
  const all = new Set([...folders].map((folder) => scenarioFolderOf(join(folder, "any.yaml"))))
  const isOne = (file: string): boolean =>
    wanted.some((path) => file === path || file.startsWith(`${path}${sep}`)) || isFragmentFile(file)
  return [...new Set([...folders, ...all])].map((folder) =>
    watch(folder, { recursive: true }, (_, name) => {
      if (name !== null && isScenarioFile(name) && isOne(resolve(folder, name))) changed()
    }),
  )
}

function isFragmentFile(file: string): boolean {
  return existsSync(file) && kindOfText(textAt(file) ?? "") === "file of fragments"
}
