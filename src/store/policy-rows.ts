/** Changes of environments' policies over SQL. */

import { eq, sql } from "drizzle-orm"
import { Effect, Layer } from "effect"
import { PolicyRows } from "../services/policies.ts"
import { Database } from "./database.ts"
import { environmentPolicies } from "./schema.ts"
import { forgetting, sqlOver } from "./transaction.ts"
import { preparedQuery } from "./prepared-query.ts"

export const layerPolicyRows: Layer.Layer<PolicyRows, never, Database> = Layer.effect(
  PolicyRows,
  Effect.map(Database, (database) => {
    const { readOnce, write } = sqlOver(database)
    const changesQuery = preparedQuery(database, (orm) =>
      orm
        .select()
        .from(environmentPolicies)
        .where(eq(environmentPolicies.environment, sql.placeholder("environment")))
        .prepare("policy"),
    )
    return {
      changes: (environment) =>
        Effect.map(
          readOnce(`policy ${environment}`, "reading a policy", (orm) =>
            changesQuery(orm).execute({ environment }),
          ),
          ([row]) => row?.changes ?? {},
        ),
      put: (environment, changes) =>
        forgetting(
          write("changing a policy", (orm) =>
            orm
              .insert(environmentPolicies)
              .values({ environment, changes })
              .onConflictDoUpdate({ target: environmentPolicies.environment, set: { changes } }),
          ),
        ),
    }
  }),
)
