/** Organizations, API keys and request counts over SQL. */

import { eq, sql } from "drizzle-orm"
import { Effect, Layer } from "effect"
import { MINUTE_MS } from "../../../model/values/time.ts"
import { RateCounter } from "../rate-limits.ts"
import { accessRowsOver } from "../access-repository.ts"
import { AccessRows, apiKeys as declaredKeys, organizations as declaredOrganizations } from "../rows.ts"
import type { ApiKey, KeyHolder } from "../rows.ts"
import { windowStart } from "../../../engine/services/rate-limits/window-counter.ts"
import { Routine } from "../../../engine/services/routine.ts"
import { CLOCK_TEXT, clockStateIn, clockText } from "../../../engine/store/clock-state.ts"
import { Database } from "../../../engine/store/database.ts"
import { declaredTable, shownColumns } from "../../../engine/store/declared-table.ts"
import { ask, oncePerDatabase, preparedQuery } from "../../../engine/store/prepared-query.ts"
import { tablesOver } from "../../../engine/store/sql-tables.ts"
import { sqlOver } from "../../../engine/store/transaction.ts"
import { requestCountsOver, unlessWritable } from "../../../engine/store/window-counter.ts"

const organizations = declaredTable(declaredOrganizations)
const apiKeys = declaredTable(declaredKeys)

/** Read at each request: one statement instead of two. */
const holderQueryOn = oncePerDatabase((database) =>
  preparedQuery(database, (orm) =>
    orm
      .select({
        key: shownColumns(declaredKeys),
        organization: shownColumns(declaredOrganizations),
        clock: clockText(organizations.organizationId),
      })
      .from(apiKeys)
      .innerJoin(organizations, eq(organizations.organizationId, apiKeys.organizationId))
      .where(eq(apiKeys.hash, sql.placeholder("hash")))
      .prepare("holder"),
  ),
)

export const layerAccessRows: Layer.Layer<AccessRows, never, Database> = Layer.effect(
  AccessRows,
  Effect.map(Database, (database) => {
    const { readByKey } = sqlOver(database)
    const holderQuery = holderQueryOn(database)
    return accessRowsOver(tablesOver(database), (hash) =>
      Routine.map(
        readByKey("reading a key", (orm) => holderQuery(orm).execute({ hash })),
        ([row]) => {
          if (row === undefined) return null
          return { ...row, clock: row.key.environment === "sandbox" ? clockStateIn(row.clock) : null }
        },
      ),
    )
  }),
)

export const layerRateCounter: Layer.Layer<RateCounter, never, Database> = Layer.effect(
  RateCounter,
  Effect.map(Database, (database): RateCounter["Type"] => {
    const { readByKey } = sqlOver(database)
    return {
      ...requestCountsOver(database),
      countKeyed: ({ hash, environment, permissions, isForFleetPartners, budget, nowMs }) =>
        Routine.map(
          readByKey("reading a key and counting its request", (orm) =>
            unlessWritable(
              ask(orm, COUNT_KEYED, [
                hash,
                environment,
                budget,
                windowStart(nowMs, MINUTE_MS),
                nowMs,
                isForFleetPartners,
                JSON.stringify(permissions),
              ]),
              () => ask(orm, UNCOUNTED, [hash]),
            ),
          ),
          ([row]) => (row === undefined ? null : holderWithCount(row)),
        ),
    }
  }),
)

const HOLDER = `
    select k.key_id, k.environment, k.permissions, k.label, k.created_by, k.hash, k.last_four, k.created_at_ms, k.expires_at_ms, k.revoked_at_ms,
      o.organization_id, o.name, o.is_active, o.is_fleet_partner, o.is_sandbox_partner, o.environments,
      o.created_at_ms as organization_created_at_ms, o.updated_at_ms,
      (select ${CLOCK_TEXT} from sandbox_clocks c
        where c.organization_id = o.organization_id and k.environment = 'sandbox') as clock
    from api_keys k join organizations o on o.organization_id = k.organization_id where k.hash = $1`

const UNCOUNTED = `select holder.*, null::integer as count from (${HOLDER}) as holder`

/**
 * Counts a request only if `Admission` will admit it: the conditions after the second `where` repeat its checks.
 * `Admission` still makes them, and reports which one failed.
 */
const COUNT_KEYED = `
  with holder as (${HOLDER}
  ), counted as (
    insert into request_counts as c (bucket, starts_at_ms, count)
    select $2::text || '/' || organization_id || '/' || $3::text, $4::bigint, 1 from holder
    where revoked_at_ms is null and (expires_at_ms is null or expires_at_ms > $5::bigint) and environment = $2::text
      and is_active and environments::jsonb @> to_jsonb($2::text)
      and (is_fleet_partner or (is_sandbox_partner and $2::text = 'sandbox') or not $6::boolean)
      and permissions::jsonb @> $7::text::jsonb
    on conflict (bucket) do update set
      (count, starts_at_ms) = (
        select case when is_counted then c.count + 1 else 1 end,
          case when is_counted then c.starts_at_ms else excluded.starts_at_ms end
        from (select c.starts_at_ms between excluded.starts_at_ms and excluded.starts_at_ms + ${MINUTE_MS}) as w (is_counted))
    returning count
  )
  select holder.*, (select count from counted) as count from holder`

function holderWithCount(row: Readonly<Record<string, unknown>>): {
  readonly holder: KeyHolder
  readonly count: number | null
} {
  const organizationId = String(row["organization_id"])
  return {
    holder: {
      key: {
        keyId: String(row["key_id"]),
        organizationId,
        environment: row["environment"] as ApiKey["environment"],
        permissions: row["permissions"] as ApiKey["permissions"],
        label: row["label"] as string | null,
        createdBy: row["created_by"] as string | null,
        hash: String(row["hash"]),
        lastFour: String(row["last_four"]),
        createdAtMs: Number(row["created_at_ms"]),
        expiresAtMs: numberOrNull(row["expires_at_ms"]),
        revokedAtMs: numberOrNull(row["revoked_at_ms"]),
      },
      organization: {
        organizationId,
        name: String(row["name"]),
        isActive: row["is_active"] === true,
        isFleetPartner: row["is_fleet_partner"] === true,
        isSandboxPartner: row["is_sandbox_partner"] === true,
        environments: row["environments"] as KeyHolder["organization"]["environments"],
        createdAtMs: Number(row["organization_created_at_ms"]),
        updatedAtMs: Number(row["updated_at_ms"]),
      },
      clock: clockStateIn(row["clock"]),
    },
    count: numberOrNull(row["count"]),
  }
}

/** The driver returns large numbers as text. */
function numberOrNull(value: unknown): number | null {
  return value === null ? null : Number(value)
}
