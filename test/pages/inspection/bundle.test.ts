/** What a page is made of is made when it is missing or stale, and not when it is fresh; at the service's start by a thread. */

import { hash } from "node:crypto"
import { existsSync, mkdirSync, mkdtempSync, readdirSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { dirname, join } from "node:path"
import Fastify from "fastify"
import { describe, expect, test } from "vitest"
import { runnerPagesPlugin } from "../../../src/apps/runner/http/pages.ts"
import { areBundlesKept, pageBundle } from "../../../src/pages/bundling/build.ts"
import type { BundlePlace } from "../../../src/pages/bundling/build.ts"
import { groupPageOf, livePages } from "../../../src/pages/bundling/live-page.ts"
import { servedPages } from "../../../src/pages/bundling/served-pages.ts"
import { registeredCharts } from "../../../src/pages/chart/registered-machine.ts"
import type { ChartPicture } from "../../../src/pages/inspection/packed.ts"

type Shell = readonly { readonly url: string; readonly revision: string | null }[]

const folder = (): string => mkdtempSync(join(tmpdir(), "curbline-bundle-"))

/** A program of a few files, and a bundler that counts. */
function program() {
  const root = folder()
  const write = (name: string, text: string): void => {
    mkdirSync(dirname(join(root, name)), { recursive: true })
    writeFileSync(join(root, name), text)
  }
  write("package.json", '{ "version": "1" }')
  for (const part of [
    "pages/web",
    "pages/html",
    "pages/inspection",
    "pages/chart",
    "model",
    "pages/bundling",
  ])
    write(`src/${part}/a.ts`, `// ${part}`)
  const made: string[] = []
  const place: BundlePlace = {
    sources: join(root, "src"),
    folder: join(root, "kept"),
    make: async (page) => {
      made.push(page)
      return { script: `script ${made.length}`, style: "" }
    },
  }
  return { root, place, made, write }
}

describe("a bundle", () => {
  test("is made where it is missing, and then kept", async () => {
    const { root, place, made } = program()
    expect(areBundlesKept(["inspector"], place)).toBe(false)
    expect((await pageBundle("inspector", place)).script).toBe("script 1")
    expect(areBundlesKept(["inspector"], place)).toBe(true)
    expect((await pageBundle("inspector", place)).script).toBe("script 1")
    expect(made).toEqual(["inspector"])
    // Concurrent readers see the whole text or none: no draft is left.
    expect(readdirSync(join(root, "kept"))).toEqual([expect.stringMatching(/^page-inspector-[0-9a-f]{24}$/)])
  })

  test.each([
    ["a view", "src/pages/web/inspector/new.tsx", "export const view = 1"],
    ["a style", "src/pages/web/inspector/new.css", "p { margin: 0 }"],
    ["the look of pages", "src/pages/html/a.ts", "// another"],
    ["what reads records", "src/pages/inspection/a.ts", "// another"],
    ["a version in package.json", "package.json", '{ "version": "2" }'],
  ])("is stale when %s has changed, and made anew", async (_, name, text) => {
    const { place, made, write } = program()
    await pageBundle("inspector", place)
    write("src/engine/services/a.ts", "// what no page is made of")
    write("src/pages/web/ops/api-types.ts", "// types, which may be missing")
    expect(areBundlesKept(["inspector"], place)).toBe(true)
    write(name, text)
    expect(areBundlesKept(["inspector"], place)).toBe(false)
    expect((await pageBundle("inspector", place)).script).toBe("script 2")
    expect(made).toHaveLength(2)
  })

  test("is returned to every caller when it cannot be stored", async () => {
    const { place, root } = program()
    writeFileSync(join(root, "kept"), "a file stands in the folder's place")
    expect((await pageBundle("inspector", place)).script).toBe("script 1")
    expect((await pageBundle("inspector", place)).script).toBe("script 2")
  })
})

const GROUP = {
  address: "reservation/res_1",
  head: { k: "run", v: 1, clock0: "2026-03-02T17:30:00.000Z" },
  paths: {
    list: "",
    groups: "",
    entries: "",
    record: "",
    scenario: null,
    related: "",
    asked: "",
    bodies: "",
    events: null,
  },
  environment: "sandbox" as const,
  named: { orderNumber: null, organization: null, eventType: null },
  formKey: "",
  sendable: {},
}

test("a service worker keeps every file of its page, also those of parts that are not shown yet", async () => {
  const { worker, page, asset } = servedPages(() => Promise.resolve())
  const text = await worker("runner-worker", { page: "ops", path: "/ops", answer: "" })
  const kept = (JSON.parse(/CURBLINE_SHELL = (.*);/.exec(text)?.[1] ?? "") as { url: string }[]).map(
    ({ url }) => url,
  )
  for (const part of ["pages/sites", "board/board-page", "lists/lists-page"]) {
    const { html } = await page("ops", { title: "Operations", data: null, part })
    const needed = [...html.matchAll(/(?:src|href)="(\/assets\/ops-[^"]+)"/g)].map(([, path = ""]) => path)
    expect(needed.length).toBeGreaterThan(3)
    expect(kept).toEqual(expect.arrayContaining(needed))
    for (const path of needed) expect(await asset(path), path).not.toBeNull()
  }
  await expect(page("ops", { title: "Operations", data: null, part: "none" })).rejects.toThrow("no part none")
})

test("a service worker fetches a file again when its bytes change, and the page when anything of its answer does", async () => {
  const { worker, asset } = servedPages(() => Promise.resolve())
  const shell = async (answer: string): Promise<ReadonlyMap<string, string | null>> => {
    const text = await worker("runner-worker", { page: "runner", path: "/runner", answer })
    const files = JSON.parse(/CURBLINE_SHELL = (.*);/.exec(text)?.[1] ?? "") as Shell
    return new Map(files.map(({ url, revision }) => [url, revision]))
  }
  const before = await shell("the page")
  for (const path of ["/assets/mark.svg", "/assets/inter.woff2"]) {
    const { body = "" } = (await asset(path)) ?? {}
    expect(before.get(path), path).toBe(hash("sha256", body, "hex").slice(0, 16))
  }
  expect(await shell("the page")).toEqual(before)
  const after = await shell("the page, with another frame")
  expect(after.get("/runner")).not.toBe(before.get("/runner"))
  expect([...after].filter(([url, revision]) => before.get(url) !== revision)).toHaveLength(1)
})

test("the answer of the runner's page, with its headers, is what its service worker follows", async () => {
  const app = Fastify()
  let policy = "default-src 'none'"
  await app.register(runnerPagesPlugin, {
    environment: "sandbox",
    page: async ({ title }) => ({ html: title, policy }),
    worker: async (answer) => answer,
  })
  const worker = async (): Promise<string> => (await app.inject("/runner/worker.js")).body
  const before = await worker()
  expect(before).toContain((await app.inject("/runner")).body)
  expect(await worker()).toBe(before)
  policy = "default-src 'self'"
  expect((await app.inject("/runner")).headers["content-security-policy"]).toBe(policy)
  expect(await worker()).not.toBe(before)
})

describe("the charts of the service", () => {
  const drawn = {
    chart: registeredCharts()[0],
    picture: "<svg></svg>",
    problem: null,
    isFromProgram: false,
    lines: null,
  }
  const failed = { ...drawn, picture: null, problem: "the disk is full" }

  test("are drawn again after a failure, and a drawing without a picture is neither kept nor served as a file", async () => {
    const drawings = [new Error("no memory"), [drawn, failed], [drawn, drawn]]
    let count = 0
    const { charts, asset } = servedPages(
      () => Promise.resolve(),
      undefined,
      async () => {
        const next = drawings[count++]
        if (next === undefined || next instanceof Error) throw next ?? new Error("was drawn again")
        return next as readonly ChartPicture[]
      },
    )
    await expect(charts()).rejects.toThrow("no memory")
    expect(await charts()).toMatchObject({ path: null, pictures: [drawn, failed] })
    const { path } = await charts()
    expect(path).toMatch(/^\/assets\/charts-[0-9a-f]{16}\.json$/)
    expect(await asset(path ?? "")).toMatchObject({ body: JSON.stringify([drawn, drawn]), isImmutable: true })
    expect([(await charts()).path, count]).toEqual([path, 3])
  })

  test("stand in the page itself while a picture fails", async () => {
    const pages = {
      page: servedPages(() => Promise.resolve()).page,
      charts: async () => ({ path: null, pictures: [failed] as never }),
    }
    const { html } = await groupPageOf(pages)(GROUP)
    expect(html).toContain("the disk is full")
    expect(html).not.toMatch(/chartsPath|as="fetch"/)
  })
})

describe("the start of the service", () => {
  /** A thread that leaves a file. */
  const threadLeaving = (file: string): URL =>
    new URL(
      `data:text/javascript,${encodeURIComponent(`import { writeFileSync } from "node:fs"\nwriteFileSync(${JSON.stringify(file)}, "made")`)}`,
    )
  test("has what is missing made by a thread, for which the first page waits", async () => {
    const file = join(folder(), "made")
    const pages = livePages({ isKept: () => existsSync(file), thread: threadLeaving(file) })
    pages.prepare()
    const page = groupPageOf(servedPages(pages.prepared))
    expect((await page(GROUP)).html).toContain("reservation/res_1")
    expect(existsSync(file)).toBe(true)
    await pages.close()
  })

  test("starts no thread when all of it is there", async () => {
    const file = join(folder(), "made")
    const pages = livePages({ isKept: () => true, thread: threadLeaving(file) })
    pages.prepare()
    await groupPageOf(servedPages(pages.prepared))(GROUP)
    await pages.close()
    expect(existsSync(file)).toBe(false)
  })
})
