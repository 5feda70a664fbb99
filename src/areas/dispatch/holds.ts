/**
 * Holds: places of a fleet that are kept for orders without a run. Another area keeps them and implements this port on
 * both stores, so dispatch knows neither the orders nor why they are held.
 */

import { Context } from "effect"
import type { PoolQuery } from "./rows.ts"

/** In memory: counts the live holds of a fleet. */
export type CountHolds = (fleetId: string, at: Pick<PoolQuery, "atMs" | "without">) => number

/**
 * Over SQL: the same count as an expression, made from the expressions of its inputs. It becomes part of the pool's
 * statement, which sees holds and runs as of the same moment, so that a hold that becomes a run is counted once.
 */
export class HoldsInSql extends Context.Tag("HoldsInSql")<
  HoldsInSql,
  (inputs: { readonly fleetId: string; readonly atMs: string; readonly without: string }) => string
>() {}
