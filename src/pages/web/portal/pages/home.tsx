/** Home: the seven steps to production and what needs attention; after them, the newest deliveries. */

import type { JSX } from "preact"
import { useState } from "preact/hooks"
import { Button } from "../../design/button.tsx"
import { Banner, Skeleton, toast } from "../../design/feedback.tsx"
import { api, dataOf } from "../api.ts"
import type { Schemas } from "../api.ts"
import { Head } from "../frame.tsx"
import { groupsOf, isSending, useLive } from "../live.ts"
import { useResource } from "../../resource.ts"
import type { PageProps } from "../session.ts"
import { fromNow, fromRealNow } from "../times.ts"
import { reasonText } from "../reason-text.ts"
import { DeliveryPill } from "../words.tsx"
import { AskForProduction } from "./ask-production.tsx"
import { Courses, Steps } from "./onboarding/course-steps.tsx"
import type { Course } from "./onboarding/course-steps.tsx"
import { ReadProblem } from "./problem.tsx"

const NUMBERS = ["No", "One", "Two", "Three", "Four", "Five", "Six", "Seven"]
/** ms; steps tick while a program works beside the page. */
const REFRESH_MS = 5000

export function Home(props: PageProps): JSX.Element {
  const { me, environment } = props
  const [course, setCourse] = useState<Course>(
    me.organization.enrolled_in.includes("sandbox") ? "reservations" : "deliveries",
  )
  const state = useResource(
    () => dataOf(api.GET("/portal/api/onboarding", { params: { query: { course } } })),
    [course],
  )
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
      {hasProduction ? null : <Courses chosen={course} onChoose={setCourse} />}
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
                  course={course}
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

interface AccessProps {
  readonly request: Schemas["AccessRequest"] | null
  readonly course: Course
  readonly isReady: boolean
  readonly me: PageProps["me"]
  readonly onAsked: () => Promise<void>
}

function Access({ request, course, isReady, me, onAsked }: AccessProps): JSX.Element {
  const [isOpen, setOpen] = useState(false)
  const isOwner = me.account.role === "owner"
  return (
    <>
      <hr class="line" />
      <section class="row apart">
        <div class="grow">
          <h2>Production access</h2>
          <p class="small quiet">{accessText(request, { course, isOwner })}</p>
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
        <Banner tone="bad">Declined: {reasonText(request.reason)}</Banner>
      ) : null}
      {isOpen ? (
        <AskForProduction
          course={course}
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

function accessText(
  request: Schemas["AccessRequest"] | null,
  { course, isOwner }: { readonly course: Course; readonly isOwner: boolean },
): string {
  if (request?.status === "pending") {
    return request.is_overdue
      ? `In review; the decision was due ${fromRealNow(request.due_at)}.`
      : `In review, due ${fromRealNow(request.due_at)}.`
  }
  const needs =
    course === "reservations"
      ? "Needs all seven steps. Your enrolment as a fleet partner is decided apart."
      : "Needs all seven steps. You name the sites that you want: address, time zone, expected volume."
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
