/** The price of a delivery from a site: dollars on the page, cents in the service. */

import type { JSX } from "preact"
import { DELIVERY_PRICE_CENTS_MAX } from "../../model/values/limits.ts"
import { TextField } from "./design/field.tsx"
import type { ApiFault } from "./faults.ts"

interface PriceFieldProps {
  /** Dollars, as they were typed. */
  readonly value: string
  readonly onChange: (value: string) => void
  /** Of the command that sent the price. */
  readonly fault: ApiFault | null
  readonly hint?: string
}

export function PriceField({ value, onChange, fault, hint }: PriceFieldProps): JSX.Element {
  const isWrong = fault?.fields["delivery_price_cents"] !== undefined
  return (
    <TextField
      label="Price of a delivery, $"
      type="number"
      {...(hint === undefined ? {} : { hint })}
      value={value}
      onChange={onChange}
      error={isWrong ? RANGE : null}
    />
  )
}

const RANGE = `Must be from $0.00 to ${new Intl.NumberFormat("en-US", { style: "currency", currency: "USD" }).format(DELIVERY_PRICE_CENTS_MAX / 100)}.`
