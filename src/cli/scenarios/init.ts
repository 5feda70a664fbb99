/** `curbline init`: a folder with a first scenario, the schema for editors, and an example for CI. Overwrites nothing. */

import { closeSync, existsSync, mkdirSync, openSync, rmSync, writeFileSync } from "node:fs"
import { basename, dirname, isAbsolute, join, relative, resolve, sep } from "node:path"
import { scenarioSchemaText } from "../../simulation/scenario/words/json-schema.ts"
import { EXIT } from "../kit/exit-codes.ts"
import type { ExitStatus } from "../kit/exit-codes.ts"
import { languageNames } from "./scenario-files.ts"
import { err, faultMessage, out } from "../kit/terminal.ts"
import { UsageError } from "../kit/usage-error.ts"

const FIRST = "the-robot-comes-early.yaml"

const SCENARIO = `# yaml-language-server: $schema=./scenario.schema.json
scenario: The robot comes early
because: The partner learns of the robot's arrival, and of the end of a visit without a runner.
tags: [first]
clock: 2026-03-02T11:30 America/Chicago

given:
  webhooks: [{ as: partner, events: all }]

steps:
  - at: 11:30
    do: reservation.create
    as: lunch
    with: { window: [11:45, 12:15] }
  - { at: 11:40, do: bot.report, for: lunch, with: { status: ARRIVED } }
  - expect: { reservation: lunch, status: arrived, handoff: QUEUED }
  - expect: { webhook: reservation.status_changed, to: partner, for: lunch, times: 2 }
  # No runner comes: 15 minutes after its window the service cancels the reservation.
  - expect: { reservation: lunch, status: canceled, canceled_by: system, within: 1h }
`

/** Outside of where Curbline is installed, npx would look for another package of that name. */
const readmeOf = (place: string): string => {
  const isHere = place === "."
  return `# Scenarios

${isHere ? "In this folder" : "Where Curbline is installed, as in its checkout after `npm ci`"}:

\`\`\`sh
${[
  [
    `npx curbline run ${place}`,
    isHere ? "runs every scenario of this folder" : "runs every scenario of the folder",
  ],
  [`npx curbline run ${place} --report report.html`, "and writes what happened, as a page"],
  [`npx curbline studio ${place}`, "opens the folder as a page: write, run, see the course"],
  ["npx curbline words", "lists every word of the language"],
  ["npx curbline words reservation.create", "describes one, with an example"],
]
  .map(([command = "", says]) => `${command.padEnd(45)} # ${says}`)
  .join("\n")}
\`\`\`

Start with [${FIRST}](${FIRST}): change a time or a word, and run it again. An editor that reads YAML schemas completes the words;
the first line of the file names the schema. After an upgrade of Curbline, \`npx curbline init\` in a new folder has the new schema.
`
}

/** How the folder is named in its README: as itself, if npx finds Curbline from there on. */
function placeOf(folder: string): string {
  const path = relative(process.cwd(), resolve(folder)).split(sep).join("/")
  return path.startsWith("../") || isAbsolute(path) ? path : "."
}

/** For an editor that opened the folder itself; the first line of a scenario does the same anywhere. */
const EDITOR = `${JSON.stringify({ "yaml.schemas": { "./scenario.schema.json": ["*.yaml"] } }, null, 2)}\n`

/** For the root of the repository, where other YAML files are no scenarios. */
const ciOf = (
  folder: string,
): string => `# An example for GitHub: copy it into .github/workflows of a repository in which "npx curbline" works.
name: scenarios
on: [push]
jobs:
  scenarios:
    runs-on: ubuntu-latest
    strategy:
      fail-fast: false
      matrix: { part: [1, 2] }
    steps:
      - uses: actions/checkout@v4
      - uses: actions/setup-node@v4
        with: { node-version: 24 }
      - run: npm ci
      - run: npx curbline run ${folder} --shard \${{ matrix.part }}/2 --junit junit.xml --report report.html
      - uses: actions/upload-artifact@v4
        if: always()
        with:
          name: scenarios-\${{ matrix.part }}
          path: |
            junit.xml
            report*.html
`

/** As it was typed, from the root of the repository on; a path elsewhere has its last part. */
function nameOf(folder: string): string {
  const path = relative(process.cwd(), resolve(folder)).split(sep).join("/")
  return path === "" ? "." : path.startsWith("../") || isAbsolute(path) ? basename(path) : path
}

/** Makes the folder; if one of its files is there, nothing is written. */
export function initCommand(folder: string): ExitStatus {
  const files: Readonly<Record<string, string>> = {
    [FIRST]: SCENARIO,
    "scenario.schema.json": scenarioSchemaText(languageNames()),
    "README.md": readmeOf(placeOf(folder)),
    ".vscode/settings.json": EDITOR,
    ".github/workflows/scenarios.yml": ciOf(nameOf(folder)),
  }
  const there = Object.keys(files).filter((name) => existsSync(join(folder, name)))
  if (there.length > 0) {
    throw new UsageError(
      `${folder} has ${there.join(", ")} already, so nothing was written; name another folder`,
    )
  }
  writeAll(Object.entries(files).map(([name, text]) => [join(folder, name), text]))
  out(join(folder, FIRST))
  err(`made ${Object.keys(files).length} files; try "npx curbline run ${folder}"`)
  return EXIT.passed
}

/** When one cannot be written, those before are removed, so that the same command may follow. */
function writeAll(files: readonly (readonly [path: string, text: string])[]): void {
  const written: string[] = []
  for (const [path, text] of files)
    try {
      mkdirSync(dirname(path), { recursive: true })
      const file = openSync(path, "wx")
      written.push(path)
      writeFileSync(file, text)
      closeSync(file)
    } catch (cause) {
      for (const one of written) rmSync(one)
      throw new UsageError(`${path} cannot be written: ${faultMessage(cause)}`)
    }
}
