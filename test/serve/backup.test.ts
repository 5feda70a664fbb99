/** `curbline backup` of a running service, and what becomes of it in a new folder. */

import {
  copyFileSync,
  existsSync,
  mkdirSync,
  readFileSync,
  readdirSync,
  statSync,
  writeFileSync,
} from "node:fs"
import { join } from "node:path"
import { afterAll, beforeAll, describe, expect, test } from "vitest"
import { curbline } from "../cli/command-line.ts"
import { curblineHere } from "../cli/same-process.ts"
import {
  booking,
  call,
  dataFolder,
  preparedDataFolder,
  startProcess,
  startReceiver,
} from "./service-process.ts"
import type { Receiver, ServiceProcess } from "./service-process.ts"

const EVENTS = ["reservation.status_changed"]

describe("a backup of the embedded database", () => {
  const data = preparedDataFolder()
  const top = dataFolder()
  const file = join(top, "curbline.backup")
  let receiver: Receiver
  let service: ServiceProcess

  beforeAll(async () => {
    receiver = await startReceiver()
    service = await startProcess(data)
    const { sandbox } = service.access
    await call(sandbox, "POST", "/rs/v1/webhooks", { url: `${receiver.url}/hook`, subscribed_events: EVENTS })
    const { status } = await call(
      sandbox,
      "POST",
      "/rs/v1/reservations",
      booking(sandbox, "http://127.0.0.1:9/open"),
    )
    if (status !== 201) throw new Error(`not booked: ${status}`)
    await receiver.count(1)
  })
  afterAll(async () => {
    await service.stop()
    await receiver.close()
  })

  test("is taken from the running service, verified, readable by its owner alone, without the secret", () => {
    const { status, out, err } = curbline("backup", file, "--data", data)
    expect([status, err]).toEqual([0, ""])
    expect(out).toMatch(/verified by replaying [1-9]\d* journal entries of [1-9]\d* groups/)
    expect(statSync(file).mode & 0o777).toBe(0o600)
    const secret = readFileSync(join(data, "secret"), "utf8")
    expect(readFileSync(file).includes(secret)).toBe(false)
    expect(readdirSync(top)).toEqual(["curbline.backup"])
  })

  test("is not written over another file", async () => {
    expect(await curblineHere("backup", file, "--data", data)).toMatchObject({
      status: 2,
      err: expect.stringContaining("is there already"),
    })
  })

  test("is refused with another secret, and nothing is written", async () => {
    const wrong = join(top, "wrong")
    writeFileSync(wrong, "x".repeat(64))
    const into = join(top, "refused")
    const { status, err } = await curblineHere("restore", file, "--data", into, "--secret-file", wrong)
    expect([status, err]).toEqual([2, expect.stringContaining("not the secret of the service")])
    expect(existsSync(into)).toBe(false)
  })

  test("goes into a folder that holds a cache alone", async () => {
    const into = join(top, "cached")
    mkdirSync(join(into, "cache"), { recursive: true })
    const { status, out } = await curblineHere(
      "restore",
      file,
      "--data",
      into,
      "--secret-file",
      join(data, "secret"),
    )
    expect([status, out]).toEqual([0, expect.stringContaining("restored")])
  })

  test("is refused into a folder that holds something", async () => {
    const into = join(top, "full")
    mkdirSync(into)
    writeFileSync(join(into, "note"), "")
    const { status, err } = await curblineHere(
      "restore",
      file,
      "--data",
      into,
      "--secret-file",
      join(data, "secret"),
    )
    expect([status, err]).toEqual([2, expect.stringContaining("is not empty")])
    expect(readdirSync(into)).toEqual(["note"])
  })

  test("that has lost a byte is refused", async () => {
    const damaged = join(top, "damaged")
    writeFileSync(damaged, readFileSync(file).subarray(0, -1))
    const { status, err } = await curblineHere(
      "restore",
      damaged,
      "--data",
      join(top, "no"),
      "--secret-file",
      join(data, "secret"),
    )
    expect([status, err]).toEqual([2, expect.stringContaining("is damaged")])
  })

  test("becomes a service that makes no calls until they are released", async () => {
    const into = join(top, "restored")
    const { status, out } = await curblineHere(
      "restore",
      file,
      "--data",
      into,
      "--secret-file",
      join(data, "secret"),
    )
    expect([status, out]).toEqual([0, expect.stringContaining("calls to the outside are held")])
    expect(statSync(into).mode & 0o777).toBe(0o700)
    // Its keys are in the database; the file with their values is not part of a backup.
    copyFileSync(join(data, "demo.json"), join(into, "demo.json"))
    const restored = await startProcess(into)
    try {
      const { sandbox } = restored.access
      const before = receiver.received.length
      const booked = await call(
        sandbox,
        "POST",
        "/rs/v1/reservations",
        booking(sandbox, "http://127.0.0.1:9/open", "1002"),
      )
      expect(booked.status).toBe(201)
      const figures = async (): Promise<string> => (await fetch(`${sandbox.base_url}/metrics`)).text()
      const rounds = async (): Promise<number> =>
        Number(/^curbline_wake_up_rounds_total (\d+)/m.exec(await figures())?.[1])
      const seen = await rounds()
      await expect.poll(rounds).toBeGreaterThan(seen + 2)
      expect(await figures()).toContain("curbline_calls_held 1")
      expect(restored.log()).toContain("calls to the outside are held since")
      expect(receiver.received).toHaveLength(before)
      const ready = await fetch(`${sandbox.base_url}/readyz`)
      expect([ready.status, await ready.json()]).toEqual([
        200,
        {
          status: "ready",
          checks: expect.anything(),
          notes: { calls: expect.stringMatching(/^held since 20/) },
        },
      ])
      const asked = await curblineHere("calls", "status", "--json", "--data", into)
      expect(JSON.parse(asked.out)).toMatchObject({
        are_held: true,
        held_by: "restore",
        calls_waiting: expect.any(Number),
      })
      expect((JSON.parse(asked.out) as { readonly calls_waiting: number }).calls_waiting).toBeGreaterThan(0)

      expect(await curblineHere("restore", "--resume-calls", "--data", into)).toMatchObject({
        status: 0,
        out: "outbound calls are allowed again\n",
      })
      await expect.poll(figures).toContain("curbline_calls_held 0")
      expect(await (await fetch(`${sandbox.base_url}/readyz`)).json()).not.toHaveProperty("notes")
      // A new booking's call is sent at once; the held one is retried after its lease.
      await call(sandbox, "POST", "/rs/v1/reservations", booking(sandbox, "http://127.0.0.1:9/open", "1003"))
      await receiver.count(before + 1)
    } finally {
      await restored.stop()
    }
  })
})
