/** The caller of the portal: a person with a session. */

import type { Environment, Partner } from "../../model/caller.ts"
import { PERMISSIONS } from "../../model/caller.ts"
import { TurnedAway } from "../../model/values/errors.ts"
import { isEnrolled } from "../../http/access/rows.ts"
import type { Organization } from "../../http/access/rows.ts"
import type { Account, Session } from "./rows.ts"
import { Routine } from "../../engine/services/routine.ts"

export interface PortalCaller {
  readonly account: Omit<Account, "passwordHash">
  readonly session: Session
  readonly organization: Organization
}

export function requireOwner({ account }: PortalCaller): Routine<void, TurnedAway> {
  return account.role === "owner" ? Routine.void : Routine.fail(new TurnedAway({ code: "OWNER_REQUIRED" }))
}

/** Refuses an environment in which the organization has not been provisioned. */
export function requireEnvironment(
  { organization }: PortalCaller,
  environment: Environment,
): Routine<void, TurnedAway> {
  return organization.environments.includes(environment)
    ? Routine.void
    : Routine.fail(new TurnedAway({ code: "ORG_INACTIVE" }))
}

/** Refuses an environment in which the organization may not reserve: the grants of an enrolment that has ended stay. */
export function requireEnrolment(
  { organization }: PortalCaller,
  environment: Environment,
): Routine<void, TurnedAway> {
  return isEnrolled(organization, environment)
    ? Routine.void
    : Routine.fail(new TurnedAway({ code: "NOT_FLEET_PARTNER" }))
}

/** The organization as the caller of a service: people of the portal may do there what any key may. */
export function partnerOf(caller: PortalCaller, environment: Environment): Routine<Partner, TurnedAway> {
  return Routine.as(requireEnvironment(caller, environment), {
    type: "partner",
    organizationId: caller.organization.organizationId,
    environment,
    permissions: PERMISSIONS,
  })
}
