/** Look-ups of host names over a name server on the loopback. */

import { mkdtempSync, writeFileSync } from "node:fs"
import { readFile } from "node:fs/promises"
import type { LookupOptions } from "node:dns"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { Effect } from "effect"
import { afterAll, beforeAll, describe, expect, test } from "vitest"
import { configuredHosts } from "../../../src/live/gateways/configured-hosts.ts"
import { HostsFile } from "../../../src/live/gateways/hosts-file.ts"
import { layerNameLookup } from "../../../src/live/gateways/name-lookup.ts"
import { NameLookup } from "../../../src/engine/services/outbound/name-lookup.ts"
import type { Resolution } from "../../../src/engine/services/outbound/name-lookup.ts"
import { nameLookupContract } from "../../conformance/name-lookup.ts"
import { PRIVATE_ADDRESS, PUBLIC_ADDRESS, startNameServer } from "../../serve/name-server.ts"
import type { NameServer } from "../../serve/name-server.ts"

let server: NameServer
beforeAll(async () => {
  server = await startNameServer()
})
afterAll(() => server.stop())

function hostsFileWith(text: string): string {
  const path = join(mkdtempSync(join(tmpdir(), "curbline-hosts-")), "hosts")
  writeFileSync(path, text)
  return path
}

function run<A, E>(effect: Effect.Effect<A, E, NameLookup>, hosts = new HostsFile()): Promise<A> {
  return Effect.runPromise(Effect.provide(effect, layerNameLookup({ servers: [server.address], hosts })))
}

function resolve(host: string, hosts?: HostsFile): Promise<Resolution> {
  return run(
    Effect.flatMap(NameLookup, (names) => names.resolve(host)),
    hosts,
  )
}

nameLookupContract("name servers", () => ({
  run,
  names: {
    public: "open.partner.example",
    private: "private.partner.example",
    unknown: "unknown.partner.example",
    unavailable: "away.partner.example",
  },
}))

describe("G19: a look-up by name servers", () => {
  test("gives the addresses of both families", async () => {
    expect(await resolve("dual.partner.example")).toEqual({
      type: "addresses",
      addresses: [PUBLIC_ADDRESS, "2606:4700:4700::1111"],
    })
    expect(await resolve("private.partner.example")).toEqual({
      type: "addresses",
      addresses: [PRIVATE_ADDRESS],
    })
  })

  test("gives the addresses of one family when the other gets no answer", async () => {
    expect(await resolve("half.partner.example")).toEqual({ type: "addresses", addresses: [PUBLIC_ADDRESS] })
  })

  test("asks for the name as it is, without the search domains of the machine", async () => {
    await resolve("unknown-single")
    expect(new Set(server.asked.filter((name) => name.startsWith("unknown-single")))).toEqual(
      new Set(["unknown-single"]),
    )
  })

  test("many silent names delay neither other names nor the threads of files", async () => {
    let ended = 0
    const silent = Array.from({ length: 100 }, (_, at) => resolve(`silent${at}.partner.example`))
    for (const one of silent) void one.then(() => (ended += 1))
    expect(await resolve("open.partner.example")).toEqual({ type: "addresses", addresses: [PUBLIC_ADDRESS] })
    await readFile(import.meta.filename)
    expect(ended).toBe(0)
    // Told apart from other failures, so that it is not tried again at once.
    for (const one of await Promise.all(silent)) expect(one).toEqual({ type: "unavailable", keptMs: 5_000 })
  })
})

describe("G19: a name of the machine itself", () => {
  const HOSTS =
    "127.0.0.1 localhost\n::1\tLocalhost ip6-localhost # both\n10.1.2.3 box.example box\n#10.9.9.9 no\n"

  test.each([
    ["localhost", ["127.0.0.1", "::1"]],
    ["box.example", ["10.1.2.3"]],
    ["BOX.example.", ["10.1.2.3"]],
    ["any.localhost", ["127.0.0.1", "::1"]],
  ])("%s needs no name server", async (host, addresses) => {
    const before = server.asked.length
    const found = await resolve(host, new HostsFile(hostsFileWith(HOSTS)))
    expect(found).toEqual({ type: "addresses", addresses })
    expect(server.asked.length).toBe(before)
  })

  test("`localhost` is known without a hosts file, and other names are asked for", async () => {
    const none = new HostsFile(join(tmpdir(), "no such folder", "hosts"))
    expect(await resolve("localhost", none)).toEqual({ type: "addresses", addresses: ["127.0.0.1", "::1"] })
    expect((await resolve("no", new HostsFile(hostsFileWith(HOSTS)))).type).toBe("addresses")
  })

  test("a changed file counts from the next look-up on", async () => {
    const path = hostsFileWith(HOSTS)
    const hosts = new HostsFile(path)
    expect(hosts.addressesOf("box")).toEqual(["10.1.2.3"])
    writeFileSync(path, "10.1.2.4 box other-box\n")
    expect(hosts.addressesOf("box")).toEqual(["10.1.2.4"])
  })
})

describe("a host of the configuration", () => {
  const hosts = new HostsFile(hostsFileWith("127.0.0.1 localhost\n::1 localhost\n"))
  const looked = (host: string, options: LookupOptions = { all: true }) =>
    new Promise((found) => {
      configuredHosts({ servers: [server.address], hosts })(host, options, (cause, address, family) =>
        found(cause?.code ?? (family === undefined ? address : [address, family])),
      )
    })

  test("has the addresses of the hosts file or of the name servers, of the wanted family", async () => {
    const [four, six] = [
      { address: "127.0.0.1", family: 4 },
      { address: "::1", family: 6 },
    ]
    expect(await looked("localhost")).toEqual([four, six])
    expect(await looked("localhost", { family: 6, all: true })).toEqual([six])
    expect(await looked("localhost", {})).toEqual(["127.0.0.1", 4])
    expect(await looked("collector.example")).toEqual([{ address: PUBLIC_ADDRESS, family: 4 }])
    expect(await looked("collector.example", { family: "IPv6" })).toBe("ENOTFOUND")
  })

  test("fails without the system's resolver when its name servers are silent", async () => {
    expect(await looked("silent.example")).toBe("EAI_AGAIN")
  })

  test("is asked for at the system when the name servers do not know it, or fail", async () => {
    // Which of the two codes the system has depends on its own name servers.
    expect(["ENOTFOUND", "EAI_AGAIN"]).toContain(await looked("away.example"))
    // An address, which the system takes without a name server.
    expect(await looked("127.0.0.1")).toEqual([{ address: "127.0.0.1", family: 4 }])
  })
})
