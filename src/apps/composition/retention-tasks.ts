/** The purged tables and their retention periods, which are defined in the model's limits. */

import {
  KEEP_ATTEMPTS_MS,
  KEEP_OPEN_LINK_BODIES_MS,
  KEEP_PERSONAL_DATA_MS,
  KEEP_REQUEST_COUNTS_MS,
  SESSION_END_KNOWN_MS,
  SESSION_IDLE_MS,
} from "../../model/values/limits.ts"
import { ENVIRONMENTS } from "../../model/caller.ts"
import { MESSAGE_AGE_MS_MAX, PURPOSES } from "../../model/message.ts"
import { AuditRows, organizationAudit } from "../../http/access/audit-log.ts"
import { CallRows, loggedBodies, loggedCalls } from "../../http/access/call-rows.ts"
import { CourseRows, courseRuns, courseSteps } from "../../areas/courses/rows.ts"
import { ClockRows, clockMoveTurns, clockMoves } from "../../areas/clock/rows.ts"
import { RateCounter } from "../../http/access/rate-limits.ts"
import { VehicleRows, vehicleFixes } from "../../areas/dispatch/rows.ts"
import { DeliveryRows } from "../../areas/direct-delivery/rows.ts"
import { CourierClaims, CourierRows, courierClaims, courierStoreOrders } from "../../areas/courier/rows.ts"
import { Transaction } from "../../engine/services/host.ts"
import { OperatorAudit, operatorAudit } from "../inspector/audit.ts"
import { KeptBodies, keptExchanges, keptRequests } from "../inspector/kept-bodies.ts"
import { OperatorActionRows, operatorActions } from "../operators/actions.ts"
import { OperatorAccountRows, operatorAccountSessions, operatorChallenges } from "../operators/rows.ts"
import { OperatorSessionRows, operatorSessions } from "../operators/operator-sessions.ts"
import {
  ClientRows,
  GrantRows,
  LinkedUserRows,
  LinkingLimitRows,
  SmsCodeRows,
  oauthClients,
  oauthCodes,
  oauthTokens,
  smsCodes as smsCodeTable,
  TerminalCodeRows,
  terminalCodes,
} from "../../areas/linking/rows.ts"
import { MessageRows, inboundMessages, messages as messageTable } from "../../areas/messages/rows.ts"
import { PhotoStore } from "../../engine/services/photos/photo-store.ts"
import { Policies } from "../../engine/services/policies.ts"
import { AttemptCounter } from "../../engine/services/rate-limits/attempts.ts"
import { endedSessions } from "../portal/people/ended-sessions.ts"
import { PortalRows, portalChallenges } from "../portal/rows.ts"
import { FormerRows, endedAccounts, formerMembers } from "../portal/people/former-members.ts"
import { SiteRequestRows, siteRequests } from "../portal/site-requests.ts"
import { ReservationRows } from "../../areas/reservations/rows.ts"
import {
  RunnerPhoneRows,
  runnerCalls,
  runnerMoves,
  runnerPairings,
  runnerPhones,
} from "../../areas/runner-phones/rows.ts"
import { keepMsOf } from "../../engine/services/tables/purge.ts"
import { WebhookStore, sandboxEvents, webhookBodies } from "../../areas/webhooks/store.ts"
import type { PurgeOrder, RetentionTask } from "../../engine/services/retention/retention.ts"
import { Routine } from "../../engine/services/routine.ts"

/**
 * Rows of reservations, deliveries, errands, photos and webhooks: every host has them. A new kind of row needs a line
 * here.
 */
export const serviceTasks: Routine<
  readonly RetentionTask[],
  never,
  | CourierClaims
  | CourierRows
  | DeliveryRows
  | PhotoStore
  | Policies
  | ReservationRows
  | VehicleRows
  | WebhookStore
> = Routine.gen(function* () {
  const claims = yield* CourierClaims
  const deliveries = yield* DeliveryRows
  const errands = yield* CourierRows
  const photos = yield* PhotoStore
  const policies = yield* Policies
  const rows = yield* ReservationRows
  const vehicles = yield* VehicleRows
  const webhooks = yield* WebhookStore
  return [
    { name: "open link bodies", keepMs: KEEP_OPEN_LINK_BODIES_MS, purge: rows.purgeOpenLinks },
    { name: "webhook bodies", keepMs: keepMsOf(webhookBodies), purge: webhooks.purgeBodies },
    { name: "events of the sandbox", keepMs: keepMsOf(sandboxEvents), purge: webhooks.purgeEvents },
    ...ENVIRONMENTS.map((environment) => ({
      name: `load photos (${environment})`,
      keepMs: Routine.map(policies.of(environment), ({ keepLoadPhotosMs }) => keepLoadPhotosMs),
      purge: (order: PurgeOrder) => photos.purge(environment, order),
    })),
    { name: "personal data", keepMs: KEEP_PERSONAL_DATA_MS, purge: rows.blankEnded },
    { name: "personal data of deliveries", keepMs: KEEP_PERSONAL_DATA_MS, purge: deliveries.blankEnded },
    { name: "personal data of quotes", keepMs: KEEP_PERSONAL_DATA_MS, purge: deliveries.blankQuotes },
    { name: "vehicle fixes", keepMs: keepMsOf(vehicleFixes), purge: vehicles.purgeFixes },
    { name: "courier store orders", keepMs: keepMsOf(courierStoreOrders), purge: errands.purgeStoreOrders },
    { name: "courier answers", keepMs: keepMsOf(courierClaims), purge: claims.purge },
    { name: "errands", keepMs: KEEP_PERSONAL_DATA_MS, purge: errands.blankEnded },
  ]
})

/**
 * Rows of the portal and its messages. Expired codes and links are purged in the next run, because they grant nothing
 * any more. Sessions are kept for some days, so that the sign-in page can say why they ended.
 */
export const portalTasks: Routine<
  readonly RetentionTask[],
  never,
  AttemptCounter | AuditRows | CallRows | FormerRows | MessageRows | PortalRows | SiteRequestRows
> = Routine.gen(function* () {
  const attempts = yield* AttemptCounter
  const audit = yield* AuditRows
  const calls = yield* CallRows
  const messages = yield* MessageRows
  const portal = yield* PortalRows
  const former = yield* FormerRows
  const requests = yield* SiteRequestRows
  return [
    ...PURPOSES.map((purpose) => ({
      name: `unsent messages (${purpose})`,
      keepMs: MESSAGE_AGE_MS_MAX[purpose],
      purge: (order: PurgeOrder) =>
        Routine.flatMap(Transaction, ({ nowMs: atMs }) => messages.expire(order, { purpose, atMs })),
    })),
    { name: "messages", keepMs: keepMsOf(messageTable), purge: messages.purge },
    { name: "inbound messages", keepMs: keepMsOf(inboundMessages), purge: messages.purgeInbound },
    {
      name: "portal sessions",
      keepMs: SESSION_END_KNOWN_MS,
      purge: (order) => portal.purgeSessions({ ...order, unusedSinceMs: order.beforeMs - SESSION_IDLE_MS }),
    },
    { name: "reasons of ended sessions", keepMs: keepMsOf(endedSessions), purge: portal.purgeSessionEnds },
    { name: "portal codes and links", keepMs: keepMsOf(portalChallenges), purge: portal.purgeChallenges },
    { name: "audit logs", keepMs: keepMsOf(organizationAudit), purge: audit.purge },
    { name: "request logs", keepMs: keepMsOf(loggedCalls), purge: calls.purge },
    { name: "bodies of request logs", keepMs: keepMsOf(loggedBodies), purge: calls.purgeBodies },
    { name: "former members", keepMs: keepMsOf(formerMembers), purge: former.purgeMembers },
    { name: "accounts that ended", keepMs: keepMsOf(endedAccounts), purge: former.purgeAccounts },
    { name: "requests to change sites", keepMs: keepMsOf(siteRequests), purge: requests.purge },
    { name: "portal attempts", keepMs: KEEP_ATTEMPTS_MS, purge: attempts.purge },
  ]
})

/** Rows of linking: choices G20 and A39. */
export const linkingTasks: Routine<
  readonly RetentionTask[],
  never,
  ClientRows | GrantRows | LinkedUserRows | LinkingLimitRows | SmsCodeRows | TerminalCodeRows
> = Routine.gen(function* () {
  const clients = yield* ClientRows
  const grants = yield* GrantRows
  const limits = yield* LinkingLimitRows
  const smsCodes = yield* SmsCodeRows
  const terminals = yield* TerminalCodeRows
  const users = yield* LinkedUserRows
  return [
    { name: "codes of text messages", keepMs: keepMsOf(smsCodeTable), purge: smsCodes.purge },
    { name: "codes for terminals", keepMs: keepMsOf(terminalCodes), purge: terminals.purge },
    { name: "authorization codes", keepMs: keepMsOf(oauthCodes), purge: grants.purgeCodes },
    { name: "tokens", keepMs: keepMsOf(oauthTokens), purge: grants.purgeTokens },
    { name: "unused clients", keepMs: keepMsOf(oauthClients), purge: clients.purgeUnused },
    { name: "disabled numbers", keepMs: KEEP_PERSONAL_DATA_MS, purge: users.blankDisabled },
    { name: "linking's limits", keepMs: 0, purge: limits.purge },
  ]
})

/** Rows of runners' phones, which only a host with an HTTP layer has. */
export const runnerPhoneTasks: Routine<readonly RetentionTask[], never, RunnerPhoneRows> = Routine.map(
  RunnerPhoneRows,
  ({ purgeCalls, purgePairings, purgePhones, purgeMoves }) => [
    { name: "calls to runners", keepMs: keepMsOf(runnerCalls), purge: purgeCalls },
    { name: "codes of runners' phones", keepMs: keepMsOf(runnerPairings), purge: purgePairings },
    { name: "runners' phones", keepMs: keepMsOf(runnerPhones), purge: purgePhones },
    { name: "moves of runners' phones", keepMs: keepMsOf(runnerMoves), purge: purgeMoves },
  ],
)

/** The inspector's rows about operators. */
export const inspectionTasks: Routine<
  readonly RetentionTask[],
  never,
  KeptBodies | OperatorAudit | OperatorSessionRows
> = Routine.gen(function* () {
  const audit = yield* OperatorAudit
  const sessions = yield* OperatorSessionRows
  const bodies = yield* KeptBodies
  return [
    { name: "kept requests", keepMs: keepMsOf(keptRequests), purge: bodies.purgeRequests },
    { name: "bodies of attempts", keepMs: keepMsOf(keptExchanges), purge: bodies.purgeExchanges },
    { name: "operators' sessions", keepMs: keepMsOf(operatorSessions), purge: sessions.purge },
    { name: "sent events", keepMs: keepMsOf(operatorAudit), purge: audit.purge },
  ]
})

/** Sessions and links of operators' accounts, and what operators did. */
export const operatorTasks: Routine<
  readonly RetentionTask[],
  never,
  OperatorAccountRows | OperatorActionRows
> = Routine.gen(function* () {
  const accounts = yield* OperatorAccountRows
  const actions = yield* OperatorActionRows
  return [
    {
      name: "sessions of operators' accounts",
      keepMs: keepMsOf(operatorAccountSessions),
      purge: accounts.purgeSessions,
    },
    {
      name: "links and challenges of operators",
      keepMs: keepMsOf(operatorChallenges),
      purge: accounts.purgeChallenges,
    },
    { name: "actions of operators", keepMs: keepMsOf(operatorActions), purge: actions.purge },
  ]
})

/** Moves of clocks, which only a host over a database has. */
export const clockTasks: Routine<readonly RetentionTask[], never, ClockRows> = Routine.map(
  ClockRows,
  ({ purgeMoves, purgeTurns }) => [
    { name: "moves of clocks", keepMs: keepMsOf(clockMoves), purge: purgeMoves },
    { name: "turns of moves", keepMs: keepMsOf(clockMoveTurns), purge: purgeTurns },
  ],
)

/** Runs of courses, which only a host over a database has. */
export const courseTasks: Routine<readonly RetentionTask[], never, CourseRows> = Routine.map(
  CourseRows,
  ({ purgeRuns, purgeSteps }) => [
    { name: "runs of courses", keepMs: keepMsOf(courseRuns), purge: purgeRuns },
    { name: "steps of courses", keepMs: keepMsOf(courseSteps), purge: purgeSteps },
  ],
)

/** Counts of requests, which only a host with an HTTP layer has. */
export const requestCountTask: Routine<RetentionTask & { readonly keepMs: number }, never, RateCounter> =
  Routine.map(RateCounter, ({ purge }) => ({ name: "request counts", keepMs: KEEP_REQUEST_COUNTS_MS, purge }))
