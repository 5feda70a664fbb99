/** The URL policy: valid texts, public addresses, and when a check asks the caller to retry. */

import { Effect, Fiber, FiberId, Layer, Option, TestClock, TestContext } from "effect"
import { describe, expect, test } from "vitest"
import { RESOLUTION_TIMEOUT_MS } from "../../../src/model/values/limits.ts"
import { NameLookup, TIMED_OUT, UNAVAILABLE } from "../../../src/engine/services/outbound/name-lookup.ts"
import { UrlPolicy, layerUrlPolicy } from "../../../src/engine/services/outbound/url-policy.ts"
import type { Resolution } from "../../../src/engine/services/outbound/name-lookup.ts"
import type { UrlPolicyOptions, UrlVerdict } from "../../../src/engine/services/outbound/url-policy.ts"
import type { Owner } from "../../../src/engine/services/owner-turns.ts"

type Resolve = (host: string) => Effect.Effect<Resolution>

const OWNER = { environment: "production", organizationId: "org_1" } as const

function ownerOf(number: number): Owner {
  return { environment: "production", organizationId: `org_${number}` }
}

/** The answer about a name whose servers are silent. */
const SILENT = Effect.delay(Effect.succeed(TIMED_OUT), RESOLUTION_TIMEOUT_MS)

const PUBLIC = "93.184.215.14"

function addresses(...found: string[]): Resolve {
  return () => Effect.succeed({ type: "addresses", addresses: found })
}

function run<A>(
  ask: (policy: UrlPolicy["Type"]) => Effect.Effect<A>,
  { resolve = addresses(PUBLIC), options }: { resolve?: Resolve; options?: UrlPolicyOptions } = {},
): Promise<A> {
  const layer = layerUrlPolicy(options).pipe(Layer.provide(Layer.succeed(NameLookup, { resolve })))
  return Effect.runPromise(
    Effect.flatMap(UrlPolicy, ask).pipe(Effect.provide(layer), Effect.provide(TestContext.TestContext)),
  )
}

function check(url: string, resolve?: Resolve, options?: UrlPolicyOptions): Promise<UrlVerdict> {
  return run((policy) => policy.check(url, OWNER), {
    ...(resolve === undefined ? {} : { resolve }),
    ...(options === undefined ? {} : { options }),
  })
}

/** A host name of that length. */
function nameOf(length: number): string {
  return `${"a.".repeat(length).slice(0, length - 8)}.example`.replace("..", "aa")
}

/** A URL of that many code points, each of `filler` but for the start. */
function urlOf(length: number, filler = "a"): string {
  const start = "https://open.partner.example/"
  return start + filler.repeat(length - start.length)
}

describe("G18: the text of a URL", () => {
  test.each([
    "https://open.partner.example",
    "https://open.partner.example:8443/doors/7?x=1#y",
    "https://open.partner.example:1/",
    "HTTPS://OPEN.PARTNER.EXAMPLE/",
    "https://xn--mnchen-3ya.example/",
    "https://münchen.example/tür",
    urlOf(2_048),
    `https://${"a".repeat(63)}.example/`,
    `https://${nameOf(253)}/`,
    `https://${nameOf(253)}./`,
    urlOf(2_048, "😀"),
  ])("%s is fine", async (url) => {
    expect(await check(url)).toEqual({ type: "public", addresses: [PUBLIC] })
    expect(await run((policy) => Effect.sync(() => policy.checkText(url)))).toBeNull()
  })

  test.each([
    ["", "INVALID_URL"],
    ["open.partner.example/doors", "INVALID_URL"],
    ["https://", "INVALID_URL"],
    ["https://open partner.example/", "INVALID_URL"],
    [" https://open.partner.example/", "INVALID_URL"],
    ["https://open.partner.example/doors ", "INVALID_URL"],
    ["https://open.partner.example/door 7", "INVALID_URL"],
    ["https://open.partner.example/doors\n", "INVALID_URL"],
    ["https://open.part\tner.example/", "INVALID_URL"],
    ["https://open.partner.example/\u0007", "INVALID_URL"],
    ["https://open.partner.example/\u007f", "INVALID_URL"],
    ["https:open.partner.example/doors", "INVALID_URL"],
    ["https:/open.partner.example/doors", "INVALID_URL"],
    ["https:///open.partner.example/doors", "INVALID_URL"],
    ["https:\\\\open.partner.example\\doors", "INVALID_URL"],
    ["https://open.partner.example\\@another.example/", "INVALID_URL"],
    ["https://open.partner.example:99999/", "INVALID_URL"],
    ["https://user@open.partner.example/", "INVALID_URL"],
    ["https://user:secret@open.partner.example/", "INVALID_URL"],
    ["https://:secret@open.partner.example/", "INVALID_URL"],
    [urlOf(2_049), "INVALID_URL"],
    [`https://${"a".repeat(64)}.example/`, "INVALID_URL"],
    [`https://${nameOf(254)}/`, "INVALID_URL"],
    ["https://open..example/", "INVALID_URL"],
    ["https://.example/", "INVALID_URL"],
    ["https://open.example../", "INVALID_URL"],
    ["http://open.partner.example/", "NOT_HTTPS"],
    ["http://localhost/", "NOT_HTTPS"],
    ["ftp://open.partner.example/", "NOT_HTTPS"],
    ["wss://open.partner.example/", "NOT_HTTPS"],
    ["https://93.184.215.14/", "BARE_IP_REJECTED"],
    ["https://127.0.0.1/", "BARE_IP_REJECTED"],
    ["https://127.0.0.1./", "BARE_IP_REJECTED"],
    ["https://2130706433/", "BARE_IP_REJECTED"],
    ["https://017700000001/", "BARE_IP_REJECTED"],
    ["https://0177.0.0.1/", "BARE_IP_REJECTED"],
    ["https://127.1/", "BARE_IP_REJECTED"],
    ["https://0x7f000001/", "BARE_IP_REJECTED"],
    ["https://0x7f.0.0.1/", "BARE_IP_REJECTED"],
    ["https://１２７.0.0.1/", "BARE_IP_REJECTED"],
    ["https://%31%32%37.0.0.1/", "BARE_IP_REJECTED"],
    ["https://[::1]/", "BARE_IP_REJECTED"],
    ["https://[2606:4700::1111]/", "BARE_IP_REJECTED"],
    ["https://[::ffff:10.0.0.1]/", "BARE_IP_REJECTED"],
    ["https://[64:ff9b::a00:1]/", "BARE_IP_REJECTED"],
  ])("%s is refused: %s, without a look-up", async (url, detail) => {
    const none: Resolve = () => Effect.die("a look-up was made")
    expect(await check(url, none)).toEqual({ type: "refused", detail })
    expect(await run((policy) => Effect.sync(() => policy.checkText(url)))).toBe(detail)
  })
})

describe("G18: the addresses of a name", () => {
  test.each([
    ["public", PUBLIC],
    ["public IPv6", "2606:4700:4700::1111"],
    ["public IPv4 mapped into IPv6", "::ffff:93.184.215.14"],
  ])("%s: %s is allowed", async (_, address) => {
    expect(await check("https://a.example/", addresses(address))).toEqual({
      type: "public",
      addresses: [address],
    })
  })

  test.each([
    ["private", "10.0.0.1"],
    ["private", "172.16.0.1"],
    ["private", "172.31.255.255"],
    ["private", "192.168.1.1"],
    ["loopback", "127.0.0.1"],
    ["loopback", "127.255.255.254"],
    ["loopback", "::1"],
    ["link-local", "169.254.169.254"],
    ["link-local", "fe80::1"],
    ["shared by carriers (CGNAT)", "100.64.0.1"],
    ["shared by carriers (CGNAT)", "100.127.255.255"],
    ["unspecified", "0.0.0.0"],
    ["unspecified", "::"],
    ["this network", "0.1.2.3"],
    ["multicast", "224.0.0.1"],
    ["multicast", "239.255.255.250"],
    ["multicast", "ff02::1"],
    ["broadcast", "255.255.255.255"],
    ["reserved", "240.0.0.1"],
    ["protocol assignments", "192.0.0.8"],
    ["documentation", "192.0.2.1"],
    ["documentation", "198.51.100.1"],
    ["documentation", "203.0.113.1"],
    ["documentation", "2001:db8::1"],
    ["documentation", "3fff::1"],
    ["benchmarking", "198.18.0.1"],
    ["benchmarking", "2001:2::1"],
    ["6to4 relay", "192.88.99.1"],
    ["unique local", "fc00::1"],
    ["unique local", "fd12:3456::1"],
    ["site-local, deprecated", "fec0::1"],
    ["v4-mapped", "::ffff:10.0.0.1"],
    ["v4-mapped", "::ffff:127.0.0.1"],
    ["v4-compatible", "::10.0.0.1"],
    ["v4-translated", "::ffff:0:10.0.0.1"],
    ["NAT64", "64:ff9b::a00:1"],
    ["NAT64, local use", "64:ff9b:1::a00:1"],
    ["6to4", "2002:a00:1::1"],
    ["Teredo", "2001::1"],
    ["discard only", "100::1"],
    ["reserved by the IETF, outside 2000::/3", "4000::1"],
    ["reserved by the IETF, outside 2000::/3", "8000::1"],
    ["no address at all", "not-an-address"],
  ])("%s: %s is blocked, alone or beside a public one", async (_, address) => {
    for (const found of [[address], [PUBLIC, address], [address, PUBLIC]]) {
      expect(await check("https://a.example/", addresses(...found))).toEqual({
        type: "refused",
        detail: "BLOCKED_TARGET",
      })
    }
  })

  test("G19: a name that does not exist, or has no address, is a definite refusal", async () => {
    const verdict = { type: "refused", detail: "DNS_RESOLUTION_FAILED" }
    expect(await check("https://a.example/", () => Effect.succeed({ type: "none" }))).toEqual(verdict)
    expect(await check("https://a.example/", addresses())).toEqual(verdict)
  })
})

describe("G19: when a check asks to try again", () => {
  test.each([UNAVAILABLE, TIMED_OUT])("a look-up that is unavailable: %o", async (resolution) => {
    expect(await check("https://a.example/", () => Effect.succeed(resolution))).toEqual({
      type: "unavailable",
    })
  })

  const slow: Resolve = (host) =>
    Effect.delay(
      Effect.succeed({ type: "addresses", addresses: [PUBLIC] }),
      host === "quick.example" ? 0 : 1_000,
    )

  test.each([
    { owners: 1, each: 10, what: "the 11th look-up of an organization at once" },
    { owners: 20, each: 10, what: "the 201st look-up of an environment at once" },
  ])("$what waits for its turn, and for none that comes too late", async ({ owners, each }) => {
    const verdicts = await run(
      (policy) =>
        Effect.gen(function* () {
          const begin = Effect.gen(function* () {
            for (let one = 0; one < owners; one += 1)
              for (let count = 0; count < each; count += 1)
                yield* Effect.fork(policy.check(`https://slow${count}.example/`, ownerOf(one)))
            yield* Effect.yieldNow()
          })
          yield* begin
          const last = ownerOf(owners - 1)
          const others = [
            { ...last, organizationId: "another" },
            { ...last, environment: "sandbox" as const },
          ]
          const waiting = yield* Effect.fork(policy.check("https://quick.example/", last))
          const beside = yield* Effect.forEach(others, (owner) =>
            Effect.map(Effect.fork(policy.check("https://quick.example/", owner)), (fiber) => fiber),
          )
          yield* TestClock.adjust("900 millis")
          const before = yield* Effect.forEach([waiting, ...beside], Fiber.poll)
          yield* TestClock.adjust("100 millis")
          const after = yield* Effect.forEach([waiting, ...beside], Fiber.join)
          return { before: before.map(Option.isSome), after: after.map(({ type }) => type) }
        }),
      { resolve: slow },
    )
    expect(verdicts).toEqual({
      before: [false, owners === 1, true],
      after: ["public", "public", "public"],
    })
  })

  test("the 51st look-up of an organization at once, and one whose turn does not come within 3 s; no failure is kept of it", async () => {
    const found = await run(
      (policy) =>
        Effect.gen(function* () {
          const names = Array.from({ length: 50 }, (_, at) => `https://never${at}.example/`)
          const begin = (url: string) => Effect.fork(policy.check(url, OWNER))
          yield* Effect.forEach(names.slice(0, 10), begin)
          yield* TestClock.adjust("1 millis")
          const waiting = yield* Effect.forEach(names.slice(10), begin)
          yield* TestClock.adjust("1 millis")
          const atOnce = yield* policy.check("https://quick.example/", OWNER)
          // Ten more begin when the first ten have timed out; then it is too late for the others.
          yield* TestClock.adjust("3 seconds")
          const late = yield* Effect.forEach(waiting.slice(10), Fiber.join)
          const again = yield* Effect.fork(policy.check("https://never49.example/", OWNER))
          yield* Effect.yieldNow()
          const types = new Set([atOnce, ...late].map(({ type }) => type))
          return { types, isLookedUp: Option.isNone(yield* Fiber.poll(again)) }
        }),
      { resolve: (host) => (host.startsWith("never") ? SILENT : slow(host)) },
    )
    expect(found).toEqual({ types: new Set(["unavailable"]), isLookedUp: true })
  })

  test("look-ups that time out or are interrupted give their room back", async () => {
    const last = await run(
      (policy) =>
        Effect.gen(function* () {
          const fibers: Fiber.RuntimeFiber<UrlVerdict>[] = []
          for (let count = 0; count < 10; count += 1)
            fibers.push(yield* Effect.fork(policy.check(`https://never${count}.example/`, OWNER)))
          yield* Effect.yieldNow()
          for (const fiber of fibers.slice(0, 5)) yield* Fiber.interrupt(fiber)
          yield* TestClock.adjust("3 seconds")
          yield* Effect.forEach(fibers.slice(5), (fiber) => Fiber.join(fiber))
          const urls = Array.from({ length: 10 }, (_, at) => `https://slow${at}.example/`)
          const checks = urls.map((url) => policy.check(url, OWNER))
          const checking = yield* Effect.fork(Effect.all(checks, { concurrency: "unbounded" }))
          yield* TestClock.adjust("1 seconds")
          return yield* Fiber.join(checking)
        }),
      { resolve: (host) => (host.startsWith("never") ? SILENT : slow(host)) },
    )
    expect(last.every((verdict) => verdict.type === "public")).toBe(true)
  })
})

describe("G19: a name whose look-up failed", () => {
  /** What a second check finds when the first one has taken its time and the name server answers again. */
  function second(
    first: Effect.Effect<Resolution>,
    { afterMs, owner = OWNER, how }: { afterMs: number; owner?: Owner; how: "check" | "checkToSend" },
  ): Promise<UrlVerdict> {
    let count = 0
    return run(
      (policy) =>
        Effect.gen(function* () {
          const checking = yield* Effect.fork(policy[how]("https://one.example/", OWNER))
          yield* TestClock.adjust("3 seconds")
          yield* Fiber.join(checking)
          yield* TestClock.adjust(afterMs)
          return yield* policy[how]("https://one.example/", owner)
        }),
      { resolve: (host) => Effect.suspend(() => (count++ === 0 ? first : addresses(PUBLIC)(host))) },
    )
  }

  test.each(["check", "checkToSend"] as const)("after a time-out %s fails at once for 5 s", async (how) => {
    expect((await second(SILENT, { afterMs: 4_999, how })).type).toBe("unavailable")
    expect((await second(SILENT, { afterMs: 5_000, how })).type).toBe("public")
  })

  test.each([
    ["another organization", { ...OWNER, organizationId: "org_2" }],
    ["the sandbox", { ...OWNER, environment: "sandbox" as const }],
  ])("is looked up anew for %s", async (_, owner) => {
    expect((await second(SILENT, { afterMs: 0, owner, how: "check" })).type).toBe("public")
  })

  test("is looked up anew when the failure says nothing about how long it lasts", async () => {
    const failed = Effect.succeed<Resolution>({ type: "unavailable" })
    expect((await second(failed, { afterMs: 0, how: "check" })).type).toBe("public")
  })

  test("stays unknown for as long as the answer says", async () => {
    const unknown = Effect.succeed<Resolution>({ type: "none", keptMs: 5_000 })
    const refused = { type: "refused", detail: "DNS_RESOLUTION_FAILED" }
    expect(await second(unknown, { afterMs: 1_999, how: "check" })).toEqual(refused)
    expect((await second(unknown, { afterMs: 2_000, how: "check" })).type).toBe("public")
  })
})

describe("G19: a look-up for a call that is about to leave", () => {
  test("waits for its turn however many there are, and is never told to try again", async () => {
    let running = 0
    let peak = 0
    const verdicts = await run(
      (policy) =>
        Effect.gen(function* () {
          const hosts = Array.from({ length: 120 }, (_, at) => `https://h${at}.example/`)
          const checks = Effect.all(
            hosts.map((url) => policy.checkToSend(url, OWNER)),
            { concurrency: "unbounded" },
          )
          const fiber = yield* Effect.fork(checks)
          // 120 look-ups of 2 s, 10 at once: twelve rounds. The limit of 3 s counts from each one's turn.
          yield* TestClock.adjust("24 seconds")
          return yield* Fiber.join(fiber)
        }),
      {
        resolve: (host) =>
          Effect.gen(function* () {
            running += 1
            peak = Math.max(peak, running)
            yield* Effect.sleep(2_000)
            running -= 1
            return yield* addresses(PUBLIC)(host)
          }),
      },
    )
    expect(verdicts.filter((verdict) => verdict.type !== "public")).toEqual([])
    expect(peak).toBe(10)
  })

  test("is shared by calls to one host that leave together, and made anew for the next", async () => {
    let lookUps = 0
    const counts = await run(
      (policy) =>
        Effect.gen(function* () {
          const checks = Array.from({ length: 200 }, () => policy.checkToSend("https://one.example/", OWNER))
          const fiber = yield* Effect.fork(Effect.all(checks, { concurrency: "unbounded" }))
          yield* TestClock.adjust("1 seconds")
          yield* Fiber.join(fiber)
          const together = lookUps
          const next = yield* Effect.fork(policy.checkToSend("https://one.example/", OWNER))
          yield* TestClock.adjust("1 seconds")
          yield* Fiber.join(next)
          return { together, after: lookUps }
        }),
      {
        resolve: (host) =>
          Effect.suspend(() => {
            lookUps += 1
            return Effect.delay(addresses(PUBLIC)(host), 500)
          }),
      },
    )
    expect(counts).toEqual({ together: 1, after: 2 })
  })

  test("answers the other callers when the call that began it is interrupted", async () => {
    const verdict = await run(
      (policy) =>
        Effect.gen(function* () {
          const first = yield* Effect.fork(policy.checkToSend("https://one.example/", OWNER))
          yield* Effect.yieldNow()
          const second = yield* Effect.fork(policy.checkToSend("https://one.example/", OWNER))
          yield* Effect.yieldNow()
          yield* Fiber.interrupt(first)
          return yield* Fiber.join(second)
        }),
      { resolve: () => SILENT },
    )
    expect(verdict).toEqual({ type: "unavailable" })
  })
})

test.each(["check", "checkToSend"] as const)(
  "G19: %s makes a look-up anew after one that was interrupted as it began",
  async (how) => {
    let first: Fiber.RuntimeFiber<UrlVerdict> | null = null
    const found = await run(
      (policy) =>
        Effect.gen(function* () {
          first = yield* Effect.fork(policy[how]("https://one.example/", OWNER))
          yield* Fiber.await(first)
          first = null
          const next = yield* Effect.fork(policy[how]("https://one.example/", OWNER))
          yield* TestClock.adjust("1 seconds")
          return yield* Fiber.poll(next)
        }),
      {
        resolve: (host) => {
          // It takes effect before the look-up's first step.
          first?.unsafeInterruptAsFork(FiberId.none)
          return addresses(PUBLIC)(host)
        },
      },
    )
    expect(Option.isSome(found)).toBe(true)
  },
)

describe("G18: the development switch", () => {
  const options = { allowsLoopback: true }

  test.each(["http://localhost:8080/", "http://127.0.0.1:8080/", "https://127.0.0.1/", "http://[::1]:8080/"])(
    "it allows %s",
    async (url) => {
      expect((await check(url, addresses("127.0.0.1"), options)).type).toBe("public")
    },
  )

  test.each([
    ["http://open.partner.example/", "NOT_HTTPS"],
    ["http://10.0.0.1/", "NOT_HTTPS"],
    ["https://10.0.0.1/", "BARE_IP_REJECTED"],
  ])("it still refuses %s: %s", async (url, detail) => {
    expect(await check(url, addresses(PUBLIC), options)).toEqual({ type: "refused", detail })
  })

  test("a name on a private address stays blocked", async () => {
    expect(await check("https://a.example/", addresses("10.0.0.1"), options)).toEqual({
      type: "refused",
      detail: "BLOCKED_TARGET",
    })
  })
})
