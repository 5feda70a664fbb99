/** An invitation that a mail's link opens: a new account, or one more organization for a signed-in person. */

import type { JSX } from "preact"
import { useState } from "preact/hooks"
import { Button } from "../../design/button.tsx"
import { Failure, Skeleton } from "../../design/feedback.tsx"
import { PasswordField, TextField } from "../../design/field.tsx"
import { api, dataOf } from "../api.ts"
import { useCommand, useResource } from "../../resource.ts"
import type { Me } from "../session.ts"
import { Form } from "../../design/form.tsx"
import { Card, FormFault, INVITATION, tokenInAddress } from "./card.tsx"
import { ReadProblem } from "./problem.tsx"
import { Strength } from "./strength.tsx"

export function Invitation({ me }: { readonly me: Me | null }): JSX.Element {
  const token = tokenInAddress()
  return token === "" ? (
    <Card
      title="The link is not complete"
      lead="An invitation stands at the end of the mail's link, after #token=. Open the whole link."
      beside={<a href="/portal">Go to the portal</a>}
    >
      <></>
    </Card>
  ) : (
    <OpenInvitation me={me} token={token} />
  )
}

interface OpenInvitationProps {
  readonly me: Me | null
  readonly token: string
}

function OpenInvitation({ me, token }: OpenInvitationProps): JSX.Element {
  const preview = useResource(() => dataOf(api.POST("/portal/api/invitations/preview", { body: { token } })))
  // The invitation itself is wrong only when the service says so.
  if (preview.fault !== null && (preview.fault.status < 400 || preview.fault.status > 428)) {
    return (
      <Card title="An invitation" lead="It could not be read just now.">
        <ReadProblem what="The invitation" fault={preview.fault} onAgain={preview.reload} />
      </Card>
    )
  }
  if (preview.fault !== null) {
    return (
      <Card
        title="This invitation does not work"
        lead="It has ended, was taken back, or was used already. Ask for another one; if you have joined, sign in."
        beside={<a href="/portal">Go to the portal</a>}
      >
        <Failure
          title="Nothing was changed"
          failure={{
            message: preview.fault.message,
            code: preview.fault.code,
            requestId: preview.fault.requestId,
          }}
        />
      </Card>
    )
  }
  if (preview.data === null) {
    return (
      <Card title="An invitation" lead="One moment.">
        <Skeleton lines={4} />
      </Card>
    )
  }
  const { organization_name: organization, email } = preview.data
  if (me !== null && me.account.email !== email) {
    return <ForSomebodyElse organization={organization} email={email} own={me.account.email} />
  }
  if (me !== null) return <Join me={me} token={token} organization={organization} />
  return <Accept token={token} preview={preview.data} />
}

interface ForSomebodyElseProps {
  readonly organization: string
  /** To which the invitation went. */
  readonly email: string
  /** With which this browser is signed in. */
  readonly own: string
}

function ForSomebodyElse({ organization, email, own }: ForSomebodyElseProps): JSX.Element {
  const { fault, isBusy, send } = useCommand(async () => {
    await dataOf(api.DELETE("/portal/api/session"))
    // The token stays in the address.
    window.location.reload()
  })
  return (
    <Card
      title={`Join ${organization}`}
      lead={
        <>
          This invitation is for <strong>{email}</strong>, and you are signed in as {own}.
        </>
      }
      beside={<a href="/portal">Stay signed in, and go to the portal</a>}
    >
      <Form onSend={send}>
        <FormFault fault={fault} fields={[]} />
        <Button look="primary" type="submit" isBusy={isBusy}>
          {isBusy ? "Signing out…" : "Sign out and go on"}
        </Button>
      </Form>
    </Card>
  )
}

interface AcceptProps {
  readonly token: string
  readonly preview: {
    readonly organization_name: string
    readonly role: "member" | "owner"
    readonly invited_by: string | null
  }
}

/** A new account with the invitation's address. */
function Accept({ token, preview }: AcceptProps): JSX.Element {
  const { organization_name: organization, role, invited_by: by } = preview
  const [name, setName] = useState("")
  const [password, setPassword] = useState("")
  const accept = useCommand(async () => {
    await dataOf(api.POST("/portal/api/invitations/accept", { body: { token, name, password } }))
    window.location.assign("/portal")
  })
  return (
    <Card
      title={`Join ${organization}`}
      lead={`${by === null ? "You are" : `${by} has`} invited${by === null ? "" : " you"} as ${role === "owner" ? "an owner" : "a member"}.`}
      beside={
        <>
          Have an account?{" "}
          <a href="/portal/sign-in" onClick={() => window.sessionStorage.setItem(INVITATION, token)}>
            Sign in and join
          </a>
        </>
      }
    >
      <Form onSend={accept.send}>
        <FormFault fault={accept.fault} fields={["name", "password"]} />
        <TextField
          label="Your name"
          autocomplete="name"
          value={name}
          onChange={setName}
          isRequired
          isFirst
          error={accept.fault?.fields["name"] ?? null}
        />
        <PasswordField
          label="Password"
          autocomplete="new-password"
          value={password}
          onChange={setPassword}
          isRequired
          error={accept.fault?.fields["password"] ?? null}
          below={<Strength password={password} about={[name, organization]} />}
        />
        <Button look="primary" type="submit" isBusy={accept.isBusy}>
          {accept.isBusy ? "Joining…" : "Join"}
        </Button>
      </Form>
    </Card>
  )
}

interface JoinProps {
  readonly me: Me
  readonly token: string
  readonly organization: string
}

/** A signed-in member of another organization joins with one press. */
function Join({ me, token, organization }: JoinProps): JSX.Element {
  const { fault, isBusy, send } = useCommand(async () => {
    const { organization_id: id } = await dataOf(
      api.POST("/portal/api/invitations/join", { body: { token } }),
    )
    await dataOf(api.POST("/portal/api/session/organization", { body: { organization_id: id } }))
    window.location.assign("/portal")
  })
  return (
    <Card
      title={`Join ${organization}`}
      lead={`You are signed in as ${me.account.name}, ${me.account.email}.`}
    >
      <Form onSend={send}>
        <FormFault fault={fault} fields={[]} />
        <Button look="primary" type="submit" isBusy={isBusy}>
          {isBusy ? "Joining…" : "Join"}
        </Button>
      </Form>
    </Card>
  )
}
