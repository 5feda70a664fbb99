/** A read that failed, and a command that was refused. */

import type { JSX } from "preact"
import { Button, ButtonLink } from "../../design/button.tsx"
import { Banner, Empty, Failure, Skeleton } from "../../design/feedback.tsx"
import type { ApiFault } from "../../faults.ts"
import type { Resource } from "../../resource.ts"

/** Something of one id. */
interface Named {
  /** "delivery", as in "There is no delivery dlv_…". */
  readonly noun: string
  readonly id: string
  /** Where the others are. */
  readonly list: readonly [name: string, path: string]
}

export function ReadProblem({
  what,
  fault,
  onAgain,
  named,
}: {
  /** "Deliveries", as in "Deliveries could not be read". */
  readonly what: string
  readonly fault: ApiFault
  readonly onAgain: () => Promise<void>
  /** Of a detail page: a second look for an unknown id finds no more. */
  readonly named?: Named
}): JSX.Element {
  if (fault.status === 404 && named !== undefined) return <Unknown {...named} />
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

interface OpeningProps extends Named {
  readonly resource: Pick<Resource<unknown>, "fault" | "reload">
}

/** A detail page before there is something to show: loading, or failed. */
export function Opening({ resource: { fault, reload }, ...named }: OpeningProps): JSX.Element {
  return (
    <div class="content">
      {fault === null ? (
        <Skeleton lines={8} />
      ) : (
        <ReadProblem what={`The ${named.noun}`} fault={fault} onAgain={reload} named={named} />
      )}
    </div>
  )
}

function Unknown({ noun, id, list: [name, path] }: Named): JSX.Element {
  return (
    <Empty title={`There is no ${noun} ${id}`} action={<ButtonLink href={path}>{name}</ButtonLink>}>
      It may belong to the other environment or to another organization.
    </Empty>
  )
}

interface CommandProblemProps {
  readonly fault: ApiFault | null
  /** Names of fields that show their own problem. */
  readonly fields?: readonly string[]
}

/** Nothing when there is no fault, or when all of it stands at fields. */
export function CommandProblem({ fault, fields = [] }: CommandProblemProps): JSX.Element | null {
  if (fault === null) return null
  const problems = Object.entries(fault.fields)
  const rest = problems.filter(([field]) => !fields.includes(field))
  if (problems.length > 0 && rest.length === 0) return null
  return (
    <Banner tone="bad">
      {rest.length === 0 ? fault.message : rest.map(([field, text]) => `${field}: ${text}`).join(" ")}
    </Banner>
  )
}

/** The problem of a field; null without one. */
export function problemAt(fault: ApiFault | null, field: string): string | null {
  return fault?.fields[field] ?? null
}

/** A number that was typed. An empty field is no zero: JSON has null for it, and the service names the field. */
export function numberIn(text: string): number {
  return text.trim() === "" ? Number.NaN : Number(text)
}
