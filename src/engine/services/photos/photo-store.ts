/** Photo store: the bytes of load photos. They are in the database, because every node must be able to serve them. */

import { Context } from "effect"
import type { Environment } from "../../../model/caller.ts"
import type { Transaction } from "../host.ts"
import type { PurgeOrder } from "../retention/retention.ts"
import { bytes, choice, epochMs, text } from "../tables/columns.ts"
import { table } from "../tables/table.ts"
import type { RowOf } from "../tables/table.ts"
import type { PhotoFile } from "./photo-content.ts"
import type { Routine } from "../routine.ts"

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

export class PhotoStore extends Context.Tag("PhotoStore")<
  PhotoStore,
  {
    readonly put: (photo: StoredPhoto) => Routine<void, never, Transaction>
    readonly get: (photoId: string) => Routine<StoredPhoto | null>
    /** Deletes photos of an environment that are old enough. Their links are then answered like unknown ones. */
    readonly purge: (environment: Environment, order: PurgeOrder) => Routine<number, never, Transaction>
    /** Deletes the photos of a reservation; only a host without recording uses it. */
    readonly forget: (reservationId: string) => Routine<void, never, Transaction>
  }
>() {}
