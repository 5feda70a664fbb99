/** Vehicles of the fleets that serve the operator's sites. */

import { Pill } from "../../design/pill.tsx"
import { fromRealNow } from "../../portal/times.ts"
import { send } from "../api.ts"
import { VEHICLE_WORDS, batteryWords } from "../board/words.ts"
import { NameCell } from "./cells.tsx"
import type { BulkAction, ListKind } from "./list-kind.ts"
import type { VehicleRow } from "./records.ts"

async function setOnline({ vehicle_id: id }: VehicleRow, isOnline: boolean): Promise<void> {
  await send("PATCH", `/internal/v1/vehicles/${encodeURIComponent(id)}`, { is_online: isOnline })
}

const takeOff: BulkAction<VehicleRow> = {
  name: "Take off line…",
  isDanger: true,
  role: "dispatcher",
  titleOf: (count) => `Take ${count} off line`,
  happens: [
    ["ban", "They get no new runs."],
    ["truck", "The runs that they have stay with them until you move them."],
  ],
  send: (row) => setOnline(row, false),
  done: "off line",
}

const takeOn: BulkAction<VehicleRow> = {
  name: "Take on line…",
  role: "dispatcher",
  titleOf: (count) => `Take ${count} on line`,
  happens: [["truck", "They get new runs again."]],
  send: (row) => setOnline(row, true),
  done: "on line",
}

export const VEHICLES: ListKind<VehicleRow> = {
  path: "vehicles",
  name: "Vehicles",
  one: "vehicle",
  many: "vehicles",
  lead: "Vehicles of the fleets that serve the sites, by label.",
  readsFrom: "/internal/v1/vehicles",
  field: "vehicles",
  searches: "Label or id",
  states: {
    parameter: "state",
    choices: [
      ["All", []],
      ["On a run", ["on_a_run"]],
      ["Free", ["free"]],
      ["Offline", ["offline"]],
    ],
  },
  hasSites: true,
  hasOrganizations: false,
  keyOf: ({ vehicle_id: id }) => id,
  nameOf: ({ label }) => label,
  columnsOf: ({ boardOf, siteOfFleet }) => [
    {
      name: "Vehicle",
      cell: ({ vehicle_id: id, label, fleet_id: fleetId }) => (
        <NameCell name={label} id={id} noun="vehicle" href={boardOf(siteOfFleet(fleetId), { vehicle: id })} />
      ),
    },
    {
      name: "State",
      cell: ({ state }) => (
        <Pill tone={VEHICLE_WORDS[state].tone} icon={VEHICLE_WORDS[state].icon}>
          {VEHICLE_WORDS[state].text}
        </Pill>
      ),
    },
    { name: "Fleet", cell: ({ fleet_id: fleet }) => fleet },
    {
      name: "Run",
      cell: ({ run }) => {
        if (run === null) return <span class="faint">none</span>
        const href = boardOf(run.site_id, { delivery: run.delivery_id })
        return (
          <>
            {href === null ? run.external_delivery_id : <a href={href}>{run.external_delivery_id}</a>}
            <span class="under">{run.status.toLowerCase().replaceAll("_", " ")}</span>
          </>
        )
      },
    },
    {
      name: "Queue",
      isEnd: true,
      isNamed: true,
      cell: ({ queued }) => <span class="number">{queued}</span>,
    },
    {
      name: "Last fix",
      isEnd: true,
      isNamed: true,
      cell: ({ last_fix_at: at, battery_percent: percent }) => (
        <>
          {at === null ? <span class="faint">none</span> : fromRealNow(at)}
          {percent === null ? null : <span class="under">battery {batteryWords(percent)}</span>}
        </>
      ),
    },
  ],
  actions: [takeOff, takeOn],
  nothing: "Fleets add their vehicles with the operations API or the command line.",
}
