/** Pages for people without a session: signing in and up, and a new password. */

import type { JSX } from "preact"
import { useState } from "preact/hooks"
import { Button, ButtonLink } from "../../design/button.tsx"
import { CodeField, PasswordField, TextField } from "../../design/field.tsx"
import { api, dataOf } from "../api.ts"
import { useCommand } from "../resource.ts"
import { Card, Form, FormFault, INVITATION, minutesOf, tokenInAddress, useCountdown } from "./card.tsx"
import { Strength } from "./strength.tsx"

/** A path of the portal to go on to; anything else leads to its home. */
function destination(): string {
  const to = new URLSearchParams(window.location.search).get("to") ?? "/portal"
  return /^\/portal(?:[/?]|$)/.test(to) ? to : "/portal"
}

export function SignIn(): JSX.Element {
  const [email, setEmail] = useState("")
  const [password, setPassword] = useState("")
  const [challenge, setChallenge] = useState<string | null>(null)
  const { fault, isBusy, send } = useCommand(async () => {
    const { data } = await api.POST("/portal/api/session", { body: { email, password } })
    // An account with a second factor gets a challenge instead of a session.
    if (data !== undefined && "challenge" in data.data) setChallenge(data.data.challenge)
    else goOn()
  })
  if (challenge !== null) return <SecondStep challenge={challenge} onBack={() => setChallenge(null)} />
  return (
    <Card
      title="Sign in"
      lead="Keys, deliveries, webhooks and the sandbox of your organization."
      beside={
        <>
          New here? <a href="/portal/sign-up">Start in the sandbox</a>
        </>
      }
    >
      <Form onSend={send}>
        <FormFault fault={fault} fields={["email"]} />
        <TextField
          label="E-mail"
          type="email"
          autocomplete="username"
          value={email}
          onChange={setEmail}
          isRequired
          isFirst
          error={fault?.fields["email"] ?? null}
        />
        <PasswordField
          label="Password"
          autocomplete="current-password"
          value={password}
          onChange={setPassword}
          isRequired
        />
        <Button look="primary" type="submit" isBusy={isBusy}>
          {isBusy ? "Signing in…" : "Sign in"}
        </Button>
        <p class="small">
          <a href="/portal/forgotten">Forgotten your password?</a>
        </p>
      </Form>
    </Card>
  )
}

/** The second step of a sign-in: a code of the application, or a recovery code. */
function SecondStep({
  challenge,
  onBack,
}: {
  readonly challenge: string
  readonly onBack: () => void
}): JSX.Element {
  const [code, setCode] = useState("")
  const [isRecovery, setRecovery] = useState(false)
  const { fault, isBusy, send, forget } = useCommand(async (sent: string) => {
    await dataOf(api.POST("/portal/api/session/second-factor", { body: { challenge, code: sent } }))
    goOn()
  })
  const change = (text: string): void => {
    setCode(text)
    if (fault !== null) forget()
  }
  return (
    <Card
      title={isRecovery ? "Enter a recovery code" : "Enter your code"}
      lead={isRecovery ? "Each works once." : "Your authenticator application shows it."}
      beside={
        <button type="button" class="link-button" onClick={onBack}>
          Back
        </button>
      }
    >
      <Form onSend={() => send(code)}>
        {isRecovery ? (
          <TextField
            label="Recovery code"
            value={code}
            onChange={change}
            isFirst
            error={fault?.message ?? null}
          />
        ) : (
          <CodeField
            label="Code"
            value={code}
            onChange={change}
            onComplete={send}
            isFirst
            error={fault?.message ?? null}
          />
        )}
        <Button look="primary" type="submit" isBusy={isBusy} isDisabled={code === ""}>
          {isBusy ? "Verifying…" : "Verify"}
        </Button>
        <p class="small">
          <button
            type="button"
            class="link-button"
            onClick={() => {
              setRecovery(!isRecovery)
              change("")
            }}
          >
            {isRecovery ? "Use the application" : "Use a recovery code"}
          </button>
        </p>
      </Form>
    </Card>
  )
}

function goOn(): void {
  const token = window.sessionStorage.getItem(INVITATION)
  window.sessionStorage.removeItem(INVITATION)
  window.location.assign(token === null ? destination() : `/portal/invitation#token=${token}`)
}

export function SignUp(): JSX.Element {
  const [organization, setOrganization] = useState("")
  const [name, setName] = useState("")
  const [email, setEmail] = useState("")
  const [password, setPassword] = useState("")
  const [token, setToken] = useState<string | null>(null)
  const ask = useCommand(async () => {
    const body = { email, password, name, organization_name: organization }
    const { sign_up_token: made } = await dataOf(api.POST("/portal/api/sign-up", { body }))
    setToken(made)
  })
  const back = { email, onAgain: ask.send, onBack: () => setToken(null) }
  if (token !== null) return <SignUpCode key={token} token={token} {...back} />
  const { fault, isBusy } = ask
  const errorOf = (field: string): string | null => fault?.fields[field] ?? null
  return (
    <Card
      title="Start in the sandbox"
      lead="Free, with a synthetic vehicle and a clock you can move. Production comes after seven steps and a review."
      beside={
        <>
          Have an account? <a href="/portal/sign-in">Sign in</a>
        </>
      }
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

/** s before another code may be asked for. */
const RESEND_SECONDS = 30

interface SignUpCodeProps {
  readonly token: string
  readonly email: string
  readonly onAgain: () => void
  readonly onBack: () => void
}

function SignUpCode({ token, email, onAgain, onBack }: SignUpCodeProps): JSX.Element {
  const [code, setCode] = useState("")
  const left = useCountdown(RESEND_SECONDS)
  const verify = useCommand(async (sent: string) => {
    await dataOf(api.POST("/portal/api/sign-up/verify", { body: { sign_up_token: token, code: sent } }))
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
        <Button look="primary" type="submit" isBusy={verify.isBusy} isDisabled={code.length < 6}>
          {verify.isBusy ? "Verifying…" : "Verify"}
        </Button>
        <p class="small quiet">
          Curbline's staff never ask for it.{" "}
          {left > 0 ? (
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

export function Forgotten(): JSX.Element {
  const [email, setEmail] = useState("")
  const [isSent, setSent] = useState(false)
  const { fault, isBusy, send } = useCommand(async () => {
    await dataOf(api.POST("/portal/api/password/forgotten", { body: { email } }))
    setSent(true)
  })
  return (
    <Card
      title={isSent ? "Look into your mail" : "A new password"}
      lead={
        isSent
          ? `If ${email} has an account, a link is on its way. It is good for 30 minutes.`
          : "We send a link to your e-mail address. Your old password stays until you choose a new one."
      }
      beside={<a href="/portal/sign-in">Back to sign-in</a>}
    >
      {isSent ? null : (
        <Form onSend={send}>
          <FormFault fault={fault} fields={["email"]} />
          <TextField
            label="E-mail"
            type="email"
            autocomplete="username"
            value={email}
            onChange={setEmail}
            isRequired
            isFirst
            error={fault?.fields["email"] ?? null}
          />
          <Button look="primary" type="submit" isBusy={isBusy}>
            {isBusy ? "Sending…" : "Send me a link"}
          </Button>
        </Form>
      )}
    </Card>
  )
}

export function NewPassword(): JSX.Element {
  const [token, setToken] = useState(tokenInAddress())
  const [password, setPassword] = useState("")
  const [isDone, setDone] = useState(false)
  const { fault, isBusy, send } = useCommand(async () => {
    await dataOf(api.POST("/portal/api/password/new", { body: { token, password } }))
    setDone(true)
  })
  if (isDone) {
    return (
      <Card title="Your password is changed" lead="Every session of your account was signed out.">
        <ButtonLink href="/portal/sign-in" look="primary">
          Sign in
        </ButtonLink>
      </Card>
    )
  }
  return (
    <Card title="Choose a new password" lead="It replaces the old one, and signs every session out.">
      <Form onSend={send}>
        <FormFault fault={fault} fields={["password"]} />
        {tokenInAddress() === "" ? (
          <TextField label="Code from the mail" value={token} onChange={setToken} isRequired isFirst />
        ) : null}
        <PasswordField
          label="New password"
          autocomplete="new-password"
          value={password}
          onChange={setPassword}
          isRequired
          error={fault?.fields["password"] ?? null}
          below={<Strength password={password} about={[]} />}
        />
        <Button look="primary" type="submit" isBusy={isBusy}>
          {isBusy ? "Changing…" : "Change the password"}
        </Button>
      </Form>
    </Card>
  )
}
