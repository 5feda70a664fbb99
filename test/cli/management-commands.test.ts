/** What management commands send: derived from the endpoints that declare them. */

import { spawnSync } from "node:child_process"
import { createServer } from "node:http"
import type { Server } from "node:http"
import type { AddressInfo } from "node:net"
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest"
import { PERMISSIONS } from "../../src/model/caller.ts"
import { ROOT, fileWith } from "./command-line.ts"
import { curblineHereWith } from "./same-process.ts"

const RING = [
  [0, 0],
  [1, 0],
  [1, 1],
  [0, 0],
]
const area = fileWith("area.json", JSON.stringify({ geometry: { type: "Polygon", coordinates: [RING] } }))
const stores = fileWith("stores.csv", "store_id,name\n")

describe("a management command", () => {
  let asked: unknown[] = []
  let server: Server

  beforeAll(async () => {
    server = createServer((request, response) => {
      let body = ""
      request.setEncoding("utf8").on("data", (part: string) => {
        body += part
      })
      request.on("end", () => {
        const { method, url = "" } = request
        if (!url.endsWith("/environment"))
          asked.push([`${method} ${url}`, body === "" ? null : JSON.parse(body)])
        const organizations = [{ organization_id: "org_a" }, { organization_id: "org_b" }]
        response.end(JSON.stringify({ success: true, data: { environment: "sandbox", organizations } }))
      })
    })
    await new Promise<void>((done) => {
      server.listen(0, "127.0.0.1", done)
    })
  })
  beforeEach(() => {
    asked = []
  })
  afterAll(() => server.close())

  const run = (...words: readonly string[]) => {
    const { port } = server.address() as AddressInfo
    return curblineHereWith({ CURBLINE_OPERATOR_TOKEN: "ot" }, ...words, "--url", `http://127.0.0.1:${port}`)
  }

  test.each<[words: string, request: string, body: unknown]>([
    [
      "keys create --org o/1 --permissions all",
      "POST organizations/o%2F1/api-keys",
      { permissions: PERMISSIONS },
    ],
    ["keys revoke key_1", "DELETE api-keys/key_1", null],
    [
      "orgs change o --no-active --environments @",
      "PATCH organizations/o",
      { is_active: false, environments: [] },
    ],
    [
      "zones create --site s --name Z --no-runner --latitude 30.5 --longitude -97",
      "POST zones",
      { site_id: "s", name: "Z", has_runner: false, latitude: 30.5, longitude: -97 },
    ],
    ["stalls change s --label @", "PATCH stalls/s", { label: null }],
    ["zones support z r", "PUT zones/z/retailers/r", null],
    ["grants revoke --org o --zone z --retailer r", "DELETE organizations/o/grants/z/r", null],
    ["access decline q --reason no", "PUT access-requests/q/decision", { is_approved: false, reason: "no" }],
    ["runner-phones pair --site s/1 --name Maya", "POST sites/s%2F1/pairings", { runner_name: "Maya" }],
    ["runner-calls make --site s/1 --message hello", "POST sites/s%2F1/runner-calls", { message: "hello" }],
    ["runner-phones end p1", "DELETE runner-phones/p1", null],
    ["vehicles add v --fleet f", "POST vehicles", { vehicle_id: "v", fleet_id: "f", label: "v" }],
    [
      "fleet-settings set f --open-url https://f.example/open --instruction @",
      "PATCH fleets/f",
      { open_url: "https://f.example/open", instruction: null },
    ],
    ["fleet-settings rotate-secret f", "POST fleets/f/open-secret", null],
    ["compartments open dlv_1", "POST deliveries/dlv_1/compartment", null],
    [
      "errands fail d --reason vehicle_fault --refund",
      "POST connector/errands/d/failure",
      { reason: "vehicle_fault", refund: true },
    ],
    ["sites show s", "GET sites/s", null],
    [`stores check ${stores}`, "POST connector/stores/check", { csv: "store_id,name\n" }],
    [`stores import ${stores}`, "POST connector/stores/import", { csv: "store_id,name\n" }],
    [
      `sites change s --area ${area} --price @ --street x --city c --state TX --zip 78701`,
      "PATCH sites/s",
      {
        area: [RING],
        delivery_price_cents: null,
        address: { street: "x", city: "c", state: "TX", zip: "78701" },
      },
    ],
  ])("%s", async (words, request, body) => {
    await run(...wordsOf(words))
    expect(asked).toEqual([[request.replace(" ", " /internal/v1/"), body]])
  })

  test("keys of all organizations are asked for one organization at a time", async () => {
    await run("keys", "list")
    expect(asked).toMatchObject([
      ["GET /internal/v1/organizations?limit=100", null],
      ["GET /internal/v1/organizations/org_a/api-keys?limit=100", null],
      ["GET /internal/v1/organizations/org_b/api-keys?limit=100", null],
    ])
  })

  test.each([
    ["sites create --name S --street x --city y", "the address also needs --state, --zip"],
    ["sites create --name S --price abc", '"abc" is no number'],
    ["zones change z --latitude @ --longitude @", '"" is no number'],
    ["delivery-sites create --name S", "required option '--org <id>' not specified"],
    [
      "orgs create --name N --environments sandbx",
      'there is no environment "sandbx"; did you mean "sandbox"?',
    ],
  ])("%s is refused", async (words, err) => {
    expect(await run(...wordsOf(words))).toEqual({ status: 2, out: "", err: `error: ${err}\n` })
    expect(asked).toEqual([])
  })
})

/** The words of a command line; `@` is an empty one. */
function wordsOf(line: string): readonly string[] {
  return line.split(" ").map((word) => (word === "@" ? "" : word))
}

// A scenario's words are operations of its own APIs; the commands of management and the APIs of other people stay out.
test.each([
  ["--version", "src[/](.*[/])?http[/](?!access[/])"],
  [
    "run scenarios/reservations/a-booking-at-the-limits.yaml",
    "src[/](apps[/](mcp|portal[/]http)|cli[/]management)[/]",
  ],
])("%s loads no module like %s", (words, pattern) => {
  const hook = `import { registerHooks } from "node:module"
    registerHooks({ load: (url, context, next) => {
      if (new RegExp(${JSON.stringify(pattern)}).test(url)) process.stderr.write(url)
      return next(url, context)
    } })`
  const { status, stderr } = spawnSync(
    process.execPath,
    [
      "--import",
      `data:text/javascript,${encodeURIComponent(hook)}`,
      "src/cli/curbline.js",
      ...words.split(" "),
    ],
    { cwd: ROOT, encoding: "utf8" },
  )
  expect({ status, stderr }).toEqual({ status: 0, stderr: "" })
})
