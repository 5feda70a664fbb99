/** `POST /internal/v1/sites/{id}/sessions`: imports history for analytics. */

import { Schema } from "effect"
import { SessionHistory } from "../../../model/requests/analytics.ts"
import { IMPORTED_SESSIONS_BYTES_MAX } from "../../../model/values/limits.ts"
import { Analytics } from "../analytics.ts"
import { operatorEndpoint } from "../../../http/operator-endpoint.ts"

const Count = Schema.Number.annotations({ jsonSchema: { type: "integer", minimum: 0 } })

const importHistory = operatorEndpoint({
  method: "POST",
  path: "/internal/v1/sites/{id}/sessions",
  operationId: "importSessions",
  summary: "Add past sessions from elsewhere, all or none; those that are known already stay as they are",
  body: SessionHistory,
  bodyBytesMax: IMPORTED_SESSIONS_BYTES_MAX,
  answers: { 200: Schema.Struct({ imported: Count, known: Count }) },
  errors: ["SITE_NOT_FOUND"],
  *handle({ caller, id }, sent) {
    const { sessions } = yield* sent
    const analytics = yield* Analytics
    const request = { site_id: id.toLowerCase(), sessions }
    return yield* analytics.importSessions(caller, request)
  },
})

export const sessions = [importHistory]
