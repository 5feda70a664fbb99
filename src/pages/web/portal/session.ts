/** Who is signed in, as the service wrote it into the page. */

import type { Schemas } from "./api.ts"

export type Me = Schemas["Me"]
export type Environment = Me["session"]["environment"]

export interface PortalData {
  /** Null on pages for people without a session. */
  readonly me: Me | null
  /** URLs of both hosts. */
  readonly urls: Readonly<Record<Environment, string>>
  /** On the sign-in page: a sentence that says why the session of this browser ended, where that is known. */
  readonly ended: string | null
  /** True on a demo that sends no mails, for a reader on its machine. */
  readonly shows_mails: boolean
}

/** What every page of a member gets. */
export interface PageProps {
  readonly me: Me
  readonly environment: Environment
  readonly urls: PortalData["urls"]
  /** The last segment of the path, on pages about one thing. */
  readonly id: string
}
