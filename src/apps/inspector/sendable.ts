/** Which events an operator may send by hand, by the machines' contracts. */

import { contractOf, contracts } from "../../../machines/contracts.ts"
import { inputsOf } from "../../model/event-fields.ts"
import { reasonAgainst as against } from "../../model/machine-contract.ts"
import type { AnySchema } from "../../model/values/schema.ts"
import type { SendableEvents } from "../../model/sendable-event.ts"

/** The sendable events by machine, for the form of a page. */
export function sendableEvents(): Readonly<Record<string, SendableEvents>> {
  return Object.fromEntries(
    Object.keys(contracts).map((machine) => {
      const inputs = Object.entries(sendableTo(machine)).map(([type, fields]) => [type, inputsOf(fields)])
      return [machine, Object.fromEntries(inputs)]
    }),
  )
}

/** The fields of a machine's sendable events; empty for a machine without any. */
export function sendableTo(machine: string): Readonly<Record<string, AnySchema>> {
  const events = Object.entries(contractOf(machine)?.events ?? {})
  return Object.fromEntries(events.filter(([type]) => reasonAgainst(machine, type) === null))
}

/** Why an event is not sent by hand; null for one that may be sent, or that the machine does not have. */
export function reasonAgainst(machine: string, type: string): string | null {
  const contract = contractOf(machine)
  return contract === null ? null : against(contract, type)
}
