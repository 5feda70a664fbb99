/** The stores at which the courier connector collects orders, with their opening hours. */

import type { JSX } from "preact"
import { useState } from "preact/hooks"
import { Button, ButtonLink } from "../../design/button.tsx"
import { Empty, toast } from "../../design/feedback.tsx"
import { Drawer } from "../../design/overlay.tsx"
import { Facts } from "../../design/table.tsx"
import { ReadProblem } from "../../portal/pages/problem.tsx"
import { useResource } from "../../resource.ts"
import { api, dataOf, everyRow } from "../api.ts"
import type { Schemas } from "../api.ts"
import { Head } from "../frame.tsx"
import { mayCall } from "../session.ts"
import { Confirm } from "./confirm.tsx"
import { SearchedTable } from "./searched-table.tsx"

type Store = Schemas["Store"]

export function Stores(): JSX.Element {
  const { data, fault, reload } = useResource(() =>
    everyRow(
      (query) => api.GET("/internal/v1/connector/stores", { params: { query } }),
      (page) => page.stores,
    ),
  )
  const [shownId, setShown] = useState<string | null>(null)
  const shown = data?.find(({ store_id: id }) => id === shownId) ?? null
  return (
    <div class={shown === null ? "" : "with-drawer"}>
      <div class="settings-part">
        <Head title="Stores" lead="Where couriers collect orders. Stores that an import does not name stay.">
          {mayCall("importStores") ? (
            <ButtonLink look="primary" href="/ops/settings/stores/import">
              Import a file
            </ButtonLink>
          ) : null}
        </Head>
        {data === null && fault !== null ? (
          <ReadProblem what="The stores" fault={fault} onAgain={reload} />
        ) : data?.length === 0 ? (
          <Empty title="There are no stores yet">
            A file with one line for each store fills the list. Until then no errand can be quoted.
          </Empty>
        ) : (
          <StoreTable stores={data} shownId={shownId} onShow={setShown} />
        )}
      </div>
      {shown === null ? null : (
        <StoreDrawer
          store={shown}
          onClose={() => setShown(null)}
          onRemoved={async () => {
            setShown(null)
            toast("Removed")
            await reload()
          }}
        />
      )}
    </div>
  )
}

interface StoreTableProps {
  readonly stores: readonly Store[] | null
  readonly shownId: string | null
  readonly onShow: (storeId: string) => void
}

function StoreTable({ stores, shownId, onShow }: StoreTableProps): JSX.Element {
  return (
    <SearchedTable
      label="Stores"
      rows={stores}
      keyOf={({ store_id: id }) => id}
      textOf={({ name, store_id: id, street, zip }) => `${name} ${id} ${street} ${zip}`}
      selected={shownId}
      onPress={({ store_id: id }) => onShow(id)}
      hasTwoLines
      columns={[
        {
          name: "Store",
          sortBy: ({ name }) => name,
          cell: ({ name, store_id: id, street, zip }) => (
            <>
              <button type="button" class="link-button main" onClick={() => onShow(id)}>
                {name}
              </button>
              <span class="under">
                {street}, {zip}
              </span>
            </>
          ),
        },
        {
          name: "Open",
          cell: ({ hours }) => <span class="sentence">{hours === "" ? "not served: no hours" : hours}</span>,
        },
        { name: "Phone", cell: ({ phone }) => (phone === "" ? "not served: no phone" : phone) },
      ]}
    />
  )
}

interface StoreDrawerProps {
  readonly store: Store
  readonly onClose: () => void
  readonly onRemoved: () => Promise<void>
}

function StoreDrawer({ store, onClose, onRemoved }: StoreDrawerProps): JSX.Element {
  const [isAsking, setAsking] = useState(false)
  const id = store.store_id
  return (
    <Drawer title={store.name} onClose={onClose}>
      <div class="stack">
        <Facts
          facts={[
            ["Id", <code>{id}</code>],
            ["Address", `${store.street}, ${store.zip}`],
            ["Place", `${degrees(store.latitude)}, ${degrees(store.longitude)}`],
            ["Open", store.hours === "" ? "no hours: not served" : store.hours],
            ["Phone", store.phone === "" ? "no phone: not served" : store.phone],
            ["Listed as", store.categories],
            ["Order to pickup", `${store.lead_minutes} min`],
            [
              "Kitchen starts",
              store.kitchen_starts === "scheduled" ? "at a pickup slot" : "when the courier checks in",
            ],
            ["Stall", store.stall_hint === "" ? null : store.stall_hint],
          ]}
        />
        <p class="small quiet">A line of an import with this id changes it.</p>
        {mayCall("removeStore") ? (
          <Button look="danger quiet" onPress={() => setAsking(true)}>
            Remove the store…
          </Button>
        ) : null}
      </div>
      {isAsking ? (
        <Confirm
          title={`Remove ${store.name}?`}
          happens={[
            "It leaves the directory: errands to it are refused from now on.",
            "Errands that were checked before keep it.",
            "An import with its line brings it back.",
          ]}
          action="Remove the store"
          busy="Removing…"
          onConfirm={async () => {
            await dataOf(api.DELETE("/internal/v1/connector/stores/{id}", { params: { path: { id } } }))
            setAsking(false)
            await onRemoved()
          }}
          onClose={() => setAsking(false)}
        />
      ) : null}
    </Drawer>
  )
}

/** A metre is about the fifth digit. */
function degrees(written: string): string {
  return Number(written).toFixed(5)
}
