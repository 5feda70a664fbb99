/** Photo store: the bytes of load photos. They are in the database, because every node must be able to serve them. */

import { Effect } from "effect"
import type { Environment } from "../../../model/caller.ts"
import type { PurgeOrder } from "../retention/retention.ts"
import { bytes, choice, epochMs, text } from "../tables/columns.ts"
import { table } from "../tables/table.ts"
import type { RowOf } from "../tables/table.ts"
import type { PhotoFile } from "./photo-content.ts"
import { atMost } from "../tables/conditions.ts"
import { Tables } from "../tables/tables.ts"
import { repository } from "../service.ts"

export const loadPhotos = table("load_photos", {
  one: "a load photo",
  many: "load photos",
  columns: {
    photoId: text(),
    reservationId: text(),
    environment: choice<Environment>(),
    mediaType: choice<PhotoFile["mediaType"]>(),
    bytes: bytes(),
    createdAtMs: epochMs(),
  },
  key: ["photoId"],
  indexes: [{ name: "load_photos_reservation", by: ["reservationId"] }],
})

export type StoredPhoto = RowOf<typeof loadPhotos>

export class PhotoStore extends repository<PhotoStore>()(
  "PhotoStore",
  Effect.map(Tables, (tables) => {
    const photos = tables.of(loadPhotos)
    return {
      put: photos.insert,
      get: (photoId: string) => photos.get({ photoId }),
      /** Deletes photos of an environment that are old enough. Their links are then answered like unknown ones. */
      purge: (environment: Environment, { beforeMs, limit }: PurgeOrder) =>
        photos.deleteFirst({ environment, createdAtMs: atMost(beforeMs) }, { order: ["createdAtMs"], limit }),
      /** Deletes the photos of a reservation; only a host without recording uses it. */
      forget: (reservationId: string) => photos.delete({ reservationId }),
    }
  }),
) {}
