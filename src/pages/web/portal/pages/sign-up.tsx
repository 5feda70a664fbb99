/** Signing up: an organization and its first account, with a code from the mail. */

import type { JSX } from "preact"
import { useState } from "preact/hooks"
import { Button } from "../../design/button.tsx"
import { CodeField, PasswordField, TextField } from "../../design/field.tsx"
import { api, dataOf } from "../api.ts"
import type { ApiFault } from "../../faults.ts"
import { useCommand } from "../../resource.ts"
import { Form } from "../../design/form.tsx"
import { Card, FormFault, minutesOf, useCountdown } from "./card.tsx"
import { Strength } from "./strength.tsx"
import { WaitingMail } from "./waiting-mail.tsx"

export function SignUp(): JSX.Element {
  const [organization, setOrganization] = useState("")
  const [name, setName] = useState("")
  const [email, setEmail] = useState("")
  const [password, setPassword] = useState("")
  const [begun, keep] = useBegunSignUp()
  const ask = useCommand(async () => {
    const body = { email, password, name, organization_name: organization }
    const { sign_up_token: token, ends_at } = await dataOf(api.POST("/portal/api/sign-up", { body }))
    keep({ token, email, ends_at })
  })
  if (begun !== null) {
    // A page that was loaded again does not know the password, without which no other code can be asked for.
    const onAgain = password === "" ? null : ask.send
    const back = { again: ask.fault, onAgain, onBack: () => keep(null) }
    return <SignUpCode key={begun.token} begun={begun} {...back} />
  }
  const { fault, isBusy } = ask
  const errorOf = (field: string): string | null => fault?.fields[field] ?? null
  return (
    <Card
      title="Start in the sandbox"
      lead="Free, with a synthetic vehicle and a clock you can move. Production comes after seven steps and a review."
      beside={<HaveAccount />}
    >
      <Form onSend={ask.send}>
        <FormFault fault={fault} fields={["organization_name", "name", "email", "password"]} />
        <TextField
          label="Organization"
          autocomplete="organization"
          value={organization}
          onChange={setOrganization}
          isRequired
          isFirst
          error={errorOf("organization_name")}
        />
        <TextField
          label="Your name"
          autocomplete="name"
          value={name}
          onChange={setName}
          isRequired
          error={errorOf("name")}
        />
        <TextField
          label="Work e-mail"
          type="email"
          autocomplete="username"
          value={email}
          onChange={setEmail}
          isRequired
          error={errorOf("email")}
        />
        <PasswordField
          label="Password"
          autocomplete="new-password"
          value={password}
          onChange={setPassword}
          isRequired
          error={errorOf("password")}
          below={<Strength password={password} about={[organization, name, email]} />}
        />
        <Button look="primary" type="submit" isBusy={isBusy}>
          {isBusy ? "Sending…" : "Send me a code"}
        </Button>
      </Form>
    </Card>
  )
}

/** A sign-up whose code was sent. */
interface BegunSignUp {
  readonly token: string
  readonly email: string
  readonly ends_at: string
}

const BEGUN = "curbline-sign-up"

/** Phones load a page anew that was left for the mail; without the code the token is worth nothing. */
function keepSignUp(begun: BegunSignUp | null): void {
  if (begun === null) window.sessionStorage.removeItem(BEGUN)
  else window.sessionStorage.setItem(BEGUN, JSON.stringify(begun))
}

function begunSignUp(): BegunSignUp | null {
  const begun = JSON.parse(window.sessionStorage.getItem(BEGUN) ?? "null") as BegunSignUp | null
  return begun !== null && Date.parse(begun.ends_at) > Date.now() ? begun : null
}

function useBegunSignUp(): readonly [BegunSignUp | null, (now: BegunSignUp | null) => void] {
  const [begun, setBegun] = useState(begunSignUp)
  const keep = (now: BegunSignUp | null): void => {
    keepSignUp(now)
    setBegun(now)
  }
  return [begun, keep]
}

function HaveAccount(): JSX.Element {
  return (
    <>
      Have an account? <a href="/portal/sign-in">Sign in</a>
    </>
  )
}

/** s before another code may be asked for. */
const RESEND_SECONDS = 30

interface SignUpCodeProps {
  readonly begun: BegunSignUp
  /** Why another code could not be sent; null when nothing is wrong. */
  readonly again: ApiFault | null
  /** Null: the sign-up would have to begin anew. */
  readonly onAgain: (() => void) | null
  readonly onBack: () => void
}

function SignUpCode({ begun: { token, email }, again, onAgain, onBack }: SignUpCodeProps): JSX.Element {
  const [code, setCode] = useState("")
  const left = useCountdown(RESEND_SECONDS)
  const verify = useCommand(async (sent: string) => {
    await dataOf(api.POST("/portal/api/sign-up/verify", { body: { sign_up_token: token, code: sent } }))
    keepSignUp(null)
    window.location.assign("/portal")
  })
  return (
    <Card
      title="Enter your code"
      lead={
        <>
          Sent to <strong>{email}</strong>. It is good for 15 minutes.
        </>
      }
      beside={
        <button type="button" class="link-button" onClick={onBack}>
          Use another address
        </button>
      }
    >
      <Form onSend={() => verify.send(code)}>
        <FormFault fault={again} fields={[]} />
        <CodeField
          label="Code"
          isFirst
          value={code}
          onChange={(digits) => {
            setCode(digits)
            if (verify.fault !== null) verify.forget()
          }}
          onComplete={verify.send}
          error={verify.fault?.message ?? null}
        />
        <WaitingMail to={email} onCode={setCode} />
        <Button look="primary" type="submit" isBusy={verify.isBusy} isDisabled={code.length < 6}>
          {verify.isBusy ? "Verifying…" : "Verify"}
        </Button>
        <p class="small quiet">
          Curbline's staff never ask for it.{" "}
          {onAgain === null ? null : left > 0 ? (
            <>
              Another code in <strong class="number">{minutesOf(left)}</strong>
            </>
          ) : (
            <button type="button" class="link-button" onClick={onAgain}>
              Send another code
            </button>
          )}
        </p>
      </Form>
    </Card>
  )
}
