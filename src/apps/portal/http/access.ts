/** `/portal/api/onboarding` and `/production-access`: the seven steps, the request, and the state of its review. */

import { Schema } from "effect"
import {
  AskAccessRequest,
  ONBOARDING_COURSES,
  ONBOARDING_STEPS,
  RESERVATION_STEPS,
  ReadOnboardingRequest,
} from "../../../model/requests/portal.ts"
import { RequestedSite } from "../../../model/site.ts"
import { ProductionAccess } from "../production-access.ts"
import { decodeQuery } from "../../../http/endpoint.ts"
import type { Parameter } from "../../../http/endpoint.ts"
import { DateTime } from "../../../http/records/date-time.ts"
import { memberEndpoint } from "./endpoint.ts"
import { recordsOf } from "../../../http/records/records.ts"

const Access = Schema.Struct({
  request_id: Schema.String,
  status: Schema.Literal("pending", "approved", "declined"),
  requested_at: DateTime,
  due_at: DateTime,
  is_overdue: Schema.Boolean,
  decided_at: Schema.NullOr(DateTime),
  reason: Schema.NullOr(Schema.String),
  course: Schema.Literal(...ONBOARDING_COURSES).annotations({ description: "Whose seven steps were done." }),
  sites: Schema.Array(RequestedSite).annotations({ description: "What approval makes in production." }),
  site_ids: Schema.Array(Schema.String).annotations({
    description: "Ids of the sites that were made, in the order of `sites`; empty until approval.",
  }),
}).annotations({ identifier: "AccessRequest" })

const Step = Schema.Struct({
  step: Schema.Literal(...new Set([...ONBOARDING_STEPS, ...RESERVATION_STEPS])),
  is_done: Schema.Boolean,
  done_at: Schema.NullOr(DateTime).annotations({ description: "Null also when the time was not noted." }),
  done_by: Schema.NullOr(
    Schema.Struct({ type: Schema.Literal("key", "member"), name: Schema.String }),
  ).annotations({
    description: "A member by name, or a key by its last four characters; null when it is not known.",
  }),
  hint: Schema.NullOr(Schema.String).annotations({
    description: "What is missing, as a sentence; null when the step is done.",
  }),
}).annotations({ identifier: "OnboardingStep" })

const COURSE: readonly Parameter[] = [
  {
    in: "query",
    name: "course",
    description: "`reservations`: the steps for robots of one's own. Absent: those of deliveries.",
    schema: ReadOnboardingRequest.fields.course.from,
  },
]

const onboarding = memberEndpoint({
  method: "GET",
  path: "/portal/api/onboarding",
  operationId: "readOnboarding",
  summary: "The seven steps before production access; each ticks itself",
  parameters: COURSE,
  answers: {
    200: Schema.Struct({
      steps: Schema.Array(Step),
      production_access: Schema.NullOr(Access),
    }),
  },
  *handle({ caller, query }) {
    const access = yield* ProductionAccess
    const { course = "deliveries" } = yield* decodeQuery(ReadOnboardingRequest, query, COURSE)
    const steps = yield* access.steps(caller, course)
    const latest = yield* access.latest(caller)
    return {
      steps: steps.map(stepRecord),
      production_access: latest === null ? null : accessRecord(latest),
    }
  },
})

const ask = memberEndpoint({
  method: "POST",
  path: "/portal/api/production-access",
  operationId: "askForProductionAccess",
  summary: "Ask for production access (owners), once all seven steps are done; answered within 24 hours",
  body: AskAccessRequest,
  isBodyOptional: true,
  answers: { 201: Schema.Struct({ production_access: Access }) },
  errors: ["OWNER_REQUIRED", "ONBOARDING_INCOMPLETE", "INVALID_STATE"],
  *handle({ caller }, sent) {
    const { sites = [], course = "deliveries" } = yield* sent
    const request = yield* (yield* ProductionAccess).ask(caller, { sites, course })
    return { production_access: accessRecord(request) }
  },
})

const stepRecord = recordsOf(Step)

/** The name of the person who decided is only for operations. */
const accessRecord = recordsOf(Access)

export const access = [onboarding, ask]
