/** Open-link secrets over SQL, sealed in their rows. */

import { and, eq } from "drizzle-orm"
import { Effect, Layer } from "effect"
import { OpenLinkSecretRows } from "../services/reservations/open-link-secrets.ts"
import type { OpenLinkScope } from "../services/reservations/open-link-secrets.ts"
import { Database } from "./database.ts"
import { openLinkSecrets } from "./schema.ts"
import { SecretBox } from "./secret-box.ts"
import { sqlOver } from "./transaction.ts"

export const layerOpenLinkSecretRows: Layer.Layer<OpenLinkSecretRows, never, Database | SecretBox> =
  Layer.effect(
    OpenLinkSecretRows,
    Effect.map(Effect.all([Database, SecretBox]), ([database, box]): OpenLinkSecretRows["Type"] => {
      const { read, write } = sqlOver(database)
      return {
        find: (scope) =>
          Effect.map(
            read("reading an open-link secret", (orm) => orm.select().from(openLinkSecrets).where(of(scope))),
            ([row]) => (row === undefined ? null : { ...row, secret: box.open(row.secret) }),
          ),
        put: (row) =>
          write("keeping an open-link secret", (orm) => {
            const sealed = box.seal(row.secret)
            return orm
              .insert(openLinkSecrets)
              .values({ ...row, secret: sealed })
              .onConflictDoUpdate({
                target: [openLinkSecrets.environment, openLinkSecrets.organizationId],
                set: { secret: sealed, updatedAtMs: row.updatedAtMs },
              })
          }),
        remove: (scope) =>
          write("removing an open-link secret", (orm) => orm.delete(openLinkSecrets).where(of(scope))),
      }
    }),
  )

function of({ environment, organizationId }: OpenLinkScope) {
  return and(eq(openLinkSecrets.environment, environment), eq(openLinkSecrets.organizationId, organizationId))
}
