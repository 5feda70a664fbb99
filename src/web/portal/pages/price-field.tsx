/** The price of a delivery from a site: dollars on the page, cents in the service. */

import type { JSX } from "preact"
import { DELIVERY_PRICE_CENTS_MAX } from "../../../model/limits.ts"
import { TextField } from "../../design/field.tsx"
import type { ApiFault } from "../../faults.ts"
import { money } from "../words.tsx"
import { problemAt } from "./problem.tsx"

interface PriceFieldProps {
  /** Dollars, as they were typed. */
  readonly value: string
  readonly onChange: (value: string) => void
  /** Of the command that sent the price. */
  readonly fault: ApiFault | null
}

export function PriceField({ value, onChange, fault }: PriceFieldProps): JSX.Element {
  const isWrong = problemAt(fault, "delivery_price_cents") !== null
  const range = `Must be from ${money(0, "usd")} to ${money(DELIVERY_PRICE_CENTS_MAX, "usd")}.`
  return (
    <TextField
      label="Price of a delivery, $"
      type="number"
      value={value}
      onChange={onChange}
      error={isWrong ? range : null}
    />
  )
}
