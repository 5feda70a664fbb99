/** The forty errands, each covering a row of the contract that no other one covers. Source: courier connector contract. */

import type { Errand } from "../errand.ts"
import { CANCELLED_ERRANDS } from "./cancelled.ts"
import { DECLINED_ERRANDS } from "./declined.ts"
import { LATE_ERRANDS } from "./delivered-late.ts"
import { DELIVERED_ERRANDS } from "./delivered.ts"

export const FORTY_ERRANDS: readonly Errand[] = [
  ...DELIVERED_ERRANDS,
  ...LATE_ERRANDS,
  ...DECLINED_ERRANDS,
  ...CANCELLED_ERRANDS,
]
