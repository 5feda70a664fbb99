/** The client as a partner gets it: packed, installed offline into an empty folder, compiled against, and used on a served sandbox. */

import { spawnSync } from "node:child_process"
import { mkdtempSync, readFileSync, readdirSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterAll, beforeAll, describe, expect, test } from "vitest"
import { ROOT } from "../cli/command-line.ts"
import { preparedDataFolder, startProcess } from "../serve/service-process.ts"
import type { ServiceProcess } from "../serve/service-process.ts"

const CLIENT = join(ROOT, "src/client")
const COMPILER = join(ROOT, "node_modules/typescript-7/bin/tsc")

function ran(program: string, words: readonly string[], cwd: string): string {
  const { status, stdout, stderr, error } = spawnSync(program, words, { cwd, encoding: "utf8" })
  if (status !== 0)
    throw new Error(
      `${program} ${words.join(" ")} ended with ${status}: ${String(error)}\n${stdout}${stderr}`,
    )
  return stdout
}

function jsonIn(path: string): Record<string, unknown> {
  return JSON.parse(readFileSync(path, "utf8")) as Record<string, unknown>
}

/** An empty folder with the packed client, from files of this machine alone. */
function installed(): string {
  const place = mkdtempSync(join(tmpdir(), "curbline-client-"))
  const pack = (folder: string, ...more: readonly string[]): string => {
    const said = ran("npm", ["pack", "--offline", "--json", "--pack-destination", place, ...more], folder)
    const [{ filename }] = JSON.parse(said.slice(said.indexOf("["))) as [{ readonly filename: string }]
    return `file:./${filename}`
  }
  // Its dependencies would come from a registry; here they are packed as the checkout has them.
  const dependency = (name: string): string => pack(join(ROOT, "node_modules", name), "--ignore-scripts")
  const manifest = {
    name: "a-partner",
    private: true,
    type: "module",
    dependencies: { "@curbline/client": pack(CLIENT), "openapi-fetch": dependency("openapi-fetch") },
    overrides: {
      "openapi-fetch": "$openapi-fetch",
      "openapi-typescript-helpers": dependency("openapi-typescript-helpers"),
    },
  }
  writeFileSync(join(place, "package.json"), JSON.stringify(manifest))
  const alone = ["--offline", "--cache", join(place, "cache"), "--ignore-scripts", "--no-audit", "--no-fund"]
  ran("npm", ["install", ...alone], place)
  return place
}

let place: string
let service: ServiceProcess
beforeAll(async () => {
  place = installed()
  service = await startProcess(preparedDataFolder())
})
afterAll(async () => {
  const status = await service.stop()
  if (status !== 0) throw new Error(`the service ended with ${String(status)}: ${service.log()}`)
})

describe("the packed client", () => {
  test("is whole when it is packed again", () => {
    const packed = (): unknown => {
      const said = ran("npm", ["pack", "--offline", "--json", "--dry-run"], CLIENT)
      const [{ files }] = JSON.parse(said.slice(said.indexOf("["))) as [
        { readonly files: readonly unknown[] },
      ]
      return files
    }
    const first = packed()
    expect(first).toContainEqual(expect.objectContaining({ path: "dist/index.js" }))
    expect(packed()).toEqual(first)
  })

  test("has JavaScript, declarations, recipes and a README, and nothing of the server", () => {
    const files = readdirSync(join(place, "node_modules/@curbline/client"), { recursive: true }).map(String)
    expect(files.toSorted()).toEqual(
      [
        "README.md",
        "dist",
        "package.json",
        "recipes",
        ...["README.md", "curbline.go", "curbline.py"].map((name) => `recipes/${name}`),
        ...[
          "analytics-types",
          "calls",
          "delivery-types",
          "index",
          "reservation-types",
          "sandbox-types",
          "webhooks",
        ].flatMap((name) => [`dist/${name}.d.ts`, `dist/${name}.js`]),
      ].toSorted(),
    )
    expect(readdirSync(join(place, "node_modules")).toSorted()).toEqual([
      ".package-lock.json",
      "@curbline",
      "openapi-fetch",
      "openapi-typescript-helpers",
    ])
  })

  test("has the version of the service, and its one dependency in the service's version", () => {
    const client = jsonIn(join(CLIENT, "package.json"))
    const own = jsonIn(join(ROOT, "package.json"))
    const { "openapi-fetch": version } = own["dependencies"] as Record<string, string>
    expect(client).toMatchObject({ version: own["version"], dependencies: { "openapi-fetch": version } })
  })

  test("a partner's program compiles against it, and drives the sandbox", () => {
    const text = readFileSync(join(ROOT, "test/client/partner-program.ts"), "utf8")
    const program = text.replaceAll("../../src/client/index.ts", "@curbline/client")
    expect(program).not.toBe(text)
    writeFileSync(join(place, "program.ts"), program)
    compiled("program.ts")
    const { api_key: key, base_url: url, site_id, zone_id, retailer_id } = service.access.sandbox
    const said = ran(process.execPath, ["program.js", url, key, site_id, zone_id, retailer_id], place)
    expect(JSON.parse(said)).toEqual({
      quoted: true,
      made: 201,
      advanced: "ASSIGNED",
      code: "DELIVERY_NOT_FOUND",
      booked: "confirmed",
      verified: [
        ["pickup_status.changed ASSIGNED", false],
        ["reservation.status_changed", false],
      ],
      clock: "real",
      events: ["pickup.vehicle_location.changed", "pickup_status.changed", "reservation.status_changed"],
      analytics: 200,
    })
  })

  test.each([
    ["a value of another type", `body: { external_delivery_id: 1 }`, "not assignable to type 'string'"],
    ["a missing field", `body: {}`, "external_delivery_id"],
  ])("a program with %s does not compile", (_, body, name) => {
    writeFileSync(
      join(place, "wrong.ts"),
      `import { curbline } from "@curbline/client"
       const { deliveries } = curbline({ baseUrl: "", key: "" })
       await deliveries.POST("/dd/v1/deliveries", { ${body} })`,
    )
    expect(() => compiled("wrong.ts")).toThrow(name)
  })
})

/** Strictly, with Node's types for the program's own use of Node. */
function compiled(file: string): void {
  const types = join(ROOT, "node_modules/@types")
  const flags = [
    "--strict",
    "--module",
    "nodenext",
    "--target",
    "es2023",
    "--typeRoots",
    types,
    "--types",
    "node",
  ]
  ran(process.execPath, [COMPILER, ...flags, file], place)
}

test("the Python recipe calls the sandbox, and shows a refusal with its code", () => {
  const { api_key: key, base_url: url, site_id } = service.access.sandbox
  const said = spawnSync("python3", ["-c", CALLS, url, key, site_id], {
    cwd: join(CLIENT, "recipes"),
    encoding: "utf8",
    env: { ...process.env, PYTHONDONTWRITEBYTECODE: "1" },
  })
  if (said.status !== 0)
    throw new Error(
      `this test needs a python3 (3.9 or later) on the PATH: ${String(said.error)} ${said.stderr}`,
    )
  expect(JSON.parse(said.stdout)).toEqual({
    clock: "real",
    quoted: true,
    refused: [404, "NOT_FOUND"],
    stranger: [401, "INVALID_API_KEY"],
  })
})

const CALLS = `
import datetime, json, sys
import curbline

url, key, site = sys.argv[1:]
api = curbline.Curbline(url, key, site)
ready = datetime.datetime.now(datetime.timezone.utc) + datetime.timedelta(minutes=20)

def refused(api):
    try:
        api.call("GET", "/rs/v1/reservations/res_none")
    except curbline.ApiError as error:
        return [error.status, error.code]

print(json.dumps({
    "clock": api.call("GET", "/sandbox/v1/clock")["data"]["clock"]["mode"],
    "quoted": api.call("POST", "/dd/v1/deliveries/quote", {
        "external_delivery_id": "python-1",
        "customer": {"phone": "+15125550123"},
        "delivery_address": {"street": "1 Sample St", "city": "Austin", "state": "TX", "zip": "78758"},
        "ready_by": ready.isoformat(),
        "order_items": [{"name": "Milk", "quantity": 2}],
    })["data"]["available"],
    "refused": refused(api),
    "stranger": refused(curbline.Curbline(url, "ck_sbx_wrong")),
}))
`
