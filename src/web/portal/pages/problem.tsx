/** A read that failed, and a command that was refused. */

import type { JSX } from "preact"
import { Button } from "../../design/button.tsx"
import { Banner, Failure } from "../../design/feedback.tsx"
import type { ApiFault } from "../api.ts"

export function ReadProblem({
  what,
  fault,
  onAgain,
}: {
  /** "Deliveries", as in "Deliveries could not be read". */
  readonly what: string
  readonly fault: ApiFault
  readonly onAgain: () => Promise<void>
}): JSX.Element {
  const { message, code, requestId } = fault
  return (
    <Failure
      title={`${what} could not be read`}
      failure={{ message, code, requestId }}
      action={
        <Button icon="refresh" onPress={() => void onAgain()}>
          Try again
        </Button>
      }
    />
  )
}

/** Nothing when there is no fault. */
export function CommandProblem({ fault }: { readonly fault: ApiFault | null }): JSX.Element | null {
  if (fault === null) return null
  const fields = Object.entries(fault.fields)
  return (
    <Banner tone="bad">
      {fault.message}
      {fields.length === 0 ? null : ` ${fields.map(([field, text]) => `${field}: ${text}`).join(" ")}`}
    </Banner>
  )
}
