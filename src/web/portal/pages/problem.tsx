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
