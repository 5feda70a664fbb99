/** The studio's server over HTTP: what it answers, what it refuses, and what it writes. */

import { once } from "node:events"
import fs, {
  chmodSync,
  existsSync,
  mkdirSync,
  readFileSync,
  readdirSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs"
import { request } from "node:http"
import { syncBuiltinESMExports } from "node:module"
import { networkInterfaces } from "node:os"
import { basename, join } from "node:path"
import { afterAll, beforeAll, describe, expect, test, vi } from "vitest"
import { ScenarioFolder } from "../../src/cli/studio/folder.ts"
import { serveStudio } from "../../src/cli/studio/server.ts"
import type { StudioServer } from "../../src/cli/studio/server.ts"
import {
  SOURCE_BYTES_MAX,
  STUDIO_RECORD_BYTES_MAX,
  STUDIO_TABLE_BYTES_MAX,
} from "../../src/model/values/limits.ts"
import { COMMANDS, EXPECTATIONS, SCRIPTED_CODES } from "../../src/simulation/scenario/language/language.ts"
import { RESERVATION_STATUSES } from "../../src/model/reservation.ts"
import { TOKEN_HEADER } from "../../src/pages/web/studio/contract.ts"
import type {
  Draft,
  FileCheck,
  FileRead,
  FormAnswer,
  Listing,
  Progress,
  Refused,
  RunAnswer,
  Saved,
  SeedsProgress,
  Template,
  Words,
} from "../../src/pages/web/studio/contract.ts"
import type { DroppedTable, FleetRead, TableAdded } from "../../src/pages/web/studio/fleets/fleet-contract.ts"
import { checkFirstLoad, firstLoad } from "../browser/first-load.ts"
import { folder, running } from "./command-line.ts"

const LUNCH = `# a comment that stays
scenario: Lunch is booked
because: It is the shortest course.
tags: [first, lunch]
clock: 2026-03-02T11:30 America/Chicago
given:
  webhooks: [{ as: partner, events: all }]
steps:
  - { do: reservation.create, as: lunch, with: { window: [11:45, 12:15] } }
  - expect: { reservation: lunch, status: confirmed }
  - expect: { reservation: lunch, status: canceled, within: 1h }
`

const PROGRAM = `import { writeFileSync } from "node:fs"
writeFileSync(new URL("was-run", import.meta.url), "")
export const scenarios = []
`

const opened = folder()
const outside = folder()
const file = (path: string): string => join(opened, path)

let server: StudioServer
let base = ""
let token = ""
beforeAll(async () => {
  mkdirSync(file("deep"))
  mkdirSync(file("expected"))
  writeFileSync(file("lunch.yaml"), LUNCH)
  writeFileSync(file("deep/broken.yaml"), LUNCH.replace("status: confirmed", "status: confirmd"))
  writeFileSync(file("old.yml"), LUNCH)
  writeFileSync(file("program.scenario.ts"), PROGRAM)
  writeFileSync(file("notes.txt"), "no scenario")
  writeFileSync(file("expected/lunch.yaml"), "a golden result")
  writeFileSync(join(outside, "secret.yaml"), "outside of the folder")
  symlinkSync(join(outside, "secret.yaml"), file("link.yaml"))
  symlinkSync(outside, file("way-out"))
  server = await serveStudio(new ScenarioFolder(opened))
  const url = new URL(server.url)
  base = url.origin
  token = url.hash.replace("#token=", "")
})
afterAll(() => server.close())

interface Called {
  readonly method?: string
  readonly body?: unknown
  readonly headers?: Readonly<Record<string, string>>
}

async function call(path: string, { method = "GET", body, headers = {} }: Called = {}): Promise<Response> {
  const json = body === undefined ? {} : { "content-type": "application/json" }
  return fetch(`${base}${path}`, {
    method,
    headers: { [TOKEN_HEADER]: token, ...json, ...headers },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  })
}

async function answered<Answer>(path: string, called: Called = {}): Promise<Answer> {
  const answer = await call(path, called)
  expect(answer.status).toBe(200)
  return (await answer.json()) as Answer
}

async function refusal(path: string, called: Called = {}): Promise<Refused & { readonly status: number }> {
  const answer = await call(path, called)
  return { status: answer.status, ...((await answer.json()) as Refused) }
}

/** Sends headers that `fetch` does not let a caller set. */
async function statusUnder(headers: Record<string, string>, path = "/"): Promise<number> {
  const { hostname, port } = new URL(base)
  const sent = request({ host: hostname, port, path, headers })
  sent.end()
  const [response] = (await once(sent, "response")) as [{ readonly statusCode: number; resume: () => void }]
  response.resume()
  return response.statusCode
}

describe("who may call the studio", () => {
  test("it listens on the loopback alone", async () => {
    expect(new URL(base).hostname).toBe("127.0.0.1")
    const others = Object.values(networkInterfaces()).flatMap((all) =>
      (all ?? []).filter((one) => !one.internal),
    )
    for (const { address, family } of others) {
      if (family !== "IPv4") continue
      await expect(fetch(`http://${address}:${new URL(base).port}/`)).rejects.toThrow("fetch failed")
    }
  })

  test("the page needs no token, which is in the fragment, and brings a policy with a new nonce", async () => {
    const [one, other] = await Promise.all([fetch(`${base}/`), fetch(`${base}/`)])
    const html = await one.text()
    expect(html).not.toContain(token)
    const policy = one.headers.get("content-security-policy") ?? ""
    expect(policy).toMatch(/^default-src 'none'; script-src 'self'; style-src 'self' 'nonce-[\w-]{22}';/)
    expect(policy).toContain("frame-ancestors 'none'")
    expect(policy).not.toBe(other.headers.get("content-security-policy"))
    expect(one.headers.get("cache-control")).toBe("no-store")
    const script = /src="(\/assets\/studio-\w+\.js)"/.exec(html)?.[1] ?? ""
    expect((await fetch(`${base}${script}`)).headers.get("content-type")).toContain("text/javascript")
    expect((await fetch(`${base}/assets/portal-0000000000000000.js`)).status).toBe(404)
  })

  test("on a slow line its frame comes first, and the editor with the first file", async () => {
    const first = await firstLoad(`${base}/`)
    checkFirstLoad("the studio", first)
    expect(first.scriptBytes).toBeLessThan(75_000)
  })

  test.each(["attacker.example", "127.0.0.1:1", "localhost"])("the host %s is refused", async (host) => {
    expect(await statusUnder({ Host: host })).toBe(421)
    expect(await statusUnder({ Host: host, [TOKEN_HEADER]: token }, "/api/scenarios")).toBe(421)
  })

  test("localhost with its port is the studio's own name", async () => {
    expect(await statusUnder({ Host: `localhost:${new URL(base).port}` })).toBe(200)
  })

  test.each(["https://attacker.example", "null", "http://127.0.0.1:1"])(
    "a page of %s is refused, even with the token",
    async (origin) => {
      const headers = { origin }
      expect(await refusal("/api/scenarios", { headers })).toMatchObject({ status: 403 })
      const body = { path: "lunch.yaml" }
      expect(await refusal("/api/run", { method: "POST", body, headers })).toMatchObject({ status: 403 })
    },
  )

  test("a call of the studio's own page is taken", async () => {
    const { files } = await answered<Listing>("/api/scenarios", { headers: { origin: base } })
    expect(files).not.toEqual([])
  })

  test.each([
    ["GET", "/api/scenarios"],
    ["GET", "/api/words"],
    ["GET", "/api/charts"],
    ["GET", "/api/file?path=lunch.yaml"],
    ["PUT", "/api/file"],
    ["DELETE", "/api/file"],
    ["POST", "/api/file/move"],
    ["GET", "/api/changes"],
    ["POST", "/api/check"],
    ["POST", "/api/run"],
    ["POST", "/api/run-all"],
    ["POST", "/api/seeds"],
    ["POST", "/api/form"],
    ["GET", "/api/templates/scenarios"],
    ["POST", "/api/templates/scenarios/draft"],
    ["GET", "/api/templates/fleets"],
    ["POST", "/api/templates/fleets/draft"],
  ])("%s %s needs the token of this start", async (method, path) => {
    for (const given of ["", "x", token.slice(1), `${token}x`])
      expect(await refusal(path, { method, headers: { [TOKEN_HEADER]: given } })).toMatchObject({
        status: 401,
        message: "the token is missing or of another start; open the address that the command printed",
      })
    expect((await fetch(`${base}${path}`, { method })).status).toBe(401)
  })

  test("an unknown address is none of the studio's", async () => {
    expect(await refusal("/api/secrets")).toMatchObject({ status: 404 })
    expect(await refusal("/inspect/none")).toMatchObject({ status: 404 })
  })
})

describe("the files of the folder", () => {
  test("are listed with title, tags and problems; links, other files and golden results are not", async () => {
    const { files, folder: name } = await answered<Listing>("/api/scenarios")
    expect(name).toBe(opened)
    expect(files.map(({ path, title, tags, problems }) => [path, title, tags, problems])).toEqual([
      ["deep/broken.yaml", "Lunch is booked", [], 1],
      ["lunch.yaml", "Lunch is booked", ["first", "lunch"], 0],
      ["old.yml", "Lunch is booked", ["first", "lunch"], 0],
      ["program.scenario.ts", "program.scenario.ts", [], 0],
    ])
  })

  test("what cannot be read keeps no other file from the list, and says why when it is opened", async () => {
    writeFileSync(file("lock.yaml"), `packages: ${"x".repeat(SOURCE_BYTES_MAX)}\n`)
    writeFileSync(file("fleet.yaml"), `fleet: Too long\n# ${"x".repeat(SOURCE_BYTES_MAX)}\n`)
    mkdirSync(file("closed"))
    writeFileSync(file("closed/inside.yaml"), LUNCH)
    writeFileSync(file("unreadable.yaml"), LUNCH)
    chmodSync(file("closed"), 0)
    chmodSync(file("unreadable.yaml"), 0)
    const { files } = await answered<Listing>("/api/scenarios")
    const said = files.map(({ path, problems }) => [path, problems])
    expect(said).toEqual(
      expect.arrayContaining([
        ["lock.yaml", 1],
        ["lunch.yaml", 0],
      ]),
    )
    expect(await answered<readonly object[]>("/api/fleets")).toEqual([])
    expect(await refusal("/api/file?path=lock.yaml")).toMatchObject({
      status: 413,
      message: expect.stringContaining("a scenario has at most"),
    })
    // For the superuser nothing is unreadable.
    if (process.getuid?.() !== 0) {
      expect(said).toContainEqual(["unreadable.yaml", 1])
      expect(await refusal("/api/file?path=unreadable.yaml")).toMatchObject({ status: 403 })
      expect(files.map(({ path }) => path)).not.toContain("closed/inside.yaml")
    }
    chmodSync(file("closed"), 0o700)
    for (const name of ["lock.yaml", "fleet.yaml", "unreadable.yaml"]) rmSync(file(name))
    rmSync(file("closed"), { recursive: true })
  })

  test("a file beside a model is found in the folder alone", async () => {
    const beside = (name: string): string | null =>
      new ScenarioFolder(opened).placeBeside("deep/m.yaml", name)
    for (const name of ["town.geojson", "./town.geojson"])
      expect(beside(name)).toBe(file("deep/town.geojson"))
    writeFileSync(join(outside, "town.geojson"), "")
    symlinkSync(join(outside, "town.geojson"), file("deep/link.geojson"))
    symlinkSync(outside, file("deep/way-out"))
    const refused = [
      "../lunch.yaml",
      "..\\lunch.yaml",
      "/etc/hosts",
      "c:town.geojson",
      "C:\\town.geojson",
      "link.geojson",
      "way-out/town.geojson",
      "way-out/../town.geojson",
      "none/town.geojson",
    ]
    for (const name of refused) expect(beside(name), name).toBeNull()
    const town = fs.readFileSync("scenarios/fleets/two-bridges.yaml", "utf8")
    writeFileSync(file("deep/m.yaml"), town.replace("two-bridges.geojson", "link.geojson"))
    const { problems } = await answered<FleetRead>("/api/fleet?path=deep/m.yaml")
    expect(problems.map(({ message }) => message)).toContain(
      'there is no file "link.geojson" beside the model',
    )
    for (const name of ["link.geojson", "way-out", "m.yaml"]) rmSync(file(`deep/${name}`))
  })

  test("the folder of `.` has its own name", () => {
    expect(new ScenarioFolder(".").name).toBe(basename(process.cwd()))
    expect(new ScenarioFolder("./scenarios/..").name).toBe("./scenarios/..")
  })

  test("a file that is not UTF-8 is not opened, so that no save loses its letters", async () => {
    const latin1 = Buffer.from(LUNCH.replace("Lunch is booked", "Café au lait"), "latin1")
    writeFileSync(file("latin1.yaml"), latin1)
    const refused = await refusal("/api/file?path=latin1.yaml")
    expect(refused.status).toBe(415)
    expect(refused.message).toBe(
      "latin1.yaml is not UTF-8 text; save it as UTF-8 in the editor that wrote it",
    )
    const { files } = await answered<Listing>("/api/scenarios")
    expect(files.find(({ path }) => path === "latin1.yaml")?.problems).toBe(1)
    rmSync(file("latin1.yaml"))
  })

  test("a file whose title is signs alone is listed by its name", async () => {
    writeFileSync(file("half.yaml"), "scenario: [\n")
    const { files } = await answered<Listing>("/api/scenarios")
    expect(files.find(({ path }) => path === "half.yaml")?.title).toBe("half.yaml")
    rmSync(file("half.yaml"))
  })

  test("are read with their problems, at the character", async () => {
    const read = await answered<FileRead>("/api/file?path=deep/broken.yaml")
    expect(read.text).toContain("confirmd")
    expect(read.problems).toMatchObject([{ line: 10, column: 43, length: 8, suggestion: "confirmed" }])
    const { steps } = await answered<FileRead>("/api/file?path=lunch.yaml")
    expect(steps).toMatchObject([
      { line: 9, words: "the partner books lunch for 11:45 to 12:15" },
      { line: 10 },
      { line: 11 },
    ])
  })

  test("a text in the editor is checked without being saved", async () => {
    const body = { path: "lunch.yaml", text: LUNCH.replace("expect", "expct") }
    const { problems } = await answered<FileCheck>("/api/check", { method: "POST", body })
    expect(problems).toMatchObject([{ line: 10, suggestion: "expect" }])
    expect(readFileSync(file("lunch.yaml"), "utf8")).toBe(LUNCH)
  })

  test.each([
    ["../secret.yaml", 'has a part that is empty or begins with "."'],
    ["deep/../../secret.yaml", 'has a part that is empty or begins with "."'],
    ["./lunch.yaml", 'has a part that is empty or begins with "."'],
    [".hidden.yaml", 'has a part that is empty or begins with "."'],
    ["deep//broken.yaml", 'has a part that is empty or begins with "."'],
    ["/etc/passwd.yaml", "is absolute"],
    ["C:/secret.yaml", "is absolute"],
    ["deep\\broken.yaml", "has a backslash or a control character"],
    ["lunch\0.yaml", "has a backslash or a control character"],
    ["link.yaml", "leads through a symbolic link"],
    ["way-out/secret.yaml", "leads through a symbolic link"],
    ["nowhere/lunch.yaml", "is in no folder that exists"],
    ["deep", "does not end in .yaml, .yml or .scenario.ts"],
    ["notes.txt", "does not end in .yaml, .yml or .scenario.ts"],
    ["", "is not the path of a file in the opened folder"],
  ])(
    "the path %j is refused for reading, writing, renaming, deleting, checking and running",
    async (path, why) => {
      const before = listOf(outside)
      const asked = [
        refusal(`/api/file?path=${encodeURIComponent(path)}`),
        refusal("/api/file", { method: "PUT", body: { path, text: LUNCH, version: null } }),
        refusal("/api/file", { method: "DELETE", body: { path, version: "x" } }),
        refusal("/api/file/move", { method: "POST", body: { path, to: "moved.yaml", version: "x" } }),
        refusal("/api/check", { method: "POST", body: { path, text: LUNCH } }),
        refusal("/api/run", { method: "POST", body: { path } }),
      ]
      for (const { status, message } of await Promise.all(asked)) {
        expect(status).toBe(400)
        expect(message).toContain(why)
      }
      expect(listOf(outside)).toEqual(before)
    },
  )

  test("a file that does not exist has no text", async () => {
    expect(await refusal("/api/file?path=none.yaml")).toMatchObject({ status: 404 })
    expect(await refusal("/api/run", { method: "POST", body: { path: "none.yaml" } })).toMatchObject({
      status: 404,
    })
  })
})

function listOf(place: string): readonly string[] {
  return readdirSync(place).map((name) => `${name} ${readFileSync(join(place, name), "utf8")}`)
}

describe("a case of a record", () => {
  const sent = (content: string, type = "application/octet-stream"): Promise<Response> =>
    fetch(`${base}/api/record?file=run.ndjson`, {
      method: "POST",
      headers: { [TOKEN_HEADER]: token, "content-type": type },
      body: content,
    })
  const keep = (fields: object): Promise<Refused & { readonly status: number }> =>
    refusal("/api/record/kept", { method: "POST", body: { id: "", group: "", because: "", ...fields } })

  test("a text that is no record, another content and a longer one are refused with why", async () => {
    const none = await sent("hello\n")
    expect([none.status, await none.text()]).toEqual([422, expect.stringContaining("run.ndjson:1: ")])
    const typed = await sent("{}", "application/json")
    expect([typed.status, await typed.text()]).toEqual([
      415,
      expect.stringContaining("the record was sent as application/json"),
    ])
    expect((await sent(" ".repeat(STUDIO_RECORD_BYTES_MAX + 1))).status).toBe(413)
  })

  test("a record that the studio no longer has, a group that it has not and a long sentence are refused", async () => {
    expect(await keep({ id: "gone" })).toMatchObject({
      status: 404,
      message: "the studio no longer has this record; open it again",
    })
    expect((await keep({ because: "x".repeat(301) })).status).toBe(400)
  })
})

describe("a table of orders that is dropped on a model", () => {
  const MODEL = `fleet: A lunch
because: Its orders are known.
clock: 2026-03-02T11:00 America/Chicago
horizon: 2h
sites: [{ as: north, at: [30.4, -97.7], stalls: 6, runners: 2, stores: [{ as: lunchbox, cooks: 6 }] }]
demand:
  # What is sure.
  - { product: reservation, site: north, per_hour: 12 }
`
  const ORDERS = "created_at\n2026-03-02 12:05:00\n"
  const dropped = async (
    name: string,
    content: Uint8Array | string,
    type = "application/octet-stream",
  ): Promise<Response> =>
    fetch(`${base}/api/fleet-table?path=deep/model.yaml&file=${name}`, {
      method: "POST",
      headers: { [TOKEN_HEADER]: token, "content-type": type },
      body: content,
    })
  const addition = async (fields: object): Promise<Called> => {
    writeFileSync(file("deep/model.yaml"), MODEL)
    const { id, inspected } = (await (await dropped("orders.csv", ORDERS)).json()) as DroppedTable
    const { version } = await answered<FleetRead>("/api/fleet?path=deep/model.yaml")
    const yaml = inspected.demand.replace("delivery", "reservation")
    const body = {
      path: "deep/model.yaml",
      version,
      id,
      file: "orders.csv",
      yaml,
      replaces: false,
      ...fields,
    }
    return { method: "POST", body }
  }
  const add = "/api/fleet-table/add"

  test("its demand goes behind those of the model with its comments, and the file beside it", async () => {
    expect(await answered<TableAdded>(add, await addition({}))).toEqual({ is: "added" })
    expect(readFileSync(file("deep/orders.csv"), "utf8")).toBe(ORDERS)
    expect(readFileSync(file("deep/model.yaml"), "utf8")).toBe(`${MODEL}  - product: reservation
    site: north # a site of the model
    replay:
      file: orders.csv
      time: created_at # YYYY-MM-DD HH:mm:ss
      # first_day: 2026-03-02
      # resample: days
`)
  })

  test("another file of its name is replaced only when that is asked for", async () => {
    writeFileSync(file("deep/orders.csv"), "another")
    expect(await answered<TableAdded>(add, await addition({}))).toEqual({ is: "taken" })
    expect(readFileSync(file("deep/orders.csv"), "utf8")).toBe("another")
    expect(readFileSync(file("deep/model.yaml"), "utf8")).toBe(MODEL)
    expect(await answered<TableAdded>(add, await addition({ replaces: true }))).toEqual({ is: "added" })
    expect(readFileSync(file("deep/orders.csv"), "utf8")).toBe(ORDERS)
  })

  test.each([
    ["../orders.csv", 400],
    ["way-out/orders.csv", 400],
    [".orders.csv", 400],
    ["orders.yaml", 400],
  ])("%s is no name of a file beside the model", async (name, status) => {
    expect((await refusal(add, await addition({ file: name }))).status).toBe(status)
    expect(readFileSync(file("deep/model.yaml"), "utf8")).toBe(MODEL)
  })

  test("nothing is written when the model could not be run, changed on disk, or another table was dropped", async () => {
    rmSync(file("deep/orders.csv"), { force: true })
    const wrong = await refusal(
      add,
      await addition({
        yaml: "demand:\n  - product: reservation\n    site: north\n    replay: { file: orders.csv, time: at }\n",
      }),
    )
    expect(wrong.status).toBe(422)
    expect(wrong.message).toContain('line 11 of the model would be wrong: orders.csv has no column "at"')
    expect((await refusal(add, await addition({ version: "older" }))).status).toBe(409)
    expect((await refusal(add, await addition({ id: "older" }))).status).toBe(404)
    expect((await refusal(add, await addition({ yaml: "demand: []" }))).status).toBe(422)
    expect(readFileSync(file("deep/model.yaml"), "utf8")).toBe(MODEL)
    expect(readdirSync(file("deep"))).not.toContain("orders.csv")
  })

  /** Does something between the server's look at the model and the end of its reading. */
  const meanwhile = (change: () => void): void => {
    const seen = new ScenarioFolder(opened).read("deep/model.yaml")
    vi.spyOn(ScenarioFolder.prototype, "read").mockImplementationOnce(() => {
      queueMicrotask(change)
      return seen
    })
  }

  test("a model that is edited while it is read keeps the table that was to be replaced", async () => {
    writeFileSync(file("deep/orders.csv"), "another")
    const body = await addition({ replaces: true })
    const edited = `${MODEL}# edited\n`
    meanwhile(() => writeFileSync(file("deep/model.yaml"), edited))
    const refused = await refusal(add, body)
    expect(refused.status).toBe(409)
    expect(refused.message).toContain("nothing was written")
    expect(readFileSync(file("deep/orders.csv"), "utf8")).toBe("another")
    expect(readFileSync(file("deep/model.yaml"), "utf8")).toBe(edited)
  })

  test("a file of its name that is made while the model is read is not replaced without asking", async () => {
    rmSync(file("deep/orders.csv"))
    const body = await addition({})
    meanwhile(() => writeFileSync(file("deep/orders.csv"), "another"))
    expect(await answered<TableAdded>(add, body)).toEqual({ is: "taken" })
    expect(readFileSync(file("deep/orders.csv"), "utf8")).toBe("another")
    expect(readFileSync(file("deep/model.yaml"), "utf8")).toBe(MODEL)
  })

  test.each([
    ["replaced", "another"],
    ["new", null],
  ])("a table that is %s is taken back when the model cannot be written", async (_, before) => {
    rmSync(file("deep/orders.csv"), { force: true })
    if (before !== null) writeFileSync(file("deep/orders.csv"), before)
    const body = await addition({ replaces: before !== null })
    vi.spyOn(ScenarioFolder.prototype, "write").mockImplementationOnce(() => {
      throw new Error("no space left")
    })
    expect((await refusal(add, body)).status).toBe(500)
    expect(existsSync(file("deep/orders.csv"))).toBe(before !== null)
    if (before !== null) expect(readFileSync(file("deep/orders.csv"), "utf8")).toBe(before)
    rmSync(file("deep/orders.csv"), { force: true })
  })

  test.each(["application/json", "text/plain", "text/csv"])(
    "a table that is sent as %s is refused with the type that it needs",
    async (type) => {
      const answer = await dropped("orders.csv", '{"at": 1}', type)
      const { message } = (await answer.json()) as Refused
      expect([answer.status, message]).toEqual([
        415,
        `the table was sent as ${type}; send its bytes as application/octet-stream`,
      ])
    },
  )

  test("no other route takes bytes", async () => {
    const answer = await fetch(`${base}/api/check`, {
      method: "POST",
      headers: { [TOKEN_HEADER]: token, "content-type": "application/octet-stream" },
      body: "{}",
    })
    expect(answer.status).toBe(415)
  })

  test("a file that is no table, or is too long, is refused with the reason", async () => {
    const empty = await dropped("empty.csv", "at\n")
    expect([empty.status, ((await empty.json()) as Refused).message]).toEqual([422, "empty.csv has no rows"])
    expect((await dropped("long.csv", new Uint8Array(STUDIO_TABLE_BYTES_MAX + 1))).status).toBe(413)
  })
})

describe("a save", () => {
  const put = (body: object): Called => ({ method: "PUT", body })

  test("replaces the file that was read, byte by byte, and keeps its mode and no draft", async () => {
    writeFileSync(file("saved.yaml"), LUNCH)
    chmodSync(file("saved.yaml"), 0o640)
    const { version } = await answered<FileRead>("/api/file?path=saved.yaml")
    const text = LUNCH.replace("11:45", "11:50").replaceAll("\n", "\r\n")
    const saved = await answered<Saved>("/api/file", put({ path: "saved.yaml", text, version }))
    expect(readFileSync(file("saved.yaml"), "utf8")).toBe(text)
    expect(statSync(file("saved.yaml")).mode & 0o777).toBe(0o640)
    expect((await answered<FileRead>("/api/file?path=saved.yaml")).version).toBe(saved.version)
    expect(readdirSync(opened).filter((name) => name.includes("draft"))).toEqual([])
    rmSync(file("saved.yaml"))
  })

  test("is refused when the file changed on disk, and shows what is there", async () => {
    writeFileSync(file("both.yaml"), LUNCH)
    const { version } = await answered<FileRead>("/api/file?path=both.yaml")
    const other = LUNCH.replace("shortest", "simplest")
    writeFileSync(file("both.yaml"), other)
    const refused = await refusal("/api/file", put({ path: "both.yaml", text: LUNCH, version }))
    expect(refused).toMatchObject({ status: 409, current: { text: other } })
    expect(refused.message).toContain("both.yaml changed on disk since it was read, and nothing was written")
    expect(readFileSync(file("both.yaml"), "utf8")).toBe(other)
    const again = { path: "both.yaml", text: LUNCH, version: refused.current?.version }
    await answered<Saved>("/api/file", put(again))
    expect(readFileSync(file("both.yaml"), "utf8")).toBe(LUNCH)
    rmSync(file("both.yaml"))
    expect(await refusal("/api/file", put(again))).toMatchObject({ status: 409 })
  })

  test("makes a new file, and replaces none with it", async () => {
    const body = { path: "deep/new.yaml", text: LUNCH, version: null }
    await answered<Saved>("/api/file", put(body))
    expect(readFileSync(file("deep/new.yaml"), "utf8")).toBe(LUNCH)
    expect(await refusal("/api/file", put({ ...body, text: "other" }))).toMatchObject({ status: 409 })
    expect(readFileSync(file("deep/new.yaml"), "utf8")).toBe(LUNCH)
    rmSync(file("deep/new.yaml"))
  })

  test("writes a file that ends in .yml", async () => {
    const { text, version } = await answered<FileRead>("/api/file?path=old.yml")
    const saved = await answered<Saved>(
      "/api/file",
      put({ path: "old.yml", text: `${text}# more\n`, version }),
    )
    expect(readFileSync(file("old.yml"), "utf8")).toBe(`${LUNCH}# more\n`)
    await answered("/api/file", put({ path: "old.yml", text, version: saved.version }))
  })

  test("writes no program", async () => {
    const path = "program.scenario.ts"
    const before = readFileSync(file(path), "utf8")
    const { version } = await answered<FileRead>(`/api/file?path=${path}`)
    const refused = await refusal("/api/file", put({ path, text: "other", version }))
    expect(refused).toMatchObject({ status: 403 })
    expect(refused.message).toContain("writes only files that end in .yaml")
    expect(readFileSync(file(path), "utf8")).toBe(before)
  })

  test("refuses a text that is no scenario's size, and a body without its parts", async () => {
    const text = "#".repeat(300_000)
    expect(await refusal("/api/file", put({ path: "big.yaml", text, version: null }))).toMatchObject({
      status: 413,
    })
    expect(await refusal("/api/file", put({ path: "big.yaml", text: "" }))).toMatchObject({ status: 400 })
    expect(await refusal("/api/file", put({ path: 1, text: "", version: null }))).toMatchObject({
      status: 400,
    })
  })
})

describe("a file as a whole", () => {
  const read = (path: string): Promise<FileRead> => answered<FileRead>(`/api/file?path=${path}`)
  const move = (body: object): Called => ({ method: "POST", body })
  const remove = (body: object): Called => ({ method: "DELETE", body })

  test("gets another name, which the folder does not have yet", async () => {
    writeFileSync(file("first.yaml"), LUNCH)
    writeFileSync(file("taken.yaml"), "another file")
    const { version } = await read("first.yaml")
    const asked = { path: "first.yaml", version }
    expect(await refusal("/api/file/move", move({ ...asked, to: "taken.yaml" }))).toMatchObject({
      status: 409,
      message: "taken.yaml exists already, and nothing was renamed; choose another name",
    })
    expect(await refusal("/api/file/move", move({ ...asked, to: "../out.yaml" }))).toMatchObject({
      status: 400,
    })
    expect(await refusal("/api/file/move", move({ ...asked, to: "first.scenario.ts" }))).toMatchObject({
      status: 403,
    })
    const moved = await answered<FileRead>("/api/file/move", move({ ...asked, to: "deep/second.yaml" }))
    expect(moved).toMatchObject({ path: "deep/second.yaml", text: LUNCH, version })
    expect(readdirSync(opened)).not.toContain("first.yaml")
    expect(readFileSync(file("taken.yaml"), "utf8")).toBe("another file")
    rmSync(file("deep/second.yaml"))
    rmSync(file("taken.yaml"))
  })

  test("is deleted as it was read, and not when it changed on disk since", async () => {
    writeFileSync(file("gone.yaml"), LUNCH)
    const { version } = await read("gone.yaml")
    writeFileSync(file("gone.yaml"), `${LUNCH}# changed`)
    const refused = await refusal("/api/file", remove({ path: "gone.yaml", version }))
    expect(refused).toMatchObject({ status: 409 })
    expect(refused.message).toContain("changed on disk since it was read, and was not deleted")
    const again = await read("gone.yaml")
    await answered("/api/file", remove({ path: "gone.yaml", version: again.version }))
    expect(readdirSync(opened)).not.toContain("gone.yaml")
    expect(await refusal("/api/file", remove({ path: "gone.yaml", version }))).toMatchObject({ status: 404 })
  })

  test("stays as it is under its name where it cannot be removed", async () => {
    writeFileSync(file("stays.yaml"), LUNCH)
    const { version } = await read("stays.yaml")
    const { rmSync: removed } = fs
    vi.spyOn(fs, "rmSync").mockImplementation((path, options) => {
      if (String(path).endsWith("stays.yaml")) throw Object.assign(new Error("closed"), { code: "EACCES" })
      removed(path, options)
    })
    syncBuiltinESMExports()
    const [asked, to] = [{ path: "stays.yaml", version }, "deep/stayed.yaml"]
    const renamed = await refusal("/api/file/move", move({ ...asked, to }))
    const deleted = await refusal("/api/file", remove(asked))
    vi.restoreAllMocks()
    syncBuiltinESMExports()
    expect([renamed.status, renamed.message]).toEqual([500, "stays.yaml cannot be renamed (EACCES)"])
    expect([deleted.status, deleted.message]).toEqual([500, "stays.yaml cannot be deleted (EACCES)"])
    expect(readFileSync(file("stays.yaml"), "utf8")).toBe(LUNCH)
    expect(readdirSync(join(opened, "deep"))).not.toContain("stayed.yaml")
    rmSync(file("stays.yaml"))
  })

  test("a program is neither renamed nor deleted", async () => {
    const path = "program.scenario.ts"
    const { version } = await read(path)
    const renamed = await refusal("/api/file/move", move({ path, to: "other.yaml", version }))
    const deleted = await refusal("/api/file", remove({ path, version }))
    expect([renamed.status, deleted.status]).toEqual([403, 403])
    expect(readdirSync(opened)).toContain(path)
  })
})

describe("the stream of changes", () => {
  test("has a line for what other programs write, add and remove", async () => {
    const leaving = new AbortController()
    const answer = await fetch(`${base}/api/changes`, {
      headers: { [TOKEN_HEADER]: token },
      signal: leaving.signal,
    })
    const reader = (answer.body ?? expect.fail()).pipeThrough(new TextDecoderStream()).getReader()
    const next = async (): Promise<unknown> => JSON.parse((await reader.read()).value ?? "")
    expect(await next()).toEqual({ is: "watched" })
    const added = file("deep/added.yaml")
    writeFileSync(added, LUNCH)
    expect(await next()).toEqual({ is: "changed" })
    writeFileSync(added, `${LUNCH}# longer`)
    expect(await next()).toEqual({ is: "changed" })
    rmSync(added)
    expect(await next()).toEqual({ is: "changed" })
    leaving.abort()
  })
})

describe("a run", () => {
  const run = (body: object): Promise<RunAnswer> => answered<RunAnswer>("/api/run", { method: "POST", body })

  test("of the file on disk gives its course: steps, lanes, expectations with their allowance, what was sent", async () => {
    const { runs, problems, inspector } = await run({ path: "lunch.yaml" })
    expect(problems).toEqual([])
    expect(runs).toHaveLength(1)
    const [one] = runs
    expect(one).toMatchObject({ title: "Lunch is booked", seed: 1, verdict: "passed", failures: [] })
    expect(one?.steps.map(({ line, outcome }) => [line, outcome])).toEqual([
      [9, "done"],
      [10, "held"],
      [11, "held"],
    ])
    const lane = one?.lanes.find(({ kind }) => kind === "reservation")
    expect(lane).toMatchObject({
      name: "lunch · reservation",
      stays: [{ states: "confirmed", from: 0 }, { states: "canceled" }],
    })
    expect(one?.expectations[1]).toMatchObject({
      line: 11,
      from: 0,
      until: 3_600_000,
      t: 3_600_000,
      isHeld: true,
    })
    expect(one?.messages[0]).toMatchObject({
      kind: "webhook",
      to: "partner",
      what: "reservation.status_changed",
    })
    expect(JSON.parse(one?.messages[0]?.body ?? "")).toMatchObject({
      event_type: "reservation.status_changed",
    })
    const page = await fetch(`${base}${inspector}`)
    expect(page.headers.get("content-security-policy")).toContain("default-src 'none'; script-src 'sha256-")
    expect(await page.text()).toContain("Lunch is booked · Curbline inspector")
  })

  test("of the text in the editor leaves the file alone, and takes a seed", async () => {
    const text = LUNCH.replace("status: canceled, within: 1h", "status: arrived, within: 20m")
    const { runs } = await run({ path: "lunch.yaml", text, seed: 7 })
    expect(runs).toMatchObject([
      {
        seed: 7,
        verdict: "failed",
        failures: [{ line: 11 }],
        expectations: [{ isHeld: true }, { until: 1_200_000, isHeld: false }],
      },
    ])
    expect(readFileSync(file("lunch.yaml"), "utf8")).toBe(LUNCH)
  })

  test("says of an event that came after its time when it came", async () => {
    const text = `${LUNCH.split("\n  - expect")[0]}
  - { at: 11:40, do: runner.assign, for: lunch }
  - { at: 11:41, do: runner.at_store, for: lunch }
  - { at: 11:42, do: runner.order_in_hand, for: lunch }
  - { at: 11:43, do: runner.at_unit, for: lunch }
  - expect: { exception: bot_no_show, for: lunch, within: 9m }
  - expect: { exception: runner_delayed, for: lunch, within: 1m }
`
    const { runs } = await run({ path: "lunch.yaml", text })
    expect(runs).toMatchObject([
      {
        expectations: [
          { from: 780_000, until: 1_320_000, t: 1_320_000, isHeld: false, cameAt: 1_380_000 },
          { isHeld: false, cameAt: null },
        ],
      },
    ])
  })

  test("of a file whose later step is wrong runs the steps before it, and says why not the others", async () => {
    const { runs, problems } = await run({ path: "deep/broken.yaml" })
    expect(problems).toMatchObject([{ line: 10 }])
    expect(runs).toMatchObject([
      { notRun: { line: 10, reason: "line 10 is wrong" }, steps: [{ line: 9, outcome: "done" }] },
    ])
  })

  test("of a file whose head is wrong runs nothing", async () => {
    const text = LUNCH.replace("clock:", "clok:")
    expect(await run({ path: "lunch.yaml", text })).toMatchObject({
      runs: [],
      inspector: null,
      problems: [{ line: 5, suggestion: "clock" }],
    })
  })

  test("of a TypeScript scenario happens on its own call alone", async () => {
    await answered<Listing>("/api/scenarios")
    await answered<FileRead>("/api/file?path=program.scenario.ts")
    await (await call("/api/run-all", { method: "POST" })).text()
    expect(readdirSync(opened)).not.toContain("was-run")
    const body = { path: "program.scenario.ts", text: PROGRAM }
    expect(await refusal("/api/run", { method: "POST", body })).toMatchObject({ status: 400 })
    await run({ path: "program.scenario.ts" })
    expect(readdirSync(opened)).toContain("was-run")
    rmSync(file("was-run"))
  })
})

describe("a run that does not end", () => {
  test("ends when the page leaves, and the next one runs", async () => {
    writeFileSync(file("endless.scenario.ts"), "for (;;);\nexport const scenarios = []\n")
    const leaving = new AbortController()
    const headers = { [TOKEN_HEADER]: token, "content-type": "application/json" }
    const body = JSON.stringify({ path: "endless.scenario.ts" })
    const endless = fetch(`${base}/api/run`, { method: "POST", headers, body, signal: leaving.signal })
    // Both threads are busy only if this one waits behind it.
    expect((await call("/api/scenarios")).status).toBe(200)
    leaving.abort()
    await expect(endless).rejects.toThrow("aborted")
    const answers = await Promise.all(
      [1, 2].map((seed) => call("/api/run", { method: "POST", body: { path: "lunch.yaml", seed } })),
    )
    expect(answers.map(({ status }) => status)).toEqual([200, 200])
    rmSync(file("endless.scenario.ts"))
  })
})

describe("the form", () => {
  const form = (body: object): Called => ({ method: "POST", body: { path: "lunch.yaml", ...body } })

  test("is read, and a change comes back as text", async () => {
    const { form: read } = await answered<FormAnswer>("/api/form", form({ text: LUNCH }))
    expect(read?.steps).toHaveLength(3)
    const at = read?.steps.findIndex(({ line }) => line === 10)
    const edit = { is: "remove", path: ["steps", at] }
    const { text } = await answered<FormAnswer>("/api/form", form({ text: LUNCH, edit }))
    expect(text).toBe(LUNCH.replace(/ {2}- expect: .*confirmed \}\n/, ""))
    expect(readFileSync(file("lunch.yaml"), "utf8")).toBe(LUNCH)
  })

  test.each([
    [{ is: "remove", path: ["steps", 99] }, 422],
    [{ is: "add", at: 0, verb: "do", word: "runner.assign", names: { for: "lunch" }, value: "" }, 422],
    [{ is: "remove" }, 400],
    [{ is: "set", line: 1, column: 1, length: 1, value: "x" }, 400],
    [{ is: "other" }, 400],
  ])("refuses the change %j", async (edit, status) => {
    expect(await refusal("/api/form", form({ text: LUNCH, edit }))).toMatchObject({ status })
  })
})

describe("templates", () => {
  test.each([
    ["scenarios", "bot-no-show", "the-bot"],
    ["fleets", "runners", "runners-for"],
  ])("of %s are offered, and written only by a save", async (area, id, name) => {
    const offered = await answered<readonly Template[]>(`/api/templates/${area}`)
    expect(offered.map((one) => one.id)).toContain(id)
    const path = `/api/templates/${area}/draft`
    const body = { id, values: { wait: "5" } }
    expect(await answered<Draft>(path, { method: "POST", body })).toMatchObject({ is: "text" })
    const unknown = { method: "POST", body: { ...body, id: "none" } }
    expect(await refusal(path, unknown)).toMatchObject({ status: 404 })
    expect(readdirSync(opened).filter((one) => one.startsWith(name))).toEqual([])
  })
})

describe("seeds 1 to 50", () => {
  const tried = async (body: object): Promise<readonly SeedsProgress[]> => {
    const answer = await call("/api/seeds", { method: "POST", body })
    return (await answer.text())
      .trimEnd()
      .split("\n")
      .map((line) => JSON.parse(line) as SeedsProgress)
  }

  test("each give their verdict, that of a run with the seed", async () => {
    const lines = await tried({ path: "lunch.yaml" })
    const results = lines.flatMap((one) => (one.is === "seed" ? [one.result] : []))
    expect(results.map(({ seed }) => seed)).toEqual(Array.from({ length: 50 }, (_, at) => at + 1))
    const run = await answered<RunAnswer>("/api/run", {
      method: "POST",
      body: { path: "lunch.yaml", seed: 50 },
    })
    expect(results.at(-1)).toEqual({
      seed: 50,
      verdict: run.runs[0]?.verdict,
      message: run.runs[0]?.failures[0]?.message ?? null,
    })
    expect(lines.at(-1)).toEqual({ is: "end", passed: 50, failed: 0 })
  })

  test("are those of the text in the editor", async () => {
    const text = LUNCH.replace("status: confirmed", "status: completed")
    expect((await tried({ path: "lunch.yaml", text })).at(-1)).toEqual({ is: "end", passed: 0, failed: 50 })
  })

  test("end with the first when the file cannot be read", async () => {
    expect(await tried({ path: "deep/broken.yaml" })).toEqual([
      {
        is: "seed",
        result: { seed: 1, verdict: "unreadable", message: expect.stringMatching(/^line 10: /) as string },
      },
      { is: "end", passed: 0, failed: 1 },
    ])
  })

  test("of a TypeScript scenario take no text", async () => {
    const body = { path: "program.scenario.ts", text: PROGRAM }
    expect(await refusal("/api/seeds", { method: "POST", body })).toMatchObject({ status: 400 })
  })
})

describe("run all", () => {
  test("streams each result, and names what it leaves out", async () => {
    const answer = await call("/api/run-all", { method: "POST" })
    const lines = (await answer.text())
      .trimEnd()
      .split("\n")
      .map((line) => JSON.parse(line) as Progress)
    expect(lines).toMatchObject([
      { is: "start", files: 3, leftOut: ["program.scenario.ts"] },
      {
        is: "file",
        result: {
          path: "deep/broken.yaml",
          verdict: "unreadable",
          message: expect.stringMatching(/^line 10: /),
        },
      },
      { is: "file", result: { path: "lunch.yaml", verdict: "passed", message: null } },
      { is: "file", result: { path: "old.yml", verdict: "passed" } },
      { is: "end", passed: 2, failed: 1 },
    ])
  })
})

describe("the words for completion", () => {
  test("are the language's own tables", async () => {
    const words = await answered<Words>("/api/words")
    expect(words.commands.map(({ label }) => label)).toEqual(Object.keys(COMMANDS))
    expect(words.facts.map(({ label }) => label)).toEqual(Object.keys(EXPECTATIONS))
    expect(words.codes.map(({ label }) => label)).toEqual(Object.keys(SCRIPTED_CODES))
    expect(words.fields["reservation"]?.find(({ label }) => label === "status")?.values).toEqual([
      ...RESERVATION_STATUSES,
    ])
    expect(words.fields["state"]?.find(({ label }) => label === "state")?.values).toContain("open.confirmed")
  })
})

describe("curbline studio", () => {
  test("prints its address with the token, and ends with Ctrl-C", async () => {
    const studio = running(["studio", opened], undefined, { CI: "1" })
    await studio.says("Ctrl-C ends it")
    studio.signal("SIGINT")
    const { status, out } = await studio.ended
    expect(out).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/#token=[\w-]{43}\n$/)
    expect(status).toBe(0)
  })

  test.each([
    [
      ["studio", "no-such-folder"],
      'there is no folder no-such-folder; "npx curbline init no-such-folder" makes one',
    ],
    [["studio", "package.json"], "package.json is a file; name its folder"],
    [["studio", "scenarios", "--port", "0"], "--port takes a port from 1 to 65535"],
  ])("refuses %j", async (words, message) => {
    const { status, err } = await running(words).ended
    expect(status).toBe(2)
    expect(err).toContain(message)
  })
})
