/** The import rules find what they forbid: each planted import breaks exactly the rule that it should, and the line of rooms has no gap. */

import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { dirname, join, relative } from "node:path"
import { cruise } from "dependency-cruiser"
import type { ICruiseOptions, ICruiseResult, IForbiddenRuleType } from "dependency-cruiser"
import { afterAll, describe, expect, test } from "vitest"

const RULES: string = "../.dependency-cruiser.mjs"
const { default: config } = (await import(RULES)) as {
  readonly default: { readonly forbidden: IForbiddenRuleType[]; readonly options: ICruiseOptions }
}

/** The rooms, highest first, each with a folder of it in which a module may be planted. */
const ROOMS = [
  "src/cli/kit",
  "src/live/host",
  "src/simulation/fleet",
  "src/apps/mcp",
  "src/areas/courier",
  "src/http/pages",
  "src/pages/html",
  "src/engine/kernel",
  "machines",
  "src/model",
]

const folder = mkdtempSync(join(tmpdir(), "import-rules-"))
afterAll(() => rmSync(folder, { recursive: true }))

/** The rules that a module `from` breaks that imports `to`. */
async function brokenBy(from: string, to: string): Promise<readonly string[]> {
  const tree = mkdtempSync(join(folder, "tree-"))
  const write = (file: string, text: string): void => {
    mkdirSync(dirname(join(tree, file)), { recursive: true })
    writeFileSync(join(tree, file), text)
  }
  const path = relative(dirname(from), to)
  write(to, "export const planted = 1\n")
  write(from, `import { planted } from "${path.startsWith(".") ? path : `./${path}`}"\nvoid planted\n`)
  const { output } = await cruise([from], {
    ...config.options,
    ruleSet: { forbidden: config.forbidden },
    validate: true,
    baseDir: tree,
  })
  return (output as ICruiseResult).summary.violations.map(({ rule }) => rule.name)
}

const upward = ROOMS.flatMap((from, place) =>
  ROOMS.slice(0, place).map((to) => [`${from}/planted.ts`, `${to}/planted-too.ts`] as const),
)

describe("the line of rooms", () => {
  test.each(upward)("%s may not import %s", async (from, to) => {
    const [room = ""] = from.replace("src/", "").split("/")
    expect(await brokenBy(from, to)).toContain(`${room}-imports-rooms-after-it`)
  })

  test("a room imports what is after it", async () => {
    expect(await brokenBy("src/live/host/planted.ts", "src/engine/kernel/planted-too.ts")).toEqual([])
    expect(await brokenBy("src/areas/courier/http/planted.ts", "src/http/planted-too.ts")).toEqual([])
  })
})

describe("the rules inside of rooms", () => {
  test.each([
    ["client-stands-alone", "src/client/planted.ts", "src/model/planted-too.ts"],
    ["pages-are-open-through-html", "src/apps/portal/http/planted.ts", "src/pages/web/planted-too.ts"],
    ["kernel-knows-the-model", "src/engine/kernel/planted.ts", "machines/planted-too.ts"],
    ["commands-stay-inside", "src/areas/courier/planted.ts", "src/areas/courier/store/planted-too.ts"],
    ["commands-stay-inside", "src/apps/operations/planted.ts", "src/engine/memory/planted-too.ts"],
    ["commands-name-the-engine-by-type", "src/areas/courier/planted.ts", "src/engine/kernel/planted-too.ts"],
    ["http-translates", "src/areas/courier/http/planted.ts", "src/engine/store/planted-too.ts"],
    ["http-translates", "src/http/planted.ts", "src/engine/kernel/planted-too.ts"],
    ["store-is-a-layer", "src/engine/store/planted.ts", "src/engine/memory/planted-too.ts"],
    ["gateways-are-a-layer", "src/live/gateways/planted.ts", "src/engine/store/planted-too.ts"],
    ["clock-knows-lower-areas", "src/areas/clock/planted.ts", "src/areas/courier/planted-too.ts"],
    ["portal-knows-lower-apps", "src/apps/portal/planted.ts", "src/apps/runner/planted-too.ts"],
    ["areas-are-listed", "src/areas/new-area/planted.ts", "src/model/planted-too.ts"],
    ["simulation-has-no-database", "src/simulation/fleet/planted.ts", "src/engine/store/planted-too.ts"],
    [
      "steps-alone-are-operations",
      "src/simulation/fleet/planted.ts",
      "src/areas/courier/http/planted-too.ts",
    ],
    ["web-reads-records", "src/pages/web/planted.ts", "src/pages/bundling/planted-too.ts"],
    ["program-without-tests", "src/cli/planted.ts", "test/planted-too.ts"],
  ])("%s: %s may not import %s", async (rule, from, to) => {
    expect(await brokenBy(from, to)).toContain(rule)
  })
})
