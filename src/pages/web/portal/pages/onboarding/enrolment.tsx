/** Enrolment as a fleet partner: the button that asks for it, and where the request stands. */

import type { JSX } from "preact"
import { useState } from "preact/hooks"
import { Button } from "../../../design/button.tsx"
import { Banner } from "../../../design/feedback.tsx"
import { AreaField } from "../../../design/field.tsx"
import { Dialog } from "../../../design/overlay.tsx"
import { useCommand, useResource } from "../../../resource.ts"
import { api, dataOf } from "../../api.ts"
import type { Schemas } from "../../api.ts"
import type { Me, PageProps } from "../../session.ts"
import { reasonText } from "../../reason-text.ts"
import { fromRealNow } from "../../times.ts"
import { Fields, FormButtons } from "../form.tsx"
import { CommandProblem, problemAt } from "../problem.tsx"

type Request = Schemas["PartnerRequest"]

/** Whether the organization may reserve in the environment of the page. */
export function isEnrolledHere({ me, environment }: Pick<PageProps, "environment" | "me">): boolean {
  return me.organization.enrolled_in.includes(environment)
}

/** Opens the form; for a member, says who can ask. */
export function EnrolButton({ me, name = "Enrol as a fleet partner" }: EnrolButtonProps): JSX.Element {
  const [isOpen, setOpen] = useState(false)
  if (me.account.role !== "owner") return <OnlyOwners what="enrol it" />
  return (
    <>
      <Button look="primary" onPress={() => setOpen(true)}>
        {name}
      </Button>
      {isOpen ? <Enrol onClose={() => setOpen(false)} /> : null}
    </>
  )
}

interface EnrolButtonProps {
  readonly me: Me
  readonly name?: string
}

/** Whom a member can turn to. */
export function OnlyOwners({ what }: { readonly what: string }): JSX.Element {
  const { data } = useResource(() => dataOf(api.GET("/portal/api/members")))
  const owners = data?.members.filter(({ role }) => role === "owner").map(({ name }) => name) ?? []
  return (
    <p class="small quiet">
      Only an owner of your organization can {what}
      {owners.length === 0 ? "" : `: ask ${owners.join(" or ")}`}.
    </p>
  )
}

function Enrol({ onClose }: { readonly onClose: () => void }): JSX.Element {
  const [text, setText] = useState("")
  const { fault, isBusy, send } = useCommand(async () => {
    const body = text.trim() === "" ? {} : { text: text.trim() }
    await dataOf(api.POST("/portal/api/fleet-enrolment", { body }))
    // What the organization may do stands in the page.
    window.location.reload()
  })
  return (
    <Dialog title="Enrol as a fleet partner" onClose={onClose}>
      <p class="quiet small">
        Fleet partners reserve arrival windows for robots of their own. The sandbox enrols you at once;
        operations decide about production within 24 hours and write to your contact.
      </p>
      <Fields
        onSend={send}
        actions={<FormButtons isBusy={isBusy} action="Enrol" busy="Enrolling…" onClose={onClose} />}
      >
        <CommandProblem fault={fault} fields={["text"]} />
        <AreaField
          label="Your robots"
          hint="For operations: where they shall stop, and how many there are. May be empty."
          value={text}
          onChange={setText}
          rows={3}
          error={problemAt(fault, "text")}
        />
      </Fields>
    </Dialog>
  )
}

/** What stands above the reservations until operations have enrolled the organization; else nothing. */
export function Enrolment({ me, environment }: Pick<PageProps, "environment" | "me">): JSX.Element | null {
  const isIn = me.organization.enrolled_in
  const { data } = useResource(() => dataOf(api.GET("/portal/api/partner-requests")))
  if (isIn.includes("production") || data === null) return null
  const request = data.partner_requests.find(({ kind }) => kind === "fleet_enrolment")
  const isInSandbox = isIn.includes("sandbox")
  if (request === undefined && isInSandbox) {
    return (
      <Banner tone="wait">
        <p>
          The sandbox is open to your robots. Operations decide about production once your organization has a
          contact address or an API key.
        </p>
        <EnrolButton me={me} name="Ask for production" />
      </Banner>
    )
  }
  if (request === undefined || (environment === "sandbox" && !isInSandbox)) {
    return (
      <Banner tone="wait">
        <p>
          Reservations are for fleet partners.{" "}
          {environment === "sandbox"
            ? "The sandbox enrols your organization at once."
            : "Operations decide about your enrolment within 24 hours."}
        </p>
        <EnrolButton me={me} />
      </Banner>
    )
  }
  return <Standing me={me} request={request} />
}

function Standing({ me, request }: { readonly me: Me; readonly request: Request }): JSX.Element {
  if (request.status === "pending") {
    return (
      <Banner tone="move">
        The sandbox is open to your robots. Operations decide about production:{" "}
        {request.is_overdue ? "the decision was due" : "due"} {fromRealNow(request.due_at)}.
      </Banner>
    )
  }
  return (
    <Banner tone="bad">
      <p>
        {request.status === "declined"
          ? `Your enrolment for production was declined: ${reasonText(request.reason)}`
          : "Operations have ended your enrolment for production."}
      </p>
      <EnrolButton me={me} name="Ask again" />
    </Banner>
  )
}
