/** The types of the APIs, which are not in git: made when they are missing, altered or stale, and not when they are fresh. */

import { mkdirSync, mkdtempSync, readFileSync, readdirSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { dirname, join } from "node:path"
import { afterAll, beforeEach, describe, expect, test } from "vitest"
import { refreshTypes } from "../../src/cli/generate/fresh-types.ts"
import { curblineHere } from "./same-process.ts"

const folder = mkdtempSync(join(tmpdir(), "curbline-types-"))
afterAll(() => rmSync(folder, { recursive: true }))

const FILE = "src/client/stall-types.ts"

/** A checkout of a few files, and a generator that counts. */
function checkout() {
  const top = mkdtempSync(join(folder, "checkout-"))
  const write = (file: string, text: string): void => {
    mkdirSync(dirname(join(top, file)), { recursive: true })
    writeFileSync(join(top, file), text)
  }
  write("package-lock.json", "{}")
  write("src/client/index.ts", "// the client")
  for (const part of [
    "machines",
    ...["apps", "areas", "cli/generate", "engine", "http", "model"].map((room) => `src/${room}`),
  ])
    write(`${part}/a.ts`, `// ${part}`)
  let made = 0
  const refresh = async (text?: string): Promise<readonly [made: number, written: readonly string[]]> => {
    const make = async () => {
      made += 1
      return { [FILE]: text ?? `// made ${made}` }
    }
    const written = await refreshTypes({ top, make })
    return [made, written]
  }
  return { top, write, refresh, text: () => readFileSync(join(top, FILE), "utf8") }
}

describe("the types of the APIs", () => {
  let place: ReturnType<typeof checkout>
  beforeEach(async () => {
    place = checkout()
    await place.refresh()
  })

  test("are made where they are missing, whole, and then kept", async () => {
    expect(place.text()).toBe("// made 1")
    expect(await place.refresh()).toEqual([1, []])
    expect(readdirSync(join(place.top, "src/client"))).toEqual(["index.ts", "stall-types.ts"])
    expect(readdirSync(join(place.top, ".curbline/cache"))).toEqual(["api-types.json"])
    rmSync(join(place.top, FILE))
    expect(await place.refresh()).toEqual([2, [FILE]])
    expect(place.text()).toBe("// made 2")
  })

  test.each([
    ["an endpoint", "src/areas/courier/http/new.ts", "export const endpoint = 1"],
    ["a schema", "src/model/a.ts", "// another"],
    ["the generator", "src/cli/generate/a.ts", "// another"],
    ["the version of a package", "package-lock.json", '{ "version": 2 }'],
    ["a type by hand", FILE, "// altered"],
  ])("are made anew after a change of %s", async (_, file, text) => {
    place.write(file, text)
    expect(await place.refresh()).toEqual([2, [FILE]])
    expect(place.text()).toBe("// made 2")
  })

  test.each([
    ["a page", "src/pages/web/a.tsx"],
    ["the command", "src/cli/kit/a.ts"],
    ["a README", "src/http/README.md"],
  ])("stay after a change of %s", async (_, file) => {
    place.write(file, "// another")
    expect(await place.refresh()).toEqual([1, []])
  })

  test("are not written again when they come out the same, so that caches of compilers stay", async () => {
    place.write("src/model/a.ts", "// another")
    expect(await place.refresh("// made 1")).toEqual([2, []])
    expect(await place.refresh()).toEqual([2, []])
  })
})

test("the command cannot both write the types and check what is in git", async () => {
  expect(await curblineHere("generate", "--types", "--check")).toMatchObject({
    status: 2,
    err: expect.stringContaining("'--types' cannot be used with option '--check'"),
  })
})
