/** The state of the view, and its form in the address, so that an address can be shared. */

import type { PackedRecord } from "../../inspection/packed.ts"
import { SPEED_FIRST, SPEEDS } from "../components/speeds.ts"
import type { Speed } from "../components/speeds.ts"
import { FOLDINGS } from "./chart/folds.ts"
import type { Folding } from "./chart/folds.ts"

export const SCALES = ["rank", "log", "linear"] as const
export type StripScale = (typeof SCALES)[number]

export const TABS = ["log", "outline", "calls"] as const
export type Tab = (typeof TABS)[number]

export interface View {
  /** Index in the record's runs. */
  readonly run: number
  /** The playhead: all views show this row's moment. */
  readonly row: number
  /** Index in the run's actors; NONE until one is selected. */
  readonly actor: number
  /** An actor whose machine stays beside the selected one's; NONE for none. */
  readonly beside: number
  readonly filter: string
  /** What the left column lists. */
  readonly lists: "actors" | "log"
  /** The shown part of a page in one column. */
  readonly tab: Tab
  /** The machine as a chart that fits its panel, with all its transitions in full, or in words. */
  readonly shows: "chart" | "details" | "outline"
  /** Which states of the chart are folded. */
  readonly folding: Folding
  readonly lanesBy: "kind" | "actor"
  /** The axis of the strip. */
  readonly scale: StripScale
  readonly isFolding: boolean
  /** The magnification of the linear strip around the playhead; 1 shows the whole run. */
  readonly zoom: number
  readonly isPlaying: boolean
  readonly speed: Speed
  readonly pinA: number | null
  readonly pinB: number | null
}

/** The content of the address, in which lines and actors have their own names. */
export interface Address {
  readonly run: number | null
  readonly s: number | null
  readonly actor: string | null
  readonly beside: string | null
  readonly filter: string
  readonly lists: View["lists"]
  readonly tab: Tab
  readonly shows: View["shows"] | null
  readonly folding: Folding
  readonly lanesBy: View["lanesBy"]
  readonly scale: StripScale
  readonly isFolding: boolean
  readonly zoom: number
  readonly isPlaying: boolean
  readonly speed: Speed
  readonly pinA: number | null
  readonly pinB: number | null
}

/** One press of the zoom control. */
const ZOOM_STEP = 4
/** At this zoom a year can be shown to the millisecond, within the precision of a position on the timeline. */
export const ZOOM_MAX = ZOOM_STEP ** 16

export function zoomedIn(zoom: number): number {
  return Math.min(ZOOM_MAX, zoom * ZOOM_STEP)
}

export function zoomedOut(zoom: number): number {
  return Math.max(1, zoom / ZOOM_STEP)
}

export function addressOf(hash: string): Address {
  const fields = new URLSearchParams(hash.replace(/^#/, ""))
  const numberOf = (name: string): number | null => {
    const text = fields.get(name)
    return text !== null && /^\d{1,9}$/.test(text) ? Number(text) : null
  }
  const run = numberOf("run")
  const speed = numberOf("speed")
  const zoom = Number(fields.get("zoom") ?? 1)
  const view = fields.get("view")
  return {
    run: run === null ? null : run - 1,
    s: numberOf("at"),
    actor: fields.get("actor"),
    beside: fields.get("beside"),
    filter: fields.get("filter") ?? "",
    lists: fields.get("lists") === "actors" ? "actors" : "log",
    shows: view === "outline" || view === "chart" || view === "details" ? view : null,
    tab: TABS.find((one) => one === fields.get("tab")) ?? "log",
    folding: FOLDINGS.find((one) => one === fields.get("states")) ?? "automatic",
    lanesBy: fields.get("lanes") === "actor" ? "actor" : "kind",
    scale: SCALES.find((one) => one === fields.get("scale")) ?? "log",
    isFolding: fields.get("fold") !== "0",
    zoom: zoom >= 1 && zoom <= ZOOM_MAX ? zoom : 1,
    isPlaying: fields.get("play") === "1",
    speed: SPEEDS.find((one) => one === speed) ?? SPEED_FIRST,
    pinA: numberOf("a"),
    pinB: numberOf("b"),
  }
}

/** Contains only what differs from a fresh page. */
export function hashOf(address: Address): string {
  const fields = new URLSearchParams()
  const put = (name: string, value: string | number | null): void => {
    if (value !== null && value !== "") fields.set(name, String(value))
  }
  put("run", address.run === null || address.run === 0 ? null : address.run + 1)
  put("at", address.s)
  put("actor", address.actor)
  put("beside", address.beside)
  put("filter", address.filter)
  put("lists", address.lists === "log" ? null : address.lists)
  put("view", address.shows)
  put("tab", address.tab === "log" ? null : address.tab)
  put("states", address.folding === "automatic" ? null : address.folding)
  put("lanes", address.lanesBy === "kind" ? null : address.lanesBy)
  put("scale", address.scale === "log" ? null : address.scale)
  put("fold", address.isFolding ? null : "0")
  put("zoom", address.zoom === 1 ? null : address.zoom)
  put("play", address.isPlaying ? "1" : null)
  put("speed", address.speed === SPEED_FIRST ? null : address.speed)
  put("a", address.pinA)
  put("b", address.pinB)
  return `#${fields.toString()}`
}

/** The run that an address opens. */
export function runIn(address: Address, record: PackedRecord): number {
  const wanted = address.run ?? (address.s === null ? record.opensAt?.run : 0) ?? 0
  return wanted < record.runs.length ? wanted : 0
}
