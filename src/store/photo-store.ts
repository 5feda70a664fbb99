/** Load photos over SQL. */

import { asc, eq, inArray, lte } from "drizzle-orm"
import { Effect, Layer } from "effect"
import { PhotoStore } from "../services/photos/photo-store.ts"
import { Database } from "./database.ts"
import { loadPhotos } from "./schema.ts"
import { sqlOver } from "./transaction.ts"

export const layerPhotoStore: Layer.Layer<PhotoStore, never, Database> = Layer.effect(
  PhotoStore,
  Effect.map(Database, (database) => {
    const { read, write, writeReturning } = sqlOver(database)
    return {
      put: (photo) => write("keeping a load photo", (orm) => orm.insert(loadPhotos).values(photo)),
      get: (photoId) =>
        Effect.map(
          read("reading a load photo", (orm) =>
            orm.select().from(loadPhotos).where(eq(loadPhotos.photoId, photoId)),
          ),
          ([photo]) => photo ?? null,
        ),
      purge: ({ beforeMs, limit }) =>
        Effect.map(
          writeReturning("purging load photos", (orm) => {
            const oldest = orm
              .select({ photoId: loadPhotos.photoId })
              .from(loadPhotos)
              .where(lte(loadPhotos.createdAtMs, beforeMs))
              .orderBy(asc(loadPhotos.createdAtMs))
              .limit(limit)
            return orm
              .delete(loadPhotos)
              .where(inArray(loadPhotos.photoId, oldest))
              .returning({ photoId: loadPhotos.photoId })
          }),
          (gone) => gone.length,
        ),
      forget: (reservationId) =>
        write("forgetting load photos", (orm) =>
          orm.delete(loadPhotos).where(eq(loadPhotos.reservationId, reservationId)),
        ),
    }
  }),
)
