/** Instants of cells: how the times of a column are written is recognised from its cells, or said by the model. */

import dayjs from "dayjs"
import customParseFormat from "dayjs/plugin/customParseFormat.js"
import utc from "dayjs/plugin/utc.js"
import { DAY_MS, HOUR_MS, SECOND_MS } from "../../../model/values/time.ts"
import type { EpochMs } from "../../../model/values/time.ts"
import { instantsOf, wallClockAt } from "../../../model/values/local-time.ts"
import type { WallClockMs } from "../../../model/values/local-time.ts"

dayjs.extend(utc)
dayjs.extend(customParseFormat)

/** A time as it is written: an instant, or a local time of some zone. Null for what is no time. */
export type WrittenTime = { readonly instantMs: EpochMs } | { readonly wallMs: WallClockMs } | null

export interface TimeForm {
  /** `DD.MM.YYYY HH:mm`, `epoch seconds`. */
  readonly says: string
  readonly read: (cell: string) => WrittenTime
}

export interface TimeFault {
  readonly message: string
  readonly expected?: string
  readonly help?: string
}

const EXPECTED =
  "2026-03-02T11:30:00-06:00, 2026-03-02 11:30:00, 3/2/2026 11:30 AM, 02.03.2026 11:30, an Excel date, or seconds or milliseconds since 1970"

/** The form of a column. `format` is the model's; null recognises it from the cells. */
export function timeFormOf(cells: readonly string[], format: string | null): TimeFault | TimeForm {
  if (format !== null) return FORMS.get(format) ?? (hasDate(format) ? byFormat(format) : WITHOUT_DATE)
  const written = sampleOf(cells.filter((cell) => cell !== ""))
  const isPlain = written.every((cell) => ISO.read(cell) !== null)
  const forms = isPlain ? [ISO] : [ISO, ...DATES.map(byFormatAlone), EPOCH_MS, EPOCH_S, EXCEL]
  const counts = forms.map((form) => written.filter((cell) => form.read(cell) !== null).length)
  const most = Math.max(...counts)
  const [first, ...more] = forms.filter((_, at) => counts[at] === most)
  if (most === 0 || first === undefined) {
    const [cell] = written
    return {
      message:
        cell === undefined
          ? "the column of times is empty"
          : `${JSON.stringify(cell)} is no time that is known`,
      expected: EXPECTED,
      help: "write its format, such as DD/MM/YYYY HH:mm",
    }
  }
  if (more.length > 0) {
    const formats = [first, ...more].map(({ says }) => says).join(" or ")
    return {
      message: `times such as ${JSON.stringify(written[0])} are ${formats}`,
      help: "write the format of the time",
    }
  }
  return first
}

/** Cells that a form is recognised from, from the whole column. */
const LOOKED_AT = 300

function sampleOf(cells: readonly string[]): readonly string[] {
  const step = Math.max(1, cells.length / LOOKED_AT)
  return Array.from(
    { length: Math.min(cells.length, LOOKED_AT) },
    (_, at) => cells[Math.floor(at * step)] ?? "",
  )
}

const ISO: TimeForm = {
  says: "YYYY-MM-DD HH:mm:ss",
  read: (cell) => {
    const match =
      /^(\d{4}-\d{2}-\d{2})(?:[T ](\d{1,2}:\d{2}(?::\d{2}(?:[.,]\d+)?)?))?\s*(Z|UTC|[+-]\d{2}(?::?\d{2})?)?$/.exec(
        cell,
      )
    if (match === null) return null
    const [, date = "", time = "00:00", offset] = match
    const clock = time.replace(",", ".").padStart(time.indexOf(":") === 1 ? time.length + 1 : 0, "0")
    // Milliseconds are what is kept of a part of a second.
    const wallMs = Date.parse(`${date}T${clock.replace(/(\.\d{3})\d+$/, "$1")}Z`)
    if (Number.isNaN(wallMs) || !new Date(wallMs).toISOString().startsWith(date)) return null
    return offset === undefined ? { wallMs } : { instantMs: wallMs - msOfOffset(offset) }
  },
}

function msOfOffset(offset: string): number {
  const match = /^([+-])(\d{2}):?(\d{2})?$/.exec(offset)
  if (match === null) return 0
  const [, sign, hours, minutes = "0"] = match
  return (sign === "-" ? -1 : 1) * (Number(hours) * HOUR_MS + Number(minutes) * (HOUR_MS / 60))
}

const EPOCH_S = ofNumbers("seconds since 1970", { from: 1e8, to: 1e10 }, (value) => ({
  instantMs: Math.round(value * SECOND_MS),
}))
const EPOCH_MS = ofNumbers("milliseconds since 1970", { from: 1e11, to: 1e13 }, (value) => ({
  instantMs: Math.round(value),
}))
/** Days since 1899-12-30, as spreadsheets count them, to the second. */
const EXCEL = ofNumbers("dates of Excel", { from: 20_000, to: 80_000 }, (value) => ({
  wallMs: Math.round(((value - 25_569) * DAY_MS) / SECOND_MS) * SECOND_MS,
}))

const FORMS: ReadonlyMap<string, TimeForm> = new Map([
  ["iso", ISO],
  ["excel", EXCEL],
  ["epoch s", EPOCH_S],
  ["epoch ms", EPOCH_MS],
])

function ofNumbers(
  says: string,
  { from, to }: { readonly from: number; readonly to: number },
  make: (value: number) => WrittenTime,
): TimeForm {
  return {
    says,
    read: (cell) => {
      const value = /^\d+([.,]\d+)?$/.test(cell) ? Number(cell.replace(",", ".")) : Number.NaN
      return value >= from && value < to ? make(value) : null
    },
  }
}

/** Dates without a name: with the day or the month first. */
const DATES = [
  "M/D/YYYY",
  "D/M/YYYY",
  "D.M.YYYY",
  "D-M-YYYY",
  "M-D-YYYY",
  "YYYY/M/D",
  "M/D/YY",
  "D/M/YY",
  "D.M.YY",
]

const TIMES = ["", " H:mm", " H:mm:ss", " H:mm:ss.SSS", " h:mm A", " h:mm:ss A"]

/** A date with a time of day of any form, or without. */
function byFormatAlone(date: string): TimeForm {
  const separator = /[./-]/.exec(date)?.[0] ?? ""
  // The form of the last time is tried first: a column seldom has two.
  const forms = TIMES.map((time) => byFormat(date + time))
  return {
    says: date,
    read: (cell) => {
      if (!cell.includes(separator)) return null
      for (const [at, form] of forms.entries()) {
        const read = form.read(cell)
        if (read === null) continue
        if (at > 0) forms.unshift(...forms.splice(at, 1))
        return read
      }
      return null
    },
  }
}

/** Text of a format that is read as it stands. */
const LITERAL = /\[[^\]]*\]/g

/** Day.js takes what a format does not say from the date of today. */
function hasDate(format: string): boolean {
  const tokens = format.replaceAll(LITERAL, "")
  return ["YY", "M", "D"].every((token) => tokens.includes(token))
}

const WITHOUT_DATE: TimeFault = {
  message: "the format has no year, month and day",
  expected: "such as DD/MM/YYYY HH:mm",
  help: "of a date and a time in two columns write date, time, and the format of both with a space between",
}

const OFFSET = /Z|UTC|GMT|[+-]\d{2}(?::?\d{2})?/g

/** Day.js reads no offset but its own: of a cell with one, the form of the rest, and the rest for each text that may be the offset. */
function byFormatWithOffset(format: string): TimeForm {
  const literals = format.match(LITERAL) ?? []
  let at = 0
  const form = byFormat(
    format
      .replaceAll(LITERAL, "[]")
      .replaceAll(/Z+/g, "")
      .replaceAll("[]", () => literals[at++] ?? ""),
  )
  return {
    says: format,
    read: (cell) => {
      for (const { 0: offset, index } of cell.matchAll(OFFSET)) {
        const read = form.read(cell.slice(0, index) + cell.slice(index + offset.length))
        if (read !== null && "wallMs" in read) return { instantMs: read.wallMs - msOfOffset(offset) }
      }
      return null
    },
  }
}

/** A format of Day.js. A digit more or less, as in 3/2/2026 and 03/02/2026, is the same format. */
function byFormat(format: string): TimeForm {
  const tokens = format.replaceAll(LITERAL, "")
  if (tokens.includes("Z")) return byFormatWithOffset(format)
  const half = tokens.includes("A") ? "upper" : tokens.includes("a") ? "lower" : null
  const shorter = format
    .replaceAll(/\bDD\b/g, "D")
    .replaceAll(/(?<!M)MM(?!M)/g, "M")
    .replaceAll(/(?<!H)HH/g, "H")
    .replaceAll(/(?<!h)hh/g, "h")
  const longer = shorter
    .replaceAll(/(?<!D)D(?!D)/g, "DD")
    .replaceAll(/(?<!M)M(?!M)/g, "MM")
    .replaceAll(/(?<!H)H(?!H)/g, "HH")
    .replaceAll(/(?<!h)h(?!h)/g, "hh")
  const mixed = shorter.replaceAll(/(?<!H)H(?!H)/g, "HH").replaceAll(/(?<!h)h(?!h)/g, "hh")
  const other = longer.replaceAll("HH", "H").replaceAll("hh", "h")
  const formats = [...new Set([format, shorter, longer, mixed, other])]
  return {
    says: format,
    read: (cell) => {
      if (!/\d/.test(cell)) return null
      const text =
        half === null
          ? cell
          : cell.replace(/(?<![a-z])[ap]m(?![a-z])/i, (is) =>
              half === "upper" ? is.toUpperCase() : is.toLowerCase(),
            )
      for (const one of formats) {
        const read = dayjs.utc(text, one, true)
        if (read.isValid()) return { wallMs: read.valueOf() }
      }
      return null
    },
  }
}

/** Between instants and local times of a zone. Clocks change at whole quarters of an hour, so each quarter is looked up once. */
export class ZoneTimes {
  readonly #timeZone: string
  readonly #offsets = new Map<number, number>()
  readonly #instants = new Map<number, number | null>()

  constructor(timeZone: string) {
    this.#timeZone = timeZone
  }

  wallAt(instantMs: EpochMs): WallClockMs {
    const quarter = Math.floor(instantMs / QUARTER_MS)
    let offsetMs = this.#offsets.get(quarter)
    if (offsetMs === undefined) {
      offsetMs = wallClockAt(quarter * QUARTER_MS, this.#timeZone) - quarter * QUARTER_MS
      this.#offsets.set(quarter, offsetMs)
    }
    return instantMs + offsetMs
  }

  /** The first instant at which the clocks show this time; null when they skip it. */
  instantOf(wallMs: WallClockMs): EpochMs | null {
    const quarter = Math.floor(wallMs / QUARTER_MS)
    let instantMs = this.#instants.get(quarter)
    if (instantMs === undefined) {
      instantMs = instantsOf(quarter * QUARTER_MS, this.#timeZone)[0] ?? null
      this.#instants.set(quarter, instantMs)
    }
    return instantMs === null ? null : instantMs + wallMs - quarter * QUARTER_MS
  }
}

const QUARTER_MS = HOUR_MS / 4
