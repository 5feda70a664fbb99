/** Signing in, with a second step where the account has one. */

import type { JSX } from "preact"
import { useState } from "preact/hooks"
import { Button } from "../../design/button.tsx"
import { Banner } from "../../design/feedback.tsx"
import { CodeField, PasswordField, TextField } from "../../design/field.tsx"
import { api, dataOf } from "../api.ts"
import { useCommand } from "../../resource.ts"
import { Form } from "../../design/form.tsx"
import { AccountEmailField, Card, FormFault, INVITATION } from "./card.tsx"
import type { PortalData } from "../session.ts"
import { refusalOf, signed } from "./second-factor/passkey-browser.ts"

/** A path of the portal to go on to; anything else leads to its home. */
function destination(): string {
  const to = new URLSearchParams(window.location.search).get("to") ?? "/portal"
  return /^\/portal(?:[/?]|$)/.test(to) ? to : "/portal"
}

export function SignIn({ ended }: Pick<PortalData, "ended">): JSX.Element {
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
      ended={ended}
      beside={
        <>
          New here? <a href="/portal/sign-up">Start in the sandbox</a>
        </>
      }
    >
      <Form onSend={send}>
        <FormFault fault={fault} fields={["email"]} />
        <AccountEmailField value={email} onChange={setEmail} fault={fault} />
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
