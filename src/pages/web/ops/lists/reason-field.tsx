/** The reason of a cancellation, for several rows at once. */

import type { JSX } from "preact"
import { CANCEL_REASON_LENGTH_MAX } from "../../../../model/values/limits.ts"
import { TextField } from "../../design/field.tsx"
import type { Asked } from "./list-kind.ts"

export interface Reason {
  readonly reason?: string
}

/** `reader`: who reads it, as in "The partner reads it." */
export function reasonOf(reader: string): Asked<Reason> {
  return {
    first: {},
    field: (said, onSaid) => (
      <ReasonField
        reader={reader}
        value={said?.reason ?? ""}
        onChange={(reason) => onSaid(reason.trim() === "" ? {} : { reason })}
      />
    ),
  }
}

interface ReasonFieldProps {
  readonly reader: string
  readonly value: string
  readonly onChange: (reason: string) => void
}

function ReasonField({ reader, value, onChange }: ReasonFieldProps): JSX.Element {
  return (
    <TextField
      label="Reason (optional)"
      hint={`${reader} reads it.`}
      value={value}
      lengthMax={CANCEL_REASON_LENGTH_MAX}
      onChange={onChange}
    />
  )
}
