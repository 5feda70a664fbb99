/** The service as its operator sees it: names, probes, log, the greeting's commands, the stop, and starts that fail. */

import { execFile } from "node:child_process"
import { randomUUID } from "node:crypto"
import { once } from "node:events"
import { request } from "node:http"
import type { ClientRequest, IncomingMessage } from "node:http"
import { createServer } from "node:net"
import type { AddressInfo } from "node:net"
import { readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { promisify } from "node:util"
import { afterAll, beforeAll, describe, expect, test } from "vitest"
import { PLANTED, phonePhoto } from "../photos.ts"
import { curblineWith } from "../cli/command-line.ts"
import type { Ended } from "../cli/command-line.ts"
import { curblineHere } from "../cli/same-process.ts"
import { examplesOf } from "./examples.ts"
import { freePort } from "../free-port.ts"
import {
  booking,
  call,
  copyOf,
  dataFolder,
  preparedDataFolder,
  startProcess,
  startReceiver,
} from "./service-process.ts"
import type { ServiceProcess } from "./service-process.ts"

const run = promisify(execFile)

/** Pasted commands share a shell and its number. */
function inOneShell(command: string): string {
  return command.replaceAll("$$", "7")
}

interface Told {
  readonly status: number
  readonly headers: IncomingMessage["headers"]
  readonly body: string
}

/** Over a socket of its own, with headers that `fetch` would not send. */
function ask(url: string, headers: Readonly<Record<string, string>> = {}): Promise<Told> {
  return answerTo(request(url, { headers, agent: false }).end())
}

async function answerTo(outgoing: ClientRequest): Promise<Told> {
  const [response] = (await once(outgoing, "response")) as [IncomingMessage]
  let body = ""
  for await (const chunk of response) body += String(chunk)
  return { status: response.statusCode ?? 0, headers: response.headers, body }
}

/** Of the running service; when that has stopped, others start on copies. */
const data = preparedDataFolder()

describe("a running service", () => {
  const PHONE = "+15125550137"
  let service: ServiceProcess
  let url = ""

  beforeAll(async () => {
    service = await startProcess(data, undefined, {
      env: {
        CURBLINE_LOG_LEVEL: "debug",
        CURBLINE_PRODUCTION_HOSTS: "shop.example.com",
        CURBLINE_SANDBOX_HOSTS: "sandbox.example.com",
        CURBLINE_REQUESTS_PER_MINUTE: "1234",
        CURBLINE_FLEET_SPEED: "600",
      },
    })
    url = service.access.sandbox.base_url
  })
  afterAll(() => service.stop())

  test("G13: answers to its address, to localhost and to names that were set, and to no other but for probes", async () => {
    const { port } = new URL(url)
    const names = ["127.0.0.1", "localhost", "[::1]"].map((name) => `${name}:${port}`)
    for (const host of [...names, "sandbox.example.com", "sandbox.example.com:8443"]) {
      expect([host, (await ask(`${url}/openapi/rs.json`, { host })).status]).toEqual([host, 200])
    }
    for (const host of ["localhost", "localhost:1", "evil.example", "production.example.com"]) {
      const { status, body } = await ask(`${url}/openapi/rs.json`, { host })
      expect([host, status, (JSON.parse(body) as { code: string }).code]).toEqual([
        host,
        421,
        "MISDIRECTED_REQUEST",
      ])
      for (const path of ["/healthz", "/readyz", "/metrics"]) {
        expect((await ask(`${url}${path}`, { host })).status).toBe(200)
      }
    }
    const other = await ask(`${service.access.production.base_url}/docs`, { host: "sandbox.example.com" })
    expect(other.status).toBe(421)
  })

  test("a name that a proxy may pass on ends the sight of the demo's codes and keys, also for local callers", async () => {
    const { production, sandbox } = service.access
    const { port } = new URL(production.base_url)
    const email = `${randomUUID()}@member.example`
    const body = JSON.stringify({
      email,
      password: "lemon tractor window",
      name: "Ada",
      organization_name: "Doors",
    })
    const headers = { "content-type": "application/json", "x-curbline-portal": "1" }
    const asked = await fetch(`${production.base_url}/portal/api/sign-up`, { method: "POST", headers, body })
    expect(asked.status).toBe(202)
    for (const host of ["shop.example.com", `127.0.0.1:${port}`]) {
      const path = `/portal/waiting-mail?to=${encodeURIComponent(email)}`
      const mail = await ask(`${production.base_url}${path}`, { host })
      expect([host, mail.status]).toEqual([host, 404])
      const page = await ask(`${production.base_url}/portal/sign-up`, { host })
      expect(page.body).toContain('"shows_mails":false')
      const docs = await ask(`${production.base_url}/docs`, { host })
      expect(docs.body).toContain('"demo":null')
    }
    const start = await ask(sandbox.base_url, { host: "sandbox.example.com", accept: "text/html" })
    expect(start.body).not.toContain(sandbox.api_key)
  })

  test.each<["production" | "sandbox", readonly string[]]>([
    ["production", ["rs", "dd", "analytics", "logs", "portal", "internal", "runner"]],
    ["sandbox", ["rs", "dd", "analytics", "logs", "sandbox", "internal", "runner"]],
  ])("the %s host serves every document that its page of documents offers: %j", async (host, names) => {
    const at = service.access[host].base_url
    const { body } = await ask(`${at}/docs`)
    const documents = [...body.matchAll(/"url":"\/openapi\/([^"]+)\.json"/g)].map(([, name]) => name)
    expect(documents).toEqual(names)
    for (const name of ["rs", "analytics", "logs", "portal", "runner", "sandbox", "internal"]) {
      const { status } = await ask(`${at}/openapi/${name}.json`)
      expect([name, status]).toEqual([name, names.includes(name) ? 200 : 404])
    }
  })

  test("every path that the manual of operations promises is there", async () => {
    const manual = readFileSync(new URL("../../src/OPERATIONS.md", import.meta.url), "utf8")
    const paths = [...manual.matchAll(/^\| `(\/[^`]+)`/gm)].map(([, path]) => path ?? "")
    expect(paths).toEqual(expect.arrayContaining(["/docs", "/healthz", "/readyz", "/metrics"]))
    for (const path of paths) {
      // The inspector answers with its form to sign in, the pages of operations lead to theirs.
      const expected = path === "/inspect" ? 401 : path === "/ops" ? 303 : 200
      expect([path, (await ask(`${url}${path}`)).status]).toEqual([path, expected])
    }
  })

  test("G14: takes its budgets from the configuration", async () => {
    const authorization = `Bearer ${service.access.sandbox.api_key}`
    expect((await ask(`${url}/rs/v1/retailers`, { authorization })).headers["ratelimit-limit"]).toBe("1234")
  })

  test("the greeting is six lines, which name the start page, the keys' file and the examples", async () => {
    const lines = service.said.split("\n")
    expect(lines).toHaveLength(6)
    expect(service.said).toContain(`Start at ${url}/ in a browser`)
    expect(service.said).toContain(join(data, "demo.json"))
    const [, named = ""] = /npx curbline (examples .*)$/m.exec(service.said) ?? []
    const { stdout } = await run("bash", ["-c", `node_modules/.bin/node src/cli/curbline.js ${named}`])
    expect(stdout).toBe(await examplesOf(data))
  })

  test("the examples' commands work when pasted", async () => {
    const commands = (await examplesOf(data)).split("\n").filter((line) => line.startsWith("curl "))
    expect(commands.length).toBeGreaterThanOrEqual(4)
    for (const pasted of commands) {
      const command = inOneShell(pasted)
      const { stdout } = await run("bash", ["-c", command.replace("curl -s ", "curl -sS --fail-with-body ")])
      expect([command, JSON.parse(stdout)]).not.toEqual([
        command,
        expect.objectContaining({ success: false }),
      ])
    }
    // A host of the outside's needs a name server, which tests do not have: here the open link is a local one.
    expect(
      commands.filter((command) => command.includes('open_link_url:"http://127.0.0.1:9/open"')),
    ).toHaveLength(1)
    const booked = await call(service.access.sandbox, "GET", "/rs/v1/reservations")
    expect(JSON.stringify(booked.body.data)).toContain('"order_number":"1001"')
  })

  test("the commands of the README walk a reservation to its end", async () => {
    const readme = readFileSync(new URL("../../README.md", import.meta.url), "utf8")
    const block = [...readme.matchAll(/```sh\n(.*?)```/gs)]
      .map(([, one = ""]) => one)
      .find((one) => one.includes("/advance"))
    const commands = (block ?? "")
      .replace("http://127.0.0.1:4011", url)
      .replace("$PWD/.curbline", data)
      // Tests have no name server.
      .replace("https://example.com/open", "http://127.0.0.1:9/open")
    const { stdout } = await run("bash", ["-euc", commands])
    const lines = stdout.trim().split("\n")
    expect(lines[0]).toMatch(/^booked: res_\w+$/)
    expect(lines).toHaveLength(10)
    expect(lines[1]).toBe("runner_assigned: confirmed")
    expect(lines.at(-1)).toBe("bot_departed: completed")
  })

  test("the delivery that the examples book drives to its end by itself", async () => {
    const [, asking = ""] = (await examplesOf(data)).split("\n").filter((line) => line.includes("order-$$"))
    const status = async (): Promise<unknown> => {
      const { stdout } = await run("bash", ["-c", inOneShell(asking)])
      return (JSON.parse(stdout) as { readonly data: { readonly status: string } }).data.status
    }
    await expect.poll(status, { interval: 250 }).toBe("COMPLETED")
  })

  test("G17: logs one line a request, under the id that its answer carries, with the organization", async () => {
    const { headers } = await ask(`${url}/rs/v1/retailers`, {
      authorization: `Bearer ${service.access.sandbox.api_key}`,
      "x-request-id": "from-the-caller",
    })
    expect(headers["x-request-id"]).toBe("from-the-caller")
    await logHas(service, "from-the-caller")
    const lines = logLines(service).filter(({ request_id }) => request_id === "from-the-caller")
    expect(lines).toMatchObject([
      {
        route: "/rs/v1/retailers",
        status: 200,
        environment: "sandbox",
        organization_id: expect.stringMatching(/./),
      },
    ])
  })

  test("logs no key, secret, phone number, name or signature, at debug level", async () => {
    const { sandbox } = service.access
    const receiver = await startReceiver()
    const hook = await call(sandbox, "POST", "/rs/v1/webhooks", {
      url: `${receiver.url}/planted-path`,
      subscribed_events: ["reservation.status_changed"],
    })
    const body = { ...booking(sandbox, `${receiver.url}/planted-path`, "9001"), end_user_phone: PHONE }
    const made = await call(sandbox, "POST", "/rs/v1/reservations", body)
    expect([hook.status, made.status]).toEqual([201, 201])
    await receiver.count(1)
    await receiver.close()
    await ask(`${url}/rs/v1/photos/x?exp=1&sig=${"5a".repeat(32)}`)
    await ask(`${url}/rs/v1/reservations`, {
      authorization: "Bearer planted-key",
      "x-request-id": "the-last-one",
    })
    await logHas(service, "the-last-one")
    const secrets = [
      sandbox.api_key,
      service.access.production.api_key,
      hook.body.data.webhook.secret,
      PHONE,
      "Ada Example",
      "5a5a5a",
      "planted-path",
      "planted-key",
    ]
    for (const secret of secrets) expect(service.log()).not.toContain(secret)
    expect(logLines(service).some(({ level }) => level === "debug")).toBe(true)
  })

  test("has requests, turns and calls in its metrics, without names", async () => {
    const { body, headers } = await ask(`${url}/metrics`)
    expect(headers["content-type"]).toMatch(/^text\/plain; version=0\.0\.4/)
    for (const sample of [
      /^curbline_http_request_duration_seconds_count\{environment="sandbox",method="POST",route="\/rs\/v1\/reservations",status="201"\} [2-9]$/m,
      /^curbline_turns_total\{machine="reservation",outcome="moved"\} \d+$/m,
      /^curbline_call_attempts_total\{call="webhook",outcome="succeeded"\} [1-9]/m,
      /^curbline_mailbox_entries [1-9]/m,
      /^process_cpu_seconds_total /m,
    ])
      expect(body).toMatch(sample)
    const { sandbox } = service.access
    for (const secret of [sandbox.api_key, sandbox.zone_id, "res_", "127.0.0.1", "planted"]) {
      expect(body).not.toContain(secret)
    }
  })

  test("has the inspector on its sandbox host alone, for that host's operators, whose tokens no log holds", async () => {
    const { sandbox, production } = service.access
    const examples = await examplesOf(data)
    expect(examples).toContain(`\n${url}/inspect\n`)
    for (const text of [examples, service.said]) expect(text).not.toContain(sandbox.operator_token)
    expect((await ask(`${production.base_url}/inspect`)).status).toBe(404)
    expect((await signIn(production.base_url, production.operator_token)).status).toBe(404)
    expect((await ask(`${url}/inspect`)).status).toBe(401)
    expect((await signIn(url, production.operator_token)).status).toBe(401)
    const { status, headers } = await signIn(url, sandbox.operator_token)
    const cookie = headers.get("set-cookie")?.split(";")[0] ?? ""
    expect(status).toBe(303)
    const { reservation } = (await call(sandbox, "POST", "/rs/v1/reservations", booking(sandbox, OPEN_LINK)))
      .body.data
    const group = `/inspect/groups/reservation/${reservation.reservation_id}`
    expect((await ask(`${url}/inspect`, { cookie })).body).toContain(`href="${group}"`)
    const page = await ask(`${url}${group}`, { cookie })
    expect([page.status, page.headers["content-security-policy"]]).toEqual([
      200,
      expect.stringMatching(/^default-src 'none'; script-src 'self'; style-src 'self';.* connect-src 'self'/),
    ])
    const record = join(data, "group.ndjson")
    writeFileSync(record, (await ask(`${url}${group}/record`, { cookie })).body)
    expect(await curblineHere("replay", record)).toMatchObject({ status: 0 })
    for (const secret of [sandbox.operator_token, production.operator_token, cookie.split("=")[1] ?? "none"])
      expect(service.log()).not.toContain(secret)
  })

  test("shows its operators no key, no secret, no photo and no name of a person, though all of them were used", async () => {
    const { sandbox } = service.access
    const partner = await startReceiver()
    const photo = await phonePhoto()
    const hook = { url: `${partner.url}/hook`, subscribed_events: ["reservation.handoff_updated"] }
    const { secret } = (await call(sandbox, "POST", "/rs/v1/webhooks", hook)).body.data.webhook
    const booked = await call(sandbox, "POST", "/rs/v1/reservations", booking(sandbox, `${partner.url}/open`))
    expect(booked.status).toBe(201)
    const id = booked.body.data.reservation.reservation_id
    const operate = (move: string, body: Uint8Array<ArrayBuffer> | string = "{}"): Promise<Response> =>
      fetch(`${url}/internal/v1/reservations/${id}/${move}`, {
        method: "POST",
        headers: {
          Authorization: `Bearer ${sandbox.operator_token}`,
          "Content-Type": typeof body === "string" ? "application/json" : "image/jpeg",
        },
        body,
      })
    await operate("runner", JSON.stringify({ runner_id: "run_1" }))
    for (const move of ["at-store", "order-in-hand", "at-unit"])
      expect((await operate(move)).status).toBe(200)
    await call(sandbox, "POST", `/rs/v1/reservations/${id}/bot`, { status: "READY_FOR_HANDOFF" })
    let loaded = await operate("load", new Uint8Array(photo))
    // The compartment opens by a call of the service's own.
    while (loaded.status === 409) loaded = await operate("load", new Uint8Array(photo))
    const { reservation } = ((await loaded.json()) as LoadAnswer).data
    const link = reservation.handoff.load_photo_url
    const shown = Buffer.from(await (await fetch(link)).arrayBuffer())
    expect([photo.includes(PLANTED), shown.includes(PLANTED)]).toEqual([true, false])
    const [name = ""] = (await signIn(url, sandbox.operator_token)).headers.getSetCookie()
    const cookie = name.split(";")[0] ?? ""
    const list = await ask(`${url}/inspect?settled=1`, { cookie })
    const groups = [...list.body.matchAll(/href="(\/inspect\/groups\/[^"]+)"/g)].map(([, path = ""]) => path)
    expect(groups).toContain(`/inspect/groups/reservation/${id}`)
    expect(groups.some((path) => path.includes("webhook-delivery"))).toBe(true)
    const bodies = [list.body]
    for (const path of groups)
      for (const end of ["", "/entries", "/record"])
        bodies.push((await ask(`${url}${path}${end}`, { cookie })).body)
    const everything = bodies.join("\n")
    expect(everything).toContain("load.recorded")
    const signature = new URL(link).searchParams.get("sig") ?? ""
    const planted = [sandbox.api_key, secret, "Ada Example", "+15125550100", partner.url, signature]
    const forms = [photo, shown].flatMap((bytes) =>
      (["latin1", "base64", "hex"] as const).map((form) => bytes.subarray(-60).toString(form)),
    )
    for (const word of [...planted, ...forms, PLANTED]) {
      expect(word.length).toBeGreaterThan(8)
      expect([word, everything.includes(word)]).toEqual([word, false])
    }
    await partner.close()
  })
})

interface LoadAnswer {
  readonly data: { readonly reservation: { readonly handoff: { readonly load_photo_url: string } } }
}

const OPEN_LINK = "http://127.0.0.1:9/open"

/** The answer to signing in to the inspector with a token. */
async function signIn(base: string, token: string): Promise<Response> {
  return fetch(`${base}/inspect/sign-in`, {
    method: "POST",
    redirect: "manual",
    body: new URLSearchParams({ token }),
  })
}

describe("a service that is told to stop", () => {
  test("answers what is open, says meanwhile that it is not ready, and exits with 0", async () => {
    const env = { CURBLINE_PRODUCTION_INSPECTOR: "true" }
    const service = await startProcess(copyOf(data), undefined, { env })
    const { sandbox, production } = service.access
    // A production host with the setting has the inspector, for its own operators.
    expect((await signIn(production.base_url, production.operator_token)).status).toBe(303)
    expect((await signIn(production.base_url, sandbox.operator_token)).status).toBe(401)
    const [slow, text] = await slowBooking(service)
    service.signal("SIGTERM")
    await logHas(service, "stopping")
    const asked = await ask(`${sandbox.base_url}/readyz`)
    expect([asked.status, JSON.parse(asked.body)]).toMatchObject([
      503,
      { status: "not ready", checks: { database: "ok", stop: "has begun" } },
    ])
    expect((await ask(`${sandbox.base_url}/healthz`)).status).toBe(200)
    const answer = answerTo(slow)
    slow.end(text.slice(10))
    expect((await answer).status).toBe(201)
    expect(await service.exited).toBe(0)
    expect(service.log()).toContain("stopped")
  })

  test("ends at once when it is told a second time", async () => {
    const service = await startProcess(copyOf(data))
    const [slow] = await slowBooking(service)
    slow.on("error", () => undefined)
    service.signal("SIGINT")
    await logHas(service, "stopping")
    service.signal("SIGINT")
    expect(await service.exited).toBe(130)
  })
})

describe("a start that fails says why in one line and ends", () => {
  const error = (pattern: RegExp): unknown =>
    expect.stringMatching(new RegExp(`^(?:making .*\n)?error: ${pattern.source}\n$`))

  function serve(environment: Readonly<Record<string, string>>, ...words: string[]): Ended {
    const env = { CURBLINE_LOG_LEVEL: "warn", ...environment }
    return curblineWith(env, "serve", "--data", copyOf(data), ...words)
  }

  test("a port that is taken", async () => {
    const taken = createServer().listen(0, "127.0.0.1")
    await once(taken, "listening")
    const { port } = taken.address() as AddressInfo
    const ended = serve({}, "--production-port", String(await freePort()), "--sandbox-port", String(port))
    taken.close()
    const said = /port \d+ of 127\.0\.0\.1 is taken; choose another with --production-port or --sandbox-port/
    expect(ended).toMatchObject({ status: 1, out: "", err: error(said) })
  })

  test("a database that cannot be reached, without its password", async () => {
    const DATABASE_URL = `postgres://curbline:hunter2@127.0.0.1:${await freePort()}/curbline`
    const ended = serve({ DATABASE_URL, CURBLINE_SECRET: "s".repeat(32) })
    expect(ended).toMatchObject({
      status: 1,
      out: "",
      err: error(/opening the database failed: .*ECONNREFUSED.*/),
    })
    expect(ended.err).not.toContain("hunter2")
  })

  test("a data folder that cannot be used", () => {
    const file = join(dataFolder(), "file")
    writeFileSync(file, "")
    expect(serve({}, "--data", join(file, "data"))).toMatchObject({
      status: 2,
      err: error(/the folder .* cannot be used: ENOTDIR.*/),
    })
  })

  test("several settings that are wrong, each in a line of its own", () => {
    const ended = serve({ CURBLINE_LOG_FORMAT: "xml", CURBLINE_SANDBOX_HOSTS: "a b" })
    expect(ended.status).toBe(2)
    expect(ended.err.trim().split("\n")).toEqual([
      expect.stringMatching(/^error: CURBLINE_SANDBOX_HOSTS must be names/),
      expect.stringMatching(/^CURBLINE_LOG_FORMAT must be one of json, logfmt; it is "xml"$/),
    ])
  })

  test("another secret than the database was written with", async () => {
    const written = copyOf(data)
    // Also while nothing is sealed: the first start has left its mark.
    expect(serve({ CURBLINE_SECRET: "s".repeat(32) }, "--data", written)).toMatchObject({
      status: 2,
      err: error(/CURBLINE_SECRET, or the file `secret` .*/),
    })
    const receiver = await startReceiver()
    const service = await startProcess(written)
    const hook = await call(service.access.production, "POST", "/rs/v1/webhooks", {
      url: receiver.url,
      subscribed_events: ["reservation.status_changed"],
    })
    await receiver.close()
    expect([hook.status, await service.stop()]).toEqual([201, 0])
    const CURBLINE_SECRET = "not the secret that the database was written with"
    expect(serve({ CURBLINE_SECRET }, "--data", written)).toMatchObject({
      status: 2,
      out: "",
      err: error(/CURBLINE_SECRET, or the file `secret` .*/),
    })
  })
})

/** A booking of which the first ten bytes have been sent, and its whole text. */
async function slowBooking({
  access: { sandbox },
}: ServiceProcess): Promise<readonly [ClientRequest, string]> {
  const text = JSON.stringify(booking(sandbox, "http://127.0.0.1:9/open"))
  const slow = request(`${sandbox.base_url}/rs/v1/reservations`, {
    method: "POST",
    agent: false,
    headers: {
      authorization: `Bearer ${sandbox.api_key}`,
      "content-type": "application/json",
      "content-length": text.length,
    },
  })
  slow.write(text.slice(0, 10))
  // The server has read the headers when it answers a request that came after them.
  await once(slow, "socket")
  if (slow.socket?.connecting === true) await once(slow.socket, "connect")
  await ask(`${sandbox.base_url}/healthz`)
  return [slow, text]
}

function logLines(service: ServiceProcess): readonly Record<string, unknown>[] {
  return service
    .log()
    .split("\n")
    .filter((line) => line.startsWith("{") && line.endsWith("}"))
    .map((line) => JSON.parse(line) as Record<string, unknown>)
}

/** Waits until the log, which is written behind the answers, has a word. */
async function logHas(service: ServiceProcess, word: string): Promise<void> {
  while (!service.log().includes(word)) {
    await new Promise((resolve) => {
      setImmediate(resolve)
    })
  }
}
