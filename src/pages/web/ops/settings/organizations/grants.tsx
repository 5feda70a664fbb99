/** Grants of an organization: which retailers it may book in which zones. */

import type { JSX } from "preact"
import { useState } from "preact/hooks"
import { Button } from "../../../design/button.tsx"
import { toast } from "../../../design/feedback.tsx"
import { SelectField } from "../../../design/field.tsx"
import { Pill } from "../../../design/pill.tsx"
import { useCommand, useResource } from "../../../resource.ts"
import { RETAILER, ZONE } from "../../../../../model/nouns/catalog-nouns.ts"
import { api, dataOf, everyPage } from "../../api.ts"
import type { Schemas } from "../../api.ts"
import { readNoun } from "../../nouns/noun-row.ts"
import { mayCall, opsData } from "../../session.ts"
import { readSites } from "../../sites.ts"
import { Confirm } from "../confirm.tsx"
import { Form } from "../../../design/form.tsx"
import { Listed } from "../listed.tsx"
import type { Organization } from "./organization-names.tsx"
import { SearchedTable } from "../searched-table.tsx"

/** A pair of a zone and a retailer, with what people call them. */
interface Pair {
  readonly zoneId: string
  readonly retailerId: string
  readonly site: string
  readonly zone: string
  readonly retailer: string
}

interface Granted extends Pair {
  /** False while the zone does not support the retailer: nothing can be booked by the grant then. */
  readonly isSupported: boolean
}

interface GrantsContent {
  readonly granted: readonly Granted[]
  /** Supported pairs without a grant. */
  readonly open: readonly Pair[]
}

const PATH = "/internal/v1/organizations/{id}/grants/{zone_id}/{retailer_id}"

function keyOf({ zoneId, retailerId }: Pick<Pair, "retailerId" | "zoneId">): string {
  return `${zoneId} ${retailerId}`
}

async function readGrants(organizationId: string): Promise<GrantsContent> {
  const [grants, offers, zones, retailers, sites] = await Promise.all([
    everyPage<Schemas["Grant"]>("/internal/v1/grants", "grants", { organization_id: organizationId }),
    everyPage<Schemas["Offer"]>("/internal/v1/offers", "offers", {}),
    readNoun<Schemas["CatalogZone"]>(ZONE),
    readNoun<Schemas["CatalogRetailer"]>(RETAILER),
    readSites(),
  ])
  const siteOf = new Map(sites.map(({ site_id: id, name }) => [id, name]))
  const zoneOf = new Map(zones.map((zone) => [zone.zone_id, zone]))
  const retailerOf = new Map(retailers.map(({ retailer_id: id, name }) => [id, name]))
  const named = (link: { readonly zone_id: string; readonly retailer_id: string }): Pair => {
    const zone = zoneOf.get(link.zone_id)
    return {
      zoneId: link.zone_id,
      retailerId: link.retailer_id,
      site: siteOf.get(zone?.site_id ?? "") ?? "",
      zone: zone?.name ?? link.zone_id,
      retailer: retailerOf.get(link.retailer_id) ?? link.retailer_id,
    }
  }
  const supported = offers.map(named)
  const supportedKeys = new Set(supported.map(keyOf))
  const granted = grants.map(named).map((pair) => ({ ...pair, isSupported: supportedKeys.has(keyOf(pair)) }))
  const grantedKeys = new Set(granted.map(keyOf))
  return { granted, open: supported.filter((pair) => !grantedKeys.has(keyOf(pair))) }
}

export function Grants({ organization }: { readonly organization: Organization }): JSX.Element {
  const { organization_id: id } = organization
  const { data, fault, reload } = useResource(() => readGrants(id), [id])
  const [ending, setEnding] = useState<Granted | null>(null)
  return (
    <section aria-labelledby="grants">
      <div>
        <h2 id="grants">Grants</h2>
        <p class="small quiet">
          What it may book where, in the {opsData().environment} environment. A grant works while the zone
          supports the retailer.
        </p>
      </div>
      <Listed
        resource={{ data: data?.granted ?? null, fault, reload }}
        what="The grants"
        empty={<p class="small quiet">It may book nothing yet.</p>}
        table={(rows) => <GrantTable rows={rows} onWithdraw={setEnding} />}
      />
      {data !== null && mayCall("giveGrant") ? (
        <GiveGrant organization={organization} open={data.open} onGiven={reload} />
      ) : null}
      {ending === null ? null : (
        <Confirm
          title={`Withdraw ${ending.retailer} in ${ending.zone}?`}
          happens={[
            `${organization.name} can book ${ending.retailer} there no longer.`,
            "Bookings that were made stay.",
          ]}
          action="Withdraw the grant"
          busy="Withdrawing…"
          onConfirm={async () => {
            const path = { id, zone_id: ending.zoneId, retailer_id: ending.retailerId }
            await dataOf(api.DELETE(PATH, { params: { path } }))
            setEnding(null)
            toast("Withdrawn")
            await reload()
          }}
          onClose={() => setEnding(null)}
        />
      )}
    </section>
  )
}

interface GrantTableProps {
  readonly rows: readonly Granted[] | null
  readonly onWithdraw: (grant: Granted) => void
}

function GrantTable({ rows, onWithdraw }: GrantTableProps): JSX.Element {
  return (
    <SearchedTable
      label="Grants"
      rows={rows}
      keyOf={keyOf}
      textOf={({ site, zone, retailer, zoneId, retailerId }) =>
        `${site} ${zone} ${retailer} ${zoneId} ${retailerId}`
      }
      hasTwoLines
      columns={[
        {
          name: "Zone",
          sortBy: ({ site, zone }) => `${site} ${zone}`,
          cell: ({ site, zone }) => (
            <>
              <span class="main">{zone}</span>
              <span class="under">{site}</span>
            </>
          ),
        },
        { name: "Retailer", sortBy: ({ retailer }) => retailer, cell: ({ retailer }) => retailer },
        {
          name: "State",
          cell: ({ isSupported }) => (
            <Pill tone={isSupported ? "ok" : "wait"} icon={isSupported ? "circle-check" : "circle-alert"}>
              {isSupported ? "Works" : "The zone does not support it"}
            </Pill>
          ),
        },
        {
          name: "",
          isEnd: true,
          cell: (grant) =>
            mayCall("takeGrant") ? (
              <Button
                isSmall
                look="danger quiet"
                label={`Withdraw ${grant.retailer} in ${grant.zone}`}
                onPress={() => onWithdraw(grant)}
              >
                Withdraw
              </Button>
            ) : null,
        },
      ]}
    />
  )
}

interface GiveGrantProps {
  readonly organization: Organization
  readonly open: readonly Pair[]
  readonly onGiven: () => Promise<void>
}

function GiveGrant({ organization, open, onGiven }: GiveGrantProps): JSX.Element {
  const [zoneId, setZone] = useState("")
  const [retailerId, setRetailer] = useState("")
  const zones = [...new Map(open.map((pair) => [pair.zoneId, `${pair.site}, ${pair.zone}`]))]
  const retailers = open.filter((pair) => pair.zoneId === zoneId)
  const { fault, isBusy, send } = useCommand(async () => {
    const path = { id: organization.organization_id, zone_id: zoneId, retailer_id: retailerId }
    await dataOf(api.PUT(PATH, { params: { path } }))
    setRetailer("")
    toast("Granted")
    await onGiven()
  })
  if (open.length === 0) return <p class="small quiet">It may book every retailer that a zone supports.</p>
  return (
    <Form look="inline-form" onSend={send}>
      <SelectField
        label="Zone"
        value={zoneId}
        options={[["", "Choose a zone"], ...zones]}
        onChange={(chosen) => {
          setZone(chosen)
          setRetailer("")
        }}
        error={fault?.message ?? null}
      />
      <SelectField
        label="Retailer"
        value={retailerId}
        options={[
          ["", zoneId === "" ? "Choose a zone first" : "Choose a retailer"],
          ...retailers.map((pair) => [pair.retailerId, pair.retailer] as const),
        ]}
        onChange={setRetailer}
      />
      <Button icon="plus" type="submit" isBusy={isBusy} isDisabled={zoneId === "" || retailerId === ""}>
        Grant
      </Button>
    </Form>
  )
}
