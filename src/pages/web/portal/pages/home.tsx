/** Home: the seven steps to production and what needs attention; after them, the newest deliveries. */

import type { JSX } from "preact"
import { useState } from "preact/hooks"
import { Button, ButtonLink } from "../../design/button.tsx"
import { Banner, Skeleton, toast } from "../../design/feedback.tsx"
import { Path } from "../../design/steps.tsx"
import { api, dataOf } from "../api.ts"
import type { Schemas } from "../api.ts"
import { Head } from "../frame.tsx"
import { groupsOf, isSending, useLive } from "../live.ts"
import { useResource } from "../../resource.ts"
import type { PageProps } from "../session.ts"
import { dayTime, fromNow, fromRealNow } from "../times.ts"
import { DeliveryPill } from "../words.tsx"
import { NewDelivery } from "./new-delivery.tsx"
import { AskForProduction } from "./ask-production.tsx"
import { ReadProblem } from "./problem.tsx"

type Step = Schemas["OnboardingStep"]

interface StepText {
  readonly name: string
  readonly done: string
  /** Where it is done. */
  readonly path: string
  readonly button: string
}

const STEPS: Readonly<Record<Step["step"], StepText>> = {
  organization_profile: {
    name: "Describe your organization",
    done: "Name and the address that operations write to",
    path: "/portal/account#organization",
    button: "Describe it",
  },
  sandbox_key: {
    name: "Make a sandbox key",
    done: "For your program",
    path: "/portal/keys",
    button: "Make a key",
  },
  sandbox_site: {
    name: "Add a sandbox site",
    done: "Area and price are set",
    path: "/portal/sites",
    button: "Add a site",
  },
  sandbox_webhook: {
    name: "Register a webhook endpoint",
    done: "It gets events of deliveries",
    path: "/portal/webhooks",
    button: "Register an endpoint",
  },
  sandbox_quote: {
    name: "Ask for a quote",
    done: "Available, with a price",
    path: "/docs",
    button: "Read how",
  },
  sandbox_delivery: {
    name: "Complete a sandbox delivery",
    done: "From scheduled to completed",
    path: "/portal/deliveries",
    button: "Go to deliveries",
  },
  webhook_acknowledged: {
    name: "Answer an event with 2xx",
    done: "Your receiver has answered",
    path: "/portal/webhooks",
    button: "See what it answered",
  },
}

const NUMBERS = ["No", "One", "Two", "Three", "Four", "Five", "Six", "Seven"]
/** ms; steps tick while a program works beside the page. */
const REFRESH_MS = 5000

export function Home(props: PageProps): JSX.Element {
  const { me, environment } = props
  const state = useResource(() => dataOf(api.GET("/portal/api/onboarding")))
  useLive(state.reload, { concerns: () => true, ms: REFRESH_MS })
  const left = state.data?.steps.filter(({ is_done: isDone }) => !isDone).length ?? null
  const hasProduction = me.organization.environments.includes("production")
  return (
    <div class="content">
      <Head
        title={
          hasProduction
            ? `Good to see you, ${me.account.name.split(" ")[0] ?? ""}`
            : left === null
              ? "The way to production"
              : left === 0
                ? "All seven steps are done"
                : `${NUMBERS[left] ?? left} ${left === 1 ? "step" : "steps"} to production`
        }
        lead={
          hasProduction
            ? "Your organization may use production."
            : left === 0
              ? "Ask for production: operations decide within 24 hours."
              : "Each step is done in the sandbox, here or by your program. Then ask for production: operations decide within 24 hours."
        }
      />
      <div class="split-page">
        <div>
          {state.fault !== null && state.data === null ? (
            <ReadProblem what="The steps" fault={state.fault} onAgain={state.reload} />
          ) : state.data === null ? (
            <Skeleton lines={7} />
          ) : (
            <>
              {hasProduction ? null : <Steps steps={state.data.steps} page={props} />}
              {hasProduction ? null : (
                <Access
                  request={state.data.production_access}
                  isReady={left === 0}
                  me={me}
                  onAsked={state.reload}
                />
              )}
            </>
          )}
          {hasProduction ? <LastDeliveries environment={environment} isWide /> : null}
        </div>
        <aside class="stack" aria-label="Now">
          <WebhookHealth environment={environment} />
          {hasProduction ? null : <LastDeliveries environment={environment} />}
        </aside>
      </div>
    </div>
  )
}

interface StepsProps {
  readonly steps: readonly Step[]
  readonly page: PageProps
}

function Steps({ steps, page }: StepsProps): JSX.Element {
  const current = steps.find(({ is_done: isDone }) => !isDone)
  return (
    <Path
      steps={steps.map((step) => {
        const { name, done } = STEPS[step.step]
        const isCurrent = step === current
        return {
          name,
          state: step.is_done ? "done" : isCurrent ? "current" : "next",
          ...(step.done_at === null ? {} : { when: `${makerOf(step)}${dayTime(step.done_at)}` }),
          children: (
            <>
              <p class="small quiet">{step.is_done ? done : (step.hint ?? done)}</p>
              {isCurrent ? <DoIt step={step.step} page={page} /> : null}
            </>
          ),
        }
      })}
    />
  )
}

function makerOf({ done_by: by }: Step): string {
  if (by === null) return ""
  return by.type === "key" ? `key …${by.name}, ` : `${by.name.split(" ")[0] ?? ""}, `
}

function DoIt({ step, page }: { readonly step: Step["step"]; readonly page: PageProps }): JSX.Element {
  const { path, button } = STEPS[step]
  const isDelivery = step === "sandbox_quote" || step === "sandbox_delivery"
  return (
    <div class="row">
      {isDelivery ? (
        <NewDelivery />
      ) : (
        <ButtonLink href={path} look="primary">
          {button}
        </ButtonLink>
      )}
      {isDelivery ? (
        <a class="link small" href={`${page.urls.sandbox}/docs`}>
          Do it by API
        </a>
      ) : null}
    </div>
  )
}

interface AccessProps {
  readonly request: Schemas["AccessRequest"] | null
  readonly isReady: boolean
  readonly me: PageProps["me"]
  readonly onAsked: () => Promise<void>
}

function Access({ request, isReady, me, onAsked }: AccessProps): JSX.Element {
  const [isOpen, setOpen] = useState(false)
  const isOwner = me.account.role === "owner"
  return (
    <>
      <hr class="line" />
      <section class="row apart">
        <div class="grow">
          <h2>Production access</h2>
          <p class="small quiet">{accessText(request, isOwner)}</p>
        </div>
        {request?.status === "pending" ? null : (
          <Button
            look={isReady && isOwner ? "primary" : "secondary"}
            isDisabled={!isReady || !isOwner}
            onPress={() => setOpen(true)}
          >
            Request production
          </Button>
        )}
      </section>
      {request?.status === "declined" ? (
        <Banner tone="bad">Declined: {request.reason || "no reason was given"}</Banner>
      ) : null}
      {isOpen ? (
        <AskForProduction
          onClose={() => setOpen(false)}
          onAsked={async () => {
            setOpen(false)
            toast("Asked for production")
            await onAsked()
          }}
        />
      ) : null}
    </>
  )
}

function accessText(request: Schemas["AccessRequest"] | null, isOwner: boolean): string {
  if (request?.status === "pending") {
    return request.is_overdue
      ? `In review; the decision was due ${fromRealNow(request.due_at)}.`
      : `In review, due ${fromRealNow(request.due_at)}.`
  }
  const needs =
    "Needs all seven steps. You name the sites that you want: address, time zone, expected volume."
  return isOwner ? needs : `${needs} Only an owner can ask.`
}

function WebhookHealth({
  environment,
}: {
  readonly environment: PageProps["environment"]
}): JSX.Element | null {
  const query = { environment }
  const { data, reload } = useResource(() =>
    dataOf(api.GET("/portal/api/delivery-webhooks", { params: { query } })),
  )
  useLive(reload, { concerns: isSending, ms: REFRESH_MS })
  if (data === null) return null
  const failing = data.webhooks.filter(
    ({ consecutive_failures: count, is_active: isActive }) => count > 0 || !isActive,
  )
  return (
    <section>
      <div class="section-head">
        <h2>Webhooks</h2>
        <a class="link small" href="/portal/webhooks">
          Log
        </a>
      </div>
      {data.webhooks.length === 0 ? (
        <p class="small quiet">
          No endpoint yet. <a href="/portal/webhooks">Register one</a>
        </p>
      ) : failing.length === 0 ? (
        <p class="small quiet">Every endpoint answers.</p>
      ) : (
        failing.map((webhook) => (
          <Banner key={webhook.webhook_id} tone="bad">
            <strong>{new URL(webhook.url).host}</strong>{" "}
            {webhook.is_active
              ? `failed ${webhook.consecutive_failures === 1 ? "once" : `${webhook.consecutive_failures} times in a row`}; it is switched off at 50. `
              : "is switched off. "}
            <a href="/portal/webhooks">Open</a>
          </Banner>
        ))
      )}
    </section>
  )
}

function LastDeliveries({
  environment,
  isWide = false,
}: {
  readonly environment: PageProps["environment"]
  readonly isWide?: boolean
}): JSX.Element {
  const { data, fault, reload } = useResource(() =>
    dataOf(api.GET("/portal/api/deliveries", { params: { query: { environment, limit: 5 } } })),
  )
  useLive(reload, { concerns: groupsOf("delivery"), ms: REFRESH_MS })
  return (
    <section>
      <div class="section-head">
        <h2>Last deliveries</h2>
        <a class="link small" href="/portal/deliveries">
          All
        </a>
      </div>
      {fault !== null && data === null ? (
        <p class="small quiet">They could not be read.</p>
      ) : data === null ? (
        <Skeleton lines={3} />
      ) : data.deliveries.length === 0 ? (
        <p class="small quiet">None yet.</p>
      ) : (
        <table class="table" aria-label="Last deliveries">
          <tbody>
            {data.deliveries.slice(0, isWide ? 5 : 3).map(({ id, delivery }) => (
              <tr key={id}>
                <td>
                  <a class="link mono" href={`/portal/deliveries/${encodeURIComponent(id)}`}>
                    {delivery.external_delivery_id}
                  </a>
                </td>
                <td>
                  <DeliveryPill status={delivery.status} />
                </td>
                <td class="end quiet">{fromNow(delivery.updated_at)}</td>
              </tr>
            ))}
          </tbody>
        </table>
      )}
    </section>
  )
}
