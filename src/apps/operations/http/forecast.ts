/** `/internal/v1/sites/{id}/forecast`: which promises of a site break in the next hours. */

import { Schema } from "effect"
import { SiteForecastRequest, SiteForecastShown } from "../../../model/requests/site-forecast.ts"
import { decodeQuery } from "../../../http/endpoint.ts"
import type { Parameter } from "../../../http/endpoint.ts"
import { operatorEndpoint } from "../../../http/operator-endpoint.ts"
import type { OperatorEndpoint } from "../../../http/operator-endpoint.ts"
import { SiteForecasts } from "../site-forecast.ts"

const PARAMETERS: readonly Parameter[] = [
  {
    in: "query",
    name: "ahead",
    description: "How far it looks ahead.",
    schema: SiteForecastRequest.fields.ahead.from,
  },
  {
    in: "query",
    name: "dispatch_policy",
    description:
      "Another choice of vehicles: the forecast says, on the same chance, what it would change at the door.",
    schema: SiteForecastRequest.fields.dispatch_policy.from,
  },
]

const recordOf = Schema.encodeSync(SiteForecastShown)

const read = operatorEndpoint({
  method: "GET",
  path: "/internal/v1/sites/{id}/forecast",
  operationId: "readForecast",
  summary:
    "Which promises of a site break in the next hours, and what one more runner would change; a forecast that is not there is begun",
  parameters: PARAMETERS,
  answers: { 200: Schema.Struct({ forecast: SiteForecastShown }) },
  errors: ["NOT_FOUND"],
  *handle({ caller, id, query }) {
    const { ahead, dispatch_policy: comparedPolicy = null } = yield* decodeQuery(
      SiteForecastRequest,
      query,
      PARAMETERS,
    )
    const found = yield* (yield* SiteForecasts).of(caller, id, { ahead, comparedPolicy })
    return { forecast: recordOf(found) }
  },
})

export const siteForecast: readonly OperatorEndpoint<SiteForecasts>[] = [read]
