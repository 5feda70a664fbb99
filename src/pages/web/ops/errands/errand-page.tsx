/** One courier errand: how far it is, what became of its fee, and what only operations may do with it. */

import type { JSX } from "preact"
import { useState } from "preact/hooks"
import type { FailureReason } from "../../../../model/courier.ts"
import { Button, ButtonLink, ShortId } from "../../design/button.tsx"
import { toast } from "../../design/feedback.tsx"
import { SelectField } from "../../design/field.tsx"
import { Dialog } from "../../design/overlay.tsx"
import { Facts } from "../../design/table.tsx"
import { Fields } from "../../portal/pages/form.tsx"
import { Opening } from "../../portal/pages/problem.tsx"
import { useCommand, useRefresh, useResource } from "../../resource.ts"
import { api, dataOf } from "../api.ts"
import type { Schemas } from "../api.ts"
import { Head } from "../frame.tsx"
import { mayCall, opsData } from "../session.ts"
import { Confirm } from "../settings/confirm.tsx"
import { FormProblem } from "../settings/form-problem.tsx"
import { FAILURE_WORDS, inWords } from "./errand-words.ts"
import { Handover } from "./handover.tsx"

type Errand = Schemas["Errand"]

/** ms; the vehicle drives on while the page is open */
const REFRESH_MS = 10_000

export function ErrandPage({ errandId }: { readonly errandId: string }): JSX.Element {
  const one = useResource(
    () => dataOf(api.GET("/internal/v1/connector/errands/{id}", { params: { path: { id: errandId } } })),
    [errandId],
  )
  const [opened, setOpened] = useState<"failure" | "refund" | null>(null)
  const { data, reload } = one
  useRefresh(reload, REFRESH_MS)
  if (data === null) return <Opening resource={one} noun="errand" id={errandId} list={["Sites", "/ops"]} />
  const { errand } = data
  const { inspector } = opsData()
  const changed = async (text: string): Promise<void> => {
    setOpened(null)
    toast(text)
    await reload()
  }
  return (
    <>
      <Head
        title={`The errand is ${inWords(errand.state)}.`}
        lead={<ShortId id={errandId} label="Copy the errand's id" />}
      >
        {inspector === null ? null : (
          <ButtonLink href={`${inspector}/groups/courier-order/${encodeURIComponent(errandId)}`}>
            Open in the inspector
          </ButtonLink>
        )}
        {mayCall("refundErrand") ? (
          <Button onPress={() => setOpened("refund")}>Give the fee back…</Button>
        ) : null}
        {mayCall("failErrand") ? (
          <Button look="danger quiet" onPress={() => setOpened("failure")}>
            It failed…
          </Button>
        ) : null}
      </Head>
      <div class="settings-part">
        <ErrandFacts errand={errand} />
        {mayCall("readErrandHandover") ? <Handover errandId={errandId} /> : null}
      </div>
      {opened === "failure" ? (
        <ReportFailure
          errandId={errandId}
          onClose={() => setOpened(null)}
          onReported={() => changed("The failure is recorded")}
        />
      ) : null}
      {opened === "refund" ? (
        <Confirm
          title="Give the fee back?"
          happens={[
            "The customer gets the whole fee back, by the way it was paid.",
            "Only for an errand that failed, or that ended while the processor did not return its fee.",
            "It cannot be taken back.",
          ]}
          action="Give the fee back"
          busy="Asking the processor…"
          onConfirm={async () => {
            const params = { path: { id: errandId } }
            await dataOf(api.POST("/internal/v1/connector/errands/{id}/refund", { params }))
            await changed("The fee goes back")
          }}
          onClose={() => setOpened(null)}
        />
      ) : null}
    </>
  )
}

function ErrandFacts({ errand }: { readonly errand: Errand }): JSX.Element {
  const { state, failure_reason: reason, payment_status: payment } = errand
  return (
    <Facts
      facts={[
        ["State", inWords(state)],
        ["Why it failed", reason === null ? null : FAILURE_WORDS[reason]],
        ["Fee", inWords(payment)],
      ]}
    />
  )
}

interface ReportFailureProps {
  readonly errandId: string
  readonly onClose: () => void
  readonly onReported: () => Promise<void>
}

const REASONS = Object.entries(FAILURE_WORDS) as readonly (readonly [FailureReason, string])[]

function ReportFailure({ errandId, onClose, onReported }: ReportFailureProps): JSX.Element {
  const [reason, setReason] = useState<FailureReason>("store_no_handover")
  const [refund, setRefund] = useState<"no" | "yes">("no")
  const { fault, isBusy, send } = useCommand(async () => {
    const params = { path: { id: errandId } }
    const body = { reason, refund: refund === "yes" }
    await dataOf(api.POST("/internal/v1/connector/errands/{id}/failure", { params, body }))
    await onReported()
  })
  return (
    <Dialog title="The errand failed" onClose={onClose}>
      <ul class="happens">
        <li>The errand ends, and its vehicle is free.</li>
        <li>The agent and the customer read that it failed, and why.</li>
        <li>It cannot be taken back.</li>
      </ul>
      <Fields
        onSend={send}
        actions={
          <>
            <Button onPress={onClose}>Keep it as it is</Button>
            <Button look="danger" type="submit" isBusy={isBusy}>
              {isBusy ? "Ending…" : "End the errand"}
            </Button>
          </>
        }
      >
        <FormProblem fault={fault} fields={["reason"]} />
        <SelectField label="Why" value={reason} options={REASONS} onChange={setReason} />
        <SelectField
          label="Fee"
          value={refund}
          options={[
            ["no", "is kept"],
            ["yes", "goes back to the customer"],
          ]}
          onChange={setRefund}
        />
      </Fields>
    </Dialog>
  )
}
