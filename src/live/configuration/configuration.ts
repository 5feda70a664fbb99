/**
 * The configuration of the service: one documented schema, read once at the start from flags and the environment. If
 * anything is wrong with it, the error lists every problem by name and the service does not start.
 *
 * Longer than 400 lines, because the settings are one table.
 */

import { isIP } from "node:net"
import { Config, ConfigError, ConfigProvider, Data, Effect, Redacted } from "effect"
import { CHOSEN_ID } from "../../model/ids.ts"
import { FLEET_SPEED_MAX } from "../../model/values/limits.ts"
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
    meaning: `URL by which partners reach the ${environment} host; photo links and API documents contain it`,
    expects: "an http or https URL with only scheme and host, such as https://api.example.com",
    fallback: null,
    usually: "the listening address",
    because: "behind a proxy, or on 0.0.0.0, partners cannot call the listening address",
    read: readOrigin,
  })

const hostNames = (name: string, environment: string) =>
  setting<readonly string[]>({
    name,
    meaning: `Further names that the ${environment} host answers to; requests with any other \`Host\` get 421`,
    expects: "names with or without a port, separated by commas; a name without a port allows every port",
    fallback: [],
    usually: "none",
    because:
      "the host always answers to the listening address, `localhost`, `127.0.0.1`, `[::1]` and the host of its public URL",
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

/** Ten times real speed. */
const DEMO_FLEET_SPEED = 10

/** The fleet that the demo data creates. */
const DEMO_FLEET = "fleet_demo_production"

/** In the order of the documentation. */
export const SETTINGS = {
  host: setting<string>({
    name: "CURBLINE_HOST",
    flag: "--host",
    meaning: "Address to listen on",
    expects: "an IP address or `localhost`",
    fallback: "127.0.0.1",
    because: "other machines can connect only if you choose another address; a container needs 0.0.0.0",
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
      "Proxies whose `X-Forwarded-For` the service trusts; the caller's address is the right-most one that is no such proxy",
    expects: "addresses or CIDR ranges separated by commas, such as 10.0.0.0/8,fd00::1",
    fallback: [],
    usually: "none",
    because: "a caller without a proxy could claim any address, and sign-in limits count by address",
    read: readRanges,
  }),
  dataDir: setting<string>({
    name: "CURBLINE_DATA",
    flag: "--data",
    meaning: "Folder of the embedded database, its secret and `demo.json`",
    expects: "a folder's path",
    fallback: ".curbline",
    read: (text) => text,
  }),
  databaseUrl: setting<Redacted.Redacted | null>({
    name: "DATABASE_URL",
    meaning:
      "PostgreSQL 15 or later, instead of the embedded database; of several hosts the one that takes writes",
    expects: "a URL that begins with postgres:// or postgresql://; several hosts are separated by commas",
    fallback: null,
    usually: "the embedded database",
    isSecret: true,
    read: (text) => (isDatabaseUrl(text) ? Redacted.make(text) : undefined),
  }),
  databaseConnections: setting<number>({
    name: "CURBLINE_DATABASE_CONNECTIONS",
    meaning:
      "Connections to PostgreSQL; a transaction holds one. With 12 or more and two processors, the thread that sends webhooks gets 4 of them",
    expects: "a number from 2 to 500",
    fallback: 20,
    because: "several nodes share a server, which usually allows 100 connections",
    read: integer({ least: 2, most: 500 }),
  }),
  clockSecondsMax: setting<number | "off">({
    name: "CURBLINE_CLOCK_SECONDS_MAX",
    meaning: "Most seconds by which a node's clock may differ from that of PostgreSQL when it starts",
    expects: "a number from 3 to 3600, or off",
    fallback: 60,
    because: "timers of every node fire by the clock of the node that takes them",
    read: (text) => (text === "off" ? text : integer({ least: 3, most: 3_600 })(text)),
  }),
  secret: setting<Redacted.Redacted | null>({
    name: "CURBLINE_SECRET",
    meaning:
      "Secret from which the keys of digests, sealed secrets and signed links derive; the same on every node, and never changed",
    expects: "32 characters or more",
    fallback: null,
    usually: "with the embedded database, the first start makes one and keeps it in the data folder",
    because: "DATABASE_URL requires it: two nodes with different secrets could not read each other's rows",
    isSecret: true,
    read: (text) => (text.length >= 32 ? Redacted.make(text) : undefined),
  }),
  smtpUrl: setting<Redacted.Redacted | null>({
    name: "SMTP_URL",
    meaning: "Mail server that sends the portal's mail",
    expects: "a URL that begins with smtps:// or smtp://, with user and password if the server requires them",
    fallback: null,
    usually: "mail stays in the outbox",
    because: "only operations can read the outbox, so set this and MAIL_FROM before people sign up",
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
    meaning: "Sender address of mail",
    expects: "an e-mail address, such as portal@example.com",
    fallback: null,
    usually: "no mail is sent",
    read: (text) => (/^[^\s@<>",]+@[^\s@<>",]+$/.test(text) ? text : undefined),
  }),
  twilioAccountSid: setting<string | null>({
    name: "TWILIO_ACCOUNT_SID",
    meaning: "Twilio account that sends texts to customers",
    expects: "`AC` and 32 hex digits",
    fallback: null,
    usually: "SMS stays in the outbox",
    because:
      "replies come to `/messages/twilio` of the production host: configure CURBLINE_PRODUCTION_URL with that path at Twilio, which signs it",
    read: (text) => (/^AC[\da-fA-F]{32}$/.test(text) ? text : undefined),
  }),
  twilioAuthToken: setting<Redacted.Redacted | null>({
    name: "TWILIO_AUTH_TOKEN",
    meaning: "Auth token of the Twilio account; it also verifies the signatures of Twilio's reports",
    expects: "16 characters or more",
    fallback: null,
    usually: "no SMS is sent",
    isSecret: true,
    read: (text) => (text.length >= 16 ? Redacted.make(text) : undefined),
  }),
  twilioFrom: setting<string | null>({
    name: "TWILIO_FROM",
    meaning: "Sender of texts: a number of the account, or a Messaging Service",
    expects: "a number in E.164, or `MG` and 32 hex digits",
    fallback: null,
    usually: "no SMS is sent",
    read: (text) => (/^(?:\+[1-9]\d{6,14}|MG[\da-fA-F]{32})$/.test(text) ? text : undefined),
  }),
  twilioUrl: setting<string | null>({
    name: "TWILIO_API_URL",
    meaning: "URL of Twilio's API",
    expects: "an http or https URL with only scheme and host, such as https://api.dublin.ie1.twilio.com",
    fallback: null,
    usually: "https://api.twilio.com",
    because: "the account may belong to another region",
    read: readOrigin,
  }),
  smsAnswers: setting<(typeof SMS_ANSWERS)[number]>({
    name: "CURBLINE_SMS_ANSWERS",
    meaning: "Who answers STOP, START and HELP: the provider of SMS, or the service through its outbox",
    expects: "one of provider, service",
    fallback: "provider",
    because: "Twilio answers automatically except on bare short codes, and a customer should get one answer",
    read: oneOf(SMS_ANSWERS),
  }),
  geocoderUrl: setting<Redacted.Redacted | null>({
    name: "GEOCODER_URL",
    meaning: "Search URL of a geocoder with Nominatim's API; its query parameters are kept",
    expects: "an http or https URL, such as https://nominatim.example.com/search",
    fallback: null,
    usually:
      "an address is placed in the middle of its street if the built-in sample of Austin has it, else of its ZIP code",
    because: "the built-in places need no network; the middle of a ZIP code may be kilometres off",
    isSecret: true,
    read: (text) => (/^https?:$/.test(urlOf(text)?.protocol ?? "") ? Redacted.make(text) : undefined),
  }),
  geocoderKey: setting<Redacted.Redacted | null>({
    name: "GEOCODER_KEY",
    meaning: "Key for a geocoder that requires one, sent as the parameter `key`",
    expects: "a text without blanks",
    fallback: null,
    usually: "no key is sent",
    isSecret: true,
    read: (text) => (/^\S+$/.test(text) ? Redacted.make(text) : undefined),
  }),
  twilioVerifyServiceSid: setting<string | null>({
    name: "TWILIO_VERIFY_SERVICE_SID",
    meaning: "Twilio Verify service that sends and checks the codes with which users link their phones",
    expects: "a service SID: VA and 32 hex digits",
    fallback: null,
    usually:
      "the service makes the codes and `curbline phones code` shows them; with DATABASE_URL or in production no code is sent",
    because: "you can try the connector without an account, and codes of real users stay unreadable",
    read: (text) => (/^VA[\da-f]{32}$/i.test(text) ? text : undefined),
  }),
  twilioVerifyUrl: setting<string | null>({
    name: "TWILIO_VERIFY_API_URL",
    meaning: "One URL for both Twilio Verify and Twilio Lookup",
    expects: "an http or https URL with only scheme and host",
    fallback: null,
    usually: "https://verify.twilio.com and https://lookups.twilio.com",
    because: "a stand-in can answer there while you try how users are linked",
    read: readOrigin,
  }),
  stripeSecretKey: setting<Redacted.Redacted | null>({
    name: "STRIPE_SECRET_KEY",
    meaning: "Key of the Stripe account that receives the courier connector's delivery fee",
    expects: "a secret or restricted key: sk_ or rk_, then test_ or live_",
    fallback: null,
    usually:
      "only test tokens and test cards pay, without money; with DATABASE_URL or in production nothing can be paid",
    because: "you can try the connector without an account, and no real delivery is free",
    isSecret: true,
    read: (text) => (/^[rs]k_(?:live|test)_\w{8,}$/.test(text) ? Redacted.make(text) : undefined),
  }),
  stripeWebhookSecret: setting<Redacted.Redacted | null>({
    name: "STRIPE_WEBHOOK_SECRET",
    meaning: "Secret of the endpoint at Stripe that posts `checkout.session.completed`",
    expects: "a signing secret that begins with whsec_",
    fallback: null,
    usually: "events from Stripe are rejected",
    because:
      "this event is the only sign of a user who pays and closes the page: configure CURBLINE_PRODUCTION_URL with the path `/payments/stripe` at Stripe",
    isSecret: true,
    read: (text) => (/^whsec_\S{8,}$/.test(text) ? Redacted.make(text) : undefined),
  }),
  stripeProfileId: setting<string | null>({
    name: "STRIPE_PROFILE_ID",
    meaning: "Stripe profile of the account, to which agents grant shared payment tokens",
    expects: "`profile_` and letters, digits or underscores",
    fallback: null,
    usually: "profile_curbline, to which no token can be granted",
    read: (text) => (/^profile_\w{1,100}$/.test(text) ? text : undefined),
  }),
  stripeUrl: setting<string | null>({
    name: "STRIPE_API_URL",
    meaning: "URL of Stripe's API",
    expects: "an http or https URL with only scheme and host",
    fallback: null,
    usually: "https://api.stripe.com",
    because: "a stand-in can answer there while you try payments",
    read: readOrigin,
  }),
  courierFleet: setting<string>({
    name: "CURBLINE_COURIER_FLEET",
    meaning: "Production fleet whose vehicles carry the courier connector's errands",
    expects: "a fleet's id: letters, digits, _ and -, 64 characters at most",
    fallback: DEMO_FLEET,
    usually: `${DEMO_FLEET}, the fleet of the demo data`,
    because:
      "errands and direct deliveries of a fleet share its vehicles; a fleet without vehicles declines every errand",
    read: (text) => (CHOSEN_ID.test(text) ? text : undefined),
  }),
  mcpOrigins: setting<readonly string[]>({
    name: "CURBLINE_MCP_ORIGINS",
    meaning: "Origins that callers of the connector's MCP endpoint may send",
    expects: "http or https origins separated by commas, such as https://agent.example.com",
    fallback: [],
    usually: "only the production host's own origin",
    because: "a call with another origin gets 403; a call without an origin is not checked",
    read: readOrigins,
  }),
  streetsFile: setting<string | null>({
    name: "CURBLINE_STREETS_FILE",
    meaning:
      "Streets that maps of pages show: a GeoJSON file of lines, with the credit of its makers as `attribution`",
    expects: "a file's path",
    fallback: null,
    usually: "plain ground; the demo shows a made-up town",
    because: "no street data is part of the package",
    read: (text) => text,
  }),
  nodeEnv: setting<string>({
    name: "NODE_ENV",
    meaning: "`production` refuses settings that are only for development",
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
  nameServers: setting<readonly string[] | null>({
    name: "CURBLINE_NAME_SERVERS",
    meaning: "Name servers that know the hosts of webhooks and open links",
    expects: "IP addresses separated by commas, with or without a port, such as 10.0.0.2,[fd00::2]:5353",
    fallback: null,
    usually: "those of the system",
    because: "names in the hosts file of the machine need no name server",
    read: readServers,
  }),
  hasProductionInspector: setting<boolean>({
    name: "CURBLINE_PRODUCTION_INSPECTOR",
    meaning: "Whether the production host has the inspector at `/inspect`; the sandbox host always has it",
    expects: "true or false",
    fallback: false,
    because: "with it, every operator token of production gives access to every journal in a browser",
    read: (text) => ({ true: true, false: false })[text],
  }),
  requestsPerMinute: perMinute({
    name: "CURBLINE_REQUESTS_PER_MINUTE",
    meaning: "Requests that an organization may make in one environment, without bot reports and analytics",
    fallback: 300,
  }),
  botReportsPerMinute: perMinute({
    name: "CURBLINE_BOT_REPORTS_PER_MINUTE",
    meaning: "Bot reports that an organization may make in one environment",
    fallback: 3_000,
  }),
  analyticsPerMinute: perMinute({
    name: "CURBLINE_ANALYTICS_PER_MINUTE",
    meaning:
      "Analytics requests that an organization may make in one environment; they cost more than others",
    fallback: 60,
  }),
  fleetSpeed: setting<number | "off" | null>({
    name: "CURBLINE_FLEET_SPEED",
    flag: "--fleet-speed",
    meaning: "Speed of the synthetic vehicles of production, as a multiple of real time",
    expects: `a number from 1 to ${FLEET_SPEED_MAX}, or off`,
    fallback: null,
    usually: `${DEMO_FLEET_SPEED} with the embedded database, off with DATABASE_URL`,
    because:
      "in the demo a delivery takes a minute or two; on a shared database vehicles drive only if you set a speed",
    read: (text) => (text === "off" ? text : integer({ least: 1, most: FLEET_SPEED_MAX })(text)),
  }),
  logLevel: setting<(typeof LOG_LEVELS)[number]>({
    name: "CURBLINE_LOG_LEVEL",
    meaning: "Lowest level of logged lines; `debug` adds probes",
    expects: "one of debug, info, warn, error",
    fallback: "info",
    read: oneOf(LOG_LEVELS),
  }),
  logFormat: setting<(typeof LOG_FORMATS)[number]>({
    name: "CURBLINE_LOG_FORMAT",
    meaning: "Format of the log on stderr: `json` for programs, `logfmt` for people",
    expects: "one of json, logfmt",
    fallback: "json",
    read: oneOf(LOG_FORMATS),
  }),
  tracesEndpoint: setting<string | null>({
    name: "OTEL_EXPORTER_OTLP_ENDPOINT",
    meaning: "Collector that receives traces, as OTLP in JSON over HTTP, at its path `/v1/traces`",
    expects: "an http or https URL without user and password, such as http://127.0.0.1:4318",
    fallback: null,
    usually: "nothing is traced",
    because: "set headers that the collector requires in OTEL_EXPORTER_OTLP_HEADERS",
    read: (text) => {
      const url = urlOf(text)
      const isPlain = url !== null && url.username === "" && url.password === "" && url.search === ""
      return isPlain && /^https?:$/.test(url.protocol) ? text : undefined
    },
  }),
} as const

/** The speed of synthetic vehicles; null when they do not drive. */
export function fleetSpeedOf({ databaseUrl, fleetSpeed }: Configuration): number | null {
  if (fleetSpeed === "off") return null
  return fleetSpeed ?? (databaseUrl === null ? DEMO_FLEET_SPEED : null)
}

type Settings = typeof SETTINGS

export type Configuration = {
  readonly [Name in keyof Settings]: Settings[Name] extends Setting<infer A> ? A : never
}

/** All problems, one sentence each; secrets are never quoted. */
export class ConfigurationError extends Data.TaggedError("ConfigurationError")<{
  readonly problems: readonly string[]
}> {
  override get message(): string {
    return this.problems.join("\n")
  }
}

/**
 * Texts by variable name, from flags and from the environment. A flag takes precedence; an empty text counts as absent.
 */
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

/** The settings of the database and of the geocoder: enough for commands that do not serve. */
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

/** Problems of settings that are valid alone but contradict each other. */
function contradictionsOf(configuration: Configuration): readonly string[] {
  const {
    allowsLocalTargets,
    databaseUrl,
    geocoderKey,
    geocoderUrl,
    mailFrom,
    nodeEnv,
    productionPort,
    productionUrl,
    sandboxUrl,
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
    ...(databaseUrl !== null && needsStandby(databaseUrl)
      ? [
          "target_session_attrs of DATABASE_URL must be read-write, primary or any: the service needs a primary",
        ]
      : []),
    ...(smtpUrl !== null && mailFrom === null
      ? ["MAIL_FROM must be set too with SMTP_URL: the sender address of mail"]
      : []),
    ...smsContradictions(configuration),
    ...stripeContradictions(configuration),
    ...(geocoderKey !== null && geocoderUrl === null
      ? ["GEOCODER_URL must be set too with GEOCODER_KEY"]
      : []),
    ...(productionPort === sandboxPort
      ? [`CURBLINE_PRODUCTION_PORT and CURBLINE_SANDBOX_PORT must differ; both are ${sandboxPort}`]
      : []),
    // One issuer would make tokens of one host good at the other.
    ...(productionUrl !== null && productionUrl === sandboxUrl
      ? [`CURBLINE_PRODUCTION_URL and CURBLINE_SANDBOX_URL must differ; both are ${sandboxUrl}`]
      : []),
  ]
}

/** With only some of Twilio's settings no SMS would be sent, without an error. */
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

/** With only some of Stripe's settings users could pay and the service would not know. */
function stripeContradictions(configuration: Configuration): readonly string[] {
  const { stripeProfileId, stripeSecretKey, stripeWebhookSecret } = configuration
  const parts = Object.entries({
    STRIPE_SECRET_KEY: stripeSecretKey,
    STRIPE_WEBHOOK_SECRET: stripeWebhookSecret,
    STRIPE_PROFILE_ID: stripeProfileId,
  })
  const missing = parts.flatMap(([name, value]) => (value === null ? [name] : []))
  if (missing.length === 0 || missing.length === parts.length) return []
  return [`${missing.join(" and ")} must be set too to receive payments by Stripe`]
}

/** Several hosts with ports are no URL by the standard, so the first of them stands for all. */
function isDatabaseUrl(text: string): boolean {
  const url = urlOf(text.replace(/(?:,[^,/?@]*)+(?=[/?]|$)/, ""))
  return /^postgres(?:ql)?:$/.test(url?.protocol ?? "")
}

function needsStandby(databaseUrl: Redacted.Redacted): boolean {
  const [, wanted] = /[?&]target_session_attrs=([^&]*)/.exec(Redacted.value(databaseUrl)) ?? []
  return wanted !== undefined && !["any", "primary", "read-write"].includes(wanted)
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

function readServers(text: string): readonly string[] | undefined {
  const servers = text.split(",").map((server) => server.trim())
  const isServer = (server: string): boolean => {
    const [, bracketed, plain = "", portText = "53"] =
      /^(?:\[([\da-f:.]+)\]|(\d[\d.]*))(?::(\d{1,5}))?$/i.exec(server) ?? []
    return (
      isIP(server) !== 0 ||
      (isIP(bracketed ?? plain) !== 0 && Number(portText) >= 1 && Number(portText) <= 65_535)
    )
  }
  return servers.every(isServer) ? servers : undefined
}

function readHostNames(text: string): readonly string[] | undefined {
  const names = text.split(",").map((name) => name.trim().toLowerCase())
  return names.every((name) => /^(?:[a-z\d](?:[a-z\d.-]*[a-z\d])?|\[[\da-f:.]+\])(?::\d{1,5})?$/.test(name))
    ? names
    : undefined
}
