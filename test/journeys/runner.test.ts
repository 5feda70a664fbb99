/**
 * A shift, over the service as a user starts it: a phone is paired, carries an order with its photo, and goes on with the
 * same session after the service was killed in the middle; what it sends again then is not made twice.
 */

import sharp from "sharp"
import { afterAll, describe, expect, test } from "vitest"
import { freePort } from "../free-port.ts"
import { databasesOf } from "./served.ts"
import { booking, call, dataFolderOn, startProcess } from "../serve/service-process.ts"
import type { Answer, ServiceProcess } from "../serve/service-process.ts"
import { phonePhoto } from "../photos.ts"
import { startPostgres } from "../engine/store/postgres-server.ts"
import type { PostgresDatabase } from "../engine/store/postgres-server.ts"

const SECRET = "a secret of the journeys, of 32 characters or more"

interface Sent {
  readonly cookie?: string
  readonly key?: string
  readonly body?: object
}

interface Task {
  readonly next_move: string | null
  readonly handoff: { readonly status: string }
}

interface FromPhone {
  readonly status: number
  readonly cookie: string
  readonly data: {
    readonly task?: Task
    readonly is_repeat?: boolean
    readonly me?: { readonly runner_name: string }
  }
}

async function fromPhone(
  base: string,
  path: string,
  { cookie = "", key, body }: Sent = {},
): Promise<FromPhone> {
  const isPhoto = body instanceof Uint8Array
  const response = await fetch(`${base}/runner/api${path}`, {
    method: path === "/me" ? "GET" : "POST",
    headers: {
      cookie,
      "x-curbline-runner": "1",
      ...(key === undefined ? {} : { "idempotency-key": key }),
      ...(body === undefined ? {} : { "content-type": isPhoto ? "image/jpeg" : "application/json" }),
    },
    ...(body === undefined ? {} : { body: isPhoto ? body.slice() : JSON.stringify(body) }),
  })
  const { data = {} } = (await response.json()) as { readonly data?: FromPhone["data"] }
  return { status: response.status, cookie: response.headers.get("set-cookie")?.split(";")[0] ?? "", data }
}

/** Reads a stream until it names the group. */
async function untilTold({ body }: Response, group: string): Promise<void> {
  let text = ""
  for await (const chunk of body?.pipeThrough(new TextDecoderStream()) ?? []) {
    text += chunk
    if (text.includes(`"${group}"`)) return
  }
  throw new Error(`the stream ended without ${group}: ${text}`)
}

const codeIn = ({ body }: Answer): string =>
  (body.data as unknown as { readonly pairing: { readonly path: string } }).pairing.path.replace(
    "/runner#pair=",
    "",
  )

describe.each(databasesOf("PostgreSQL"))("a runner's shift, on %s", (database) => {
  let postgres: PostgresDatabase | null = null
  let service: ServiceProcess | null = null
  afterAll(async () => {
    await service?.stop()
    await postgres?.stop()
  })

  test("goes on after the service was killed", async () => {
    if (database === "PostgreSQL") postgres = await startPostgres()
    const ports = [await freePort(), await freePort()] as const
    const data = dataFolderOn(database)
    const more =
      postgres === null
        ? {}
        : { env: { DATABASE_URL: postgres.url, CURBLINE_SECRET: SECRET }, words: ["--demo"] }
    service = await startProcess(data, ports, more)
    const { production } = service.access
    const base = service.urls.production
    const booked = await call(
      production,
      "POST",
      "/rs/v1/reservations",
      booking(production, "http://127.0.0.1:9/open"),
    )
    const { reservation_id: id } = booked.body.data.reservation
    const operator = { ...production, api_key: production.operator_token }
    const pairings = `/internal/v1/sites/${production.site_id}/pairings`
    const made = await call(operator, "POST", pairings, { runner_name: "Maya R." })
    const { cookie, data: paired } = await fromPhone(base, "/pair", { body: { code: codeIn(made) } })
    expect(paired.me?.runner_name).toBe("Maya R.")
    const move = (name: string, key: string, body?: object): Promise<FromPhone> =>
      fromPhone(base, `/tasks/${id}/${name}`, { cookie, key, ...(body === undefined ? {} : { body }) })
    await move("runner", "1")
    expect((await move("at-store", "2")).data.task?.handoff.status).toBe("AT_STORE")

    await service.kill()
    service = await startProcess(data, ports, more)

    expect((await fromPhone(base, "/me", { cookie })).data.me?.runner_name).toBe("Maya R.")
    const again = await move("at-store", "2")
    expect([again.data.is_repeat, again.data.task?.next_move]).toEqual([true, "order-in-hand"])
    await move("order-in-hand", "3")
    await move("at-unit", "4")
    const stream = await fetch(`${base}/runner/api/stream`, { headers: { cookie } })
    await call(production, "POST", `/rs/v1/reservations/${id}/bot`, { status: "READY_FOR_HANDOFF" })
    await untilTold(stream, `reservation/${id}`)
    expect((await move("load", "5", await phonePhoto())).data.task?.handoff.status).toBe("LOADED")
    const seen = await call(production, "GET", `/rs/v1/reservations/${id}`)
    const { handoff } = seen.body.data.reservation as unknown as { handoff: { load_photo_url: string } }
    const photo = Buffer.from(await (await fetch(handoff.load_photo_url)).arrayBuffer())
    const { format, width, height, exif } = await sharp(photo).metadata()
    expect([format, width, height, exif]).toEqual(["jpeg", 40, 60, undefined])
    const ended = await fromPhone(base, "/sign-out", { cookie })
    expect([ended.status, (await fromPhone(base, "/me", { cookie })).status]).toEqual([200, 401])
  })
})
