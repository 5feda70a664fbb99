/** Photo store: the bytes of load photos. They are in the database, because every node must be able to serve them. */

import { Context } from "effect"
import type { Effect } from "effect"
import type { Environment } from "../../model/caller.ts"
import type { EpochMs } from "../../model/time.ts"
import type { Transaction } from "../host.ts"
import type { Purge } from "../retention/retention.ts"
import type { PhotoFile } from "./photo-content.ts"

export interface StoredPhoto extends PhotoFile {
  readonly photoId: string
  readonly reservationId: string
  readonly environment: Environment
  readonly createdAtMs: EpochMs
}

export class PhotoStore extends Context.Tag("PhotoStore")<
  PhotoStore,
  {
    readonly put: (photo: StoredPhoto) => Effect.Effect<void, never, Transaction>
    readonly get: (photoId: string) => Effect.Effect<StoredPhoto | null>
    /** Deletes photos that are old enough. Their links are then answered like unknown ones. */
    readonly purge: Purge
    /** Deletes the photos of a reservation; only a host without recording uses it. */
    readonly forget: (reservationId: string) => Effect.Effect<void, never, Transaction>
  }
>() {}
