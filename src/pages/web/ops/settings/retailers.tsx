/** Retailers that zones may support: what a partner shows of them. */

import type { JSX } from "preact"
import { useState } from "preact/hooks"
import { Button, ShortId } from "../../design/button.tsx"
import { Empty, toast } from "../../design/feedback.tsx"
import { AreaField, TextField } from "../../design/field.tsx"
import { useCommand, useResource } from "../../resource.ts"
import { api, dataOf, everyRow } from "../api.ts"
import type { Schemas } from "../api.ts"
import { Head } from "../frame.tsx"
import { mayCall } from "../session.ts"
import { changedFields } from "./changed-fields.ts"
import { draftFields } from "./draft-field.ts"
import { FormDialog } from "./form-dialog.tsx"
import { Listed } from "./listed.tsx"
import { SearchedTable } from "./searched-table.tsx"

export type Retailer = Schemas["CatalogRetailer"]

export function readRetailers(): Promise<readonly Retailer[]> {
  return everyRow(
    (query) => api.GET("/internal/v1/retailers", { params: { query } }),
    ({ retailers }) => retailers,
  )
}

export function Retailers(): JSX.Element {
  const retailers = useResource(readRetailers)
  const [changed, setChanged] = useState<Retailer | "new" | null>(null)
  return (
    <>
      <Head
        title="Retailers"
        lead="Whose orders are carried out. A site's page says which zone supports which."
      >
        {mayCall("addRetailer") ? (
          <Button look="primary" icon="plus" onPress={() => setChanged("new")}>
            New retailer
          </Button>
        ) : null}
      </Head>
      <Listed
        resource={retailers}
        what="The retailers"
        empty={
          <Empty title="There are no retailers yet">
            A zone can be booked for a retailer that it supports.
          </Empty>
        }
        table={(rows) => <RetailerTable rows={rows} onChange={setChanged} />}
      />
      {changed === null ? null : (
        <RetailerForm
          known={changed === "new" ? null : changed}
          onClose={() => setChanged(null)}
          onSaved={async () => {
            setChanged(null)
            await retailers.reload()
          }}
        />
      )}
    </>
  )
}

interface RetailerTableProps {
  readonly rows: readonly Retailer[] | null
  readonly onChange: (retailer: Retailer) => void
}

function RetailerTable({ rows, onChange }: RetailerTableProps): JSX.Element {
  return (
    <SearchedTable
      label="Retailers"
      rows={rows}
      keyOf={({ retailer_id: id }) => id}
      textOf={({ name, retailer_id: id }) => `${name} ${id}`}
      hasTwoLines
      columns={[
        {
          name: "Retailer",
          sortBy: ({ name }) => name,
          cell: ({ name, retailer_id: id }) => (
            <>
              <span class="main">{name}</span>
              <span class="under">
                <ShortId id={id} label="Copy the retailer's id" />
              </span>
            </>
          ),
        },
        { name: "Support", cell: ({ support_phone: phone }) => phone ?? "no support phone" },
        {
          name: "Pickup needs",
          cell: ({ pickup_requirements: needs }) => <span class="sentence">{needs || "no needs"}</span>,
        },
        { name: "Logo", cell: ({ logo_url: url }) => (url === null ? "no logo" : "has a logo") },
        {
          name: "",
          isEnd: true,
          cell: (retailer) =>
            mayCall("changeRetailer") ? (
              <Button isSmall label={`Change ${retailer.name}`} onPress={() => onChange(retailer)}>
                Change
              </Button>
            ) : null,
        },
      ]}
    />
  )
}

interface RetailerDraft {
  readonly id: string
  readonly name: string
  readonly logo: string
  readonly phone: string
  readonly needs: string
}

const FIELDS = ["name", "retailer_id", "logo_url", "support_phone", "pickup_requirements"]

/** Adds the retailer, or changes the known one. */
async function save(known: Retailer | null, { id, name, logo, phone, needs }: RetailerDraft): Promise<void> {
  const body = {
    name,
    logo_url: logo === "" ? null : logo,
    support_phone: phone === "" ? null : phone,
    pickup_requirements: needs === "" ? null : needs,
  }
  if (known === null) {
    const more = id === "" ? {} : { retailer_id: id }
    await dataOf(api.POST("/internal/v1/retailers", { body: { ...body, ...more } }))
  } else {
    const params = { path: { id: known.retailer_id } }
    await dataOf(api.PATCH("/internal/v1/retailers/{id}", { params, body: changedFields(body, known) }))
  }
}

interface RetailerFormProps {
  /** Null: a new retailer. */
  readonly known: Retailer | null
  readonly onClose: () => void
  readonly onSaved: () => Promise<void>
}

function RetailerForm({ known, onClose, onSaved }: RetailerFormProps): JSX.Element {
  const [draft, setDraft] = useState<RetailerDraft>({
    id: "",
    name: known?.name ?? "",
    logo: known?.logo_url ?? "",
    phone: known?.support_phone ?? "",
    needs: known?.pickup_requirements ?? "",
  })
  const command = useCommand(async () => {
    await save(known, draft)
    toast(known === null ? "Added" : "Saved")
    await onSaved()
  })
  const field = draftFields(draft, setDraft, command)
  return (
    <FormDialog
      title={known === null ? "New retailer" : `Change ${known.name}`}
      command={command}
      fields={FIELDS}
      action={known === null ? "Add the retailer" : "Save the retailer"}
      busy="Saving…"
      onClose={onClose}
    >
      <TextField label="Name" {...field("name", "name")} isFirst />
      {known === null ? (
        <TextField
          label="Id"
          hint="Partners book by it. Empty: one is made. It cannot be changed later."
          {...field("id", "retailer_id")}
        />
      ) : null}
      <TextField
        label="Support phone"
        type="tel"
        hint="With its country code, such as +15125550100."
        {...field("phone", "support_phone")}
      />
      <TextField label="Logo" type="url" hint="An https URL." {...field("logo", "logo_url")} />
      <AreaField
        label="Pickup needs"
        hint="What a partner's integration must satisfy."
        {...field("needs", "pickup_requirements")}
      />
    </FormDialog>
  )
}
