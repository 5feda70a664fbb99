/** Statements that are tuned for SQL: each gives what its plain form gives, on random rows. */

import { Context, Effect, Exit, Layer, Scope } from "effect"
import { sql } from "drizzle-orm"
import fc from "fast-check"
import { afterAll, beforeAll, expect, test } from "vitest"
import { plainHolder } from "../../../src/http/access/access-repository.ts"
import { AccessRows, apiKeys, organizations } from "../../../src/http/access/rows.ts"
import { plainMeasuredReads } from "../../../src/areas/analytics/site-repository.ts"
import { MeasuredSites } from "../../../src/areas/analytics/sites.ts"
import { catalogOver, plainCatalogReads } from "../../../src/areas/catalog/catalog-repository.ts"
import { Catalog } from "../../../src/areas/catalog/catalog.ts"
import { grants, offers, retailers, sites, stalls, zones } from "../../../src/areas/catalog/rows.ts"
import { plainLoads } from "../../../src/areas/reservations/reservation-repository.ts"
import { ReservationRows, reservations } from "../../../src/areas/reservations/rows.ts"
import { layerReservationRows } from "../../../src/areas/reservations/store/reservation-rows.ts"
import { plainPlace } from "../../../src/apps/operations/place-repository.ts"
import { Places } from "../../../src/apps/operations/places.ts"
import { Transaction } from "../../../src/engine/services/host.ts"
import { plainlyHeld } from "../../../src/areas/linking/linking-repository.ts"
import { GrantRows, connectorPause, linkedUsers, oauthTokens } from "../../../src/areas/linking/rows.ts"
import { milestoneRowsOver, plainNoteFor } from "../../../src/apps/portal/milestone-repository.ts"
import { MilestoneRows } from "../../../src/apps/portal/milestones.ts"
import { plainSession } from "../../../src/apps/portal/portal-repository.ts"
import { PortalRows, portalAccounts, portalSessions } from "../../../src/apps/portal/rows.ts"
import { SealedTables, Tables } from "../../../src/engine/services/tables/tables.ts"
import {
  WebhookStore,
  webhookBodies,
  webhookDeliveries,
  webhookEndpoints,
} from "../../../src/areas/webhooks/store.ts"
import { plainOutgoing } from "../../../src/areas/webhooks/webhook-repository.ts"
import { MemoryStore } from "../../../src/engine/memory/memory-store.ts"
import { layerMemoryTables } from "../../../src/engine/memory/memory-tables.ts"
import { layerAccessRows } from "../../../src/http/access/store/access-rows.ts"
import { layerCatalog } from "../../../src/areas/catalog/store/bookable-catalog.ts"
import { Database } from "../../../src/engine/store/database.ts"
import { layerGrantRows } from "../../../src/areas/linking/store/grants.ts"
import { layerMilestoneRows } from "../../../src/apps/portal/store/milestones.ts"
import { layerPlaces } from "../../../src/apps/operations/store/places.ts"
import { layerPortalRows } from "../../../src/apps/portal/store/portal-sessions.ts"
import { layerMeasuredSites } from "../../../src/areas/analytics/store/sessions-sites.ts"
import { layerSecretBox } from "../../../src/engine/store/secret-box.ts"
import { layerSealedTables, layerTables } from "../../../src/engine/store/sql-tables.ts"
import { inTransaction } from "../../../src/engine/store/transaction.ts"
import { layerWebhookStore } from "../../../src/areas/webhooks/store/webhook-store.ts"
import { layerCopiedPglite } from "./embedded-template.ts"

type Tuned =
  | AccessRows
  | Catalog
  | Database
  | GrantRows
  | MeasuredSites
  | MilestoneRows
  | Places
  | PortalRows
  | ReservationRows
  | WebhookStore
type Kept = SealedTables | Tables

const scope = Effect.runSync(Scope.make())
let context: Context.Context<Kept | Tuned>

beforeAll(async () => {
  const tuned = Layer.mergeAll(
    layerAccessRows,
    layerCatalog,
    layerGrantRows,
    layerMeasuredSites,
    layerMilestoneRows,
    layerPlaces,
    layerPortalRows,
    layerReservationRows,
    layerWebhookStore.pipe(Layer.provide(layerSecretBox("test"))),
    layerTables,
    layerSealedTables("test"),
  )
  context = await Effect.runPromise(Layer.buildWithScope(Layer.provideMerge(tuned, layerCopiedPglite), scope))
})
afterAll(() => Effect.runPromise(Scope.close(scope, Exit.void)))

/** Few ids, so that rows meet each other. */
const id = fc.constantFrom("a", "b", "c")
const environment = fc.constantFrom("production", "sandbox")
const atMs = fc.integer({ min: 0, max: 3 })
const maybeMs = fc.option(atMs)

const maybeOne = fc.constantFrom(null, 1)

const world = fc.record({
  sites: rowsOf({
    environment,
    siteId: id,
    name: id,
    timezone: fc.option(id),
    fleetId: fc.constant("fleet"),
    address: fc.constant(null),
    place: fc.constant(null),
    area: fc.constant(null),
    priceCents: maybeOne,
    isOwned: fc.boolean(),
  }),
  zones: rowsOf({
    environment,
    zoneId: id,
    siteId: id,
    name: id,
    latitude: maybeOne,
    longitude: maybeOne,
    hasRunner: fc.boolean(),
  }),
  stalls: rowsOf({ environment, stallId: id, zoneId: id, label: fc.option(id), isActive: fc.boolean() }),
  retailers: rowsOf({
    environment,
    retailerId: id,
    name: id,
    logoUrl: fc.option(id),
    supportPhone: fc.option(id),
    pickupRequirements: fc.option(id),
  }),
  offers: rowsOf({ environment, zoneId: id, retailerId: id }),
  grants: rowsOf({ environment, organizationId: id, zoneId: id, retailerId: id }),
  organizations: rowsOf({
    organizationId: id,
    name: id,
    isActive: fc.boolean(),
    isFleetPartner: fc.boolean(),
    isSandboxPartner: fc.boolean(),
    environments: fc.uniqueArray(environment),
    createdAtMs: atMs,
    updatedAtMs: atMs,
  }),
  keys: rowsOf({
    keyId: id,
    organizationId: id,
    environment,
    permissions: fc.constant([]),
    label: fc.constant(null),
    createdBy: fc.constant(null),
    lastFour: id,
    createdAtMs: atMs,
    expiresAtMs: maybeMs,
    revokedAtMs: maybeMs,
  }),
  users: rowsOf({
    userId: id,
    phone: fc.option(id),
    isEnabled: fc.boolean(),
    enabledAtMs: atMs,
    disabledAtMs: maybeMs,
    linkedAtMs: maybeMs,
  }),
  tokens: rowsOf({
    tokenHash: id,
    kind: fc.constantFrom("access", "refresh"),
    familyId: id,
    clientId: id,
    userId: id,
    resource: id,
    createdAtMs: atMs,
    endsAtMs: atMs,
    revokedAtMs: maybeMs,
  }),
  pause: rowsOf({ id: fc.constant("connector" as const), pausedAtMs: atMs }),
  accounts: rowsOf({
    accountId: id,
    organizationId: id,
    role: fc.constantFrom("administrator", "developer", "viewer") as fc.Arbitrary<never>,
    name: id,
    passwordHash: id,
    createdAtMs: atMs,
  }),
  sessions: rowsOf({
    sessionId: id,
    organizationId: fc.constantFrom(null, "a"),
    accountId: id,
    environment,
    userAgent: id,
    createdAtMs: atMs,
    seenAtMs: atMs,
    endsAtMs: atMs,
  }),
  reservations: rowsOf({
    reservationId: id,
    organizationId: id,
    environment,
    zoneId: id,
    retailerId: id,
    stallId: id,
    stallLabel: fc.option(id),
    orderNumber: id,
    endUserName: id,
    endUserPhone: id,
    openLinkUrl: id,
    retailerPickupRef: fc.option(id),
    payloadLimit: fc.constant(null),
    cancelReason: fc.option(id),
    botLabel: fc.option(id),
    exceptionMessages: fc.constant({}),
    comparison: id,
    createdAtMs: atMs,
    status: fc.constantFrom("confirmed", "arrived", "completed", "canceled"),
    startsAtMs: atMs,
    endsAtMs: atMs,
    updatedAtMs: atMs,
    taskStagingAtMs: maybeMs,
  }),
  endpoints: rowsOf({
    webhookId: id,
    organizationId: id,
    environment,
    area: fc.constantFrom("reservations", "direct_delivery"),
    siteId: fc.option(id),
    url: id,
    subscribedEvents: fc.constant([]),
    isActive: fc.boolean(),
    secret: id,
    consecutiveFailures: atMs,
    disabledAtMs: maybeMs,
    disabledReason: fc.option(id),
    createdAtMs: atMs,
    updatedAtMs: atMs,
  }),
  bodies: rowsOf({
    eventId: id,
    eventType: fc.constant("pickup_status.changed" as const),
    subjectId: id,
    body: id,
    createdAtMs: atMs,
  }),
  deliveries: rowsOf({
    deliveryId: id,
    webhookId: id,
    eventId: id,
    subjectId: id,
    redeliveryOf: fc.option(id),
    redeliveredAtMs: maybeMs,
  }),
})
type World = typeof world extends fc.Arbitrary<infer Made> ? Made : never

function rowsOf<Row>(row: { readonly [Name in keyof Row]: fc.Arbitrary<Row[Name]> }) {
  return fc.array(fc.record(row), { maxLength: 6 })
}

/** Later rows replace earlier ones of their key; what is unique is made from the key. */
const written = Effect.fnUntraced(function* (made: World) {
  const tables = yield* Tables
  const sealedTables = yield* SealedTables
  const all = [
    // An id belongs to one site that delivers, whatever its environment.
    ...made.sites.map(({ isOwned, ...row }) =>
      tables.of(sites).upsert({
        ...row,
        organizationId: isOwned && row.environment === "sandbox" ? row.siteId : null,
      }),
    ),
    ...made.zones.map((row) => tables.of(zones).upsert(row)),
    ...made.stalls.map((row) => tables.of(stalls).upsert(row)),
    ...made.retailers.map((row) => tables.of(retailers).upsert(row)),
    ...made.offers.map((row) => tables.of(offers).insertOrIgnore(row)),
    ...made.grants.map((row) => tables.of(grants).insertOrIgnore(row)),
    ...made.organizations.map((row) => tables.of(organizations).upsert(row)),
    ...made.keys.map((row) => tables.of(apiKeys).upsert({ ...row, hash: row.keyId })),
    ...made.users.map((row) => sealedTables.of(linkedUsers).upsert({ ...row, phoneDigest: row.userId })),
    ...made.tokens.map((row) => tables.of(oauthTokens).upsert(row)),
    ...made.pause.map((row) => tables.of(connectorPause).upsert(row)),
    ...made.accounts.map((row) => tables.of(portalAccounts).upsert({ ...row, email: row.accountId })),
    ...made.sessions.map((row) => tables.of(portalSessions).upsert({ ...row, tokenHash: row.sessionId })),
    ...made.reservations.map((row) => tables.of(reservations).upsert({ ...row, idempotencyKey: null })),
    ...made.endpoints.map((row) => sealedTables.of(webhookEndpoints).upsert(row)),
    ...made.bodies.map((row) => tables.of(webhookBodies).upsert(row)),
    ...made.deliveries.map((row) => tables.of(webhookDeliveries).upsert(row)),
  ]
  yield* Effect.all(all, { discard: true })
})

const IDS = ["a", "b", "c", "d"]

const plainAnswers = Effect.gen(function* () {
  const tables = yield* Tables
  const sealedTables = yield* SealedTables
  const { token, tokenAtSwitch } = plainlyHeld(sealedTables)
  const outgoing = plainOutgoing(sealedTables)
  return yield* answers({
    holder: plainHolder(tables),
    token,
    tokenAtSwitch,
    session: plainSession(tables),
    outgoing,
    catalog: catalogOver(plainCatalogReads(tables)),
    measured: plainMeasuredReads(tables),
    place: plainPlace(tables),
    loads: plainLoads(tables),
    ...milestoneRowsOver(tables, plainNoteFor(tables, sealedTables)),
  })
})

const tunedAnswers = Effect.gen(function* () {
  const { token, tokenAtSwitch } = yield* GrantRows
  return yield* answers({
    holder: (yield* AccessRows).holder,
    token,
    tokenAtSwitch,
    session: (yield* PortalRows).session,
    outgoing: (yield* WebhookStore).outgoing,
    catalog: yield* Catalog,
    measured: yield* MeasuredSites,
    place: (yield* Places).site,
    loads: (yield* ReservationRows).loads,
    ...(yield* MilestoneRows),
  })
})

const SANDBOX = { environment: "sandbox" } as const

const WINDOWS = [
  { startsAtMs: 0, endsAtMs: 2 },
  { startsAtMs: 1, endsAtMs: 3 },
]

/** Lists without an order of their own. */
function inOrder<Answer extends object>(answer: Answer | null): unknown {
  if (answer === null) return null
  const sorted = (value: unknown): unknown =>
    Array.isArray(value) ? value.map((one) => JSON.stringify(one)).toSorted() : value
  return Object.fromEntries(Object.entries(answer).map(([name, value]) => [name, sorted(value)]))
}

type Statements = Pick<AccessRows["Type"], "holder"> &
  Pick<GrantRows["Type"], "token" | "tokenAtSwitch"> &
  MilestoneRows["Type"] &
  Pick<PortalRows["Type"], "session"> &
  Pick<WebhookStore["Type"], "outgoing"> & {
    readonly catalog: Catalog["Type"]
    readonly measured: Pick<MeasuredSites["Type"], "site" | "stallIds">
    readonly place: Places["Type"]["site"]
    readonly loads: ReservationRows["Type"]["loads"]
  }

const TABLES = [
  "organizations",
  "api_keys",
  "linked_users",
  "oauth_tokens",
  "connector_pause",
  "portal_accounts",
  "portal_sessions",
  "sites",
  "zones",
  "stalls",
  "retailers",
  "zone_retailers",
  "grants",
  "webhook_endpoints",
  "webhook_bodies",
  "webhook_deliveries",
  "sandbox_milestones",
  "reservations",
]

const answers = Effect.fnUntraced(function* (statements: Statements) {
  const { holder, token, tokenAtSwitch, session, outgoing, noteFor, of } = statements
  for (const one of IDS)
    yield* noteFor(one, "webhook_registered", { atMs: 1, by: { type: "member", accountId: one } })
  const reads: readonly ((one: string) => Effect.Effect<unknown>)[] = [
    holder,
    token,
    tokenAtSwitch,
    session,
    outgoing,
    of,
    (organizationId) => statements.catalog.discover({ ...SANDBOX, organizationId }),
    (siteId) => Effect.map(statements.place("sandbox", siteId), inOrder),
    (siteId) => statements.measured.site({ ...SANDBOX, organizationId: null }, siteId),
    (siteId) => statements.measured.stallIds("sandbox", siteId),
    ...WINDOWS.map((window) => (zoneId: string) => statements.loads({ ...SANDBOX, zoneId, ...window })),
    ...IDS.flatMap((organizationId) => [
      (zoneId: string) =>
        Effect.map(statements.catalog.zone({ ...SANDBOX, organizationId }, zoneId), inOrder),
      (siteId: string) => statements.measured.site({ ...SANDBOX, organizationId }, siteId),
    ]),
  ]
  return yield* Effect.forEach(reads, (read) => Effect.forEach(IDS, read))
})

test("a tuned statement gives what its plain form gives, over SQL and in memory", async () => {
  const database = Context.get(context, Database)
  const noTransaction = {} as Transaction["Type"]
  const over = <A>(asked: Effect.Effect<A, never, Kept | Transaction | Tuned>, made: World) =>
    Effect.runPromise(
      inTransaction(
        database,
        Effect.zipRight(written(made), asked).pipe(
          Effect.provideService(Transaction, noTransaction),
          Effect.provide(context),
        ),
      ),
    )
  // Not truncate, which makes new files for each table and index.
  const emptied = `do $$ begin ${TABLES.map((name) => `delete from ${name};`).join(" ")} end $$`
  await fc.assert(
    fc.asyncProperty(world, async (made) => {
      const results: unknown[] = []
      for (const asked of [tunedAnswers, plainAnswers]) {
        await database.orm.execute(sql.raw(emptied))
        results.push(await over(asked, made))
      }
      const inMemory = Effect.zipRight(written(made), plainAnswers).pipe(
        Effect.provideService(Transaction, noTransaction),
        Effect.provide(layerMemoryTables(new MemoryStore())),
      )
      expect(results[0]).toEqual(results[1])
      expect(Effect.runSync(inMemory)).toEqual(results[1])
    }),
    { numRuns: 60 },
  )
})
