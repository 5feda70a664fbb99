/** Settings: its parts have addresses of their own. */

import type { JSX } from "preact"
import { Head } from "../frame.tsx"
import { opsData } from "../session.ts"
import { Calls } from "./calls.tsx"
import { Outbox } from "./outbox.tsx"
import { SiteSettings } from "./sites.tsx"
import { Windows } from "./windows.tsx"

const PARTS = {
  sites: "Sites",
  windows: "Arrival windows",
  messages: "Mails and texts",
  calls: "Outbound calls",
} as const

type Part = keyof typeof PARTS

function isPart(name: string): name is Part {
  return name in PARTS
}

/** `part`: the last segment of the address; the sites without one. */
export function Settings({ part }: { readonly part: string | null }): JSX.Element {
  const shown = part === null || !isPart(part) ? "sites" : part
  const { environment } = opsData()
  const parts = (Object.keys(PARTS) as Part[]).filter(
    (name) => name !== "calls" || environment === "production",
  )
  return (
    <>
      <Head
        title="Settings"
        lead={`Of the ${environment} environment. What changes here is in the audit log.`}
      />
      <nav class="settings-parts" aria-label="Settings">
        {parts.map((name) => (
          <a
            key={name}
            href={name === "sites" ? "/ops/settings" : `/ops/settings/${name}`}
            aria-current={name === shown ? "page" : undefined}
          >
            {PARTS[name]}
          </a>
        ))}
      </nav>
      {contentOf(shown)}
    </>
  )
}

function contentOf(part: Part): JSX.Element {
  switch (part) {
    case "sites":
      return <SiteSettings />
    case "windows":
      return <Windows />
    case "messages":
      return <Outbox />
    case "calls":
      return <Calls />
  }
}
