/** Whose address a request has: the connection's, unless that is a proxy which the settings name. */

import { expect, test } from "vitest"
import { visitorOf } from "../../src/apps/portal/http/gate.ts"
import { bareApp } from "./bare-app.ts"

interface Arrival {
  readonly remoteAddress: string
  readonly forwardedFor?: string
}

/** The address that attempts to sign in are counted by. */
async function addressSeen(
  trustedProxies: readonly string[],
  { remoteAddress, forwardedFor }: Arrival,
): Promise<string> {
  const app = await bareApp({ trustedProxies, hosts: ["api.example"] })
  try {
    app.get("/address", (request, reply) =>
      reply.send({ seen: visitorOf(request, "https://api.example").address }),
    )
    const headers = {
      host: "api.example",
      "x-forwarded-host": "evil.example",
      ...(forwardedFor === undefined ? {} : { "x-forwarded-for": forwardedFor }),
    }
    const answered = await app.inject({ url: "/address", headers, remoteAddress })
    return answered.json<{ readonly seen: string }>().seen
  } finally {
    await app.close()
  }
}

const PROXIES = ["10.0.0.0/8", "192.0.2.7", "fd00::/8"]

test.each<[string, readonly string[], Arrival, string]>([
  ["no proxy is trusted", [], { remoteAddress: "10.0.0.1", forwardedFor: "198.51.100.1" }, "10.0.0.1"],
  [
    "a stranger connects by itself",
    PROXIES,
    { remoteAddress: "203.0.113.9", forwardedFor: "198.51.100.1" },
    "203.0.113.9",
  ],
  ["a proxy says nothing", PROXIES, { remoteAddress: "10.0.0.1" }, "10.0.0.1"],
  [
    "a proxy names its client",
    PROXIES,
    { remoteAddress: "10.0.0.1", forwardedFor: "203.0.113.9" },
    "203.0.113.9",
  ],
  [
    "a client spoofs an address before the proxy adds its own",
    PROXIES,
    { remoteAddress: "10.0.0.1", forwardedFor: "198.51.100.1, 203.0.113.9" },
    "203.0.113.9",
  ],
  [
    "a client spoofs a proxy's address",
    PROXIES,
    { remoteAddress: "10.0.0.1", forwardedFor: "198.51.100.1, 10.9.9.9, 203.0.113.9, 192.0.2.7" },
    "203.0.113.9",
  ],
  [
    "two proxies stand in a row",
    PROXIES,
    { remoteAddress: "fd00::1", forwardedFor: "2001:db8::9, 10.0.0.1" },
    "2001:db8::9",
  ],
  [
    "the proxy's address is written as IPv6",
    PROXIES,
    { remoteAddress: "::ffff:10.0.0.1", forwardedFor: "203.0.113.9" },
    "203.0.113.9",
  ],
  [
    "a client spoofs what is no address",
    PROXIES,
    { remoteAddress: "10.0.0.1", forwardedFor: "'; drop table, 203.0.113.9" },
    "203.0.113.9",
  ],
])("when %s, the address is the right-most that is no trusted proxy", async (_, proxies, arrival, seen) => {
  expect(await addressSeen(proxies, arrival)).toBe(seen)
})
