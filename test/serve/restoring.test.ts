/** Backups and restores beside a running service: of a stopped one, with a typed secret, on PostgreSQL; and the hold on calls. */

import { execFileSync, spawn } from "node:child_process"
import { once } from "node:events"
import { existsSync, readFileSync, readdirSync, statSync, symlinkSync } from "node:fs"
import { join } from "node:path"
import { Effect } from "effect"
import postgres from "postgres"
import { beforeAll, describe, expect, test } from "vitest"
import { layerPglite } from "../../src/engine/store/database.ts"
import { layerTables } from "../../src/engine/store/sql-tables.ts"
import { OperatorAudit } from "../../src/apps/inspector/audit.ts"
import { ROOT, folder } from "../cli/command-line.ts"
import { curblineHere, curblineHereWith } from "../cli/same-process.ts"
import { folderWithDump } from "../engine/store/postgres-programs.ts"
import { startServer } from "../engine/store/postgres-server.ts"
import { copyOf, dataFolder, preparedDataFolder, startProcess } from "./service-process.ts"
import type { Access } from "./service-process.ts"

/** A stopped service's folder; each test works on a copy of its own. */
const stopped = preparedDataFolder()

beforeAll(async () => {
  const service = await startProcess(stopped)
  const status = await service.stop()
  if (status !== 0) throw new Error(`the service ended with ${status}`)
})

interface Calls {
  readonly are_held: boolean
  readonly held_since: string | null
  readonly held_by: string | null
  readonly calls_waiting: number
  readonly messages_waiting: number
}

async function askCalls({ base_url: base, operator_token: token }: Access, method: "GET" | "POST") {
  const answer = await fetch(`${base}/internal/v1/calls${method === "GET" ? "" : "/release"}`, {
    method,
    headers: { Authorization: `Bearer ${token}` },
  })
  return {
    status: answer.status,
    body: (await answer.json()) as { readonly data?: { readonly calls: Calls } },
  }
}

const FREE = {
  are_held: false,
  held_since: null,
  held_by: null,
  calls_waiting: expect.any(Number),
  messages_waiting: expect.any(Number),
}

describe("a backup of a stopped service", () => {
  test("is taken from its folder and restored with a secret that is typed and not shown", async () => {
    const data = copyOf(stopped)
    const file = join(folder(), "curbline.backup")
    const taken = await curblineHere("backup", file, "--data", data)
    expect([taken.status, taken.err]).toEqual([0, ""])
    expect(taken.out).toContain("verified by replaying")

    const into = join(folder(), "restored")
    const secret = readFileSync(join(data, "secret"), "utf8")
    const restored = await onTerminal(["restore", file, "--data", into], {
      asked: "secret of the service (it is not shown):",
      typed: `${secret}\n`,
    })
    expect(restored.status, restored.shown).toBe(0)
    expect(restored.shown).toContain("calls to the outside are held")
    expect(restored.shown).not.toContain(secret)
    // No mark of an unfinished first start may be there: a folder with it would begin with an empty database.
    expect(
      readdirSync(into)
        .filter((name) => !name.endsWith(".lock"))
        .toSorted(),
    ).toEqual(["database", "secret"])
    const shown = await curblineHere("calls", "status", "--json", "--data", into)
    expect(JSON.parse(shown.out)).toMatchObject({ are_held: true, held_by: "restore" })
  })

  test("goes into an empty folder that another one cannot replace, such as a volume or behind a link", async () => {
    const data = copyOf(stopped)
    const file = join(folder(), "curbline.backup")
    expect((await curblineHere("backup", file, "--data", data)).status).toBe(0)
    const [volume, link] = [folder(), join(folder(), "link")]
    symlinkSync(volume, link)
    const { ino } = statSync(volume)
    expect(
      await curblineHere("restore", file, "--data", link, "--secret-file", join(data, "secret")),
    ).toMatchObject({
      status: 0,
      err: "",
      out: expect.stringContaining(`--resume-calls --data ${link}`),
    })
    expect(statSync(volume).ino).toBe(ino)
    expect(
      readdirSync(volume)
        .filter((name) => !name.endsWith(".lock"))
        .toSorted(),
    ).toEqual(["database", "secret"])
    expect(JSON.parse((await curblineHere("calls", "status", "--json", "--data", link)).out)).toMatchObject({
      are_held: true,
    })
  })

  test("asks for a secret where no terminal is, and writes nothing", async () => {
    const data = copyOf(stopped)
    const file = join(folder(), "curbline.backup")
    expect((await curblineHere("backup", file, "--data", data)).status).toBe(0)
    const into = join(folder(), "restored")
    expect(await curblineHereWith({ CURBLINE_SECRET: "" }, "restore", file, "--data", into)).toMatchObject({
      status: 2,
      err: expect.stringContaining("--secret-file"),
    })
    expect(existsSync(into)).toBe(false)
  })
})

describe("the hold on calls", () => {
  test("is set by a command on a stopped service, shown to operators, and ended by them", async () => {
    const data = copyOf(stopped)
    expect(await curblineHere("restore", "--hold-calls", "--data", data)).toMatchObject({
      status: 0,
      out: "calls to the outside are held\n",
    })
    const service = await startProcess(data)
    const { production, sandbox } = service.access
    const readiness = async (): Promise<object> =>
      (await (await fetch(`${production.base_url}/readyz`)).json()) as object
    try {
      const held = await askCalls(production, "GET")
      expect(held.body.data?.calls).toEqual({
        ...FREE,
        are_held: true,
        held_since: expect.stringMatching(/^20/),
        held_by: "command",
      })
      expect(await readiness()).toMatchObject({ status: "ready", notes: { calls: expect.any(String) } })
      // What it has begun cannot be held.
      expect(await curblineHere("restore", "--hold-calls", "--data", data)).toMatchObject({
        status: 2,
        err: expect.stringContaining("stop the service first"),
      })
      // The hold is one for both environments, so the sandbox has no say in it.
      expect((await askCalls(sandbox, "POST")).status).toBe(404)
      expect((await askCalls(production, "POST")).body.data?.calls).toEqual(FREE)
      // Again is fine.
      expect((await askCalls(production, "POST")).body.data?.calls).toEqual(FREE)
      await expect.poll(readiness).not.toHaveProperty("notes")
    } finally {
      await service.stop()
    }
    const entries = await auditOf(data)
    expect(entries).toMatchObject([{ actor: "calls", eventType: "calls.released", outcome: "taken" }])
    expect(entries[0]?.operator).not.toBe("command line")
  })

  test("is ended by the management command without a running service, which the audit keeps", async () => {
    const data = copyOf(stopped)
    expect((await curblineHere("restore", "--hold-calls", "--data", data)).status).toBe(0)
    const released = await curblineHere("calls", "release", "--json", "--data", data)
    expect(JSON.parse(released.out)).toEqual({
      are_held: false,
      held_since: null,
      held_by: null,
      calls_waiting: expect.any(Number),
      messages_waiting: expect.any(Number),
    })
    expect(await auditOf(data)).toMatchObject([{ eventType: "calls.released", operator: "command line" }])
    expect((await curblineHere("restore", "--resume-calls", "--data", data)).out).toBe(
      "calls to the outside were not held\n",
    )
  })
})

describe("PostgreSQL", () => {
  test("a database that was dumped and restored starts with calls held, as src/OPERATIONS.md says", async () => {
    const programs = folderWithDump()
    const server = await startServer(programs ?? undefined)
    try {
      const secret = { CURBLINE_SECRET: "a secret for tests, of 32 characters or more" }
      const original = { ...secret, DATABASE_URL: await madeDatabase(server.url, "original") }
      const copy = { ...secret, DATABASE_URL: new URL("/copy", server.url).href }
      const first = await startProcess(dataFolder(), undefined, { env: original })
      expect(await heldOn(original)).toMatchObject({ are_held: false })
      expect(await first.stop()).toBe(0)

      await copied(server.url, programs)
      expect(await curblineHereWith(copy, "restore", "--hold-calls")).toMatchObject({ status: 0, err: "" })
      expect(await heldOn(copy)).toMatchObject({ are_held: true, held_by: "command" })
      const second = await startProcess(first.data, undefined, { env: copy })
      try {
        expect(second.log()).toContain("calls to the outside are held since")
        expect(await curblineHereWith(copy, "restore", "--resume-calls")).toMatchObject({
          status: 0,
          out: "outbound calls are allowed again\n",
        })
        const ready = async () => (await (await fetch(`${second.urls.sandbox}/readyz`)).json()) as object
        await expect.poll(ready).not.toHaveProperty("notes")
      } finally {
        await second.stop()
      }
    } finally {
      await server.stop()
    }
  })

  async function heldOn(database: NodeJS.ProcessEnv): Promise<unknown> {
    const { out, err } = await curblineHereWith(database, "calls", "status", "--json")
    expect(err).toBe("")
    return JSON.parse(out)
  }

  /** By the documented commands where the server has them, else by a copy inside the server. */
  async function copied(url: string, programs: string | null): Promise<void> {
    if (programs === null) return void (await madeDatabase(url, "copy", "original"))
    const file = join(folder(), "curbline.dump")
    const target = await madeDatabase(url, "copy")
    const from = new URL("/original", url).href
    execFileSync(join(programs, "pg_dump"), ["--format=custom", `--file=${file}`, from])
    execFileSync(join(programs, "pg_restore"), [`--dbname=${target}`, "--no-owner", "--exit-on-error", file])
  }

  async function madeDatabase(url: string, name: string, template = "template1"): Promise<string> {
    const client = postgres(url, { max: 1 })
    await client.unsafe(`create database ${name} template ${template}`)
    await client.end()
    return new URL(`/${name}`, url).href
  }
})

/** What operators did by hand, in a stopped service's database. */
function auditOf(data: string) {
  const reading = Effect.flatMap(OperatorAudit, (audit) =>
    audit.list({ environment: "production", beforeNumber: null, limit: 10 }),
  ).pipe(
    Effect.provide(OperatorAudit.layer),
    Effect.provide(layerTables),
    Effect.provide(layerPglite({ folder: join(data, "database") })),
  )
  return Effect.runPromise(reading)
}

/** Runs the command on a terminal, made by the program `script`, and types when the prompt appears. */
async function onTerminal(words: readonly string[], { asked, typed }: { asked: string; typed: string }) {
  const command = [process.execPath, "src/cli/curbline.js", ...words]
  const quoted = command.map((word) => `'${word.replaceAll("'", "'\\''")}'`).join(" ")
  const args = process.platform === "darwin" ? ["-q", "/dev/null", ...command] : ["-qec", quoted, "/dev/null"]
  const child = spawn("script", args, {
    cwd: ROOT,
    env: { ...process.env, NO_COLOR: "1", CURBLINE_SECRET: "" },
    stdio: ["pipe", "pipe", "inherit"],
  })
  let shown = ""
  let isTyped = false
  child.stdout.setEncoding("utf8").on("data", (text: string) => {
    shown += text
    if (isTyped || !shown.includes(asked)) return
    isTyped = true
    child.stdin.end(typed)
  })
  const [status] = (await once(child, "close")) as [number | null]
  return { status, shown }
}
