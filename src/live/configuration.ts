/**
 * The configuration of the service, one documented schema. It is read once, at start, from flags and the environment;
 * whatever is wrong with it is said in one go, by name, and nothing starts.
 *
 * Longer than 400 lines, because the settings are one table that is looked up, not read through.
 */

import { isIP } from "node:net"
import { Config, ConfigError, ConfigProvider, Data, Effect, Redacted } from "effect"
import { CHOSEN_ID } from "../model/ids.ts"
import { FLEET_SPEED_MAX } from "../model/limits.ts"
import { integer, oneOf, setting } from "./setting.ts"
import type { Setting, SettingParts } from "./setting.ts"

export const LOG_LEVELS = ["debug", "info", "warn", "error"] as const
const SMS_ANSWERS = ["provider", "service"] as const
export const LOG_FORMATS = ["json", "logfmt"] as const

const port = (name: string, flag: string, environment: string, fallback: number) =>
  setting<number>({
    name,
    flag,
    meaning: `Port of the ${environment} host`,
    expects: "a port number from 1 to 65535",
    fallback,
    read: integer({ least: 1, most: 65_535 }),
  })

const publicUrl = (name: string, environment: string) =>
  setting<string | null>({
    name,
    meaning: `Where partners reach the ${environment} host; it stands in photo links and API documents`,
    expects: "an http or https URL of scheme and host alone, such as https://api.example.com",
    fallback: null,
    usually: "the listening address",
    because: "behind a proxy, or on 0.0.0.0, the listening address is none that a partner can call",
    read: readOrigin,
  })

const hostNames = (name: string, environment: string) =>
  setting<readonly string[]>({
    name,
    meaning: `Further names that the ${environment} host answers to; any other \`Host\` is turned away with 421`,
    expects: "names with or without a port, between commas; one without a port stands for every port",
    fallback: [],
    usually: "none",
    because:
      "the listening address, `localhost`, `127.0.0.1`, `[::1]` and the host of the public URL are always served",
    read: readHostNames,
  })

const perMinute = ({
  name,
  meaning,
  fallback,
}: Pick<SettingParts<number>, "name" | "meaning" | "fallback">) =>
  setting<number>({
    name,
    meaning,
    expects: "requests a minute, from 1 to 1000000",
    fallback,
    read: integer({ least: 1, most: 1_000_000 }),
  })

/** At ten times the pace of the street. */
const DEMO_FLEET_SPEED = 10

/** Where nobody says another: the one that a first start makes. */
const DEMO_FLEET = "fleet_demo_production"

/** In the order in which they are documented. */
export const SETTINGS = {
  host: setting<string>({
    name: "CURBLINE_HOST",
    flag: "--host",
    meaning: "Address to listen on",
    expects: "an IP address or `localhost`",
    fallback: "127.0.0.1",
    because: "nobody else's machine is invited unasked; a container wants 0.0.0.0",
    read: (text) => (text === "localhost" || isIP(text) !== 0 ? text : undefined),
  }),
  productionPort: port("CURBLINE_PRODUCTION_PORT", "--production-port", "production", 4010),
  sandboxPort: port("CURBLINE_SANDBOX_PORT", "--sandbox-port", "sandbox", 4011),
  productionUrl: publicUrl("CURBLINE_PRODUCTION_URL", "production"),
  sandboxUrl: publicUrl("CURBLINE_SANDBOX_URL", "sandbox"),
  productionHosts: hostNames("CURBLINE_PRODUCTION_HOSTS", "production"),
  sandboxHosts: hostNames("CURBLINE_SANDBOX_HOSTS", "sandbox"),
  trustedProxies: setting<readonly string[]>({
    name: "CURBLINE_TRUSTED_PROXIES",
    meaning:
      "Proxies in front whose `X-Forwarded-For` is believed; a caller's address is the right-most other one",
    expects: "addresses or CIDR ranges between commas, such as 10.0.0.0/8,fd00::1",
    fallback: [],
    usually: "none",
    because: "whoever reaches the service directly could name any address, and sign-ins are counted by it",
    read: readRanges,
  }),
  dataDir: setting<string>({
    name: "CURBLINE_DATA",
    flag: "--data",
    meaning: "Folder of the embedded database, of its secret and of `demo.json`",
    expects: "a folder's path",
    fallback: ".curbline",
    read: (text) => text,
  }),
  databaseUrl: setting<Redacted.Redacted | null>({
    name: "DATABASE_URL",
    meaning: "PostgreSQL 15 or later, instead of the embedded database",
    expects: "a URL that begins with postgres:// or postgresql://",
    fallback: null,
    usually: "the embedded database",
    isSecret: true,
    read: (text) =>
      /^postgres(?:ql)?:$/.test(urlOf(text)?.protocol ?? "") ? Redacted.make(text) : undefined,
  }),
  databaseConnections: setting<number>({
    name: "CURBLINE_DATABASE_CONNECTIONS",
    meaning:
      "Connections to PostgreSQL; a transaction holds one. Of 12 or more, 4 are the sending thread's, where there are two processors",
    expects: "a number from 2 to 500",
    fallback: 20,
    because: "several nodes share a server that usually takes 100",
    read: integer({ least: 2, most: 500 }),
  }),
  secret: setting<Redacted.Redacted | null>({
    name: "CURBLINE_SECRET",
    meaning:
      "From it derive the keys of digests, sealed secrets and signed links; the same on every node, for good",
    expects: "32 characters or more",
    fallback: null,
    usually: "with the embedded database, one is made and kept in its folder",
    because: "two nodes that made one each could not read each other's rows, so DATABASE_URL asks for it",
    isSecret: true,
    read: (text) => (text.length >= 32 ? Redacted.make(text) : undefined),
  }),
  smtpUrl: setting<Redacted.Redacted | null>({
    name: "SMTP_URL",
    meaning: "Mail server that the portal's mail leaves by",
    expects:
      "a URL that begins with smtps:// or smtp://, with user and password where the server asks for them",
    fallback: null,
    usually: "mail stays in the outbox",
    because: "only operations can read it there, so MAIL_FROM and a server are needed before people sign up",
    isSecret: true,
    read: (text) => {
      const url = urlOf(text)
      return url !== null && /^smtps?:$/.test(url.protocol) && url.hostname !== ""
        ? Redacted.make(text)
        : undefined
    },
  }),
  mailFrom: setting<string | null>({
    name: "MAIL_FROM",
    meaning: "Address that mail comes from",
    expects: "an e-mail address, such as portal@example.com",
    fallback: null,
    usually: "no mail leaves",
    read: (text) => (/^[^\s@<>",]+@[^\s@<>",]+$/.test(text) ? text : undefined),
  }),
  twilioAccountSid: setting<string | null>({
    name: "TWILIO_ACCOUNT_SID",
    meaning: "Account at Twilio under which customers are texted",
    expects: "`AC` and 32 hex digits",
    fallback: null,
    usually: "SMS stays in the outbox",
    because:
      "replies come to `/messages/twilio` of the production host: Twilio is told CURBLINE_PRODUCTION_URL with that path, and signs it",
    read: (text) => (/^AC[\da-fA-F]{32}$/.test(text) ? text : undefined),
  }),
  twilioAuthToken: setting<Redacted.Redacted | null>({
    name: "TWILIO_AUTH_TOKEN",
    meaning: "Its auth token, also the key of the signatures on what it reports",
    expects: "16 characters or more",
    fallback: null,
    usually: "no SMS leaves",
    isSecret: true,
    read: (text) => (text.length >= 16 ? Redacted.make(text) : undefined),
  }),
  twilioFrom: setting<string | null>({
    name: "TWILIO_FROM",
    meaning: "What texts come from: a number of the account, or a Messaging Service",
    expects: "a number in E.164, or `MG` and 32 hex digits",
    fallback: null,
    usually: "no SMS leaves",
    read: (text) => (/^(?:\+[1-9]\d{6,14}|MG[\da-fA-F]{32})$/.test(text) ? text : undefined),
  }),
  twilioUrl: setting<string | null>({
    name: "TWILIO_API_URL",
    meaning: "Where Twilio's API is",
    expects: "an http or https URL of scheme and host alone, such as https://api.dublin.ie1.twilio.com",
    fallback: null,
    usually: "https://api.twilio.com",
    because: "an account may belong to another region",
    read: readOrigin,
  }),
  smsAnswers: setting<(typeof SMS_ANSWERS)[number]>({
    name: "CURBLINE_SMS_ANSWERS",
    meaning: "Who answers STOP, START and HELP: the provider of SMS, or the service through its outbox",
    expects: "one of provider, service",
    fallback: "provider",
    because: "Twilio answers on all but bare short codes, and a customer who is answered twice is annoyed",
    read: oneOf(SMS_ANSWERS),
  }),
  geocoderUrl: setting<Redacted.Redacted | null>({
    name: "GEOCODER_URL",
    meaning: "Search of a geocoder that speaks Nominatim's API; parameters of its own are sent along",
    expects: "an http or https URL, such as https://nominatim.example.com/search",
    fallback: null,
    usually: "the middle of its street where the built-in sample of Austin knows it, else of its ZIP code",
    because: "the built-in places need nobody; a ZIP code's middle is kilometres off",
    isSecret: true,
    read: (text) => (/^https?:$/.test(urlOf(text)?.protocol ?? "") ? Redacted.make(text) : undefined),
  }),
  geocoderKey: setting<Redacted.Redacted | null>({
    name: "GEOCODER_KEY",
    meaning: "Key of a geocoder that asks for one, sent as the parameter `key`",
    expects: "a text without blanks",
    fallback: null,
    usually: "none is sent",
    isSecret: true,
    read: (text) => (/^\S+$/.test(text) ? Redacted.make(text) : undefined),
  }),
  twilioVerifyServiceSid: setting<string | null>({
    name: "TWILIO_VERIFY_SERVICE_SID",
    meaning: "Twilio Verify service that sends and checks the codes by which users link their phones",
    expects: "a service SID: VA and 32 hex digits",
    fallback: null,
    usually:
      "codes are made here and read with `curbline phones code`; with DATABASE_URL or in production none is sent",
    because: "the connector can be tried out without an account, and nobody can read codes that matter",
    read: (text) => (/^VA[\da-f]{32}$/i.test(text) ? text : undefined),
  }),
  twilioVerifyUrl: setting<string | null>({
    name: "TWILIO_VERIFY_API_URL",
    meaning: "One address that serves both Twilio Verify and Twilio Lookup",
    expects: "an http or https URL of scheme and host alone",
    fallback: null,
    usually: "https://verify.twilio.com and https://lookups.twilio.com",
    because: "a stand-in can be put there to try out how users are linked",
    read: readOrigin,
  }),
  stripeSecretKey: setting<Redacted.Redacted | null>({
    name: "STRIPE_SECRET_KEY",
    meaning: "Key of the account at Stripe that the courier connector's delivery fee is paid to",
    expects: "a secret or restricted key: sk_ or rk_, then test_ or live_",
    fallback: null,
    usually:
      "test tokens and test cards are taken, and no money; with DATABASE_URL or in production nothing is",
    because: "the connector can be tried out without an account, and no delivery is given away",
    isSecret: true,
    read: (text) => (/^[rs]k_(?:live|test)_\w{8,}$/.test(text) ? Redacted.make(text) : undefined),
  }),
  stripeWebhookSecret: setting<Redacted.Redacted | null>({
    name: "STRIPE_WEBHOOK_SECRET",
    meaning: "Secret of the endpoint at Stripe that posts `checkout.session.completed`",
    expects: "a signing secret that begins with whsec_",
    fallback: null,
    usually: "no event is believed",
    because:
      "whoever pays and closes the page is heard of by it alone: Stripe is told CURBLINE_PRODUCTION_URL with the path `/payments/stripe`",
    isSecret: true,
    read: (text) => (/^whsec_\S{8,}$/.test(text) ? Redacted.make(text) : undefined),
  }),
  stripeProfileId: setting<string | null>({
    name: "STRIPE_PROFILE_ID",
    meaning: "The account's Stripe profile, to which agents grant shared payment tokens",
    expects: "`profile_` and what follows it",
    fallback: null,
    usually: "profile_curbline, to which nobody can grant one",
    read: (text) => (/^profile_\w{1,100}$/.test(text) ? text : undefined),
  }),
  stripeUrl: setting<string | null>({
    name: "STRIPE_API_URL",
    meaning: "Where Stripe's API is",
    expects: "an http or https URL of scheme and host alone",
    fallback: null,
    usually: "https://api.stripe.com",
    because: "a stand-in can be put there to try out what is paid",
    read: readOrigin,
  }),
  courierFleet: setting<string>({
    name: "CURBLINE_COURIER_FLEET",
    meaning: "Fleet of production whose vehicles carry the courier connector's errands",
    expects: "a fleet's id: letters, digits, _ and -, 64 characters at most",
    fallback: DEMO_FLEET,
    usually: `${DEMO_FLEET}, which is the demo's`,
    because:
      "direct deliveries of a fleet and errands share its vehicles; one without any declines every errand",
    read: (text) => (CHOSEN_ID.test(text) ? text : undefined),
  }),
  mcpOrigins: setting<readonly string[]>({
    name: "CURBLINE_MCP_ORIGINS",
    meaning: "Origins that calls of the connector's MCP endpoint may name",
    expects: "http or https origins between commas, such as https://agent.example.com",
    fallback: [],
    usually: "the production host's own alone",
    because: "a call that names another is turned away with 403; one that names none is not asked",
    read: readOrigins,
  }),
  nodeEnv: setting<string>({
    name: "NODE_ENV",
    meaning: "`production` refuses what is for development alone",
    expects: "a word, such as development or production",
    fallback: "development",
    read: (text) => (/^[\w-]{1,32}$/.test(text) ? text : undefined),
  }),
  allowsLocalTargets: setting<boolean>({
    name: "CURBLINE_ALLOW_LOCAL_TARGETS",
    flag: "--allow-local-targets",
    meaning: "Development: webhooks and open links may reach loopback over http",
    expects: "true or false",
    fallback: false,
    read: (text) => ({ true: true, false: false })[text],
  }),
  hasProductionInspector: setting<boolean>({
    name: "CURBLINE_PRODUCTION_INSPECTOR",
    meaning: "Whether the production host has the inspector at `/inspect`, as the sandbox host always has",
    expects: "true or false",
    fallback: false,
    because: "whoever holds an operator token could read every journal of production in a browser",
    read: (text) => ({ true: true, false: false })[text],
  }),
  requestsPerMinute: perMinute({
    name: "CURBLINE_REQUESTS_PER_MINUTE",
    meaning: "Budget of an organization in one environment, bot reports and analytics aside",
    fallback: 300,
  }),
  botReportsPerMinute: perMinute({
    name: "CURBLINE_BOT_REPORTS_PER_MINUTE",
    meaning: "The same for bot reports",
    fallback: 3_000,
  }),
  analyticsPerMinute: perMinute({
    name: "CURBLINE_ANALYTICS_PER_MINUTE",
    meaning: "The same for analytics, whose answers cost more",
    fallback: 60,
  }),
  fleetSpeed: setting<number | "off" | null>({
    name: "CURBLINE_FLEET_SPEED",
    flag: "--fleet-speed",
    meaning: "How many times as fast as real ones the synthetic vehicles of production drive",
    expects: `a number from 1 to ${FLEET_SPEED_MAX}, or off`,
    fallback: null,
    usually: `${DEMO_FLEET_SPEED} with the embedded database, off with DATABASE_URL`,
    because:
      "in the demo a delivery takes a minute or two; a shared database moves by itself only when asked",
    read: (text) => (text === "off" ? text : integer({ least: 1, most: FLEET_SPEED_MAX })(text)),
  }),
  logLevel: setting<(typeof LOG_LEVELS)[number]>({
    name: "CURBLINE_LOG_LEVEL",
    meaning: "The least that is logged; `debug` adds probes",
    expects: "one of debug, info, warn, error",
    fallback: "info",
    read: oneOf(LOG_LEVELS),
  }),
  logFormat: setting<(typeof LOG_FORMATS)[number]>({
    name: "CURBLINE_LOG_FORMAT",
    meaning: "How the log is written to stderr: `json` for machines, `logfmt` for eyes",
    expects: "one of json, logfmt",
    fallback: "json",
    read: oneOf(LOG_FORMATS),
  }),
  tracesEndpoint: setting<string | null>({
    name: "OTEL_EXPORTER_OTLP_ENDPOINT",
    meaning: "Collector that traces are sent to, as OTLP in JSON over HTTP, at its path `/v1/traces`",
    expects: "an http or https URL without user and password, such as http://127.0.0.1:4318",
    fallback: null,
    usually: "nothing is traced",
    because: "headers that a collector asks for are read from OTEL_EXPORTER_OTLP_HEADERS",
    read: (text) => {
      const url = urlOf(text)
      const isPlain = url !== null && url.username === "" && url.password === "" && url.search === ""
      return isPlain && /^https?:$/.test(url.protocol) ? text : undefined
    },
  }),
} as const

/** The speed of the played fleet; null when none is played. */
export function fleetSpeedOf({ databaseUrl, fleetSpeed }: Configuration): number | null {
  if (fleetSpeed === "off") return null
  return fleetSpeed ?? (databaseUrl === null ? DEMO_FLEET_SPEED : null)
}

type Settings = typeof SETTINGS

export type Configuration = {
  readonly [Name in keyof Settings]: Settings[Name] extends Setting<infer A> ? A : never
}

/** Everything that is wrong, one sentence a problem; secrets are never quoted. */
export class ConfigurationError extends Data.TaggedError("ConfigurationError")<{
  readonly problems: readonly string[]
}> {
  override get message(): string {
    return this.problems.join("\n")
  }
}

/** Texts by the variables' names, of the flags and of the environment. A flag goes before; an empty text counts as none. */
export interface Sources {
  readonly flags: Readonly<Record<string, string | undefined>>
  readonly environment: Readonly<Record<string, string | undefined>>
}

export function readConfiguration(sources: Sources): Effect.Effect<Configuration, ConfigurationError> {
  return Effect.filterOrElse(
    readSettings(SETTINGS, sources),
    (configuration) => contradictionsOf(configuration).length === 0,
    (configuration) => Effect.fail(new ConfigurationError({ problems: contradictionsOf(configuration) })),
  )
}

/** Which database the service has, and where it looks addresses up: enough for a command that works without serving. */
export type DatabasePlace = Pick<
  Configuration,
  "databaseUrl" | "dataDir" | "geocoderKey" | "geocoderUrl" | "secret"
>

export function readDatabasePlace(sources: Sources): Effect.Effect<DatabasePlace, ConfigurationError> {
  const { databaseUrl, dataDir, geocoderKey, geocoderUrl, secret } = SETTINGS
  return readSettings({ databaseUrl, dataDir, geocoderKey, geocoderUrl, secret }, sources)
}

function readSettings<Some extends Partial<Settings>>(
  settings: Some,
  sources: Sources,
): Effect.Effect<Pick<Configuration, keyof Some & keyof Configuration>, ConfigurationError> {
  const texts = new Map(
    [sources.environment, sources.flags].flatMap((source) =>
      Object.entries(source).flatMap(([name, text]) =>
        text === undefined || text.trim() === "" ? [] : [[name, text] as const],
      ),
    ),
  )
  const configs = Object.fromEntries(
    Object.entries(settings).map(([name, { config }]) => [name, config as Config.Config<unknown>]),
  )
  type Read = Pick<Configuration, keyof Some & keyof Configuration>
  return (Config.all(configs) as unknown as Config.Config<Read>).pipe(
    Effect.withConfigProvider(ConfigProvider.fromMap(texts)),
    Effect.mapError((error) => new ConfigurationError({ problems: problemsOf(error) })),
  )
}

function problemsOf(error: ConfigError.ConfigError): readonly string[] {
  return ConfigError.reduceWithContext<null, readonly string[]>(error, null, {
    andCase: (_, left, right) => [...left, ...right],
    orCase: (_, left, right) => [...left, ...right],
    invalidDataCase: (_, _path, message) => [message],
    missingDataCase: (_, _path, message) => [message],
    sourceUnavailableCase: (_, _path, message) => [message],
    unsupportedCase: (_, _path, message) => [message],
  })
}

/** What each setting allows and all of them together do not. */
function contradictionsOf(configuration: Configuration): readonly string[] {
  const {
    allowsLocalTargets,
    databaseUrl,
    geocoderKey,
    geocoderUrl,
    mailFrom,
    nodeEnv,
    productionPort,
    sandboxPort,
    secret,
    smtpUrl,
  } = configuration
  return [
    ...(allowsLocalTargets && nodeEnv === "production"
      ? ["CURBLINE_ALLOW_LOCAL_TARGETS (--allow-local-targets) is refused when NODE_ENV is production"]
      : []),
    ...(databaseUrl !== null && secret === null
      ? ["CURBLINE_SECRET must be set too with DATABASE_URL (32 characters or more, the same on every node)"]
      : []),
    ...(smtpUrl !== null && mailFrom === null
      ? ["MAIL_FROM must be set too with SMTP_URL: the address that mail comes from"]
      : []),
    ...smsContradictions(configuration),
    ...stripeContradictions(configuration),
    ...(geocoderKey !== null && geocoderUrl === null
      ? ["GEOCODER_URL must be set too with GEOCODER_KEY"]
      : []),
    ...(productionPort === sandboxPort
      ? [`CURBLINE_PRODUCTION_PORT and CURBLINE_SANDBOX_PORT must differ; both are ${sandboxPort}`]
      : []),
  ]
}

/** A part of what Twilio needs sends nothing, and says nothing about it. */
function smsContradictions(configuration: Configuration): readonly string[] {
  const { twilioAccountSid, twilioAuthToken, twilioFrom, twilioVerifyServiceSid } = configuration
  const account = { TWILIO_ACCOUNT_SID: twilioAccountSid, TWILIO_AUTH_TOKEN: twilioAuthToken }
  const verifies = twilioVerifyServiceSid !== null
  const texts = !verifies || twilioFrom !== null ? { TWILIO_FROM: twilioFrom } : {}
  const parts = Object.entries({ ...account, ...texts })
  const missing = parts.flatMap(([name, value]) => (value === null ? [name] : []))
  if (missing.length === 0 || (missing.length === parts.length && !verifies)) return []
  return verifies
    ? [`${missing.join(" and ")} must be set too with TWILIO_VERIFY_SERVICE_SID`]
    : [`${missing.join(" and ")} must be set too to send SMS by Twilio`]
}

/** With a part of it, some could pay and nobody would hear of it. */
function stripeContradictions(configuration: Configuration): readonly string[] {
  const { stripeProfileId, stripeSecretKey, stripeWebhookSecret } = configuration
  const parts = Object.entries({
    STRIPE_SECRET_KEY: stripeSecretKey,
    STRIPE_WEBHOOK_SECRET: stripeWebhookSecret,
    STRIPE_PROFILE_ID: stripeProfileId,
  })
  const missing = parts.flatMap(([name, value]) => (value === null ? [name] : []))
  if (missing.length === 0 || missing.length === parts.length) return []
  return [`${missing.join(" and ")} must be set too to be paid by Stripe`]
}

function urlOf(text: string): URL | null {
  return URL.canParse(text) ? new URL(text) : null
}

function readOrigin(text: string): string | undefined {
  const url = urlOf(text)
  if (url === null || !/^https?:$/.test(url.protocol)) return undefined
  return url.href === `${url.origin}/` ? url.origin : undefined
}

function readOrigins(text: string): readonly string[] | undefined {
  const origins = text.split(",").flatMap((one) => readOrigin(one.trim()) ?? [])
  return origins.length === text.split(",").length ? origins : undefined
}

function readRanges(text: string): readonly string[] | undefined {
  const ranges = text.split(",").map((range) => range.trim())
  const isRange = (range: string): boolean => {
    const [, address = "", bits] = /^([^/%]+)(?:\/(\d{1,3}))?$/.exec(range) ?? []
    const version = isIP(address)
    return version !== 0 && Number(bits ?? 0) <= (version === 4 ? 32 : 128)
  }
  return ranges.every(isRange) ? ranges : undefined
}

function readHostNames(text: string): readonly string[] | undefined {
  const names = text.split(",").map((name) => name.trim().toLowerCase())
  return names.every((name) => /^(?:[a-z\d](?:[a-z\d.-]*[a-z\d])?|\[[\da-f:.]+\])(?::\d{1,5})?$/.test(name))
    ? names
    : undefined
}
