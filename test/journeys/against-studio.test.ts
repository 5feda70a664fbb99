/** A developer proves a deployed sandbox from the studio: runs over HTTP, one at a time, whose key stays at the studio's server. */

import { cpSync, writeFileSync } from "node:fs"
import { basename, join } from "node:path"
import { afterAll, beforeAll, expect, test } from "vitest"
import { openService } from "../../src/cli/against/service.ts"
import type { Service } from "../../src/cli/against/run-against.ts"
import { ScenarioFolder } from "../../src/cli/studio/folder.ts"
import { serveStudio } from "../../src/cli/studio/server.ts"
import type { StudioServer } from "../../src/cli/studio/server.ts"
import { TOKEN_HEADER } from "../../src/pages/web/studio/contract.ts"
import type { FileRun, Listing, Progress, ServiceProgress } from "../../src/pages/web/studio/contract.ts"
import { ROOT, folder } from "../cli/command-line.ts"
import { curblineHereWith, withEnvironment } from "../cli/same-process.ts"
import { databasesOf, onDatabases } from "./served.ts"
import type { Json } from "./served.ts"

const FILES = [
  "reservations/two-partners-at-one-curb.yaml",
  "reservations/an-order-that-is-too-heavy.yaml",
  "direct-delivery/a-run-is-handed-to-a-full-vehicle.yaml",
  "courier/a-hold-runs-out.yaml",
].map((path) => join(ROOT, "scenarios", path))
const [PARTNERS = "", HEAVY = "", HANDED = "", HOLD = ""] = FILES.map((path) => basename(path))

const settings = { databases: databasesOf("the embedded database"), hasDemo: true }

onDatabases("the studio against a sandbox", settings, ({ process: served, ask }) => {
  const opened = folder()
  for (const path of FILES) cpSync(path, join(opened, basename(path)))
  let service: Service
  let server: StudioServer
  beforeAll(async () => {
    service = await withEnvironment({ CURBLINE_OPERATOR_TOKEN: served().access.sandbox.operator_token }, () =>
      openService({ against: served().urls.sandbox }),
    )
    server = await serveStudio(new ScenarioFolder(opened), { service })
  })
  afterAll(async () => {
    await server.close()
    await service.receiver.close()
  })

  const call = (path: string, body?: object, to: StudioServer = server, signal?: AbortSignal) => {
    const url = new URL(to.url)
    return fetch(`${url.origin}${path}`, {
      headers: {
        [TOKEN_HEADER]: url.hash.replace("#token=", ""),
        ...(body === undefined ? {} : { "content-type": "application/json" }),
      },
      ...(body === undefined ? {} : { method: "POST", body: JSON.stringify(body) }),
      ...(signal === undefined ? {} : { signal }),
    })
  }
  const lines = async <Line>(answer: Promise<Response>): Promise<readonly Line[]> =>
    (await (await answer).text())
      .trimEnd()
      .split("\n")
      .map((line) => JSON.parse(line) as Line)
  const ran = async (path: string): Promise<FileRun> => {
    const last = (await lines<ServiceProgress>(call("/api/service/run", { path }))).at(-1)
    if (last?.is !== "answer") throw new Error(`the run has no answer: ${JSON.stringify(last)}`)
    const [run] = last.answer.runs
    if (run === undefined) throw new Error("the answer has no run")
    return run
  }

  test("two partners, each with a clock of its own, get what the scenario says", async () => {
    const run = await ran(PARTNERS)
    expect([run.failures, run.verdict]).toEqual([[], "passed"])
    expect(run.lanes.map(({ name }) => name)).toContain("pizza · reservation")
    expect(run.expectations.every(({ isHeld }) => isHeld)).toBe(true)
    expect(run.messages.map(({ to }) => to)).toContain("rival_hook")
    expect(run.record).toBe("")
  })

  test("all files run one after the other, and what a service cannot be asked is no failure", async () => {
    const all = await lines<Progress>(call("/api/service/run-all", {}))
    const verdicts = all.flatMap((line) =>
      line.is === "file" ? [[line.result.path, line.result.verdict]] : [],
    )
    expect(Object.fromEntries(verdicts)).toEqual({
      [PARTNERS]: "passed",
      [HEAVY]: "passed",
      [HANDED]: "passed",
      [HOLD]: "not run",
    })
    expect(all.at(-1)).toEqual({ is: "end", passed: 3, failed: 0 })
  })

  test("a second run is refused while one goes on, and begins once the first was stopped", async () => {
    const stopping = new AbortController()
    const first = await call("/api/service/run", { path: HEAVY }, server, stopping.signal)
    const reader = first.body?.getReader()
    await reader?.read()
    const [second] = await lines<ServiceProgress>(call("/api/service/run", { path: PARTNERS }))
    expect(second).toEqual({ is: "fault", message: expect.stringContaining("is going on; stop it, or wait") })
    stopping.abort()
    expect((await ran(PARTNERS)).verdict).toBe("passed")
  })

  test("neither the token nor a key is in anything that the studio answers", async () => {
    const { operator_token: token } = served().access.sandbox
    const listing = (await (await call("/api/scenarios")).json()) as Listing
    expect(listing.service).toBe(new URL(served().urls.sandbox).host)
    const answers = [
      JSON.stringify(listing),
      await (await call("/")).text(),
      JSON.stringify(await ran(PARTNERS)),
    ]
    for (const text of answers)
      for (const secret of [token, "ck_sbx_", "ot_sbx_"]) expect(text).not.toContain(secret)
  })

  test("a key that is revoked meanwhile is named in plain words, and ends the run of all files", async () => {
    const { operator_token: bearer } = served().access.sandbox
    const organizations = await ask({ host: "sandbox", path: "/internal/v1/organizations", bearer })
    const active = (one: Json): boolean => one.is_active === true
    const { organization_id: id } = organizations.data.organizations.find(active)
    const made = await ask({
      host: "sandbox",
      path: `/internal/v1/organizations/${id}/api-keys`,
      method: "POST",
      bearer,
      body: { label: "studio", permissions: ["reservations:read", "reservations:write", "sandbox:manage"] },
    })
    expect(made.status).toBe(201)
    const { api_key, value } = made.data
    const own = await withEnvironment({ STUDIO_KEY: value }, () =>
      openService({ against: served().urls.sandbox, key: "STUDIO_KEY" }),
    )
    const other = await serveStudio(new ScenarioFolder(opened), { service: own })
    try {
      const path = `/internal/v1/api-keys/${api_key.key_id}`
      await ask({ host: "sandbox", path, method: "DELETE", bearer })
      writeFileSync(join(opened, "visit.yaml"), VISIT)
      const one = await lines<ServiceProgress>(call("/api/service/run", { path: "visit.yaml" }, other))
      expect(one.at(-1)).toEqual({
        is: "fault",
        message: expect.stringContaining("The key or the token no longer works"),
      })
      const end = (await lines<Progress>(call("/api/service/run-all", {}, other))).at(-1)
      expect(end).toMatchObject({ is: "end", passed: 0, stopped: expect.stringContaining("no longer works") })
    } finally {
      await other.close()
      await own.receiver.close()
    }
  })

  test("production, a key on the command line, and flags without --against are refused at the start", async () => {
    const { production, sandbox } = served().access
    const url = served().urls.sandbox
    const refusals: readonly (readonly [NodeJS.ProcessEnv, readonly string[], string])[] = [
      [
        { CURBLINE_OPERATOR_TOKEN: production.operator_token },
        ["--against", url],
        "this is a key of production",
      ],
      [
        { CURBLINE_OPERATOR_TOKEN: sandbox.operator_token },
        ["--against", served().urls.production],
        served().urls.production,
      ],
      [{}, ["--against", url, "--key", sandbox.api_key], "others can read a key on the command line"],
      [{}, ["--key", "STUDIO_KEY"], "--key goes with --against"],
      [{}, ["--receiver-port", "4020"], "--receiver-port goes with --against"],
    ]
    for (const [env, words, said] of refusals) {
      const quiet = { CURBLINE_API_KEY: "", CURBLINE_OPERATOR_TOKEN: "", CURBLINE_DATA: opened, ...env }
      const { status, err } = await curblineHereWith(quiet, "studio", opened, ...words)
      expect([status, err]).toEqual([2, expect.stringContaining(said)])
    }
  })
})

const VISIT = `scenario: A visit
because: It is the shortest that a key alone can ask for.
clock: 2026-03-02T11:30 America/Chicago
steps:
  - { do: reservation.create, as: lunch, with: { window: [11:45, 12:15] } }
`
