/** Vehicles of the site's fleet with their runs, and where they are. */

import type { JSX } from "preact"
import { PlaceMap } from "../../components/place-map.tsx"
import { Pill } from "../../design/pill.tsx"
import type { MapPlace } from "../../../html/map/place-map.ts"
import type { BoardRecord, VehicleRecord } from "./records.ts"
import { lengthOf } from "./times.ts"
import { VEHICLE_WORDS, arrivalWords, batteryWords, compartmentTrouble, stepWords } from "./words.ts"

interface VehiclesProps {
  readonly board: BoardRecord
  readonly nowMs: number
  readonly selected: string | null
  readonly onOpen: (vehicleId: string) => void
}

/** ms since the last fix from which a vehicle counts as silent */
const SILENT_MS = 60_000

/** percent under which a battery counts as low */
const LOW_BATTERY = 20

export function Vehicles(props: VehiclesProps): JSX.Element | null {
  const { board } = props
  const { vehicles } = board
  if (vehicles.length === 0) return null
  const offline = vehicles.filter(({ state }) => state === "offline").length
  const online = vehicles.length - offline
  return (
    <section class="vehicles" aria-labelledby="vehicles-title">
      <h2 id="vehicles-title">
        Deliveries and vehicles{" "}
        <span class="count">
          {online} online{offline === 0 ? "" : `, ${offline} offline`}
        </span>
      </h2>
      <div class="vehicles-parts">
        <VehicleTable {...props} />
        <VehicleMap board={board} />
      </div>
    </section>
  )
}

function VehicleTable(props: VehiclesProps): JSX.Element {
  const { vehicles } = props.board
  const hasBatteries = vehicles.some(({ battery_percent }) => battery_percent !== null)
  return (
    <table class="table stacks vehicle-table" aria-label="Vehicles">
      <thead>
        <tr>
          <th scope="col">Vehicle</th>
          <th scope="col">State</th>
          <th scope="col">Run</th>
          <th scope="col">Step</th>
          <th scope="col" class="end">
            Arrives
          </th>
          <th scope="col" class="end">
            Queue
          </th>
          {hasBatteries ? (
            <th scope="col" class="end">
              Battery
            </th>
          ) : null}
          <th scope="col" class="end">
            Last fix
          </th>
        </tr>
      </thead>
      <tbody>
        {vehicles.map((vehicle) => (
          <VehicleRow key={vehicle.vehicle_id} vehicle={vehicle} hasBatteries={hasBatteries} {...props} />
        ))}
      </tbody>
    </table>
  )
}

interface VehicleRowProps extends VehiclesProps {
  readonly vehicle: VehicleRecord
  readonly hasBatteries: boolean
}

function VehicleRow(props: VehicleRowProps): JSX.Element {
  const { vehicle, hasBatteries, board, nowMs, selected, onOpen } = props
  const { vehicle_id: id, label, state, run, queued, last_fix_at: fixAt } = vehicle
  const { tone, icon, text } = VEHICLE_WORDS[state]
  const trouble = compartmentTrouble(run)
  const fixAgeMs = fixAt === null ? null : nowMs - Date.parse(fixAt)
  return (
    <tr class={`press${id === selected ? " selected" : ""}`} onClick={() => onOpen(id)}>
      <th scope="row">
        <button
          type="button"
          class="plain"
          aria-pressed={id === selected}
          data-opens={id}
          onClick={(event) => {
            event.stopPropagation()
            onOpen(id)
          }}
        >
          {label}
        </button>
      </th>
      <td>
        <Pill tone={tone} icon={icon}>
          {text}
        </Pill>
      </td>
      <td class={run === null ? "faint" : ""}>{run === null ? "none" : run.external_delivery_id}</td>
      <td>
        {trouble === null ? (
          run === null ? (
            ""
          ) : (
            stepWords(run)
          )
        ) : (
          <Pill tone="bad" icon="triangle-alert">
            {trouble}
          </Pill>
        )}
      </td>
      <td class="end number">
        <span class="phone-only">arrives </span>
        {run === null ? (
          "—"
        ) : state === "offline" ? (
          <span class="bad">unknown</span>
        ) : (
          arrivalWords(run, board.timezone)
        )}
      </td>
      <td class="end number">
        <span class="phone-only">queue </span>
        {queued}
      </td>
      {hasBatteries ? <BatteryCell percent={vehicle.battery_percent} /> : null}
      <td class={`end number${fixAgeMs !== null && fixAgeMs > SILENT_MS ? " bad" : ""}`}>
        <span class="phone-only">last fix </span>
        {fixAgeMs === null ? "none" : lengthOf(fixAgeMs)}
      </td>
    </tr>
  )
}

function BatteryCell({ percent }: { readonly percent: number | null }): JSX.Element {
  const isLow = percent !== null && percent < LOW_BATTERY
  return (
    <td class={`end number${isLow ? " bad" : ""}`}>
      <span class="phone-only">battery </span>
      {percent === null ? "—" : batteryWords(percent)}
      {isLow ? " low" : ""}
    </td>
  )
}

function VehicleMap({ board }: { readonly board: BoardRecord }): JSX.Element | null {
  const { name, position, vehicles } = board
  const seen = vehicles.flatMap((vehicle): readonly MapPlace[] =>
    vehicle.position === null ? [] : [{ kind: "vehicle", name: vehicle.label, ...vehicle.position }],
  )
  if (seen.length === 0) return null
  const store: readonly MapPlace[] = position === null ? [] : [{ kind: "store", name, ...position }]
  return (
    <PlaceMap
      label={`${name} and ${seen.length === 1 ? "one vehicle" : `${seen.length} vehicles`}`}
      places={[...store, ...seen]}
      isWay={false}
    />
  )
}
