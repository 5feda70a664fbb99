/** Test numbers, stores and errands as the sandbox's API and the portal answer them. */

import { Schema } from "effect"
import { ERRAND_FAILURES } from "../../../model/requests/agents.ts"
import { COURIER_STATES, FAILURE_REASONS, PAYMENT_STATUSES } from "../../../model/courier.ts"
import { isoMs } from "../../../model/values/time.ts"
import { DateTime } from "../../../http/records/date-time.ts"
import type { TestErrand } from "../test-errands.ts"
import type { TestNumber } from "../test-numbers.ts"
import { TEST_STORE_KINDS } from "../test-stores.ts"
import type { TestStore } from "../test-stores.ts"

export const Number = Schema.Struct({
  user_id: Schema.String,
  phone: Schema.NullOr(Schema.String),
  code: Schema.String.annotations({
    description: "What is typed when an agent links it, always the same; nothing is texted.",
  }),
  added_at: DateTime,
  linked_at: Schema.NullOr(DateTime).annotations({ description: "When an agent first linked it." }),
}).annotations({ identifier: "TestNumber" })

const Store = Schema.Struct({
  kind: Schema.Literal(...TEST_STORE_KINDS),
  about: Schema.String,
  name: Schema.String,
  street: Schema.String,
  city: Schema.String,
  state: Schema.String,
  zip: Schema.String,
}).annotations({ identifier: "TestStore" })

export const Agents = Schema.Struct({
  mcp_url: Schema.String.annotations({ description: "Where agents call the tools." }),
  is_vehicle_online: Schema.Boolean,
  numbers: Schema.Array(Number),
  stores: Schema.Array(Store).annotations({ description: "Made up; the only stores that there are." }),
}).annotations({ identifier: "Agents" })

export const Errand = Schema.Struct({
  delivery_id: Schema.String,
  user_id: Schema.String.annotations({ description: "That of the test number." }),
  store_name: Schema.String,
  state: Schema.Literal(...COURIER_STATES),
  payment_status: Schema.Literal(...PAYMENT_STATUSES),
  failure_reason: Schema.NullOr(Schema.Literal(...FAILURE_REASONS)),
  can_advance: Schema.Boolean,
  failures: Schema.Array(Schema.Literal(...ERRAND_FAILURES)).annotations({
    description: "The ways in which it can fail now.",
  }),
  created_at: DateTime,
  updated_at: DateTime,
}).annotations({ identifier: "TestErrand" })

export function numberRecord({ userId, phone, code, enabledAtMs, linkedAtMs }: TestNumber) {
  return {
    user_id: userId,
    phone,
    code,
    added_at: isoMs(enabledAtMs),
    linked_at: linkedAtMs === null ? null : isoMs(linkedAtMs),
  }
}

export function storeRecord({ kind, about, store: { name, street, zip } }: TestStore) {
  const city = kind === "out_of_zone" ? "San Antonio" : "Austin"
  return { kind, about, name, street, city, state: "TX", zip }
}

export function errandRecord(errand: TestErrand) {
  return {
    delivery_id: errand.deliveryId,
    user_id: errand.userId,
    store_name: errand.storeName,
    state: errand.state,
    payment_status: errand.paymentStatus,
    failure_reason: errand.failureReason,
    can_advance: errand.canAdvance,
    failures: errand.failures,
    created_at: isoMs(errand.createdAtMs),
    updated_at: isoMs(errand.updatedAtMs),
  }
}
