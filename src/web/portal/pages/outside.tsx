/** Pages for people without a session: signing in and up, and a new password. */

import type { JSX } from "preact"
import { useState } from "preact/hooks"
import { Button, ButtonLink } from "../../design/button.tsx"
import { Banner } from "../../design/feedback.tsx"
import { CodeField, PasswordField, TextField } from "../../design/field.tsx"
import { api, dataOf } from "../api.ts"
import type { ApiFault } from "../../faults.ts"
import { useCommand } from "../../resource.ts"
import { Card, Form, FormFault, INVITATION, minutesOf, tokenInAddress, useCountdown } from "./card.tsx"
import { refusalOf, signed } from "./passkey-browser.ts"
import { Strength } from "./strength.tsx"

/** A path of the portal to go on to; anything else leads to its home. */
function destination(): string {
  const to = new URLSearchParams(window.location.search).get("to") ?? "/portal"
  return /^\/portal(?:[/?]|$)/.test(to) ? to : "/portal"
}

export function SignIn(): JSX.Element {
  const [email, setEmail] = useState("")
  const [password, setPassword] = useState("")
  const [pending, setPending] = useState<Pending | null>(null)
  const { fault, isBusy, send } = useCommand(async () => {
    const { data } = await api.POST("/portal/api/session", { body: { email, password } })
    // An account with a second factor gets a challenge instead of a session.
    if (data !== undefined && "challenge" in data.data) setPending(data.data)
    else goOn()
  })
  if (pending !== null) return <SecondStep pending={pending} onBack={() => setPending(null)} />
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

interface Pending {
  readonly challenge: string
  readonly methods: readonly Method[]
}

type Method = "application" | "passkey" | "recovery-code"

/** In the order in which they are offered. */
const METHODS: readonly (readonly [method: Method, name: string, title: string, lead: string])[] = [
  ["passkey", "Use a passkey", "Use your passkey", "Your browser asks for it."],
  ["application", "Use the application", "Enter your code", "Your authenticator application shows it."],
  ["recovery-code", "Use a recovery code", "Enter a recovery code", "Each works once."],
]

/** The second step of a sign-in: a passkey, a code of the application, or a recovery code. */
function SecondStep({
  pending: { challenge, methods },
  onBack,
}: {
  readonly pending: Pending
  readonly onBack: () => void
}): JSX.Element {
  const offered = METHODS.filter(([one]) => methods.includes(one))
  const [method, setMethod] = useState<Method>(offered[0]?.[0] ?? "recovery-code")
  const [code, setCode] = useState("")
  const byCode = useCommand(async (sent: string) => {
    await dataOf(api.POST("/portal/api/session/second-factor", { body: { challenge, code: sent } }))
    goOn()
  })
  const change = (text: string): void => {
    setCode(text)
    if (byCode.fault !== null) byCode.forget()
  }
  const [, , title = "", lead = ""] = METHODS.find(([one]) => one === method) ?? []
  const problem = byCode.fault?.message ?? null
  return (
    <Card
      title={title}
      lead={lead}
      beside={
        <button type="button" class="link-button" onClick={onBack}>
          Back
        </button>
      }
    >
      {method === "passkey" ? (
        <PasskeyStep challenge={challenge} />
      ) : (
        <Form onSend={() => byCode.send(code)}>
          {method === "recovery-code" ? (
            <TextField label="Recovery code" value={code} onChange={change} isFirst error={problem} />
          ) : (
            <CodeField
              label="Code"
              value={code}
              onChange={change}
              onComplete={byCode.send}
              isFirst
              error={problem}
            />
          )}
          <Button look="primary" type="submit" isBusy={byCode.isBusy} isDisabled={code === ""}>
            {byCode.isBusy ? "Verifying…" : "Verify"}
          </Button>
        </Form>
      )}
      {offered
        .filter(([one]) => one !== method)
        .map(([one, name]) => (
          <p class="small" key={one}>
            <button
              type="button"
              class="link-button"
              onClick={() => {
                setMethod(one)
                change("")
              }}
            >
              {name}
            </button>
          </p>
        ))}
    </Card>
  )
}

function PasskeyStep({ challenge }: { readonly challenge: string }): JSX.Element {
  const [refused, setRefused] = useState<string | null>(null)
  const { fault, isBusy, send } = useCommand(async () => {
    setRefused(null)
    const begun = await dataOf(api.POST("/portal/api/session/second-factor/passkey", { body: { challenge } }))
    try {
      const passkey = await signed(begun.options)
      await dataOf(api.POST("/portal/api/session/second-factor", { body: { challenge, passkey } }))
      goOn()
    } catch (cause) {
      const message = refusalOf(cause)
      if (message === null) throw cause
      setRefused(message)
    }
  })
  return (
    <Form onSend={() => send()}>
      {refused === null ? <FormFault fault={fault} fields={[]} /> : <Banner tone="bad">{refused}</Banner>}
      <Button look="primary" type="submit" icon="key" isBusy={isBusy}>
        {isBusy ? "Waiting for the browser…" : "Use a passkey"}
      </Button>
    </Form>
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
