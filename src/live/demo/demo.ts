/** Demo data of a first start: one organization with a key and a small site in each environment. */

import { Effect } from "effect"
import type { Environment } from "../../model/caller.ts"
import { ENVIRONMENTS, PERMISSIONS } from "../../model/caller.ts"
import type { Refused } from "../../model/values/errors.ts"
import { ISSUER_PATH } from "../../model/linking.ts"
import { ApiKeys } from "../../http/access/api-keys.ts"
import { OperatorTokens } from "../../http/access/operator-tokens.ts"
import { Organizations } from "../../apps/operations/organizations.ts"
import { SANDBOX_SITE } from "../../areas/catalog/sandbox-site.ts"
import { ActorHost } from "../../engine/services/host.ts"
import { Routine } from "../../engine/services/routine.ts"
import { Phones } from "../../areas/linking/phones.ts"
import { AllowedRedirects } from "../../areas/linking/redirect-uris.ts"
import { DEMO_STORES } from "../../areas/courier/directory/demo-stores.ts"
import { Vehicles } from "../../areas/dispatch/vehicles.ts"
import { writeSite } from "../../areas/catalog/store/bookable-catalog.ts"
import { writeStore } from "../../areas/courier/store/stored-directory.ts"
import { writeDeliverySite } from "../../areas/direct-delivery/store/delivery-rows.ts"
import { deliverySitesOf, vehicleOf } from "./demo-deliveries.ts"
import type { CatalogSite } from "../../areas/catalog/rows.ts"
import type { Database } from "../../engine/store/database.ts"
import type { DemoFileFault, KeptDemo } from "./demo-file.ts"

/** What a newcomer needs to call one environment. The key's value is stored only here. */
export interface DemoAccess {
  readonly base_url: string
  readonly api_key: string
  readonly zone_id: string
  readonly retailer_id: string
  readonly site_id: string
  /** For the operations API of this environment. */
  readonly operator_token: string
}

/** What an agent needs to link the demo's user; `curbline phones code` shows the code that is sent to the number. */
export interface DemoConnector {
  readonly mcp_url: string
  readonly issuer: string
  readonly phone: string
  readonly redirect_uri: string
}

export type Demo = Readonly<Record<Environment, DemoAccess>> & { readonly courier: DemoConnector }

/** An invited number, and the one redirect URI that clients of the demo may register. */
const CONNECTOR_PHONE = "+15125550100"
const CONNECTOR_REDIRECT = "https://agent.curbline.example/callback"

/** A fixed id, so that a second start, also on another node, makes no second organization. */
const DEMO_ORGANIZATION_ID = "de300000-0000-4000-8000-000000000001"

/** A host for examples. The booking resolves it, like every open link. */
export const OPEN_LINK = "https://example.com/open"

/** Needs no name resolution, so the booking also works without a name server; nothing listens there. */
export const LOCAL_OPEN_LINK = "http://127.0.0.1:9/open"

/** Where demo data may be created: only in a database without organizations, in any database, or in none. */
export type DemoPlace = "in a new database" | "anywhere" | "nowhere"

export interface DemoRequest {
  readonly baseUrls: Readonly<Record<Environment, string>>
  /** The keys that an earlier start kept, for this database or another one. */
  readonly known: KeptDemo | null
  readonly place: DemoPlace
  /** Stores the keys; if that fails, new keys are revoked, because their values are lost. */
  readonly keep: (demo: Demo) => Effect.Effect<void, DemoFileFault>
}

type Needs =
  ActorHost | AllowedRedirects | ApiKeys | Database | OperatorTokens | Organizations | Phones | Vehicles

/** The demo of this database: the existing one, or a new one; null when there is none and none may be created. */
export function demoOf({
  baseUrls,
  known,
  place,
  keep,
}: DemoRequest): Effect.Effect<Demo | null, DemoFileFault | Refused, Needs> {
  const revoking: Revoke[] = []
  return Effect.gen(function* () {
    if (known !== null && (yield* isOfHere(known))) {
      const { production, sandbox } = known
      const demo: Demo = {
        production: { ...production, base_url: baseUrls.production },
        sandbox: { ...sandbox, base_url: baseUrls.sandbox },
        courier: yield* connectorOf(known, baseUrls.production),
      }
      yield* keep(demo)
      return demo
    }
    const organizations = yield* Organizations
    if (place === "nowhere") return null
    if (place === "in a new database" && (yield* organizations.list).length > 0) return null
    const { organizationId } = yield* organizations.ensure({
      organizationId: DEMO_ORGANIZATION_ID,
      name: "Demo fleet",
      isFleetPartner: true,
      environments: ENVIRONMENTS,
    })
    const owner = { organizationId, baseUrls, revoking }
    const production = yield* makeEnvironment("production", owner)
    const sandbox = yield* makeEnvironment("sandbox", owner)
    const demo: Demo = { production, sandbox, courier: yield* makeConnector(baseUrls.production) }
    yield* keep(demo)
    return demo
  }).pipe(Effect.onError(() => Effect.forEach(revoking, Effect.ignore, { discard: true })))
}

type Revoke = Effect.Effect<unknown, Refused>

/**
 * Existing connector settings stay as operators have left them. A demo of an older version has none, so they are
 * created.
 */
function connectorOf(
  { courier: made }: KeptDemo,
  baseUrl: string,
): Effect.Effect<DemoConnector, Refused, AllowedRedirects | Phones> {
  return made === undefined ? makeConnector(baseUrl) : Effect.succeed({ ...made, ...urlsOf(baseUrl) })
}

const makeConnector = Effect.fnUntraced(function* (baseUrl: string) {
  const phones = yield* Phones
  const redirects = yield* AllowedRedirects
  yield* phones.enable(CONNECTOR_PHONE)
  yield* redirects.allow(CONNECTOR_REDIRECT)
  return { ...urlsOf(baseUrl), phone: CONNECTOR_PHONE, redirect_uri: CONNECTOR_REDIRECT }
})

function urlsOf(baseUrl: string): Pick<DemoConnector, "issuer" | "mcp_url"> {
  const issuer = `${baseUrl}${ISSUER_PATH}`
  return { mcp_url: `${issuer}/mcp`, issuer }
}

/** True when its operator tokens are valid in this database. */
function isOfHere(known: KeptDemo): Effect.Effect<boolean, never, OperatorTokens> {
  return Effect.gen(function* () {
    const tokens = yield* OperatorTokens
    const operators = yield* Effect.forEach(ENVIRONMENTS, (environment) =>
      tokens.judge({ authorization: `Bearer ${known[environment].operator_token}`, environment }),
    )
    return operators.every((operator) => operator !== null)
  })
}

interface Owner {
  readonly organizationId: string
  readonly baseUrls: Readonly<Record<Environment, string>>
  /** The undo of each new key. */
  readonly revoking: Revoke[]
}

const makeEnvironment = Effect.fnUntraced(function* (
  environment: Environment,
  { organizationId, baseUrls, revoking }: Owner,
) {
  const host = yield* ActorHost
  const keys = yield* ApiKeys
  const tokens = yield* OperatorTokens
  const { site, siteId, zoneId, retailerId } = placeIn(environment, organizationId)
  const deliverySites = deliverySitesOf(environment, { siteId, organizationId })
  yield* host.run({
    name: "write the demo",
    locks: { key: `catalog/${environment}` },
    body: () =>
      Routine.inTurn(
        site === null ? Routine.void : writeSite(environment, site),
        ...deliverySites.map((one) => writeDeliverySite(one)),
        // The courier connector exists only in production.
        ...(environment === "production" ? DEMO_STORES : []).map((store) => writeStore(store)),
      ),
  })
  const vehicles = yield* Vehicles
  yield* vehicles.register(vehicleOf(environment))
  const { key, value } = yield* keys.make({
    organizationId,
    environment,
    permissions: PERMISSIONS,
    expiresAtMs: null,
  })
  revoking.push(keys.revoke(environment, key.keyId))
  const { token, value: operatorToken } = yield* tokens.make({ environment, label: "demo" })
  revoking.push(tokens.revoke(environment, token.tokenId))
  return {
    base_url: baseUrls[environment],
    api_key: value,
    zone_id: zoneId,
    retailer_id: retailerId,
    site_id: siteId,
    operator_token: operatorToken,
  }
})

/** Where the demo books, and the site that must be created for that. */
function placeIn(environment: Environment, organizationId: string) {
  if (environment === "production") {
    const site = siteOf(organizationId)
    return { site, siteId: site.siteId, zoneId: "zone_domain_north", retailerId: "retailer_lunchbox" }
  }
  const { zone, retailer } = SANDBOX_SITE
  return { site: null, siteId: zone.siteId, zoneId: zone.zoneId, retailerId: retailer.retailerId }
}

/** The sandbox's site is built in and granted with the organization; production's site belongs to the demo. */
function siteOf(organizationId: string): CatalogSite {
  return {
    siteId: "d0a1b2c3-0000-4000-8000-00000000d001",
    name: "Domain North",
    timezone: "America/Chicago",
    zones: [
      {
        zoneId: "zone_domain_north",
        name: "Domain North curb",
        latitude: 30.4021,
        longitude: -97.7253,
        hasRunner: true,
        stalls: [1, 2, 3].map((number) => ({
          stallId: `stall_domain_${number}`,
          label: `A${number}`,
          isActive: true,
        })),
        retailers: [
          {
            retailerId: "retailer_lunchbox",
            name: "Lunchbox Kitchen",
            logoUrl: null,
            supportPhone: null,
            pickupRequirements: null,
            grantedTo: [organizationId],
          },
        ],
      },
    ],
  }
}
