/** The policy of arrival windows, in minutes, and how long load photos are kept, in days. */

import type { JSX } from "preact"
import { useState } from "preact/hooks"
import { Button } from "../../design/button.tsx"
import { Skeleton, toast } from "../../design/feedback.tsx"
import { SelectField, TextField } from "../../design/field.tsx"
import { Facts } from "../../design/table.tsx"
import { Fields } from "../../portal/pages/form.tsx"
import { CommandProblem, ReadProblem } from "../../portal/pages/problem.tsx"
import { useCommand, useResource } from "../../resource.ts"
import { read, send } from "../api.ts"
import { Head } from "../frame.tsx"
import { mayCall } from "../session.ts"

/** A unit of the form: what one of it is in the field's own unit. */
interface Unit {
  readonly word: string
  readonly of: number
}

const MINUTES: Unit = { word: "min", of: 60 }
const DAYS: Unit = { word: "d", of: 1 }

const TIMES = [
  ["window_ahead_max_seconds", "Booked ahead, at most", "How far from now a window may begin.", MINUTES],
  ["window_width_min_seconds", "Width, at least", "A narrower window is refused.", MINUTES],
  ["window_width_max_seconds", "Width, at most", "A wider window is refused.", MINUTES],
  ["window_grace_seconds", "Grace after the window", "So long a late bot is still taken.", MINUTES],
  ["bot_wait_seconds", "Wait for the order", "So long a bot waits at its stall.", MINUTES],
  ["staging_lead_seconds", "Runner's lead", "So long before the window the runner's task begins.", MINUTES],
  ["photo_link_lifetime_seconds", "Photo link", "So long the link to the photo opens.", MINUTES],
  [
    "photo_retention_days",
    "Photos kept, in days",
    "Older ones are deleted, also those from before a change.",
    DAYS,
  ],
] as const satisfies readonly (readonly [string, string, string, Unit])[]

type TimeName = (typeof TIMES)[number][0]

type Policy = Readonly<Record<TimeName, number>> & { readonly announces_handoffs: boolean }

interface OnePolicy {
  readonly window_policy: Policy
}

const PATH = "/internal/v1/window-policy"

export function Windows(): JSX.Element {
  const { data, fault, reload } = useResource(() => read<OnePolicy>(PATH))
  return (
    <>
      <Head
        title="Arrival windows"
        lead="Times are in minutes. Bookings that were made before a change keep their terms."
      />
      {data === null ? (
        fault === null ? (
          <Skeleton lines={8} />
        ) : (
          <ReadProblem what="The policy" fault={fault} onAgain={reload} />
        )
      ) : mayCall("changeWindowPolicy") ? (
        <PolicyForm key={JSON.stringify(data.window_policy)} policy={data.window_policy} onChanged={reload} />
      ) : (
        <PolicyFacts policy={data.window_policy} />
      )}
    </>
  )
}

/** For those who may not change it. */
function PolicyFacts({ policy }: { readonly policy: Policy }): JSX.Element {
  return (
    <Facts
      facts={[
        ...TIMES.map(([name, label, , { of, word }]) => [label, `${policy[name] / of} ${word}`] as const),
        ["Events of the handoff", policy.announces_handoffs ? "sent" : "not sent"],
      ]}
    />
  )
}

interface PolicyFormProps {
  readonly policy: Policy
  readonly onChanged: () => Promise<void>
}

type Typed = Readonly<Record<TimeName, string>>

function PolicyForm({ policy, onChanged }: PolicyFormProps): JSX.Element {
  const [typed, setTyped] = useState<Typed>(
    () => Object.fromEntries(TIMES.map(([name, , , { of }]) => [name, String(policy[name] / of)])) as Typed,
  )
  const changes = TIMES.filter(([name, , , { of }]) => Number(typed[name]) * of !== policy[name])
  const [announces, setAnnounces] = useState<"no" | "yes">(policy.announces_handoffs ? "yes" : "no")
  const {
    fault,
    isBusy,
    send: save,
  } = useCommand(async () => {
    // Only what differs is sent: two operators may change different fields.
    const times = changes.map(([name, , , { of }]) => [name, Math.round(Number(typed[name]) * of)] as const)
    const changed = {
      ...Object.fromEntries(times),
      ...((announces === "yes") === policy.announces_handoffs
        ? {}
        : { announces_handoffs: announces === "yes" }),
    }
    await send("PUT", PATH, changed)
    toast("The policy holds for bookings from now on")
    await onChanged()
  })
  const isChanged = changes.length > 0 || (announces === "yes") !== policy.announces_handoffs
  return (
    <section class="settings-part">
      <Fields
        onSend={save}
        actions={
          <Button look="primary" type="submit" isBusy={isBusy} isDisabled={!isChanged}>
            Save the policy
          </Button>
        }
      >
        <CommandProblem fault={fault} />
        <div class="fields two">
          {TIMES.map(([name, label, hint]) => (
            <TextField
              key={name}
              label={label}
              hint={hint}
              type="number"
              value={typed[name]}
              onChange={(value) => setTyped((known) => ({ ...known, [name]: value }))}
              error={fault?.fields[name] ?? null}
            />
          ))}
          <SelectField
            label="Events of the handoff"
            hint="Whether partners get reservation.handoff_updated and reservation.exception."
            value={announces}
            options={[
              ["yes", "sent"],
              ["no", "not sent"],
            ]}
            onChange={setAnnounces}
          />
        </div>
      </Fields>
    </section>
  )
}
