/** Settings: its parts have addresses of their own, and each shows only what the operator may call. */

import type { JSX } from "preact"
import { useEffect } from "preact/hooks"
import { Empty } from "../../design/feedback.tsx"
import { Icon } from "../../design/icon.tsx"
import type { operations } from "../api-types.ts"
import { RETAILER } from "../../../../model/nouns/catalog-nouns.ts"
import { NounPage } from "../nouns/noun-page.tsx"
import { mayCall, opsData } from "../session.ts"
import { Calls } from "./calls.tsx"
import { Charges } from "./charges.tsx"
import { Connector } from "./connector.tsx"
import { NewSite } from "./new-site.tsx"
import { OrganizationPage } from "./organizations/organization-page.tsx"
import { Organizations } from "./organizations/organizations.tsx"
import { Outbox } from "./outbox.tsx"
import { Phones } from "./phones.tsx"
import { SitePage } from "./site-page.tsx"
import { SiteRequests } from "./site-requests.tsx"
import { SiteSettings } from "./sites.tsx"
import { ImportStores } from "./import-stores.tsx"
import { Stores } from "./stores.tsx"
import { Tokens } from "./tokens.tsx"
import { Windows } from "./windows.tsx"

interface Part {
  readonly name: string
  /** The last segment of its address. */
  readonly path: string
  /** What it reads: it is not shown to operators who may not. */
  readonly reads: keyof operations
  readonly isOfProduction?: true
  readonly content: () => JSX.Element
  /** One thing of it, by the segment behind its path. */
  readonly one?: (id: string) => JSX.Element
}

const SITES: Part = {
  name: "Sites",
  path: "sites",
  reads: "listSites",
  content: () => <SiteSettings />,
  one: (id) => (id === "new" ? <NewSite /> : <SitePage siteId={id} />),
}

const GROUPS: readonly (readonly [name: string, parts: readonly Part[]])[] = [
  [
    "Places",
    [
      SITES,
      {
        name: "Retailers",
        path: "retailers",
        reads: "listRetailers",
        content: () => <NounPage noun={RETAILER} />,
      },
      { name: "Arrival windows", path: "windows", reads: "readWindowPolicy", content: () => <Windows /> },
    ],
  ],
  [
    "Partners",
    [
      {
        name: "Organizations",
        path: "organizations",
        reads: "listOrganizations",
        content: () => <Organizations />,
        one: (id) => <OrganizationPage organizationId={id} />,
      },
      {
        name: "Requests for sites",
        path: "site-requests",
        reads: "listSiteRequests",
        isOfProduction: true,
        content: () => <SiteRequests />,
      },
      {
        name: "Charges",
        path: "charges",
        reads: "listCharges",
        isOfProduction: true,
        content: () => <Charges />,
      },
    ],
  ],
  [
    "Courier connector",
    [
      { name: "Connector", path: "connector", reads: "readConnector", content: () => <Connector /> },
      {
        name: "Stores",
        path: "stores",
        reads: "listStores",
        content: () => <Stores />,
        one: (id) => (id === "import" ? <ImportStores /> : <Stores />),
      },
      { name: "Phone numbers", path: "phones", reads: "listPhones", content: () => <Phones /> },
    ],
  ],
  [
    "Service",
    [
      { name: "Operator tokens", path: "tokens", reads: "listOperatorTokens", content: () => <Tokens /> },
      { name: "Mails and texts", path: "messages", reads: "listMessages", content: () => <Outbox /> },
      {
        name: "Outbound calls",
        path: "calls",
        reads: "readCalls",
        // One hold is for both environments.
        isOfProduction: true,
        content: () => <Calls />,
      },
    ],
  ],
]

interface SettingsProps {
  /** The part; null: the sites. */
  readonly path: string | null
  /** One thing of the part. */
  readonly id: string | null
}

export function Settings({ path, id }: SettingsProps): JSX.Element {
  const groups = GROUPS.map(([name, parts]) => [name, parts.filter(isShown)] as const).filter(
    ([, parts]) => parts.length > 0,
  )
  const shown = groups.flatMap(([, parts]) => parts).find((part) => part.path === (path ?? SITES.path))
  useEffect(() => {
    if (shown !== undefined) document.title = `${shown.name} - Settings - Curbline operations`
  }, [shown])
  return (
    <div class="settings">
      <nav class="settings-nav" aria-label="Settings">
        <PartLinks groups={groups} shown={shown} />
      </nav>
      <details class="settings-menu">
        <summary>
          Settings <Icon name="chevron-down" /> <strong>{shown?.name ?? ""}</strong>
        </summary>
        <nav aria-label="All settings">
          <PartLinks groups={groups} shown={shown} />
        </nav>
      </details>
      <div class="settings-content">
        {shown === undefined ? <NotHere /> : id === null ? shown.content() : (shown.one ?? shown.content)(id)}
      </div>
    </div>
  )
}

function isShown({ reads, isOfProduction }: Part): boolean {
  const isHere = isOfProduction === undefined || opsData().environment === "production"
  return isHere && mayCall(reads)
}

interface PartLinksProps {
  readonly groups: readonly (readonly [name: string, parts: readonly Part[]])[]
  readonly shown: Part | undefined
}

function PartLinks({ groups, shown }: PartLinksProps): JSX.Element {
  return (
    <>
      {groups.map(([name, parts]) => (
        <section key={name}>
          <h2>{name}</h2>
          <ul>
            {parts.map((part) => (
              <li key={part.path}>
                <a
                  href={part === SITES ? "/ops/settings" : `/ops/settings/${part.path}`}
                  aria-current={part === shown ? "page" : undefined}
                >
                  {part.name}
                </a>
              </li>
            ))}
          </ul>
        </section>
      ))}
    </>
  )
}

function NotHere(): JSX.Element {
  return (
    <Empty title="This setting is not here">
      It needs another role, an operator of all sites, or the production host.
    </Empty>
  )
}
