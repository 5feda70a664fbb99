/** Who is signed in, as the service wrote it into the page. */

import { pageData } from "../page-data.ts"
import type { operations } from "./api-types.ts"

export type Environment = "production" | "sandbox"

/** In the order of what they may do. */
export const ROLES = ["viewer", "dispatcher", "manager", "admin"] as const

export type Role = (typeof ROLES)[number]

export interface Me {
  /** The name that the operator is known by. */
  readonly label: string
  /** Sent with every change: a page of another site cannot know it. */
  readonly form_key: string
  /** Id of the account or token. */
  readonly operator_id: string
  /** False for a session with an operator token. */
  readonly has_account: boolean
  readonly role: Role
  /** Null: all sites. */
  readonly site_ids: readonly string[] | null
  /** What the operator may call of the operations API, by the ids of its document. */
  readonly operations: readonly string[]
  /** True while the role requires a second factor that is not set up: only the account page works. */
  readonly needs_factor: boolean
}

export interface OpsData {
  readonly environment: Environment
  /** The path of the inspector; null where this host has none. */
  readonly inspector: string | null
  /** Null on the sign-in page. */
  readonly me: Me | null
  /** On the sign-in page: a sentence that says why the session of this browser ended, where that is known. */
  readonly ended: string | null
}

let known: OpsData | null = null

export function opsData(): OpsData {
  known ??= pageData<OpsData>()
  return known
}

/** The same operator may have a new session, whose changes need its own key. */
export function takeFormKey(form_key: string): void {
  const { me, ...data } = opsData()
  known = { ...data, me: me === null ? null : { ...me, form_key } }
}

/** True when the signed-in operator may do what this role may. Pages hide what the service would refuse. */
export function may(role: Role): boolean {
  const { me } = opsData()
  return me !== null && ROLES.indexOf(me.role) >= ROLES.indexOf(role)
}

/** The group's page in the inspector; null where this host has none, or the operator may not read it. */
export function inspectorPath(group: string): string | null {
  const { inspector, me } = opsData()
  const isAllowed = may("admin") && me?.site_ids === null
  return inspector === null || !isAllowed ? null : `${inspector}/groups/${group}`
}

/** True when the signed-in operator may call it, at all sites or at some. */
export function mayCall(operation: keyof operations): boolean {
  return opsData().me?.operations.includes(operation) ?? false
}
