/** Scenario files: finding them under paths, and reading them with all their problems. */

import { readdirSync, statSync } from "node:fs"
import { join, relative, resolve } from "node:path"
import { pathToFileURL } from "node:url"
import { machines } from "../../../machines/index.ts"
import { chartOf } from "../../pages/chart/chart-document.ts"
import { FORMER_INVARIANT_NAMES, INVARIANT_NAMES } from "../../simulation/scenario/invariants.ts"
import type { FileKind } from "../../simulation/scenario/language/file-kind.ts"
import { kindOfText } from "../../simulation/scenario/language/file-kind.ts"
import type { Place, Scenario } from "../../simulation/scenario/language/language.ts"
import type { Problem } from "../../simulation/scenario/language/problems.ts"
import { readScenarios } from "../../simulation/scenario/language/read.ts"
import { openFragmentFile } from "./fragment-files.ts"
import { faultMessage } from "../kit/terminal.ts"
import { refuseKind } from "../kit/file-kinds.ts"
import { readWritten, textAt } from "../kit/text-files.ts"
import { UsageError } from "../kit/usage-error.ts"

/** Folders inside scenario folders that contain no scenarios. */
export const NO_SCENARIOS: ReadonlySet<string> = new Set(["expected", "node_modules"])

export interface ReadFiles {
  readonly files: readonly string[]
  readonly scenarios: readonly Scenario[]
  readonly problems: readonly Problem[]
}

/** All scenarios of the paths, sorted by name. Paths are shown relative to the current folder. */
export async function readPaths(paths: readonly string[]): Promise<ReadFiles> {
  const { scenarios: files, ...others } = sortedPaths(paths)
  for (const file of [...others.fragments, ...others.whatIfs, ...others.fleets])
    if (paths.some((path) => shown(path) === file)) refuseKind(file, textAt(file) ?? "", "scenario")
  return readFiles(files, paths)
}

/** The files of the paths: scenarios, what they use, and fleet models and what-if files, which have commands of their own. */
export function sortedPaths(paths: readonly string[]): {
  readonly scenarios: readonly string[]
  readonly fleets: readonly string[]
  readonly whatIfs: readonly string[]
  readonly fragments: readonly string[]
} {
  const sorted = {
    scenarios: [] as string[],
    fleets: [] as string[],
    whatIfs: [] as string[],
    fragments: [] as string[],
  }
  for (const file of paths.flatMap((path) => filesAt(path))) {
    const kind = file.endsWith(".ts") ? null : kindOfText(textAt(file) ?? "")
    sorted[kind === null ? "scenarios" : LIST_BY_KIND[kind]].push(file)
  }
  return sorted
}

const LIST_BY_KIND = {
  "fleet model": "fleets",
  "file of fragments": "fragments",
  scenario: "scenarios",
  "what-if file": "whatIfs",
} as const satisfies Record<FileKind, string>

/** Reads scenario files that are known to exist. */
export async function readFiles(files: readonly string[], paths: readonly string[]): Promise<ReadFiles> {
  if (files.length === 0) throw new UsageError(`no scenario in ${paths.join(", ")}`)
  const read = await Promise.all(files.map((file) => readFile(file)))
  return {
    files,
    scenarios: read.flatMap((one) => one.scenarios),
    problems: read.flatMap((one) => one.problems),
  }
}

/** The words of the language that are taken from the machines and the catalogue. */
export function languageNames(): Parameters<typeof readScenarios>[2] {
  const pathsOf = (id: keyof typeof machines): readonly string[] =>
    chartOf(id, machines[id])
      .nodes.filter((node) => node.path !== "" && !hasChildren(id, node.path))
      .map((node) => node.path)
  return {
    invariants: INVARIANT_NAMES,
    formerInvariants: FORMER_INVARIANT_NAMES,
    statePaths: {
      reservation: pathsOf("reservation@1"),
      bot: pathsOf("bot@1"),
      "runner-task": pathsOf("runner-task@1"),
      "open-link": pathsOf("open-link@2"),
    },
  }
}

function hasChildren(id: keyof typeof machines, path: string): boolean {
  return chartOf(id, machines[id]).nodes.some((node) => node.path.startsWith(`${path}.`))
}

function filesAt(path: string): readonly string[] {
  const stats = statSync(path, { throwIfNoEntry: false })
  if (stats === undefined) throw new UsageError(`there is no file or folder ${path}`)
  if (!stats.isDirectory()) {
    if (isScenarioFile(path)) return [shown(path)]
    throw new UsageError(`${path} is no scenario: its name ends in neither .yaml, .yml nor .scenario.ts`)
  }
  return (
    readdirSync(path, { withFileTypes: true })
      .toSorted((a, b) => (a.name < b.name ? -1 : 1))
      // Folders of editors, of version control and of CI.
      .filter(({ name }) => !name.startsWith("."))
      .flatMap((entry) => {
        const below = join(path, entry.name)
        if (entry.isDirectory()) return NO_SCENARIOS.has(entry.name) ? [] : filesAt(below)
        return isScenarioFile(entry.name) ? [shown(below)] : []
      })
  )
}

export function isScenarioFile(name: string): boolean {
  return /\.ya?ml$/.test(name) || name.endsWith(".scenario.ts")
}

function shown(path: string): string {
  const short = relative(process.cwd(), resolve(path))
  return short === "" || short.startsWith("..") ? path : short
}

/** A TypeScript scenario exports `scenarios`, a list made with the builder. */
async function readFile(
  file: string,
): Promise<{ scenarios: readonly Scenario[]; problems: readonly Problem[] }> {
  if (!file.endsWith(".ts")) {
    const text = readWritten(file)
    return typeof text === "string"
      ? readScenarios(file, text, languageNames(), openFragmentFile)
      : { scenarios: [], problems: [text] }
  }
  const module = await load(file)
  if (!Array.isArray(module.scenarios)) throw new UsageError(`${file} exports no list "scenarios"`)
  const scenarios = module.scenarios as readonly Scenario[]
  return { scenarios: scenarios.map((scenario) => relocated(scenario, file)), problems: [] }
}

const firstChangeByFile = new Map<string, number>()

/** The builder's places have absolute file names; output and records use the name as typed. */
function relocated(scenario: Scenario, file: string): Scenario {
  const here = <One extends { readonly place: Place }>(one: One): One => ({
    ...one,
    place: { ...one.place, file },
  })
  const { steps, webhooks, always, promises } = scenario
  return {
    ...scenario,
    file,
    steps: steps.map(here),
    webhooks: webhooks.map(here),
    always: always.map(here),
    promises: promises.map(here),
  }
}

async function load(file: string): Promise<{ readonly scenarios?: unknown }> {
  try {
    // Node caches modules, so the file's modification time is part of the URL of a watched file.
    const { mtimeMs } = statSync(file)
    const query = (firstChangeByFile.get(file) ?? mtimeMs) === mtimeMs ? "" : `?v=${mtimeMs}`
    if (query === "") firstChangeByFile.set(file, mtimeMs)
    return (await import(`${pathToFileURL(resolve(file)).href}${query}`)) as {
      readonly scenarios?: unknown
    }
  } catch (cause) {
    throw new UsageError(`${file} cannot be loaded: ${faultMessage(cause)}`)
  }
}
