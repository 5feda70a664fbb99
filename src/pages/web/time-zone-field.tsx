/** A time zone, from the list of the browser: the field can be searched by typing. */

import type { JSX } from "preact"
import { useId } from "preact/hooks"
import { TextField } from "./design/field.tsx"

interface TimeZoneFieldProps {
  readonly value: string
  readonly onChange: (value: string) => void
  readonly error: string | null
  /** What an empty field means. */
  readonly hint: string
}

const ZONES = Intl.supportedValuesOf("timeZone")

export function TimeZoneField({ value, onChange, error, hint }: TimeZoneFieldProps): JSX.Element {
  const list = useId()
  return (
    <>
      <TextField
        label="Time zone"
        hint={`${hint} Type to search, such as Chicago.`}
        value={value}
        onChange={onChange}
        error={error}
        list={list}
      />
      <datalist id={list}>
        {ZONES.map((zone) => (
          <option key={zone} value={zone} />
        ))}
      </datalist>
    </>
  )
}
