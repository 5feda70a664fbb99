/** A developer who makes things fail in the sandbox: real processes, a real receiver, kills during a course, on both databases. */

import { createServer } from "node:http"
import type { Server } from "node:http"
import type { AddressInfo } from "node:net"
import { join } from "node:path"
import { once } from "node:events"
import { afterAll, beforeAll, describe, expect, test } from "vitest"
import { curblineHereWith } from "../cli/same-process.ts"
import { freePort } from "../free-port.ts"
import { dataFolder, dataFolderOn, startProcess } from "../serve/service-process.ts"
import type { Access, ServiceProcess } from "../serve/service-process.ts"
import { startPostgres } from "../engine/store/postgres-server.ts"
import type { PostgresDatabase } from "../engine/store/postgres-server.ts"
import { databasesOf } from "./served.ts"
import type { Json } from "./served.ts"

const MINUTE_MS = 60_000
const SECRET = "a secret of the journeys, of 32 characters or more"

/** A receiver that may keep requests waiting. */
class Receiver {
  readonly bodies: Json[] = []
  isHolding = false
  #release: (() => void)[] = []
  readonly #server: Server = createServer((request, response) => {
    const chunks: Buffer[] = []
    request.on("data", (chunk: Buffer) => chunks.push(chunk))
    request.on("end", () => {
      this.bodies.push(JSON.parse(Buffer.concat(chunks).toString("utf8")))
      if (this.isHolding) this.#release.push(() => response.end())
      else response.end()
    })
  })

  async open(): Promise<void> {
    this.#server.listen(0, "127.0.0.1")
    await once(this.#server, "listening")
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}/hook`
  }

  release(): void {
    this.isHolding = false
    for (const one of this.#release.splice(0)) one()
  }

  async close(): Promise<void> {
    this.release()
    this.#server.closeAllConnections()
    this.#server.close()
    await once(this.#server, "close")
  }
}

interface Answered {
  readonly status: number
  readonly code: string | undefined
  readonly data: Json
}

describe.each(databasesOf("the embedded database"))("scenarios of the sandbox, on %s", (kind) => {
  const receiver = new Receiver()
  const data = dataFolderOn(kind)
  let postgres: PostgresDatabase | null = null
  let ports: readonly [number, number] = [0, 0]
  let service: ServiceProcess
  let access: Access

  const env = (): NodeJS.ProcessEnv =>
    postgres === null
      ? { DATABASE_URL: "", CURBLINE_SECRET: "" }
      : { DATABASE_URL: postgres.url, CURBLINE_SECRET: SECRET }
  const start = async (): Promise<void> => {
    service = await startProcess(data, ports, { words: ["--demo"], env: env() })
    access = service.access.sandbox
  }

  beforeAll(async () => {
    await receiver.open()
    if (kind === "PostgreSQL") postgres = await startPostgres()
    ports = [await freePort(), await freePort()]
    await start()
  })
  afterAll(async () => {
    receiver.release()
    const status = await service.stop()
    await postgres?.stop()
    await receiver.close()
    if (status !== 0) throw new Error(`the service ended with ${String(status)}: ${service.log()}`)
  })

  const ask = async (method: string, path: string, body?: object, host?: string): Promise<Answered> => {
    const response = await fetch(`${host ?? service.urls.sandbox}${path}`, {
      method,
      headers: {
        authorization: `Bearer ${access.api_key}`,
        "x-retailer-id": access.site_id,
        ...(body === undefined ? {} : { "content-type": "application/json" }),
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    })
    const answer = (await response.json()) as Json
    return { status: response.status, code: answer.code, data: answer.data }
  }
  const runOf = async (id: string): Promise<Json> =>
    (await ask("GET", `/sandbox/v1/scenarios/runs/${id}`)).data.run
  const ended = async (id: string): Promise<Json> => {
    await expect.poll(async () => (await runOf(id)).status).not.toBe("running")
    return runOf(id)
  }
  const played = async (body: object): Promise<Json> => {
    const begun = await ask("POST", "/sandbox/v1/scenarios", body)
    expect([begun.code, begun.status === 200 || begun.status === 202]).toEqual([undefined, true])
    return ended(begun.data.run.id)
  }
  const outcomes = (run: Json): readonly string[] => run.steps.map((step: Json) => step.status)
  const ofReservation = (id: string): readonly Json[] =>
    receiver.bodies.filter((body) => body.data?.reservation?.reservation_id === id)

  test("every scenario of the list plays to its end for a new delivery or reservation", async () => {
    const made = await ask("POST", "/rs/v1/webhooks", {
      url: receiver.url,
      subscribed_events: ["reservation.status_changed", "reservation.exception"],
    })
    expect(made.status).toBe(201)
    const { scenarios } = (await ask("GET", "/sandbox/v1/scenarios")).data
    expect(scenarios.length).toBeGreaterThanOrEqual(6)
    for (const { name, steps } of scenarios) {
      const run = await played({ scenario: name })
      expect([name, run.status, run.code]).toEqual([name, "finished", null])
      expect(outcomes(run)).toHaveLength(steps.length)
      for (const outcome of outcomes(run))
        expect([name, ["done", "as_expected"]]).toEqual([name, expect.arrayContaining([outcome])])
    }
  })

  test("the bot does not come: the exception arrives once, at the organization's instant", async () => {
    const run = await played({ scenario: "bot_no_show" })
    const told = ofReservation(run.reservation_id).filter((body) => body.data.reason_code === "bot_no_show")
    expect(told).toHaveLength(1)
    expect(Date.parse(told[0].occurred_at)).toBe(Date.parse(run.steps[4].at))
    // The sandbox has cancelled what it made.
    const { reservation } = (await ask("GET", `/rs/v1/reservations/${run.reservation_id}`)).data
    expect(reservation.status).toBe("canceled")
  })

  test("the process is killed during a course: it goes on, and no step happens twice", async () => {
    receiver.isHolding = true
    const begun = await ask("POST", "/sandbox/v1/scenarios", { scenario: "bot_no_show" })
    expect([begun.status, begun.data.run.status]).toEqual([202, "running"])
    const { id, reservation_id: reservationId } = begun.data.run
    const again = await ask("POST", "/sandbox/v1/scenarios", { scenario: "payload_rejected" })
    expect([again.status, again.code]).toEqual([409, "CLOCK_IS_MOVING"])
    await service.kill()
    receiver.release()
    await start()
    const run = await ended(id)
    expect(run.status).toBe("finished")
    expect(outcomes(run)).toEqual(["done", "done", "done", "done", "as_expected", "as_expected"])
    const minutes = run.steps.map(({ at }: Json) =>
      Math.round((Date.parse(at) - Date.parse(run.steps[0].at)) / MINUTE_MS),
    )
    expect(minutes).toEqual([0, 2, 5, 9, 19, 19])
    const turns = run.happened.items.filter((one: Json) => one.group === `reservation/${reservationId}`)
    const commands = turns.filter((one: Json) => one.cause === "command").map((one: Json) => one.event)
    expect(commands.slice(0, 4)).toEqual([
      "runner.assigned",
      "runner.at_store",
      "order.in_hand",
      "runner.at_unit",
    ])
    // The cancellation of what the sandbox made.
    expect(commands).toHaveLength(5)
  })

  test("killed again and again, a delivery's course ends as one that was not", async () => {
    const made = await ask("POST", "/dd/v1/webhooks", {
      url: receiver.url,
      events: ["pickup_status.changed"],
    })
    expect(made.status).toBe(201)
    receiver.isHolding = true
    const begun = await ask("POST", "/sandbox/v1/scenarios", { scenario: "vehicle_breaks_down" })
    expect([begun.status, begun.data?.run.status]).toEqual([202, "running"])
    const { id } = begun.data.run
    for (let kills = 0; kills < 2; kills += 1) {
      await service.kill()
      if (kills === 1) receiver.release()
      await start()
      if (kills === 0) expect((await runOf(id)).status).toBe("running")
    }
    const run = await ended(id)
    expect([run.status, ...outcomes(run)]).toEqual([
      "finished",
      "done",
      "done",
      "done",
      "done",
      "as_expected",
      "done",
    ])
    const events = run.happened.items
      .filter((one: Json) => one.group === `delivery/${run.delivery_id}` && one.cause === "command")
      .map((one: Json) => one.event)
    expect(events).toEqual(["step.advanced", "step.advanced", "cancel.requested"])
    // The vehicle is back.
    expect((await played({ scenario: "no_vehicle" })).status).toBe("finished")
  })

  test("production has none, and the journal replays to the same hashes", async () => {
    const { production } = service.urls
    const { status } = await ask("GET", "/sandbox/v1/scenarios", undefined, production)
    expect(status).toBe(404)
    const record = join(dataFolder(), "record.ndjson")
    if (postgres === null) await service.stop()
    const exported = await curblineHereWith(env(), "journal", "export", "--out", record, "--data", data)
    expect(exported.status).toBe(0)
    const [hash] = /[0-9a-f]{64}/.exec(exported.err) ?? []
    const replayed = await curblineHereWith({}, "replay", record)
    expect(replayed.status).toBe(0)
    expect(`${replayed.out}${replayed.err}`).toContain(hash)
    if (postgres === null) await start()
  })
})
