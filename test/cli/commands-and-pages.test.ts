/** What a management command can do a page can: the table of the pages' README against commands and pages. */

import { existsSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { expect, test } from "vitest"
import type { OperatorEndpoint } from "../../src/http/operator-endpoint.ts"
import {
  ACCOUNT_ENDPOINTS,
  ENDPOINTS,
  PRODUCTION_ENDPOINTS,
} from "../../src/apps/operations/http/endpoints.ts"
import * as nouns from "../../src/model/nouns/catalog-nouns.ts"
import { ROOT } from "./command-line.ts"

const FOLDER = join(ROOT, "src/pages/web/ops")
const README = readFileSync(join(FOLDER, "README.md"), "utf8")

type Called = Pick<OperatorEndpoint<never>, "method" | "path">

/** By the words of the command, such as `sites create`. */
const COMMANDS: ReadonlyMap<string, Called> = new Map(
  [...ENDPOINTS, ...ACCOUNT_ENDPOINTS, ...PRODUCTION_ENDPOINTS].flatMap(({ method, path, commands = [] }) =>
    commands.map(({ noun, verb }): [string, Called] => [`${noun.word} ${verb}`, { method, path }]),
  ),
)

interface Row {
  readonly command: string
  readonly page: string
  readonly fileOrReason: string
}

const ROWS: readonly Row[] = README.slice(README.indexOf("## Commands and pages"))
  .split("\n")
  .flatMap((line) => {
    const cells = /^\| `([\w-]+ [\w-]+)`\s*\|(.*)\|(.*)\|$/.exec(line)
    if (cells === null) return []
    const [, command = "", page = "", fileOrReason = ""] = cells
    return [{ command, page: page.trim(), fileOrReason: fileOrReason.trim() }]
  })

/** True when the text calls the endpoint: its method, and the words of its path behind the last parameter or before it. */
function calls(text: string, { method, path }: Called): boolean {
  const words = /([\w-]+)(?:\/\{\w+\})*$/.exec(path)?.[1] ?? path
  const isRead = method === "GET" && /\b(?:read|everyPage)(?:<|\()/.test(text)
  const hasMethod = isRead || text.includes(`.${method}(`) || text.includes(`"${method}"`)
  return (hasMethod && new RegExp(`[/"\`]${words}["\`/?]`).test(text)) || usesNoun(text, method, words)
}

/** True when the text reads the noun that the words name, or has its page or form. */
function usesNoun(text: string, method: string, words: string): boolean {
  const named = Object.entries(nouns).find(([, { many }]) => many === words)?.[0]
  if (named === undefined) return false
  const use = `<NounPage\\s+noun={${named}}|${method === "GET" ? `readNoun(<\\w+>)?\\(${named}` : `<NounForm\\s+noun={${named}}`}`
  return new RegExp(use).test(text)
}

test("every management command stands in the table of the pages once, and no other does", () => {
  expect(ROWS.map(({ command }) => command).toSorted()).toEqual([...COMMANDS.keys()].toSorted())
})

test.each(ROWS.filter(({ page }) => page !== ""))("$command is called by $fileOrReason", (row) => {
  const file = /^`(.+)`$/.exec(row.fileOrReason)?.[1] ?? ""
  const path = join(FOLDER, file)
  expect(existsSync(path), path).toBe(true)
  const called = COMMANDS.get(row.command)
  expect(called).toBeDefined()
  expect(called !== undefined && calls(readFileSync(path, "utf8"), called)).toBe(true)
})

test("a command without a page names the command that does the same", () => {
  for (const { command, fileOrReason } of ROWS.filter(({ page }) => page === "")) {
    const other = /^`([\w-]+ [\w-]+)` \w+/.exec(fileOrReason)?.[1] ?? ""
    expect([command, other, COMMANDS.has(other)]).toEqual([command, other, true])
    expect(ROWS.find((row) => row.command === other)?.page).not.toBe("")
  }
})
