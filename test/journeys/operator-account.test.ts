/**
 * The first administrator, over the service as a user starts it: the command makes the account, a link sets its
 * password, a second factor is set up over HTTP; a viewer who is added may read and not write; sessions outlive a kill.
 */

import { afterAll, describe, expect, test } from "vitest"
import { codeAt, stepAt } from "../../src/apps/portal/people/totp.ts"
import { curblineHereWith } from "../cli/same-process.ts"
import { freePort } from "../free-port.ts"
import { databasesOf } from "./served.ts"
import { dataFolderOn, startProcess } from "../serve/service-process.ts"
import type { ServiceProcess } from "../serve/service-process.ts"
import { startPostgres } from "../engine/store/postgres-server.ts"
import type { PostgresDatabase } from "../engine/store/postgres-server.ts"

const SECRET = "a secret of the journeys, of 32 characters or more"
const PASSWORD = "seven-kites-over-the-quiet-harbour"

interface Operator {
  readonly cookie: string
  readonly key: string
}

interface Answered {
  readonly status: number
  readonly cookie: string
  readonly data: Readonly<Record<string, unknown>>
}

async function ask(url: string, method: string, body?: object, as?: Operator): Promise<Answered> {
  const response = await fetch(url, {
    method,
    headers: {
      ...(as === undefined ? {} : { cookie: as.cookie, "x-curbline-form-key": as.key }),
      ...(body === undefined ? {} : { "content-type": "application/json" }),
    },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  })
  const { data = {} } = (await response.json()) as { readonly data?: Answered["data"] }
  return { status: response.status, cookie: response.headers.get("set-cookie")?.split(";")[0] ?? "", data }
}

/** With the form key of the page that the session opens. */
async function signedIn(base: string, email: string): Promise<Operator> {
  const { cookie } = await ask(`${base}/ops/api/session`, "POST", { email, password: PASSWORD })
  return { cookie, key: await formKeyOf(base, cookie) }
}

async function formKeyOf(base: string, cookie: string): Promise<string> {
  const page = await (await fetch(`${base}/ops`, { headers: { cookie } })).text()
  return /"form_key":"([\w-]+)"/.exec(page)?.[1] ?? ""
}

/** Switches the second factor on, and gives its recovery codes. */
async function withFactor(base: string, as: Operator): Promise<readonly string[]> {
  const factor = `${base}/ops/api/account/second-factor`
  const { data: enrolled } = await ask(factor, "POST", { current_password: PASSWORD }, as)
  const code = codeAt(String(enrolled["secret"]), stepAt(Date.now()))
  const confirmed = await ask(`${factor}/confirm`, "POST", { code }, as)
  expect(confirmed.status).toBe(200)
  return confirmed.data["recovery_codes"] as readonly string[]
}

/** By the password and a recovery code. */
async function signedInTwice(base: string, email: string, code: string | undefined): Promise<Operator> {
  const { data } = await ask(`${base}/ops/api/session`, "POST", { email, password: PASSWORD })
  const path = `${base}/ops/api/session/second-factor`
  const { cookie } = await ask(path, "POST", { challenge: data["challenge"], code })
  return { cookie, key: await formKeyOf(base, cookie) }
}

interface OpenStream {
  readonly ended: Promise<void>
  readonly isOpen: () => boolean
  readonly close: () => void
}

async function openStream(url: string, { cookie }: Operator): Promise<OpenStream> {
  const leaving = new AbortController()
  const { status, body } = await fetch(url, { headers: { cookie }, signal: leaving.signal })
  expect(status).toBe(200)
  let isOpen = true
  const reading = async (): Promise<void> => {
    for await (const chunk of body ?? []) expect(chunk.length).toBeGreaterThan(0)
    isOpen = false
  }
  // Closing it here is no fault.
  const ended = reading().catch((fault: unknown) => {
    if (!leaving.signal.aborted) throw fault
  })
  return { ended, isOpen: () => isOpen, close: () => leaving.abort() }
}

const choose = (base: string, path: string) =>
  ask(`${base}/ops/api/password`, "POST", { token: path.trim().split("#token=")[1], password: PASSWORD })

describe.each(databasesOf("PostgreSQL"))("an operator's account, on %s", (database) => {
  let postgres: PostgresDatabase | null = null
  let service: ServiceProcess | null = null
  afterAll(async () => {
    await service?.stop()
    await postgres?.stop()
  })

  test("the first administrator adds a viewer, and both stay signed in over a kill", async () => {
    if (database === "PostgreSQL") postgres = await startPostgres()
    const ports = [await freePort(), await freePort()] as const
    const data = dataFolderOn(database)
    const env = postgres === null ? {} : { DATABASE_URL: postgres.url, CURBLINE_SECRET: SECRET }
    const more = { env, ...(postgres === null ? {} : { words: ["--demo"] }) }
    service = await startProcess(data, ports, more)
    const base = service.urls.production
    const ana = ["--email", "ana@operations.example", "--name", "Ana O.", "--role", "admin"]
    const made = await curblineHereWith(env, "operators", "create", ...ana, "--data", data)
    expect([made.status, made.out.startsWith("/ops/set-password#token=")], made.err).toEqual([0, true])
    expect((await choose(base, made.out)).status).toBe(200)
    const admin = await signedIn(base, "ana@operations.example")
    const operators = `${base}/internal/v1/operators`
    expect((await ask(operators, "GET", undefined, admin)).status).toBe(403)
    await withFactor(base, admin)
    const vic = { email: "vic@operations.example", name: "Vic V.", role: "viewer" }
    const added = await ask(operators, "POST", vic, admin)
    expect(added.status).toBe(201)
    expect((await choose(base, String(added.data["value"]))).status).toBe(200)
    const viewer = await signedIn(base, vic.email)
    expect((await ask(`${base}/internal/v1/sites`, "GET", undefined, viewer)).status).toBe(403)
    const [code] = await withFactor(base, viewer)

    await service.kill()
    service = await startProcess(data, ports, more)

    const sites = `${base}/internal/v1/sites`
    expect((await ask(sites, "GET", undefined, viewer)).status).toBe(200)
    const site = `${sites}/${service.access.production.site_id}`
    expect((await ask(site, "PATCH", { name: "Mine" }, viewer)).status).toBe(403)

    // Signing out ends the streams of the session, and not those of another session of the same person.
    const again = await signedInTwice(base, vic.email, code)
    const streams = await Promise.all([viewer, again].map((one) => openStream(`${site}/stream`, one)))
    expect((await ask(`${base}/ops/api/session`, "DELETE", undefined, viewer)).status).toBe(200)
    await streams[0]?.ended
    expect(streams.map((stream) => stream.isOpen())).toEqual([false, true])
    for (const stream of streams) stream.close()
    const log = await ask(`${base}/internal/v1/audit-log`, "GET", undefined, admin)
    expect(log.data["actions"]).toEqual(
      expect.arrayContaining([
        expect.objectContaining({ actor: "Vic V.", action: "changeSite", outcome: "PERMISSION_DENIED" }),
        expect.objectContaining({ actor: "Ana O.", action: "makeOperator", outcome: "done" }),
      ]),
    )
  })
})
