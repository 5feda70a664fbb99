/** Settings: its parts have addresses of their own. */

import type { JSX } from "preact"
import { Head } from "../frame.tsx"
import { may, opsData } from "../session.ts"
import type { Role } from "../session.ts"
import { Calls } from "./calls.tsx"
import { Outbox } from "./outbox.tsx"
import { SiteSettings } from "./sites.tsx"
import { Windows } from "./windows.tsx"

interface Part {
  readonly name: string
  /** The last segment of its address. */
  readonly path: string
  /** The least role that may read it. */
  readonly role: Role
  readonly isOfProduction?: true
  readonly content: () => JSX.Element
}

const SITES: Part = { name: "Sites", path: "sites", role: "viewer", content: () => <SiteSettings /> }

const PARTS: readonly Part[] = [
  SITES,
  { name: "Arrival windows", path: "windows", role: "viewer", content: () => <Windows /> },
  { name: "Mails and texts", path: "messages", role: "admin", content: () => <Outbox /> },
  {
    name: "Outbound calls",
    path: "calls",
    role: "admin",
    // One hold is for both environments.
    isOfProduction: true,
    content: () => <Calls />,
  },
]

/** `path`: the last segment of the address; the sites without one. */
export function Settings({ path }: { readonly path: string | null }): JSX.Element {
  const { environment } = opsData()
  const parts = PARTS.filter(
    ({ role, isOfProduction }) => may(role) && (isOfProduction === undefined || environment === "production"),
  )
  const shown = parts.find((part) => part.path === path) ?? SITES
  return (
    <>
      <Head
        title="Settings"
        lead={`Of the ${environment} environment. What changes here is in the audit log.`}
      />
      <nav class="settings-parts" aria-label="Settings">
        {parts.map((part) => (
          <a
            key={part.path}
            href={part === SITES ? "/ops/settings" : `/ops/settings/${part.path}`}
            aria-current={part === shown ? "page" : undefined}
          >
            {part.name}
          </a>
        ))}
      </nav>
      {shown.content()}
    </>
  )
}
