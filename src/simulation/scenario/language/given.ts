/** The state before the first step: site, webhook endpoints, policy. */

import { GIVEN_WEBHOOKS_MAX } from "../../../model/values/limits.ts"
import { EVENT_TYPES, PICKUP_EVENT_TYPES } from "../../../model/webhook.ts"
import { readDeliverySite, readVehicles } from "./delivery-world.ts"
import { readFields } from "./fields.ts"
import { DEFAULT_SITE, readSite, readSites } from "./given-site.ts"
import { asList, asMap, readKeys } from "./keys.ts"
import { POLICY_FIELDS } from "./language.ts"
import type { AnswerRef, Field, Given, GivenPolicy, GivenWebhook } from "./language.ts"
import { readCallers } from "../callers.ts"
import { readPeople } from "../people.ts"
import { readAnswers, readName, someOf } from "./value.ts"
import type { ValueContext } from "./value.ts"
import type { Written } from "./source.ts"

export const GIVEN_KEYS = [
  "site",
  "sites",
  "partners",
  "keys",
  "runners",
  "operators",
  "webhooks",
  "policy",
  "delivery_site",
  "vehicles",
  "pickup_webhooks",
] as const

const ANSWERS_200: readonly AnswerRef[] = [{ type: "status", status: 200, afterMs: null }]

/** The given part; a scenario without one uses the default site. */
export function readGiven(value: Written | undefined, context: ValueContext): Given {
  const nothing: Given = {
    site: DEFAULT_SITE,
    webhooks: [],
    pickupWebhooks: [],
    delivery: null,
    policy: {},
  }
  if (value === undefined) return nothing
  const map = asMap(value, `keys of given: ${GIVEN_KEYS.join(", ")}`, context.report)
  if (map === null) return nothing
  const keys = readKeys(map, { of: "keys of given", known: GIVEN_KEYS }, context.report)
  const site = keys.get("site")
  const sites = readSites(keys.get("sites")?.value, context)
  const partners = readCallers("partners", keys.get("partners")?.value, context)
  const ownKeys = readCallers("keys", keys.get("keys")?.value, context)
  const runners = readPeople("runners", keys.get("runners")?.value, context)
  const operators = readPeople("operators", keys.get("operators")?.value, context)
  const webhooks = keys.get("webhooks")
  const policy = keys.get("policy")
  const deliverySite = keys.get("delivery_site")
  const vehicles = keys.get("vehicles")
  const pickupWebhooks = keys.get("pickup_webhooks")
  return {
    site: site === undefined ? DEFAULT_SITE : readSite(site.value, context),
    ...(sites.length === 0 ? {} : { sites }),
    ...(partners.length === 0 ? {} : { partners }),
    ...(ownKeys.length === 0 ? {} : { keys: ownKeys }),
    ...(runners.length === 0 ? {} : { runners }),
    ...(operators.length === 0 ? {} : { operators }),
    webhooks: webhooks === undefined ? [] : readWebhooks(webhooks.value, EVENT_TYPES, context),
    pickupWebhooks:
      pickupWebhooks === undefined ? [] : readWebhooks(pickupWebhooks.value, PICKUP_EVENT_TYPES, context),
    delivery:
      deliverySite === undefined && vehicles === undefined
        ? null
        : {
            fields: deliverySite === undefined ? {} : readDeliverySite(deliverySite.value, context),
            vehicles: vehicles === undefined ? [] : readVehicles(vehicles.value, context),
          },
    policy: policy === undefined ? {} : readPolicy(policy.value, context),
  }
}

function readWebhooks(
  value: Written,
  types: readonly string[],
  context: ValueContext,
): readonly GivenWebhook[] {
  const list = asList(value, "endpoints such as [{ as: partner, events: all }]", context.report)
  if (list === null) return []
  if (list.items.length > GIVEN_WEBHOOKS_MAX) {
    context.report(list.span, `${list.items.length} endpoints`, { expected: `at most ${GIVEN_WEBHOOKS_MAX}` })
    return []
  }
  return list.items.flatMap((item) => readWebhook(item, types, context))
}

export const WEBHOOK_KEYS = ["as", "of", "events", "answers"] as const

/** The fields of an endpoint besides its name. */
export function webhookFields(types: readonly string[]) {
  return {
    of: {
      is: "name",
      of: "caller",
      says: "the partner who registered it",
      usual: "the scenario's own partner",
    },
    events: { is: "enums", of: types, says: "the subscribed events", usual: "all" },
    answers: { is: "answers", says: "one answer a request, the last for ever", usual: "200" },
  } as const satisfies { readonly [name: string]: Field }
}

function readWebhook(
  value: Written,
  types: readonly string[],
  context: ValueContext,
): readonly GivenWebhook[] {
  const { report, nameBook } = context
  const map = asMap(value, "an endpoint such as { as: partner, events: all }", report)
  if (map === null) return []
  const keys = readKeys(map, { of: "keys of an endpoint", known: WEBHOOK_KEYS, required: ["as"] }, report)
  const written = { as: keys.get("as"), events: keys.get("events"), answers: keys.get("answers") }
  const of = keys.get("of")
  const owner = of === undefined ? undefined : readName(["caller"], of.value, context)
  const as = written.as === undefined ? undefined : nameBook?.give("webhook", written.as.value)
  const events = written.events === undefined ? types : someOf(types).read(written.events.value, report)
  const answers = written.answers === undefined ? ANSWERS_200 : readAnswers(written.answers.value, report)
  if (as === undefined || events === undefined || answers === undefined) return []
  return [{ as, ...(owner === undefined ? {} : { of: owner }), events, answers, place: map.span.place }]
}

function readPolicy(value: Written, context: ValueContext): GivenPolicy {
  const map = asMap(value, `policy values: ${Object.keys(POLICY_FIELDS).join(", ")}`, context.report)
  return map === null ? {} : readFields(map, { of: "policy values", fields: POLICY_FIELDS }, context)
}
