/** Sites of the environment, and beside them one that is changed. */

import type { JSX } from "preact"
import { useState } from "preact/hooks"
import { Empty, toast } from "../../design/feedback.tsx"
import { Drawer } from "../../design/overlay.tsx"
import { Pill } from "../../design/pill.tsx"
import { Table } from "../../design/table.tsx"
import { ReadProblem } from "../../portal/pages/problem.tsx"
import { useResource } from "../../resource.ts"
import { readSites } from "../sites.ts"
import type { Site } from "../sites.ts"
import { ChangeSite } from "./change-site.tsx"

export function SiteSettings(): JSX.Element {
  const { data, fault, reload } = useResource(readSites)
  const [shownId, setShown] = useState<string | null>(null)
  const shown = data?.find(({ site_id: id }) => id === shownId) ?? null
  if (data === null && fault !== null) return <ReadProblem what="The sites" fault={fault} onAgain={reload} />
  if (data?.length === 0) {
    return (
      <Empty title="There are no sites">
        An approved request for production makes sites, and <code>npx curbline sites create</code> does.
      </Empty>
    )
  }
  return (
    <section class={shown === null ? "settings-part wide" : "settings-part wide with-drawer"}>
      <Table
        label="Sites"
        rows={data}
        keyOf={({ site_id: id }) => id}
        selected={shownId}
        onPress={({ site_id: id }) => setShown(id)}
        hasTwoLines
        columns={[
          {
            name: "Site",
            sortBy: ({ name }) => name,
            cell: ({ site_id: id, name, address }) => (
              <>
                <button type="button" class="link-button main" onClick={() => setShown(id)}>
                  {name}
                </button>
                <span class="under">
                  {address === null ? "no address" : `${address.street}, ${address.city} ${address.state}`}
                </span>
              </>
            ),
          },
          { name: "Time zone", cell: ({ timezone }) => timezone ?? "not set" },
          { name: "Service area", cell: ({ area }) => (area === null ? "not set" : "set") },
          {
            name: "Price",
            isEnd: true,
            cell: ({ delivery_price_cents: cents }) =>
              cents === null ? "not set" : `$${(cents / 100).toFixed(2)}`,
          },
          { name: "State", isEnd: true, cell: (site) => <State site={site} /> },
        ]}
      />
      {shown === null ? null : (
        <Drawer title={shown.name} onClose={() => setShown(null)}>
          <ChangeSite
            key={JSON.stringify(shown)}
            site={shown}
            onChanged={async () => {
              toast("Changed")
              await reload()
            }}
          />
        </Drawer>
      )}
    </section>
  )
}

function State({ site }: { readonly site: Site }): JSX.Element {
  if (!site.is_active) {
    return (
      <Pill tone="idle" icon="ban">
        Closed
      </Pill>
    )
  }
  if (site.organization_id === null || site.is_configured) {
    return (
      <Pill tone="ok" icon="circle-check">
        Open
      </Pill>
    )
  }
  return (
    <Pill tone="wait" icon="circle-alert">
      No area or price
    </Pill>
  )
}
