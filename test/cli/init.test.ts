import { existsSync, mkdirSync, readFileSync, readdirSync, rmSync, writeFileSync } from "node:fs"
import { dirname, join, resolve } from "node:path"
import { describe, expect, test } from "vitest"
import { parse } from "yaml"
import { languageNames } from "../../src/cli/scenarios/scenario-files.ts"
import { scenarioSchemaText } from "../../src/simulation/scenario/words/json-schema.ts"
import { folder } from "./command-line.ts"
import { curblineHere } from "./same-process.ts"

describe("curbline init", () => {
  test("makes a scenario that passes, with the schema that its first line names", async () => {
    const made = join(folder(), "new")
    const { status, out, err } = await curblineHere("init", made)
    const file = join(made, "the-robot-comes-early.yaml")
    expect({ status, out }).toEqual({ status: 0, out: `${file}\n` })
    expect(err).toBe(`made 5 files; try "npx curbline run ${made}"\n`)

    // Also the hidden folders of editor and CI are in it, and they are no scenarios.
    expect(await curblineHere("check", made)).toMatchObject({ out: "1 scenario in 1 file, no problem\n" })
    const run = await curblineHere("run", made)
    expect(run.status).toBe(0)
    expect(run.out).toContain("1 passed, 0 failed")

    const named = /\$schema=(.+)$/m.exec(readFileSync(file, "utf8"))?.[1] ?? ""
    expect(readFileSync(join(dirname(file), named), "utf8")).toBe(scenarioSchemaText(languageNames()))
    const editor = JSON.parse(readFileSync(join(made, ".vscode/settings.json"), "utf8"))
    expect(Object.keys(editor["yaml.schemas"])).toEqual([named])
  })

  test("the commands of its CI example and of its README are taken", async () => {
    const made = join(folder(), "new")
    await curblineHere("init", made)
    const ci = parse(readFileSync(join(made, ".github/workflows/scenarios.yml"), "utf8"))
    const steps: readonly { readonly run?: string }[] = ci.jobs.scenarios.steps
    const inCi = steps.flatMap(({ run = "" }) => (run.startsWith("npx curbline ") ? [run] : []))
    expect(inCi).toEqual([expect.stringMatching(/^npx curbline run new --shard /)])
    const inReadme = readFileSync(join(made, "README.md"), "utf8").matchAll(
      /^(npx curbline .*?)(?: +#.*)?$/gm,
    )
    const commands = [...inCi, ...[...inReadme].map(([, command = ""]) => command)]
    expect(commands).toHaveLength(6)
    for (const command of commands) {
      const words = command
        .replace("${{ matrix.part }}", "1")
        .split(" ")
        .slice(2)
        .map((word) =>
          word === "new" || resolve(word) === made
            ? made
            : /\.(?:html|xml)$/.test(word)
              ? join(made, word)
              : word,
        )
      // The studio serves its page until it is ended.
      const help = words[0] === "studio" ? ["--help"] : []
      expect([command, (await curblineHere(...words, ...help)).status]).toEqual([command, 0])
    }
  })

  test("its README names a folder elsewhere by its path: npx finds Curbline only where it is installed", async () => {
    const made = join(folder(), "new")
    await curblineHere("init", made)
    const readme = readFileSync(join(made, "README.md"), "utf8")
    expect(readme).toContain("Where Curbline is installed, as in its checkout after `npm ci`:")
    const [, place = ""] = /^npx curbline run (\S+) +# runs every/m.exec(readme) ?? []
    expect(place).not.toBe(".")
    expect(resolve(place)).toBe(made)
  })

  test("overwrites nothing: if one of its files is there, none is written", async () => {
    const made = folder()
    writeFileSync(join(made, "README.md"), "mine")
    const { status, err } = await curblineHere("init", made)
    expect(status).toBe(2)
    expect(err).toBe(`error: ${made} has README.md already, so nothing was written; name another folder\n`)
    expect(readdirSync(made)).toEqual(["README.md"])
    expect(readFileSync(join(made, "README.md"), "utf8")).toBe("mine")
  })

  test("a folder that has other files keeps them", async () => {
    const made = folder()
    mkdirSync(join(made, "notes"))
    expect((await curblineHere("init", made)).status).toBe(0)
    expect(existsSync(join(made, "notes"))).toBe(true)
  })

  test("a place that is no folder ends with 2", async () => {
    const file = join(folder(), "file")
    writeFileSync(file, "")
    const { status, err } = await curblineHere("init", file)
    expect(status).toBe(2)
    expect(err).toContain("cannot be written")
  })

  test("a file that cannot be written leaves none of the others, so that the same command may follow", async () => {
    const made = folder()
    writeFileSync(join(made, ".github"), "")
    const { status, err } = await curblineHere("init", made)
    expect(status).toBe(2)
    expect(err).toMatch(/^error: .*scenarios\.yml cannot be written: [^\n]*\n$/)
    rmSync(join(made, ".github"))
    expect((await curblineHere("init", made)).status).toBe(0)
  })
})
