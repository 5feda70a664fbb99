/**
 * The management commands as operations use them: beside a running service, only on its database, and on PostgreSQL.
 */

import { spawn } from "node:child_process"
import { once } from "node:events"
import { existsSync, readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import postgres from "postgres"
import { afterAll, beforeAll, describe, expect, test } from "vitest"
import { PAGE_SIZE_MAX } from "../../src/model/values/limits.ts"
import { SANDBOX_SITE } from "../../src/areas/catalog/sandbox-site.ts"
import { ROOT } from "../cli/command-line.ts"
import type { Ended } from "../cli/command-line.ts"
import { curblineHereWith } from "../cli/same-process.ts"
import { startPostgres } from "../engine/store/postgres-server.ts"
import type { PostgresDatabase } from "../engine/store/postgres-server.ts"
import { freePort } from "../free-port.ts"
import { booking, call, copyOf, dataFolder, preparedDataFolder, startProcess } from "./service-process.ts"
import type { Access, ServiceProcess } from "./service-process.ts"

type Run = (...words: readonly string[]) => Promise<Ended>

function runnerOf(data: string, env: NodeJS.ProcessEnv = {}): Run {
  return (...words) =>
    curblineHereWith({ DATABASE_URL: "", CURBLINE_OPERATOR_TOKEN: "", ...env }, ...words, "--data", data)
}

/** Runs a command that must succeed; returns its stdout, which is a single value. */
function valueOf({ status, out, err }: Ended): string {
  expect([status, out], err).toEqual([0, expect.stringMatching(/^\S+\n$/)])
  return out.trim()
}

interface Made {
  readonly organizationId: string
  readonly key: string
  readonly site: string
  readonly zone: string
  readonly stall: string
  readonly retailer: string
}

/** Everything that a partner needs to book in the sandbox. */
async function makeEverything(run: Run): Promise<Made> {
  const inSandbox = async (...words: readonly string[]): Promise<string> =>
    valueOf(await run(...words, "--environment", "sandbox"))
  const organizationId = valueOf(await run("orgs", "create", "--name", "Wheels & Söhne"))
  const site = await inSandbox("sites", "create", "--name", "East", "--timezone", "America/Chicago")
  const zone = await inSandbox(
    "zones",
    "create",
    "--site",
    site,
    "--name",
    "Curb",
    "--latitude",
    "30.25",
    "--longitude",
    "-97.75",
  )
  const stall = await inSandbox("stalls", "create", "--zone", zone, "--label", "A1")
  const retailer = await inSandbox("retailers", "create", "--name", "Grocer", "--id", "retailer_grocer")
  expect(await inSandbox("zones", "support", zone, retailer)).toBe(retailer)
  const grant = ["--org", organizationId, "--zone", zone, "--retailer", retailer]
  expect(await inSandbox("grants", "create", ...grant)).toBe(retailer)
  const key = await inSandbox("keys", "create", "--org", organizationId, "--permissions", "all")
  return { organizationId, key, site, zone, stall, retailer }
}

/** The least that a partner needs: its organization and a key. Where it books is built in. */
async function makeCaller(run: Run): Promise<Made> {
  const organizationId = valueOf(await run("orgs", "create", "--name", "Wheels & Söhne"))
  const wanted = ["--org", organizationId, "--permissions", "all", "--environment", "sandbox"]
  const { site, zone, stalls, retailer } = SANDBOX_SITE
  return {
    organizationId,
    key: valueOf(await run("keys", "create", ...wanted)),
    site: site.siteId,
    zone: zone.zoneId,
    stall: stalls[0]?.stallId ?? "",
    retailer: retailer.retailerId,
  }
}

async function registered(base: string, callback: string): Promise<{ readonly client_id: string }> {
  const answer = await fetch(`${base}/api/delivery-mcp/oauth/register`, {
    method: "POST",
    headers: { "Content-Type": "application/json" },
    body: JSON.stringify({ client_name: "Agent", redirect_uris: [callback] }),
  })
  return (await answer.json()) as { readonly client_id: string }
}

/** Loads the phone page and sends its form; the request of the code page. */
async function phoneStep(
  base: string,
  {
    client_id,
    callback,
    phone,
  }: { readonly client_id: string; readonly callback: string; readonly phone: string },
): Promise<string> {
  const query = new URLSearchParams({
    response_type: "code",
    client_id,
    redirect_uri: callback,
    code_challenge: "c".repeat(43),
    code_challenge_method: "S256",
    resource: `${base}/api/delivery-mcp`,
  })
  const page = await fetch(`${base}/api/delivery-mcp/oauth/authorize?${query.toString()}`)
  const sent = await submitted(base, { request: requestIn(await page.text()), phone })
  return requestIn(await sent.text())
}

/** Loads the page that a 303 leads to, as a browser does. */
async function submitted(base: string, form: Readonly<Record<string, string>>): Promise<Response> {
  const answer = await fetch(`${base}/api/delivery-mcp/oauth/authorize`, {
    method: "POST",
    body: new URLSearchParams(form),
    redirect: "manual",
  })
  return answer.status === 303 ? fetch(answer.headers.get("location") ?? "") : answer
}

function requestIn(html: string): string {
  return /name="request" value="([^"]+)"/.exec(html)?.[1] ?? ""
}

/** Books with what was made, at the service's sandbox. */
async function book({ sandbox }: ServiceProcess["access"], made: Made): Promise<unknown> {
  const access: Access = { ...sandbox, api_key: made.key, zone_id: made.zone, retailer_id: made.retailer }
  const { status, body } = await call(
    access,
    "POST",
    "/rs/v1/reservations",
    booking(access, "http://127.0.0.1:9/open"),
  )
  const reservation = body.data?.reservation as unknown as Record<string, unknown> | undefined
  return [status, reservation?.["stall_id"], reservation?.["status"]]
}

/** Of the service on the embedded database; when that has stopped, others start on copies. */
const data = preparedDataFolder()

describe("beside a running service on the embedded database", () => {
  const run = runnerOf(data)
  let service: ServiceProcess
  let made: Made

  beforeAll(async () => {
    service = await startProcess(data)
  })
  afterAll(() => service.stop())

  test("what was made through the service can be booked at once, with a key of its own", async () => {
    made = await makeEverything(run)
    expect(made.key).toMatch(/^ck_sbx_[0-9A-Za-z]{40}$/)
    expect(await book(service.access, made)).toEqual([201, made.stall, "confirmed"])
  })

  test("lists are tables for people, and JSON for programs", async () => {
    expect((await run("orgs", "list")).out).toMatch(/^ORGANIZATION ID +NAME +IS ACTIVE /)
    const stalls = JSON.parse((await run("stalls", "list", "--zone", made.zone, "--json")).out) as object[]
    expect(stalls).toEqual([
      { environment: "sandbox", stall_id: made.stall, zone_id: made.zone, label: "A1", is_active: true },
    ])
    const keys = (await run("keys", "list", "--org", made.organizationId, "--json")).out
    expect(JSON.parse(keys)).toMatchObject([
      { environment: "sandbox", organization_id: made.organizationId, last_four: made.key.slice(-4) },
    ])
    expect(keys).not.toContain(made.key)
  })

  test("a list has all rows, however many pages they are", async () => {
    const { base_url, operator_token } = service.access.sandbox
    const numbers = Array.from({ length: 2 * PAGE_SIZE_MAX + 1 }, (_, at) => at)
    for (const number of numbers) {
      const { status } = await fetch(`${base_url}/internal/v1/retailers`, {
        method: "POST",
        headers: { authorization: `Bearer ${operator_token}`, "content-type": "application/json" },
        body: JSON.stringify({ retailer_id: `retailer_many_${number}`, name: `Grocer ${number}` }),
      })
      expect(status).toBe(201)
    }
    const listed = JSON.parse(
      (await run("retailers", "list", "--environment", "sandbox", "--json")).out,
    ) as readonly { readonly retailer_id: string }[]
    const ids = listed.map((one) => one.retailer_id).filter((id) => id.startsWith("retailer_many_"))
    expect(new Set(ids)).toEqual(new Set(numbers.map((number) => `retailer_many_${number}`)))
    expect(ids.length).toBe(numbers.length)
  })

  test("a revoked key, a grant taken back and a deactivated stall count at once", async () => {
    const spare = valueOf(
      await run(
        "keys",
        "create",
        "--org",
        made.organizationId,
        "--permissions",
        "retailers:read",
        "--environment",
        "sandbox",
      ),
    )
    const { sandbox } = service.access
    const asked = { ...sandbox, api_key: spare }
    expect((await call(asked, "GET", "/rs/v1/retailers")).status).toBe(200)
    const keys = JSON.parse((await run("keys", "list", "--org", made.organizationId, "--json")).out) as {
      key_id: string
    }[]
    valueOf(await run("keys", "revoke", keys.at(-1)?.key_id ?? ""))
    expect((await call(asked, "GET", "/rs/v1/retailers")).body.code).toBe("INVALID_API_KEY")
    valueOf(await run("stalls", "change", made.stall, "--no-active", "--environment", "sandbox"))
    expect(await book(service.access, made)).toEqual([422, undefined, undefined])
    valueOf(await run("stalls", "change", made.stall, "--active", "--environment", "sandbox"))
    const grant = ["--org", made.organizationId, "--zone", made.zone, "--retailer", made.retailer]
    valueOf(await run("grants", "revoke", ...grant, "--environment", "sandbox"))
    expect(await book(service.access, made)).toEqual([422, undefined, undefined])
  })

  test.each<[string, readonly string[], number, string]>([
    [
      "a permission that is nearly one",
      ["keys", "create", "--org", "x", "--environment", "sandbox", "--permissions", "reservation:read"],
      2,
      'error: there is no permission "reservation:read"; did you mean "reservations:read"?\n',
    ],
    [
      "an unknown organization",
      ["keys", "create", "--org", "org_x", "--environment", "sandbox", "--permissions", "all"],
      1,
      "error: there is no such resource (organization org_x)\n",
    ],
    [
      "an unknown parent",
      ["stalls", "create", "--zone", "zone_x", "--environment", "sandbox"],
      1,
      "error: there is no such resource (zone zone_x)\n",
    ],
    [
      "an id that is taken",
      ["retailers", "create", "--name", "Grocer", "--id", "retailer_grocer", "--environment", "sandbox"],
      1,
      "error: there is one with this id already (retailer retailer_grocer)\n",
    ],
    [
      "a field that does not hold",
      ["sites", "create", "--name", "East", "--timezone", "Mars/Olympus", "--environment", "sandbox"],
      2,
      "error: timezone: must be a time zone of the IANA database, such as America/Chicago\n",
    ],
    [
      "a write that does not say where",
      ["sites", "create", "--name", "East"],
      2,
      "error: say in which environment: --environment production or --environment sandbox\n",
    ],
    ["a flag that is missing", ["keys", "create"], 2, "error: required option '--org <id>' not specified\n"],
  ])("%s is refused in words that help", async (_, words, status, err) => {
    expect(await run(...words)).toEqual({ status, out: "", err })
  })

  test("a phone is invited, linked with the code that its command tells, and the connector paused", async () => {
    const { production, sandbox } = service.access
    const callback = "https://agent.example/callback"
    expect(valueOf(await run("phones", "enable", "(512) 555-0177"))).toBe("+15125550177")
    expect(await run("phones", "code", "+15125550177")).toMatchObject({ status: 1, out: "" })
    expect(valueOf(await run("connector", "allow-redirect", callback))).toBe(callback)
    expect((await run("connector", "redirects")).out).toContain(callback)
    expect((await run("connector", "allow-redirect", "http://agent.example/")).err).toContain(
      "must be an https URL",
    )
    const { client_id } = await registered(production.base_url, callback)
    const step = await phoneStep(production.base_url, { client_id, callback, phone: "+15125550177" })
    const code = valueOf(await run("phones", "code", "+15125550177"))
    expect(code).toMatch(/^\d{6}$/)
    const done = await submitted(production.base_url, { request: step, code })
    expect(done.headers.get("location")).toMatch(/^https:\/\/agent\.example\/callback\?code=mcc_/)
    expect(service.log()).not.toMatch(new RegExp(`${code}|5550177|mcc_`))
    const phones = JSON.parse((await run("phones", "list", "--json")).out) as { phone: string }[]
    const linked = { is_enabled: true, linked_at: expect.any(String) as string }
    expect(phones.find(({ phone }) => phone === "+15125550177")).toMatchObject(linked)
    expect(valueOf(await run("phones", "disable", "+15125550177"))).toBe("+15125550177")
    const statuses = async (): Promise<readonly number[]> => {
      const paths = [
        "/.well-known/oauth-authorization-server/api/delivery-mcp",
        "/api/delivery-mcp/oauth/token",
        "/api/delivery-mcp/mcp",
      ]
      const hosts = [production.base_url, sandbox.base_url]
      const asked = hosts.flatMap((host) => paths.map((path) => fetch(`${host}${path}`)))
      return (await Promise.all(asked)).map(({ status }) => status)
    }
    expect(await statuses()).toEqual([200, 405, 405, 200, 405, 405])
    expect((await run("connector", "pause")).out).toMatch(/^IS PAUSED .*\nyes /)
    expect(await statuses()).toEqual([404, 404, 404, 200, 405, 405])
    expect((await run("connector", "resume")).out).toMatch(/\nno /)
    // The demo has a number and a redirect URI of its own. The sandbox's connector is never paused.
    expect(JSON.parse((await run("connector", "status", "--json")).out)).toEqual({
      is_paused: false,
      paused_at: null,
      enabled_phones: 1,
      allowed_redirects: 2,
    })
    expect(await statuses()).toEqual([200, 405, 405, 200, 405, 405])
  })

  test("a runner's phone is paired by the printed link, listed, and ended", async () => {
    const { base_url, site_id } = service.access.production
    const pair = ["runner-phones", "pair", "--site", site_id, "--name", "Maya"]
    const printed = await run(...pair)
    expect(printed.err).toBe("open this link on the phone within two minutes:\n")
    const [page, code] = valueOf(printed).split("#pair=")
    expect(page).toBe(`${base_url}/runner`)
    const headers = { "x-curbline-runner": "1", "content-type": "application/json" }
    const body = JSON.stringify({ code })
    const paired = await fetch(`${base_url}/runner/api/pair`, { method: "POST", headers, body })
    const cookie = paired.headers.get("set-cookie")?.split(";")[0] ?? ""
    const me = async (): Promise<number> =>
      (await fetch(`${base_url}/runner/api/me`, { headers: { cookie } })).status
    expect([paired.status, await me()]).toEqual([200, 200])
    const listed = await run(
      "runner-phones",
      "list",
      "--site",
      site_id,
      "--environment",
      "production",
      "--json",
    )
    const [phone] = JSON.parse(listed.out) as readonly { phone_id: string; runner_name: string }[]
    expect(phone?.runner_name).toBe("Maya")
    valueOf(await run("runner-phones", "end", phone?.phone_id ?? ""))
    expect(await me()).toBe(401)
  })

  test("with a URL and a token, one host of any service is managed", async () => {
    const { sandbox, production } = service.access
    const through = (token: string, ...words: readonly string[]): Promise<Ended> =>
      curblineHereWith({ CURBLINE_OPERATOR_TOKEN: token }, ...words, "--url", sandbox.base_url)
    const value = valueOf(
      await through(sandbox.operator_token, "operator-tokens", "create", "--label", "night shift"),
    )
    expect(value).toMatch(/^ot_sbx_[0-9A-Za-z]{40}$/)
    const listed = await through(value, "operator-tokens", "list", "--json")
    expect(JSON.parse(listed.out)).toMatchObject([{ label: "demo" }, { label: "night shift" }])
    const [, { token_id: id } = { token_id: "" }] = JSON.parse(listed.out) as { token_id: string }[]
    valueOf(await through(value, "operator-tokens", "revoke", id))
    for (const token of [value, production.operator_token, sandbox.api_key]) {
      expect(await through(token, "sites", "list")).toEqual({
        status: 1,
        out: "",
        err: "error: the operator token is missing or not valid; set CURBLINE_OPERATOR_TOKEN to one that is\n",
      })
    }
    expect((await through("", "sites", "list")).err).toMatch(
      /^error: with --url, set CURBLINE_OPERATOR_TOKEN /,
    )
    expect(
      await through(sandbox.operator_token, "sites", "list", "--environment", "production"),
    ).toMatchObject({
      status: 2,
      err: "error: this host serves sandbox, not production\n",
    })
  })
})

describe("on the embedded database while no service runs", () => {
  test("what was made without the service is there when it starts; a killed service blocks no command", async () => {
    const copy = copyOf(data)
    const first = await startProcess(copy)
    await first.kill()
    expect(existsSync(join(copy, "service.json"))).toBe(true)
    const made = await makeCaller(runnerOf(copy))
    const service = await startProcess(copy, [await freePort(), await freePort()])
    try {
      expect(await book(service.access, made)).toEqual([201, made.stall, "confirmed"])
    } finally {
      await service.stop()
    }
    expect(existsSync(join(copy, "service.json"))).toBe(false)
  })

  test("commands at the same moment wait for each other", async () => {
    const copy = copyOf(data)
    const all = Array.from({ length: 3 }, async (_, number) => {
      const words = ["orgs", "create", "--name", `Fleet ${number}`, "--data", copy]
      const child = spawn(process.execPath, ["src/cli/curbline.js", ...words], {
        cwd: ROOT,
        env: { ...process.env, DATABASE_URL: "" },
        stdio: "ignore",
      })
      return (await once(child, "exit"))[0] as number | null
    })
    expect(await Promise.all(all)).toEqual([0, 0, 0])
    const listed = JSON.parse((await runnerOf(copy)("orgs", "list", "--json")).out) as { name: string }[]
    const fleets = listed.map(({ name }) => name).filter((name) => name.startsWith("Fleet "))
    expect(fleets.toSorted()).toEqual(["Fleet 0", "Fleet 1", "Fleet 2"])
  })
})

describe("two services on one folder", () => {
  test("started at the same moment, exactly one serves, and the other says why it does not", async () => {
    const fresh = dataFolder()
    const starts = await Promise.all(
      [1, 2].map(async () => {
        const ports = [await freePort(), await freePort()] as const
        return startProcess(fresh, ports).catch((cause: unknown) => String(cause))
      }),
    )
    const running = starts.filter((one) => typeof one !== "string")
    expect(starts.filter((one) => typeof one === "string")).toEqual([
      expect.stringMatching(/error: (another process holds|process \d+ already serves)/),
    ])
    expect(running).toHaveLength(1)
    const [service] = running
    const { status } = await call(service?.access.sandbox as Access, "GET", "/rs/v1/retailers")
    expect(status).toBe(200)
    await service?.stop()
  })
})

describe("on PostgreSQL", () => {
  let server: PostgresDatabase
  beforeAll(async () => {
    server = await startPostgres()
  })
  afterAll(() => server.stop())

  test("one that does not exist, or no server, ends every command with one line and without the password", async () => {
    const other = new URL(server.url)
    other.pathname = "/nodb"
    const away = `postgres://curbline:hunter2@127.0.0.1:${await freePort()}/curbline`
    for (const [url, why] of [
      [other.href, 'database "nodb" does not exist'],
      [away, "ECONNREFUSED"],
    ] as const)
      for (const words of [
        ["calls", "status"],
        ["orgs", "list"],
        ["journal", "export"],
        ["restore", "--hold-calls"],
      ]) {
        const env = { DATABASE_URL: url, CURBLINE_SECRET: "s".repeat(32) }
        const { status, out, err } = await runnerOf(dataFolder(), env)(...words)
        expect([words, status, out]).toEqual([words, 1, ""])
        expect(err).toMatch(/^error: .*\n$/)
        expect(err).toContain(why)
        expect(err).not.toContain("hunter2")
      }
  })

  test("a command with another secret than the service's is refused and seals nothing", async () => {
    const url = new URL(server.url)
    url.pathname = "/sealed"
    const client = postgres(server.url, { max: 1 })
    await client.unsafe("create database sealed")
    await client.end()
    const withSecret = (letter: string) =>
      runnerOf(dataFolder(), { DATABASE_URL: url.href, CURBLINE_SECRET: letter.repeat(32) })
    // No node has started yet: the first command that seals marks the database.
    expect(await withSecret("s")("phones", "enable", "+15125550100")).toMatchObject({ status: 0 })
    for (const words of [
      ["phones", "enable", "+15125550101"],
      ["orgs", "create", "--name", "Wheels"],
    ])
      expect(await withSecret("x")(...words)).toMatchObject({
        status: 2,
        out: "",
        err: expect.stringMatching(/^error: CURBLINE_SECRET, .* was written with; nothing was changed\n$/),
      })
    const shown = await withSecret("s")("phones", "list", "--json")
    expect(JSON.parse(shown.out)).toMatchObject([{ phone: "+15125550100" }])
    expect(JSON.parse((await withSecret("s")("orgs", "list", "--json")).out)).toEqual([])
  })

  test("commands go straight to it, and demo data is made when asked for, once", async () => {
    const folder = dataFolder()
    const env = { DATABASE_URL: server.url, CURBLINE_SECRET: "s".repeat(32) }
    const run = runnerOf(folder, env)
    const made = await makeCaller(run)
    expect(existsSync(join(folder, "database"))).toBe(false)
    const first = await startProcess(folder, undefined, { words: ["--demo"], env })
    expect(first.said).toContain(join(folder, "demo.json"))
    expect(await book(first.access, made)).toEqual([201, made.stall, "confirmed"])
    await first.stop()
    const organizations = JSON.parse((await run("orgs", "list", "--json")).out) as object[]
    expect(organizations).toHaveLength(2)
    const keys = (await run("keys", "list", "--json")).out
    const again = await startProcess(folder, undefined, { words: ["--demo"], env })
    expect(again.access.sandbox).toEqual({ ...first.access.sandbox, base_url: again.access.sandbox.base_url })
    await again.stop()
    expect((await run("keys", "list", "--json")).out).toBe(keys)
    // Another node has the demo of another database in its folder: that one's keys are not good here.
    const elsewhere = dataFolder()
    writeFileSync(
      join(elsewhere, "demo.json"),
      readFileSync(join(folder, "demo.json"), "utf8").replace(/ot_\w+/g, "ot_x"),
    )
    const other = await startProcess(elsewhere, undefined, { words: ["--demo"], env })
    expect((await call(other.access.production, "GET", "/rs/v1/retailers")).status).toBe(200)
    expect(JSON.parse((await run("orgs", "list", "--json")).out)).toEqual(organizations)
    await other.stop()
  })
})
