/**
 * Every endpoint of the operations API. The plugin makes routes and the document of them, and the command line its
 * management commands.
 */

import type { ChangedGroups } from "../../../engine/services/changed-groups.ts"
import type { DigestKey } from "../../../engine/services/digest-key.ts"
import type { DeliveryCase } from "../delivery-case.ts"
import { deliveryCase } from "./delivery-case.ts"
import type { ReservationCase } from "../reservation-case.ts"
import type { OperatedSites } from "../operated-sites.ts"
import type { Search } from "../search.ts"
import type { SiteBoard } from "../site-board.ts"
import type { SiteDays } from "../site-day.ts"
import type { SiteForecasts } from "../site-forecast.ts"
import type { SiteTopics } from "../site-topics.ts"
import type { OperatorGate } from "../../operators/http/gate.ts"
import type { OperatorAccounts } from "../../operators/accounts.ts"
import type { OperatorActions } from "../../operators/actions.ts"
import { actions, operators } from "../../operators/http/operators.ts"
import { board } from "./board.ts"
import { siteForecast } from "./forecast.ts"
import { caseMoment } from "./moment.ts"
import type { CaseMoments } from "../case-moment.ts"
import { search } from "./search.ts"
import type { Analytics } from "../../../areas/analytics/analytics.ts"
import type { CourierOperations } from "../../../areas/courier/courier-operations.ts"
import type { Charges } from "../../../areas/direct-delivery/charges.ts"
import type { EndpointOperations } from "../../../areas/webhooks/endpoint-operations.ts"
import { endpointOperations } from "../../../areas/webhooks/http/operator-endpoints.ts"
import type { OperationsLists } from "../lists.ts"
import type { OutboxView } from "../../../areas/messages/outbox-view.ts"
import type { DeliveryOperations } from "../../../areas/direct-delivery/delivery-operations.ts"
import type { Compartments } from "../../../areas/compartments/compartments.ts"
import { compartments } from "../../../areas/compartments/http/operator-compartments.ts"
import type { FleetSettings } from "../../../areas/dispatch/fleet-settings.ts"
import { fleets } from "../../../areas/dispatch/http/operator-fleets.ts"
import type { Vehicles } from "../../../areas/dispatch/vehicles.ts"
import type { WindowPolicy } from "../window-policy.ts"
import type { CallHoldControl } from "../../../engine/services/outbound/call-hold.ts"
import type { AccessReview } from "../../portal/production-access.ts"
import { accessReviews, partnerReviews } from "./reviews.ts"
import { calls } from "./call-hold.ts"
import { connector } from "./connector.ts"
import type { ConnectorSurface } from "./connector.ts"
import { errands } from "../../../areas/courier/http/operator-errands.ts"
import { errandLists, lists } from "./lists.ts"
import { management } from "./management.ts"
import type { ManagementSurface } from "./management.ts"
import { deliveries } from "../../../areas/direct-delivery/http/operator-deliveries.ts"
import { messages } from "../../../areas/messages/http/operator-messages.ts"
import { runnerCalls } from "./runner-calls.ts"
import type { RunnerCalls } from "../../../areas/runner-phones/runner-calls.ts"
import { runnerPhones } from "../../../areas/runner-phones/http/operator-phones.ts"
import type { RunnerPhones } from "../../../areas/runner-phones/runner-phones.ts"
import { runnerTasks } from "./runner-tasks.ts"
import type { RunnerTasksSurface } from "./runner-tasks.ts"
import { sessions } from "../../../areas/analytics/http/operator-sessions.ts"
import { vehicles } from "../../../areas/dispatch/http/operator-vehicles.ts"
import type { PartnerReview } from "../../portal/partner-requests.ts"
import { siteRequests } from "./site-requests.ts"
import type { SiteRequests } from "../../portal/site-requests.ts"
import { windowPolicy } from "./window-policy.ts"
import { charges } from "../../../areas/direct-delivery/http/operator-charges.ts"
import type { OperatorEndpoint } from "../../../http/operator-endpoint.ts"

/** All services that this API needs. */
export type OperationsSurface =
  | AccessReview
  | Analytics
  | CaseMoments
  | ChangedGroups
  | DigestKey
  | Charges
  | Compartments
  | DeliveryCase
  | DeliveryOperations
  | EndpointOperations
  | FleetSettings
  | ManagementSurface
  | OperatedSites
  | OperationsLists
  | OperatorAccounts
  | OperatorActions
  | OperatorGate
  | OutboxView
  | RunnerCalls
  | RunnerPhones
  | RunnerTasksSurface
  | ReservationCase
  | Search
  | SiteBoard
  | SiteDays
  | SiteForecasts
  | PartnerReview
  | SiteRequests
  | SiteTopics
  | Vehicles
  | WindowPolicy

/** Services that only the production host needs. */
export type ProductionSurface = CallHoldControl | ConnectorSurface | CourierOperations | OperationsLists

export const ENDPOINTS: readonly OperatorEndpoint<OperationsSurface>[] = [
  ...management,
  ...accessReviews,
  ...siteRequests,
  ...partnerReviews,
  ...board,
  ...siteForecast,
  ...caseMoment,
  ...search,
  ...lists,
  ...endpointOperations,
  ...runnerTasks,
  ...runnerPhones,
  ...runnerCalls,
  ...vehicles,
  ...fleets,
  ...deliveries,
  ...deliveryCase,
  ...compartments,
  ...charges,
  ...windowPolicy,
  ...sessions,
  ...messages,
  ...actions,
]

/** Accounts exist once for both environments, so only production manages them. */
export const ACCOUNT_ENDPOINTS: readonly OperatorEndpoint<OperationsSurface>[] = operators

export const PRODUCTION_ENDPOINTS: readonly OperatorEndpoint<ProductionSurface>[] = [
  ...calls,
  ...connector,
  ...errands,
  ...errandLists,
]
