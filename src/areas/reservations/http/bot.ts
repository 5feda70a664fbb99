/** `POST /rs/v1/reservations/{id}/bot`: the bot reports its status. */

import { BotReportRequest } from "../../../model/requests/requests.ts"
import { Reservations } from "../reservations.ts"
import { decodeBody } from "../../../http/endpoint.ts"
import type { Endpoint } from "../../../http/endpoint.ts"
import { OneReservation } from "./schemas.ts"
import { Routine } from "../../../engine/services/routine.ts"

const report: Endpoint<Reservations> = {
  method: "POST",
  path: "/rs/v1/reservations/{id}/bot",
  operationId: "reportBot",
  summary: "Report the bot's status; a repeat of the current one is fine",
  permissions: ["reservations:write"],
  budget: "bot-reports",
  parameters: [],
  body: BotReportRequest,
  answers: { 200: OneReservation },
  errors: ["VALIDATION_ERROR", "NOT_FOUND", "BOT_STATUS_REGRESSION", "INVALID_STATE"],
  handle: ({ caller, id, body }) =>
    Routine.gen(function* () {
      const request = yield* decodeBody(BotReportRequest, body)
      const reservations = yield* Reservations
      return { status: 200, data: { reservation: yield* reservations.reportBot(caller, id, request) } }
    }),
}

export const bot = [report]
