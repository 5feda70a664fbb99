/** Linking in one layer, over the live service and a database: the connector's authorization server and its users. */

import { Context, Effect, Layer } from "effect"
import type { ActorHost } from "../../engine/services/host.ts"
import type { OutboundDocuments } from "../../engine/services/outbound/outbound-documents.ts"
import type { UrlPolicy } from "../../engine/services/outbound/url-policy.ts"
import { Authorization } from "../../areas/linking/authorization.ts"
import { layerBuiltInVerification, layerTestVerification } from "../../areas/linking/built-in-verification.ts"
import { ClientDocuments } from "../../areas/linking/client-documents.ts"
import { StoreRows } from "../../areas/courier/directory/store-admin.ts"
import { StoreAdmin } from "../../areas/courier/directory/store-admin.ts"
import { ConnectorAddress } from "../../areas/linking/connector-address.ts"
import { ConnectorSwitch } from "../../areas/linking/connector-switch.ts"
import { LinkedUsers } from "../../areas/linking/linked-users.ts"
import { LinkingKeys } from "../../areas/linking/linking-keys.ts"
import { Linking } from "../../areas/linking/linking.ts"
import { Phones } from "../../areas/linking/phones.ts"
import { AllowedRedirects } from "../../areas/linking/redirect-uris.ts"
import { Registration } from "../../areas/linking/registration.ts"
import { TerminalCodes } from "../../areas/linking/terminal-codes.ts"
import { Tokens } from "../../areas/linking/tokens.ts"
import type { SmsVerification } from "../../areas/linking/sms-verification.ts"
import type { RetentionTask } from "../../engine/services/retention/retention.ts"
import { linkingTasks } from "../../apps/composition/retention-tasks.ts"
import { layerSealedTables, layerTables } from "../../engine/store/sql-tables.ts"
import type { Database } from "../../engine/store/database.ts"
import { neverPaused } from "../../areas/linking/linking-repository.ts"
import { layerGrantRows, layerLinkingLimitRows } from "../../areas/linking/store/grants.ts"
import { GrantRows, LinkingLimitRows, SmsCodeRows, TerminalCodeRows } from "../../areas/linking/rows.ts"
import { LinkedUserRows, ClientRows } from "../../areas/linking/rows.ts"
import type { Allowance } from "../../areas/linking/rows.ts"

export interface LinkingLayerOptions {
  /** Scheme and host of the connector. */
  readonly baseUrl: string
  /** The service's secret, from which the keys of linking are derived. */
  readonly secret: string
  /** The service that sends and checks codes. */
  readonly verification: "built-in" | Layer.Layer<SmsVerification>
}

/** The services for operators. */
export type ConnectorManagement = AllowedRedirects | ConnectorSwitch | Phones | StoreAdmin

export type LinkingServices =
  Authorization | ConnectorManagement | LinkedUsers | Linking | Registration | TerminalCodes | Tokens

function layerLinkingStore(secret: string) {
  const repositories = Layer.mergeAll(
    ClientRows.layer,
    LinkedUserRows.layer,
    SmsCodeRows.layer,
    TerminalCodeRows.layer,
  ).pipe(Layer.provide(Layer.merge(layerTables, layerSealedTables(`linking ${secret}`))))
  return Layer.mergeAll(repositories, layerGrantRows, layerLinkingLimitRows)
}

/** Retention tasks of linking's rows. */
export function linkingRetention(secret: string): Effect.Effect<readonly RetentionTask[], never, Database> {
  return Effect.provide(linkingTasks, layerLinkingStore(secret))
}

/** The same rows as production's, but other digests: a number may be a user of both, and neither knows the other. */
function layerSandboxLinkingPorts(secret: string) {
  const stored = layerLinkingStore(secret)
  const open = Layer.effectContext(
    Effect.gen(function* () {
      const { grants, clients } = neverPaused(yield* GrantRows, yield* ClientRows)
      return Context.make(GrantRows, grants).pipe(
        Context.add(ClientRows, clients),
        Context.add(LinkingLimitRows, apart(yield* LinkingLimitRows)),
      )
    }),
  ).pipe(Layer.provide(stored))
  return Layer.mergeAll(
    stored,
    open,
    Layer.succeed(LinkingKeys, {
      digestKey: `linking digests sandbox ${secret}`,
      requestKey: `authorization requests sandbox ${secret}`,
    }),
  )
}

/** Attempts at the sandbox take nothing from those that an address or a client has in production. */
function apart(rows: LinkingLimitRows["Type"]): LinkingLimitRows["Type"] {
  const own = (allowance: Allowance): Allowance => ({ ...allowance, bucket: `sandbox ${allowance.bucket}` })
  return {
    ...rows,
    take: (allowance) => rows.take(own(allowance)),
    look: (allowance) => rows.look(own(allowance)),
  }
}

function layerLinkingPorts(secret: string) {
  return Layer.merge(
    layerLinkingStore(secret),
    Layer.succeed(LinkingKeys, {
      digestKey: `linking digests ${secret}`,
      requestKey: `authorization requests ${secret}`,
    }),
  )
}

const layerStores = StoreAdmin.layer.pipe(Layer.provide(StoreRows.layer.pipe(Layer.provide(layerTables))))

export function layerConnectorManagement(
  secret: string,
): Layer.Layer<ConnectorManagement, never, ActorHost | Database> {
  return Layer.mergeAll(AllowedRedirects.layer, ConnectorSwitch.layer, Phones.layer, layerStores).pipe(
    Layer.provide(layerLinkingPorts(secret)),
  )
}

export function layerLinking({
  baseUrl,
  secret,
  verification,
}: LinkingLayerOptions): Layer.Layer<
  LinkingServices,
  never,
  ActorHost | Database | OutboundDocuments | UrlPolicy
> {
  return layerServices.pipe(
    Layer.provide(verification === "built-in" ? layerBuiltInVerification : verification),
    Layer.provide(Layer.succeed(ConnectorAddress, { baseUrl, environment: "production" })),
    Layer.provide(layerLinkingPorts(secret)),
  )
}

/** The same for the sandbox's connector, whose users are test numbers; with its rows, for those who list the numbers. */
export function layerSandboxLinking({ baseUrl, secret }: Omit<LinkingLayerOptions, "verification">) {
  return layerServices.pipe(
    Layer.provide(layerTestVerification),
    Layer.provide(Layer.succeed(ConnectorAddress, { baseUrl, environment: "sandbox" })),
    Layer.provideMerge(layerSandboxLinkingPorts(secret)),
  )
}

const layerServices = Layer.mergeAll(
  AllowedRedirects.layer,
  Linking.layer,
  Authorization.layer,
  ConnectorSwitch.layer,
  LinkedUsers.layer,
  Phones.layer,
  Registration.layer,
  layerStores,
  TerminalCodes.layer,
  Tokens.layer,
).pipe(Layer.provide(ClientDocuments.layer))
