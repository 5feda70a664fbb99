/** The configuration: the values of each setting, the messages about wrong ones, and the addresses of the hosts. */

import { inspect } from "node:util"
import { Effect, Either, Redacted } from "effect"
import { describe, expect, test } from "vitest"
import { addressesOf } from "../../../src/live/configuration/addresses.ts"
import { SETTINGS, readConfiguration } from "../../../src/live/configuration/configuration.ts"
import type { Configuration, ConfigurationError } from "../../../src/live/configuration/configuration.ts"

type Texts = Readonly<Record<string, string>>

function read(environment: Texts, flags: Texts = {}): Either.Either<Configuration, ConfigurationError> {
  return Effect.runSync(Effect.either(readConfiguration({ flags, environment })))
}

const ACCOUNT = `AC${"0a".repeat(16)}`
const VERIFY_SERVICE = `VA${"0a".repeat(16)}`

function good(environment: Texts, flags: Texts = {}): Configuration {
  return Either.getOrThrow(read(environment, flags))
}

function problems(environment: Texts, flags: Texts = {}): readonly string[] {
  return Either.getOrThrow(Either.flip(read(environment, flags))).problems
}

const SECRET = "0123456789abcdef0123456789abcdef"
const SMTP_URL = "smtps://portal:hunter3@mail.example:465"
const STRIPE = {
  STRIPE_SECRET_KEY: "sk_test_hunter4hunter4",
  STRIPE_WEBHOOK_SECRET: "whsec_hunter5hunter5",
  STRIPE_PROFILE_ID: "profile_1",
}
const DATABASE_URL = "postgres://curbline:hunter2@db.example/curbline"

describe("a setting", () => {
  test.each<[keyof Configuration, unknown]>([
    ["host", "127.0.0.1"],
    ["productionPort", 4010],
    ["sandboxPort", 4011],
    ["productionUrl", null],
    ["sandboxUrl", null],
    ["productionHosts", []],
    ["sandboxHosts", []],
    ["trustedProxies", []],
    ["dataDir", ".curbline"],
    ["databaseUrl", null],
    ["databaseConnections", 20],
    ["clockSecondsMax", 60],
    ["secret", null],
    ["smtpUrl", null],
    ["mailFrom", null],
    ["twilioAccountSid", null],
    ["twilioAuthToken", null],
    ["twilioVerifyServiceSid", null],
    ["stripeSecretKey", null],
    ["stripeWebhookSecret", null],
    ["stripeProfileId", null],
    ["stripeUrl", null],
    ["courierFleet", "fleet_demo_production"],
    ["mcpOrigins", []],
    ["streetsFile", null],
    ["nodeEnv", "development"],
    ["allowsLocalTargets", false],
    ["nameServers", null],
    ["requestsPerMinute", 300],
    ["botReportsPerMinute", 3_000],
    ["analyticsPerMinute", 60],
    ["logLevel", "info"],
    ["logFormat", "json"],
    ["tracesEndpoint", null],
  ])("%s has its default when it is not set, and when its text is blank", (name, usual) => {
    expect(good({})[name]).toEqual(usual)
    expect(good({ [SETTINGS[name].name]: "  " })[name]).toEqual(usual)
  })

  test.each<[keyof Configuration, string, unknown]>([
    ["host", "0.0.0.0", "0.0.0.0"],
    ["host", "::1", "::1"],
    ["host", "localhost", "localhost"],
    ["productionPort", "65535", 65_535],
    ["sandboxPort", "1", 1],
    ["productionUrl", "https://api.example.com/", "https://api.example.com"],
    ["sandboxUrl", "http://[::1]:8080", "http://[::1]:8080"],
    [
      "productionHosts",
      "API.example.com, other.example.com:8443,[::1]",
      ["api.example.com", "other.example.com:8443", "[::1]"],
    ],
    ["sandboxHosts", "sandbox", ["sandbox"]],
    ["trustedProxies", "10.0.0.0/8, ::1,192.0.2.7", ["10.0.0.0/8", "::1", "192.0.2.7"]],
    ["trustedProxies", "0.0.0.0/0,fd00::/128", ["0.0.0.0/0", "fd00::/128"]],
    ["dataDir", "/var/lib/curbline", "/var/lib/curbline"],
    ["databaseConnections", "2", 2],
    ["clockSecondsMax", "off", "off"],
    ["mailFrom", "portal@curbline.example", "portal@curbline.example"],
    ["courierFleet", "fleet_austin", "fleet_austin"],
    [
      "mcpOrigins",
      "https://agent.example/, http://[::1]:8080",
      ["https://agent.example", "http://[::1]:8080"],
    ],
    ["streetsFile", "/srv/streets.geojson", "/srv/streets.geojson"],
    ["nodeEnv", "staging", "staging"],
    ["allowsLocalTargets", "true", true],
    [
      "nameServers",
      "10.0.0.2, [fd00::2]:5353,::1,127.0.0.1:53",
      ["10.0.0.2", "[fd00::2]:5353", "::1", "127.0.0.1:53"],
    ],
    ["allowsLocalTargets", "false", false],
    ["requestsPerMinute", "1", 1],
    ["botReportsPerMinute", "1000000", 1_000_000],
    ["analyticsPerMinute", "7", 7],
    ["logLevel", "debug", "debug"],
    ["logFormat", "logfmt", "logfmt"],
    ["tracesEndpoint", "http://127.0.0.1:4318", "http://127.0.0.1:4318"],
  ])("%s takes %j", (name, text, value) => {
    expect(good({ [SETTINGS[name].name]: text })[name]).toEqual(value)
  })

  test.each<[keyof Configuration, string]>([
    ["host", "api.example.com"],
    ["productionPort", "0"],
    ["sandboxPort", "65536"],
    ["sandboxPort", "4011.5"],
    ["productionUrl", "api.example.com"],
    ["productionUrl", "https://api.example.com/v1"],
    ["sandboxUrl", "ftp://api.example.com"],
    ["sandboxUrl", "https://user:pass@api.example.com"],
    ["productionHosts", "a.example,,b.example"],
    ["sandboxHosts", "https://a.example"],
    ["nameServers", "dns.example"],
    ["nameServers", "10.0.0.2:0"],
    ["nameServers", "10.0.0.2:65536"],
    ["nameServers", "10.0.0.2,"],
    ["nameServers", "[10.0.0]:53"],
    ["trustedProxies", "loopback"],
    ["trustedProxies", "10.0.0.0/33"],
    ["trustedProxies", "fd00::/129"],
    ["trustedProxies", "10.0.0.1,"],
    ["trustedProxies", "10.0.0.0/8/8"],
    ["trustedProxies", "true"],
    ["databaseConnections", "1"],
    ["clockSecondsMax", "2"],
    ["mailFrom", "Curbline <portal@curbline.example>"],
    ["mailFrom", "portal"],
    ["twilioAccountSid", "AC1"],
    ["twilioVerifyServiceSid", `AC${"0a".repeat(16)}`],
    ["stripeProfileId", "acct_1"],
    ["courierFleet", "the fleet"],
    ["mcpOrigins", "https://agent.example/app"],
    ["mcpOrigins", "*"],
    ["stripeUrl", "https://stripe.example/v1"],
    ["nodeEnv", "pro duction"],
    ["allowsLocalTargets", "yes"],
    ["requestsPerMinute", "0"],
    ["botReportsPerMinute", "many"],
    ["analyticsPerMinute", "-1"],
    ["logLevel", "loud"],
    ["logFormat", "xml"],
    ["tracesEndpoint", "127.0.0.1:4318"],
    ["tracesEndpoint", "https://user:pass@collector.example"],
  ])("%s does not take %j, and says its name, what is expected and what was found", (name, text) => {
    const { name: variable, expects } = SETTINGS[name]
    const [problem = "", ...more] = problems({ [variable]: text })
    expect(more).toEqual([])
    expect(problem.startsWith(variable)).toBe(true)
    expect(problem).toContain(`must be ${expects}; it is ${JSON.stringify(text)}`)
  })

  test("a flag goes before the environment, and a message names both", () => {
    const environment = { CURBLINE_SANDBOX_PORT: "5000" }
    expect(good(environment, { CURBLINE_SANDBOX_PORT: "5001" }).sandboxPort).toBe(5_001)
    expect(problems(environment, { CURBLINE_SANDBOX_PORT: "x" })).toEqual([
      'CURBLINE_SANDBOX_PORT (--sandbox-port) must be a port number from 1 to 65535; it is "x"',
    ])
  })

  test("everything that is wrong is said at once", () => {
    const found = problems({ CURBLINE_HOST: "x", CURBLINE_LOG_LEVEL: "x", CURBLINE_SANDBOX_PORT: "x" })
    expect(found.map((problem) => problem.split(" ")[0])).toEqual([
      "CURBLINE_HOST",
      "CURBLINE_SANDBOX_PORT",
      "CURBLINE_LOG_LEVEL",
    ])
  })

  test("every setting is documented: a meaning, what it must be, and its usual value", () => {
    for (const { name, meaning, expects, usually } of Object.values(SETTINGS)) {
      expect([name, meaning, expects, usually].every((text) => text.length > 0)).toBe(true)
      expect(meaning).not.toMatch(/\.$/)
    }
  })
})

describe("a secret of the configuration", () => {
  test("is redacted where it is printed", () => {
    const configuration = good({
      CURBLINE_SECRET: SECRET,
      DATABASE_URL,
      SMTP_URL,
      MAIL_FROM: "portal@curbline.example",
      ...STRIPE,
    })
    const printed = `${JSON.stringify(configuration)} ${inspect(configuration)}`
    for (const secret of [SECRET, "hunter2", "hunter3", "hunter4", "hunter5"])
      expect(printed).not.toContain(secret)
    expect(Redacted.value(configuration.secret ?? Redacted.make(""))).toBe(SECRET)
    expect(Redacted.value(configuration.databaseUrl ?? Redacted.make(""))).toBe(DATABASE_URL)
    expect(Redacted.value(configuration.smtpUrl ?? Redacted.make(""))).toBe(SMTP_URL)
  })

  test.each([
    "postgres://u:p,w@db1:5432,db2:5433/curbline",
    "postgresql://u@db1,db2/curbline?target_session_attrs=read-write",
    "postgres://db1:1,db2:2,db3:3",
  ])("may be the URL of several hosts, %s", (url) => {
    const { databaseUrl } = good({ CURBLINE_SECRET: SECRET, DATABASE_URL: url })
    expect(Redacted.value(databaseUrl ?? Redacted.make(""))).toBe(url)
  })

  test("is not quoted when it is wrong", () => {
    const found = problems({
      CURBLINE_SECRET: "too-short",
      DATABASE_URL: "mysql://u:hunter2@db/x",
      SMTP_URL: "mail.example:hunter3",
      STRIPE_SECRET_KEY: "pk_live_hunter4hunter4",
      STRIPE_WEBHOOK_SECRET: "hunter5hunter5",
    }).join("\n")
    expect(found).toContain("CURBLINE_SECRET must be 32 characters or more")
    expect(found).toContain("DATABASE_URL must be a URL that begins with postgres://")
    expect(found).toContain("SMTP_URL must be a URL that begins with smtps://")
    expect(found).toContain("STRIPE_SECRET_KEY must be a secret or restricted key")
    expect(found).toContain("STRIPE_WEBHOOK_SECRET must be a signing secret")
    expect(found).not.toMatch(/too-short|hunter[2345]/)
  })
})

describe("what all settings together do not allow", () => {
  test.each<[string, Texts, string]>([
    [
      "local targets in production",
      { NODE_ENV: "production", CURBLINE_ALLOW_LOCAL_TARGETS: "true" },
      "is refused when NODE_ENV",
    ],
    [
      "a database that must be a standby",
      { CURBLINE_SECRET: SECRET, DATABASE_URL: `${DATABASE_URL}?target_session_attrs=standby` },
      "target_session_attrs of DATABASE_URL must be read-write, primary or any",
    ],
    ["an external database without a secret", { DATABASE_URL }, "CURBLINE_SECRET must be set too"],
    ["a mail server without an address", { SMTP_URL }, "MAIL_FROM must be set too"],
    [
      "a Verify service without its account",
      { TWILIO_VERIFY_SERVICE_SID: VERIFY_SERVICE },
      "TWILIO_ACCOUNT_SID and TWILIO_AUTH_TOKEN must be set too with TWILIO_VERIFY_SERVICE_SID",
    ],
    [
      "a number to text from, a Verify service and no token",
      { TWILIO_VERIFY_SERVICE_SID: VERIFY_SERVICE, TWILIO_ACCOUNT_SID: ACCOUNT, TWILIO_FROM: "+15125550100" },
      "TWILIO_AUTH_TOKEN must be set too",
    ],
    [
      "an account alone",
      { TWILIO_ACCOUNT_SID: ACCOUNT, TWILIO_AUTH_TOKEN: "0".repeat(32) },
      "TWILIO_FROM must be set too to send SMS by Twilio",
    ],
    [
      "a key at Stripe alone",
      { STRIPE_SECRET_KEY: STRIPE.STRIPE_SECRET_KEY },
      "STRIPE_WEBHOOK_SECRET and STRIPE_PROFILE_ID must be set too to receive payments by Stripe",
    ],
    [
      "a profile at Stripe without a key",
      { ...STRIPE, STRIPE_SECRET_KEY: "" },
      "STRIPE_SECRET_KEY must be set too",
    ],
    [
      "one address for both hosts",
      { CURBLINE_PRODUCTION_URL: "https://one.example", CURBLINE_SANDBOX_URL: "https://one.example" },
      "must differ; both are https://one.example",
    ],
    ["one port for both hosts", { CURBLINE_SANDBOX_PORT: "4010" }, "must differ; both are 4010"],
  ])("%s", (_, environment, said) => {
    expect(problems(environment)).toEqual([expect.stringContaining(said)])
  })
})

test("a Verify service needs no number to text from: it has its own", () => {
  const environment = {
    TWILIO_ACCOUNT_SID: ACCOUNT,
    TWILIO_AUTH_TOKEN: "0".repeat(32),
    TWILIO_VERIFY_SERVICE_SID: VERIFY_SERVICE,
  }
  expect(good(environment)).toMatchObject({ twilioVerifyServiceSid: VERIFY_SERVICE, twilioFrom: null })
})

describe("where the hosts are reached", () => {
  test("usually at the listening address, and by every local name of it", () => {
    expect(addressesOf(good({})).sandbox).toEqual({
      port: 4011,
      baseUrl: "http://127.0.0.1:4011",
      localUrl: "http://127.0.0.1:4011",
      hosts: ["127.0.0.1:4011", "localhost:4011", "[::1]:4011"],
      isLocal: true,
    })
  })

  test.each<[Readonly<Record<string, string>>, production: boolean, sandbox: boolean]>([
    [{ CURBLINE_HOST: "localhost" }, true, true],
    [{ CURBLINE_HOST: "::1" }, true, true],
    [{ CURBLINE_HOST: "0.0.0.0" }, false, false],
    [{ CURBLINE_HOST: "10.0.0.1" }, false, false],
    [{ CURBLINE_TRUSTED_PROXIES: "127.0.0.1" }, false, false],
    [{ CURBLINE_PRODUCTION_URL: "https://api.example.com" }, false, true],
    [{ CURBLINE_PRODUCTION_HOSTS: "api.example.com" }, false, true],
    [{ CURBLINE_SANDBOX_HOSTS: "sandbox.example.com" }, true, false],
  ])("with %j only this machine reaches production: %j, and the sandbox: %j", (environment, ...isLocal) => {
    const { production, sandbox } = addressesOf(good(environment))
    expect([production.isLocal, sandbox.isLocal]).toEqual(isLocal)
  })

  test.each(["0.0.0.0", "::"])("on %s partners are not given an address that they cannot call", (host) => {
    expect(addressesOf(good({ CURBLINE_HOST: host })).production.baseUrl).toBe("http://localhost:4010")
  })

  test("an IPv6 address stands in brackets", () => {
    const { baseUrl, hosts } = addressesOf(good({ CURBLINE_HOST: "fd00::1" })).production
    expect([baseUrl, hosts[0]]).toEqual(["http://[fd00::1]:4010", "[fd00::1]:4010"])
  })

  test("a public URL is what partners are told, and its host is served beside further names", () => {
    const { production, sandbox } = addressesOf(
      good({
        CURBLINE_PRODUCTION_URL: "https://api.example.com",
        CURBLINE_PRODUCTION_HOSTS: "old.example.com",
      }),
    )
    expect(production.baseUrl).toBe("https://api.example.com")
    expect(production.localUrl).toBe("http://127.0.0.1:4010")
    expect(production.hosts).toEqual(
      expect.arrayContaining(["api.example.com", "old.example.com", "localhost:4010"]),
    )
    expect(sandbox.hosts).not.toContain("api.example.com")
  })
})
