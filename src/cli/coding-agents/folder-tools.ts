/** Tools over a folder of scenarios, fleet models and records: each runs the command of the same name in a process of its own. */

import { spawn } from "node:child_process"
import { readdirSync, realpathSync, statSync } from "node:fs"
import { join, relative, resolve, sep } from "node:path"
import { fileURLToPath } from "node:url"
import { Schema } from "effect"
import { MINUTE_MS } from "../../model/values/time.ts"
import { EXIT } from "../kit/exit-codes.ts"
import { NOTHING, ToolFailed, tool } from "../../apps/developers/tool.ts"
import type { AgentTool } from "../../apps/developers/tool.ts"

const CURBLINE = fileURLToPath(new URL("../curbline.js", import.meta.url))
const COMMAND_MS_MAX = 10 * MINUTE_MS
/** A model reads all of it; what a long output says first matters most. */
const OUTPUT_LENGTH_MAX = 40_000
const FILES_MAX = 500

const Path = Schema.String.annotations({ description: "A path below the folder, such as one of list_files." })
const Seed = Schema.optional(
  Schema.String.annotations({ description: "A seed or a range, such as 7 or 1..50." }),
)

export function folderTools(folder: string): readonly AgentTool[] {
  const inFolder = (words: readonly string[]): Promise<string> => outputOf(words, folder)
  const at = (path: string): string => plainPathIn(folder, path)
  const flag = (name: string, value: string | undefined): readonly string[] =>
    value === undefined ? [] : [`--${name}=${value}`]
  return [
    tool({
      name: "list_files",
      title: "List files",
      description: "The scenarios, fleet models and records of the folder.",
      schema: NOTHING,
      run: async () => listed(folder),
    }),
    tool({
      name: "check_file",
      title: "Check a file",
      description:
        "Mistakes of a scenario or a fleet model with their lines, without running it. Call it after each change.",
      schema: Schema.Struct({ path: Path }),
      run: ({ path }) => inFolder(["check", at(path)]),
    }),
    tool({
      name: "run_scenario",
      title: "Run scenarios",
      description:
        "Runs a scenario, or all of a folder, on virtual time, and says what each expectation found. Nothing leaves this machine.",
      schema: Schema.Struct({ path: Path, seed: Seed }),
      run: ({ path, seed }) => inFolder(["run", at(path), ...flag("seed", seed)]),
    }),
    tool({
      name: "explain_scenario",
      title: "Explain a scenario",
      description: "A scenario as plain sentences: given, when, then.",
      schema: Schema.Struct({ path: Path }),
      run: ({ path }) => inFolder(["explain", at(path)]),
    }),
    tool({
      name: "run_fleet",
      title: "Run a fleet model",
      description:
        "Runs a fleet model on its seeds, or on those that are named, and answers its question with waits, utilization and promises.",
      schema: Schema.Struct({ path: Path, seeds: Seed }),
      run: ({ path, seeds }) => inFolder(["fleet", at(path), ...flag("seeds", seeds)]),
    }),
    tool({
      name: "explain_word",
      title: "Explain a word",
      description:
        "A word of scenario files with its fields and an example; without one, the list of all words.",
      schema: Schema.Struct({ word: Schema.optional(Schema.String) }),
      run: ({ word }) => inFolder(["words", ...(word === undefined ? [] : ["--", word])]),
    }),
  ]
}

/** The path, relative to the folder. A link that leads out of it counts as its target. */
export function pathIn(folder: string, path: string): string {
  const whole = resolve(folder, path)
  const inside = relative(realpathSync(folder), realOf(whole, path))
  if (inside === ".." || inside.startsWith(`..${sep}`))
    throw new ToolFailed(`${path} is not below the folder`)
  // Never a flag.
  return `.${sep}${inside}`
}

/** Scenarios in TypeScript are programs: a tool that reads must not run what somebody wrote into a file. */
export function plainPathIn(folder: string, path: string): string {
  const inside = pathIn(folder, path)
  const whole = join(folder, inside)
  const names = statSync(whole).isDirectory() ? readdirSync(whole, { recursive: true }).map(String) : [inside]
  const program = names.find(
    (name) => /\.[cm]?[jt]s$/.test(name) && !name.split(sep).includes("node_modules"),
  )
  if (program === undefined) return inside
  throw new ToolFailed(
    `${program} is a program, which no tool runs: use npx curbline run, or name a YAML file`,
  )
}

function realOf(whole: string, path: string): string {
  try {
    return realpathSync(whole)
  } catch {
    throw new ToolFailed(`there is no file ${path}; list_files names those that are there`)
  }
}

function listed(folder: string): string {
  const files = readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && /\.(?:ya?ml|ndjson)$/.test(entry.name))
    .map(({ parentPath, name }) => relative(folder, join(parentPath, name)))
    .filter((path) => !path.split(sep).some((part) => part === "node_modules" || part === "expected"))
    .toSorted()
  const more = files.length - FILES_MAX
  const shown = files.slice(0, FILES_MAX).join("\n")
  if (files.length === 0) return "There is no scenario, fleet model or record."
  return more > 0 ? `${shown}\nand ${more} more` : shown
}

/** What the command prints. A failed expectation or promise is an answer; a mistake in a file is a failure. */
export async function outputOf(words: readonly string[], folder: string): Promise<string> {
  const child = spawn(process.execPath, [CURBLINE, ...words], {
    cwd: folder,
    env: { ...process.env, NO_COLOR: "1" },
    stdio: ["ignore", "pipe", "pipe"],
    timeout: COMMAND_MS_MAX,
  })
  const said: string[] = []
  for (const stream of [child.stdout, child.stderr]) stream.on("data", (part) => said.push(String(part)))
  const status = await new Promise<number | null>((done, failed) => {
    child.once("error", failed)
    child.once("close", done)
  })
  const text = said.join("").trim()
  const shown =
    text.length <= OUTPUT_LENGTH_MAX
      ? text
      : `${text.slice(0, OUTPUT_LENGTH_MAX)}\n(${text.length - OUTPUT_LENGTH_MAX} more characters)`
  if (status === EXIT.passed || status === EXIT.failed) return shown
  throw new ToolFailed(status === null ? `the command took longer than 10 minutes\n${shown}` : shown)
}
