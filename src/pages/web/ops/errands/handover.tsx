/** What people at the curb and at the door need to know of an errand. It names people, so it is read only when the operator presses the button. */

import type { JSX } from "preact"
import { useState } from "preact/hooks"
import { Button } from "../../design/button.tsx"
import { Skeleton } from "../../design/feedback.tsx"
import { Facts } from "../../design/table.tsx"
import { ReadProblem } from "../../portal/pages/problem.tsx"
import { dayTime } from "../../portal/times.ts"
import { useResource } from "../../resource.ts"
import { api, dataOf } from "../api.ts"
import type { Schemas } from "../api.ts"
import { zoneName } from "../board/times.ts"
import { inWords } from "./errand-words.ts"

type Record = Schemas["Handover"]

export function Handover({ errandId }: { readonly errandId: string }): JSX.Element {
  const [isShown, setShown] = useState(false)
  return (
    <section aria-labelledby="handover">
      <h2 id="handover">Handover</h2>
      {isShown ? (
        <Shown errandId={errandId} />
      ) : (
        <p class="row">
          <Button onPress={() => setShown(true)}>Show the handover</Button>
          <span class="small quiet">It names people. The audit log says that you looked.</span>
        </p>
      )}
    </section>
  )
}

function Shown({ errandId }: { readonly errandId: string }): JSX.Element {
  const { data, fault, reload } = useResource(
    () =>
      dataOf(api.GET("/internal/v1/connector/errands/{id}/handover", { params: { path: { id: errandId } } })),
    [errandId],
  )
  if (data !== null) return <Facts facts={factsOf(data.handover)} />
  return fault === null ? <Skeleton /> : <ReadProblem what="The handover" fault={fault} onAgain={reload} />
}

/** `ready today 12:04 CST`, in the reader's zone: a store has none of its own. */
function readyWords(at: string | null): string | null {
  return at === null ? null : `ready ${dayTime(at, null, Date.now())} ${zoneName(at, null)}`
}

function factsOf(record: Record): readonly (readonly [string, string | null])[] {
  const { store, dropoff, customer, items, requirements, notes, check_in: checkIn } = record
  const joined = (...parts: readonly (string | null)[]): string | null => {
    const filled = parts.filter((part) => part !== null && part !== "")
    return filled.length === 0 ? null : filled.join(", ")
  }
  return [
    ["Store", joined(store.name, store.street, `${store.city} ${store.zip}`)],
    ["Pickup", joined(record.pickup_time, readyWords(record.ready_at))],
    ["Order", joined(record.order_number, record.pickup_code)],
    [
      "Check in",
      joined(
        checkIn.method === null ? null : inWords(checkIn.method),
        checkIn.url,
        checkIn.phone,
        checkIn.instructions,
      ),
    ],
    ["Items", joined(...items.map(({ quantity, name }) => `${quantity} × ${name}`))],
    ["Needs", joined(...requirements.map(inWords), record.requirements_notes)],
    ["Door", joined(dropoff.street, dropoff.unit, `${dropoff.city} ${dropoff.zip}`, dropoff.notes)],
    [
      "Customer",
      customer === null
        ? null
        : joined(`${customer.first_name} ${customer.last_name}`, customer.phone, customer.email),
    ],
    ["Notes", joined(...notes)],
    ["Cancelled", record.cancel_reason],
  ]
}
