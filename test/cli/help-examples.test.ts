/** The help of each command has examples, and the command takes them. */

import type { Command } from "commander"
import { describe, expect, test } from "vitest"
import { makeCommand } from "../../src/cli/main.ts"
import { addManagementCommands } from "../../src/cli/management/management-commands.ts"
import {
  ACCOUNT_ENDPOINTS,
  ENDPOINTS,
  PRODUCTION_ENDPOINTS,
} from "../../src/apps/operations/http/endpoints.ts"

/** The real commands; what they would do is only noted. */
function commandTree(): { readonly curbline: Command; readonly started: () => number } {
  let started = 0
  const act = async (): Promise<void> => {
    started += 1
  }
  const curbline = makeCommand(act)
  addManagementCommands(curbline, act)
  for (const one of [curbline, ...everyCommand(curbline)])
    one.exitOverride().configureOutput({ writeErr: () => {} })
  return { curbline, started: () => started }
}

function everyCommand(of: Command): readonly Command[] {
  return of.commands.flatMap((one) => [one, ...everyCommand(one)])
}

function nameOf(command: Command): string {
  const { parent } = command
  return parent === null || parent.parent === null ? command.name() : `${nameOf(parent)} ${command.name()}`
}

function examplesOf(command: Command): readonly string[] {
  let help = ""
  command.configureOutput({
    writeOut: (text) => {
      help += text
    },
  })
  command.outputHelp()
  const [, examples = ""] = help.split("\nExamples:\n")
  return examples.trimEnd().split("\n").filter(Boolean)
}

/** Words as a shell splits them; ids of the reader stay as they are. */
function wordsIn(line: string): readonly string[] {
  return [...line.matchAll(/"([^"]*)"|'([^']*)'|(\S+)/g)].map(
    ([, twice, once, plain]) => twice ?? once ?? plain ?? "",
  )
}

const NAMES = everyCommand(commandTree().curbline).map((command) => nameOf(command))

test("there are as many commands as a developer and an operator know", () => {
  expect(NAMES.length).toBeGreaterThan(100)
  for (const name of ["run", "fleet fit", "journal export", "serve", "orgs create"])
    expect(NAMES).toContain(name)
})

describe("the help has examples, which the command takes:", () => {
  test.each(NAMES)("%s", async (name) => {
    const find = (curbline: Command): Command =>
      everyCommand(curbline).find((command) => nameOf(command) === name) as Command
    const examples = examplesOf(find(commandTree().curbline))
    expect(examples.length).toBeGreaterThan(0)
    const isOwn = (line: string): boolean => line.includes(`npx curbline ${name}`)
    expect(examples.some(isOwn)).toBe(true)
    for (const line of examples) {
      const [, command = ""] = /npx curbline ([^)]+)/.exec(line) ?? []
      const { curbline, started } = commandTree()
      await curbline.parseAsync([...wordsIn(command)], { from: "user" })
      expect([line, started()]).toEqual([line, 1])
    }
  })
})

test("an example that the command does not take is found", async () => {
  const { curbline } = commandTree()
  await expect(curbline.parseAsync(["config", "--tabel"], { from: "user" })).rejects.toThrow("--tabel")
  await expect(curbline.parseAsync(["keys", "create", "--org", "x"], { from: "user" })).rejects.toThrow(
    "--permissions",
  )
})

test("an example of a change names the environment where a service with both would ask for it", () => {
  const asking = [...ENDPOINTS, ...ACCOUNT_ENDPOINTS, ...PRODUCTION_ENDPOINTS].flatMap(({ commands = [] }) =>
    commands.flatMap(({ noun, verb, did, looksEverywhere }) =>
      noun.isShared === true || did === undefined || looksEverywhere === true ? [] : `${noun.word} ${verb}`,
    ),
  )
  expect(asking).toContain("keys create")
  const { curbline } = commandTree()
  for (const command of everyCommand(curbline).filter((one) => asking.includes(nameOf(one))))
    for (const line of examplesOf(command)) expect(line).toContain("--environment ")
})
