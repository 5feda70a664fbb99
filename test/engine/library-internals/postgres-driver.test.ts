/**
 * What src/engine/library-internals/postgres-driver.ts relies on in postgres 3.4.9, and the defects that it is there for: when one of the
 * latter tests fails after an upgrade, the driver has been mended, and the file may shrink.
 */

import { once } from "node:events"
import { connect, createServer } from "node:net"
import type { AddressInfo, Socket } from "node:net"
import { setTimeout as after } from "node:timers/promises"
import postgres from "postgres"
import { afterAll, beforeAll, describe, expect, test } from "vitest"
import { driverOf, watched } from "../../../src/engine/library-internals/postgres-driver.ts"
import { startPostgres } from "../store/postgres-server.ts"
import type { PostgresDatabase } from "../store/postgres-server.ts"

let server: PostgresDatabase | null = null
beforeAll(async () => {
  server = await startPostgres({ isEmpty: true })
})
afterAll(() => server?.stop())

async function socketTo(url: string): Promise<Socket> {
  const { hostname, port } = new URL(url)
  const socket = connect(Number(port), hostname)
  await once(socket, "connect")
  return Object.assign(socket, { host: hostname })
}

describe("what we rely on", () => {
  test("the hosts of a URL are known in their order, and the driver keeps the first", () => {
    const { driver, hosts } = driverOf("postgres://u@one:1,two:2/db", {}, () =>
      Promise.reject(new Error("none")),
    )
    expect(hosts).toEqual([
      { host: "one", port: 1 },
      { host: "two", port: 2 },
    ])
    expect(driver.options.host).toEqual(["one"])
  })

  test("statements go over the socket that we give, and each says when it is answered", async () => {
    const { url } = server ?? { url: "" }
    let sockets = 0
    const { driver } = driverOf(url, { fetch_types: false }, () => {
      sockets += 1
      return socketTo(url)
    })
    const answered: string[] = []
    const good = driver.unsafe("select 1 as one").execute()
    const bad = driver.unsafe("select nothing").execute()
    watched(good, () => answered.push("good"))
    watched(bad, () => answered.push("bad"))
    expect([...(await good)]).toEqual([{ one: 1 }])
    await expect(bad).rejects.toMatchObject({ code: "42703" })
    expect([answered, sockets]).toEqual([["good", "bad"], 1])
    await driver.end()
  })

  test("a statement can be failed in the driver's place", async () => {
    const { driver } = driverOf(server?.url ?? "", {}, () => new Promise(() => undefined))
    const query = driver.unsafe("select 1").execute()
    const fail = watched(query, () => undefined)
    fail(new Error("given up"))
    await expect(query).rejects.toThrow("given up")
  })
})

describe("defects of the driver", () => {
  test("a result behind a statement that failed after its first rows begins with empty places", async () => {
    const driver = postgres(server?.url ?? "", { max: 1, fetch_types: false })
    await driver.unsafe("select 1")
    const failing = driver.unsafe("select 1 / (3 - n) from generate_series(1, 5) n").execute()
    const next = driver.unsafe("select 7 as seven").execute()
    await expect(failing).rejects.toMatchObject({ code: "22012" })
    const rows = await next
    expect([rows.length > 1, 0 in rows]).toEqual([true, false])
    await driver.end()
    const mended = driverOf(server?.url ?? "", { fetch_types: false }, () => socketTo(server?.url ?? ""))
    const bad = mended.driver.unsafe("select 1 / (3 - n) from generate_series(1, 5) n").execute()
    const good = mended.driver.unsafe("select 7 as seven").execute()
    watched(good, () => undefined)
    await expect(bad).rejects.toMatchObject({ code: "22012" })
    expect([...(await good)]).toEqual([{ seven: 7 }])
    await mended.driver.end()
  })

  test("statements on its pool are never answered when no host can be reached and it may try another", async () => {
    const nowhere = createServer().listen(0, "127.0.0.1")
    await once(nowhere, "listening")
    const { port } = nowhere.address() as AddressInfo
    nowhere.close()
    const driver = postgres(`postgres://u@127.0.0.1:${port},127.0.0.1:${port}/db`, {
      max: 1,
      connect_timeout: 1,
    })
    const answers = [1, 2].map((value) =>
      driver.unsafe("select $1::int", [value]).then(
        () => true,
        () => false,
      ),
    )
    const first = await Promise.race([Promise.all(answers).then(() => "answered"), after(500, "silent")])
    expect(first).toBe("silent")
    await driver.end({ timeout: 0 }).catch(() => undefined)
  })
})
