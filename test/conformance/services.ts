/**
 * The contract of the services as a whole: what partners, runners and operations may count on, on any host. Numbers in
 * test names are those of test/README.md.
 */

import { describe } from "vitest"
import type { MakeServicesHarness } from "./harness.ts"
import { botTests } from "./services/bot.ts"
import { compartmentTests } from "./services/compartments.ts"
import { concurrencyTests } from "./services/concurrency.ts"
import { courierKeptTests } from "./services/courier-kept.ts"
import { courierToldTests } from "./services/courier-told.ts"
import { courierTests } from "./services/courier.ts"
import { createTests } from "./services/create.ts"
import { directDeliveryTests } from "./services/direct-delivery.ts"
import { exceptionTests } from "./services/exceptions.ts"
import { handoffTests } from "./services/handoff.ts"
import { openLinkTests } from "./services/open-link.ts"
import { operationsTests } from "./services/operations.ts"
import { pickupWebhookTests } from "./services/pickup-webhooks.ts"
import { playedFleetTests } from "./services/played-fleet.ts"
import { readingTests } from "./services/reading.ts"
import { retentionTests } from "./services/retention.ts"
import { updatedAtTests } from "./services/updated-at.ts"
import { walkTests } from "./services/walk.ts"
import { webhookTests } from "./services/webhooks.ts"

/**
 * What tuned SQL or locks between connections can break, and tests that together with the contracts of the ports send every statement of
 * the whole contract; updates are the same by column, in fewer combinations.
 */
export function servicesOverSqlContract(name: string, make: MakeServicesHarness): void {
  describe(`services: ${name}`, () => {
    createTests(make)
    readingTests(make)
    webhookTests(make)
    concurrencyTests(make)
    retentionTests(make)
    courierKeptTests(make)
    compartmentTests(make)
  })
}

export function servicesContract(name: string, make: MakeServicesHarness): void {
  describe(`services: ${name}`, () => {
    createTests(make)
    readingTests(make)
    botTests(make)
    handoffTests(make)
    exceptionTests(make)
    walkTests(make)
    openLinkTests(make)
    webhookTests(make)
    updatedAtTests(make)
    operationsTests(make)
    concurrencyTests(make)
    retentionTests(make)
    directDeliveryTests(make)
    pickupWebhookTests(make)
    playedFleetTests(make)
    courierTests(make)
    courierKeptTests(make)
    courierToldTests(make)
    compartmentTests(make)
  })
}
