/** Golden results: the result of every scenario of this checkout, a small file for each, reviewed like code. */

import { mkdirSync, readFileSync, readdirSync, rmSync, writeFileSync } from "node:fs"
import { dirname, join } from "node:path"
import { fileURLToPath } from "node:url"
import type { ScenarioRun } from "../../simulation/scenario/run.ts"
import { titleOf } from "./report.ts"

const ROOT = fileURLToPath(new URL("../../../", import.meta.url))

/** The golden file of a scenario file below `scenarios/`, relative to the checkout. */
export function goldenPath(file: string): string {
  return file.replace(/^scenarios\//, "scenarios/expected/").replace(/\.(ya?ml|scenario\.ts)$/, ".txt")
}

/** One block for each run: title and verdict, figures, hash, and a line for every step that was decided. */
export function goldenText(runs: readonly ScenarioRun[]): string {
  return runs
    .map((run) =>
      [
        `${titleOf(run)}: ${run.verdict}`,
        `seed ${run.seed}, ${run.events} events, ${run.virtualMs} ms`,
        run.hash,
        ...run.marks.map(
          (mark) => `${String(mark.atMs - run.startMs).padStart(9)} ${mark.level} ${mark.text}`,
        ),
        "",
      ].join("\n"),
    )
    .join("\n")
}

/** The golden texts of the runs by path. */
export function goldenTexts(runs: readonly ScenarioRun[]): ReadonlyMap<string, string> {
  const runsByPath = Map.groupBy(runs, ({ scenario }) => goldenPath(scenario.file))
  return new Map([...runsByPath].map(([path, its]) => [path, goldenText(its)]))
}

/** Writes all golden files and removes those without a scenario. Returns how many changed. */
export function writeGolden(texts: ReadonlyMap<string, string>): number {
  let changed = 0
  for (const path of existing()) {
    if (texts.has(path)) continue
    rmSync(join(ROOT, path))
    changed += 1
  }
  for (const [path, text] of texts) {
    if (read(path) === text) continue
    mkdirSync(dirname(join(ROOT, path)), { recursive: true })
    writeFileSync(join(ROOT, path), text)
    changed += 1
  }
  return changed
}

/** Golden files that are missing, different, or without a scenario. */
export function staleGolden(texts: ReadonlyMap<string, string>): readonly string[] {
  const wrong = [...texts].filter(([path, text]) => read(path) !== text).map(([path]) => path)
  return [...wrong, ...existing().filter((path) => !texts.has(path))]
}

function existing(): readonly string[] {
  const folder = join(ROOT, "scenarios/expected")
  try {
    return readdirSync(folder, { recursive: true, encoding: "utf8" })
      .filter((name) => name.endsWith(".txt"))
      .map((name) => join("scenarios/expected", name))
  } catch {
    return []
  }
}

function read(path: string): string | null {
  try {
    return readFileSync(join(ROOT, path), "utf8")
  } catch {
    return null
  }
}
