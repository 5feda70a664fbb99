/** A model with other values at paths, as a sweep sets them: its text is read again with these values in it. */

import { parseSource, reporter } from "../../../scenario/language/source.ts"
import type { Written, WrittenEntry, WrittenMap } from "../../../scenario/language/source.ts"
import { withDemandParts } from "../demand-parts.ts"
import { fleetShape, wholeParts } from "../model.ts"
import type { FleetModel, WrittenFleet } from "../model.ts"
import { always } from "../spread.ts"
import { readTravel } from "../travel.ts"
import { stepsTo, withValue } from "./value-paths.ts"
import type { ValuePath } from "./value-paths.ts"
import type { Travel } from "../../travel/routing.ts"

/** Throws when the text of the model does not take the values, which its reading has checked. */
export function withValues(
  model: FleetModel,
  settings: readonly (readonly [path: ValuePath, value: number | string])[],
): FleetModel {
  if (settings.length === 0) return model
  const root = parseSource(model, reporter([]))
  const changed = settings.reduce(
    (before, [path, value]) => (before === null ? null : withSetting(before, path, value)),
    root === null ? null : withDemandParts(root),
  )
  const written = changed === null ? undefined : fleetShape.read(changed, reporter([]))
  const travel = changed === null || written === undefined ? null : travelIn(model.travel, written, changed)
  if (written === undefined || travel === null)
    throw new Error(`${model.file} does not take ${settings.flat().join(" ")}`)
  const { sites, demand, changes, out } = written
  return { ...model, ...wholeParts(written), sites, demand, changes, out, travel }
}

function withSetting(root: WrittenMap, path: ValuePath, value: number | string): WrittenMap | null {
  const entry = sweptEntry(root, path)
  const item =
    entry?.value.type === "list" ? entry.value.items.find((one) => isWritten(one, value)) : undefined
  const steps = stepsTo(root, path)
  if (entry === undefined || item === undefined || !("length" in steps)) return null
  return withValue(root, steps, { value: item, pathSpan: entry.keySpan }) as WrittenMap
}

/** The list of values at a path, in the sweep of a model. */
export function sweptEntry({ entries }: WrittenMap, path: string): WrittenEntry | undefined {
  const sweep = entries.find(({ key }) => key === "sweep")?.value
  return sweep?.type === "map" ? sweep.entries.find(({ key }) => key === path) : undefined
}

function isWritten(item: Written, value: number | string): boolean {
  return item.type === "scalar" && (typeof value === "number" ? item.value : item.text) === value
}

/** Streets are read once, and only their speeds are swept. */
function travelIn(known: Travel, { travel, sites }: WrittenFleet, root: WrittenMap): Travel | null {
  if (known.is === "streets")
    return { ...known, speeds: (travel === "straight" ? null : travel.speeds) ?? always(1) }
  return readTravel(travel, { root, report: reporter([]), beside: () => null, sites })
}
