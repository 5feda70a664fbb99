/**
 * `GET /rs/v1/photos/{id}`: a load photo behind its signed link. The signature is the permission; every invalid link
 * gets 404.
 */

import { Effect } from "effect"
import type { FastifyInstance } from "fastify"
import type { Environment } from "../../../model/caller.ts"
import { Refused } from "../../../model/values/errors.ts"
import { PhotoFiles } from "../../../engine/services/photos/photo-files.ts"
import type { Run } from "../../../http/bridge.ts"
import type { Query } from "../../../http/endpoint.ts"

export const PHOTO_PATH = "/rs/v1/photos/{id}"

/** Media types of load photos. */
export const PHOTO_MEDIA_TYPES = ["image/jpeg", "image/png"] as const

/** A browser that opens the link shows a picture, and runs nothing that the bytes might hold beside it. */
const PHOTO_HEADERS = {
  "Cache-Control": "private",
  "Content-Disposition": "inline",
  "Content-Security-Policy": "default-src 'none'; sandbox",
  "X-Content-Type-Options": "nosniff",
}

export function addPhotos(app: FastifyInstance, run: Run<PhotoFiles>, environment: Environment): void {
  app.get<{ Params: { id: string }; Querystring: Query }>(
    PHOTO_PATH.replace("{id}", ":id"),
    async (request, reply) => {
      const { exp, sig } = request.query
      if (typeof exp !== "string" || typeof sig !== "string") throw new Refused({ code: "NOT_FOUND" })
      const link = { photoId: request.params.id, environment, exp, sig }
      const photo = await run(Effect.flatMap(PhotoFiles, (files) => files.open(link)))
      if (photo === null) throw new Refused({ code: "NOT_FOUND" })
      return reply.headers(PHOTO_HEADERS).type(photo.mediaType).send(Buffer.from(photo.bytes))
    },
  )
}
