/** Who is signed in, as the service wrote it into the page. */

import { pageData } from "../page-data.ts"

export type Environment = "production" | "sandbox"

export interface Me {
  /** The name that the operator is known by. */
  readonly label: string
  /** Sent with every change: a page of another site cannot know it. */
  readonly form_key: string
}

export interface OpsData {
  readonly environment: Environment
  /** The path of the inspector; null where this host has none. */
  readonly inspector: string | null
  /** Null on the sign-in page. */
  readonly me: Me | null
}

let known: OpsData | null = null

export function opsData(): OpsData {
  known ??= pageData<OpsData>()
  return known
}
