/** The Reservations API as a Fastify plugin: its endpoints, its photos and its document. */

import type { FastifyInstance } from "fastify"
import type { Environment } from "../../../model/caller.ts"
import type { Admission } from "../../../http/access/admission.ts"
import type { PhotoFiles } from "../../../engine/services/photos/photo-files.ts"
import type { Discovery } from "../discovery.ts"
import type { Reservations } from "../reservations.ts"
import type { SandboxWalk } from "../sandbox-walk.ts"
import type { Webhooks } from "../../webhooks/webhooks.ts"
import type { Run } from "../../../http/bridge.ts"
import type { Endpoint } from "../../../http/endpoint.ts"
import { addKeyedApi } from "../../../http/keyed-api.ts"
import { examplesOf } from "../../../http/recorded-examples.ts"
import { advance } from "./advance.ts"
import { bot } from "./bot.ts"
import { reservationEvents } from "./events.ts"
import { photoPath } from "./photo-document.ts"
import { addPhotos } from "./photos.ts"
import { reservations } from "./reservations.ts"
import { retailers } from "./retailers.ts"
import { webhooks } from "./webhooks.ts"

export type ReservationsSurface = Admission | Discovery | PhotoFiles | Reservations | SandboxWalk | Webhooks

export interface ReservationsOptions {
  readonly run: Run<ReservationsSurface>
  readonly environment: Environment
  /** Public URL for the document; default: relative to the document. */
  readonly baseUrl?: string
}

/** Requires the hooks of `src/http/gate.ts` on the instance, and bodies as bytes. */
export async function reservationsPlugin(app: FastifyInstance, options: ReservationsOptions): Promise<void> {
  const { run, environment } = options
  addKeyedApi(app, {
    ...options,
    name: "rs",
    title: "Reservations API",
    endpoints: endpointsOf(environment),
    isForFleetPartners: true,
    // Any path may be sent an invalid query string or two idempotency keys.
    errors: ["VALIDATION_ERROR"],
    morePaths: photoPath,
    webhooks: reservationEvents,
    examples: examplesOf("rs"),
  })
  addPhotos(app, run, environment)
}

/** In the order of the contract's table. */
function endpointsOf(environment: Environment): readonly Endpoint<ReservationsSurface>[] {
  const everywhere = [...retailers, ...reservations, ...bot, ...webhooks]
  return environment === "sandbox" ? [...everywhere, ...advance] : everywhere
}
