/** Why a form was refused, except what stands at its fields. */

import type { JSX } from "preact"
import { Banner } from "../../design/feedback.tsx"
import type { ApiFault } from "../../faults.ts"

interface FormProblemProps {
  readonly fault: ApiFault | null
  /** Names of fields that show their own problem; one that ends with a dot stands for all fields of an object. */
  readonly fields: readonly string[]
}

export function FormProblem({ fault, fields }: FormProblemProps): JSX.Element | null {
  if (fault === null) return null
  const problems = Object.entries(fault.fields)
  const isShown = (field: string): boolean =>
    fields.some((one) => field === one || (one.endsWith(".") && field.startsWith(one)))
  const rest = problems.filter(([field]) => !isShown(field))
  if (problems.length > 0 && rest.length === 0) {
    return <Banner tone="bad">Nothing was saved. What is wrong stands at its field.</Banner>
  }
  return (
    <Banner tone="bad">
      {problems.length === 0 ? fault.message : "Nothing was saved."}
      {rest.map(([field, text]) => ` ${field}: ${text}`)}
    </Banner>
  )
}
