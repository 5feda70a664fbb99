/** What runs the service elsewhere: the container's file, the compose file, the unit, and the pages that a package brings. */

import { spawnSync } from "node:child_process"
import { existsSync, mkdtempSync, readFileSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { validate } from "dockerfile-utils"
import { describe, expect, test } from "vitest"
import { parse } from "yaml"
import { STOP_MS_MAX } from "../../src/live/configuration/bounds.ts"
import { SETTINGS } from "../../src/live/configuration/configuration.ts"
import { ROOT } from "./command-line.ts"
import { curblineHere } from "./same-process.ts"

const text = (name: string): string => readFileSync(join(ROOT, name), "utf8")

interface Compose {
  readonly services: Readonly<
    Record<
      string,
      {
        readonly environment: Readonly<Record<string, string>>
        readonly volumes: readonly string[]
        readonly ports?: readonly string[]
        readonly stop_grace_period: string
        readonly depends_on?: Readonly<Record<string, { readonly condition: string }>>
        readonly healthcheck?: object
      }
    >
  >
  readonly volumes: Readonly<Record<string, unknown>>
}

describe("the Containerfile", () => {
  const file = text("Containerfile")
  const last = file.slice(file.lastIndexOf("\nFROM "))

  test("has no mistake that a linter knows", () => {
    expect(
      validate(file).map(({ message, range }) => `${range.start.line + 1}: ${JSON.stringify(message)}`),
    ).toEqual([])
  })

  test("copies what is there", () => {
    const copied = [...file.matchAll(/^COPY (?!--from)(.+) \S+$/gm)].flatMap(([, names = ""]) =>
      names.split(" "),
    )
    expect(copied.length).toBeGreaterThan(4)
    for (const name of copied) expect([name, existsSync(join(ROOT, name))]).toEqual([name, true])
  })

  test("ends as a user without rights, without development dependencies, on the Node that the package asks for", () => {
    expect(last).toMatch(/^USER node$/m)
    expect(file).toContain("npm ci --omit=dev")
    expect(last).not.toContain("npm ")
    const { dependencies } = JSON.parse(text("package.json")) as {
      readonly dependencies: Readonly<Record<string, string>>
    }
    const major = dependencies["node"]?.split(".")[0]
    expect([...file.matchAll(/^FROM node:(\d+)/gm)].map(([, found]) => found)).toEqual([major, major, major])
  })

  test("sets nothing that the service does not read", () => {
    const known = Object.values(SETTINGS).map(({ name }) => name)
    for (const [, name] of last.matchAll(/\b(CURBLINE_[A-Z_]+|NODE_ENV)=/g)) expect(known).toContain(name)
  })
})

describe("compose.yaml", () => {
  const { services, volumes } = parse(text("compose.yaml"), { strict: true, uniqueKeys: true }) as Compose
  const { curbline: service, postgres } = services

  test("sets nothing that the service does not read, and all that PostgreSQL makes it need", () => {
    const known = Object.values(SETTINGS).map(({ name }) => name)
    const names = Object.keys(service?.environment ?? {})
    expect(known).toEqual(expect.arrayContaining(names))
    expect(names).toEqual(expect.arrayContaining(["CURBLINE_SECRET", "DATABASE_URL"]))
  })

  test("holds no password, and is open to this machine alone", () => {
    for (const value of [service?.environment["CURBLINE_SECRET"], postgres?.environment["POSTGRES_PASSWORD"]])
      expect(value).toMatch(/^\$\{[A-Z_]+:\?.+\}$/)
    for (const port of service?.ports ?? []) expect(port).toMatch(/^127\.0\.0\.1:/)
    expect(postgres?.ports).toBeUndefined()
  })

  test("lets a stop take its time, starts behind a database that answers, and names its volumes", () => {
    expect(Number.parseInt(service?.stop_grace_period ?? "", 10) * 1_000).toBeGreaterThan(STOP_MS_MAX)
    expect(service?.depends_on).toEqual({ postgres: { condition: "service_healthy" } })
    expect(postgres?.healthcheck).toBeDefined()
    const named = [service, postgres].flatMap((one) =>
      (one?.volumes ?? []).map((volume) => volume.split(":")[0]),
    )
    expect(new Set(named)).toEqual(new Set(Object.keys(volumes)))
  })
})

describe("curbline config --systemd", async () => {
  const { status, out } = await curblineHere("config", "--systemd")

  test("prints a unit that starts this program and gives a stop its time", () => {
    expect(status).toBe(0)
    expect(out).toMatch(/^ExecStart=\/\S+ \/\S*src\/cli\/curbline\.js serve$/m)
    expect(Number(/^TimeoutStopSec=(\d+)$/m.exec(out)?.[1]) * 1_000).toBeGreaterThan(STOP_MS_MAX)
    const [, program = ""] = /^ExecStart=\S+ (\S+) serve$/m.exec(out) ?? []
    expect(existsSync(program)).toBe(true)
  })

  test("names each directive once, in sections that systemd knows", () => {
    const lines = out.split("\n").filter((line) => line !== "" && !line.startsWith("#"))
    const sections = lines.filter((line) => line.startsWith("["))
    expect(sections).toEqual(["[Unit]", "[Service]", "[Install]"])
    const names = lines.filter((line) => !line.startsWith("[")).map((line) => /^([A-Z]\w+)=/.exec(line)?.[1])
    expect(names).not.toContain(undefined)
    expect(names.filter((name, at) => names.indexOf(name) !== at)).toEqual([])
  })

  test("passes systemd's own check where the machine has it", () => {
    const file = join(mkdtempSync(join(tmpdir(), "curbline-unit-")), "curbline.service")
    writeFileSync(file, out)
    const {
      error,
      stderr,
      status: found,
    } = spawnSync("systemd-analyze", ["verify", file], { encoding: "utf8" })
    expect(error === undefined ? [found, stderr] : [0, ""]).toEqual([0, ""])
  })
})

describe("pages built beforehand", () => {
  test("need no bundler: it is a development dependency", () => {
    const { dependencies, devDependencies } = JSON.parse(text("package.json")) as Record<string, object>
    expect([dependencies, devDependencies].map((some) => "vite" in (some ?? {}))).toEqual([false, true])
  })
})
