/** Requests of organizations for production, enrolment and sites: those that wait by due time, those that were decided, and one of them in full. */

import type { JSX } from "preact"
import { useEffect, useRef } from "preact/hooks"
import { Banner, Empty, Skeleton } from "../../design/feedback.tsx"
import { Icon } from "../../design/icon.tsx"
import { Pill } from "../../design/pill.tsx"
import { ReadProblem } from "../../portal/pages/problem.tsx"
import { dayTime } from "../../portal/times.ts"
import { useRefresh, useResource } from "../../resource.ts"
import { read } from "../api.ts"
import { Head } from "../frame.tsx"
import { mayCall, opsData } from "../session.ts"
import { AccessCase, pathOf } from "./access-case.tsx"
import { done, timeLeft, wanted } from "./access-words.ts"
import type { AccessRequest } from "./access-words.ts"

/** ms; a request is answered within a day. */
const REFRESH_MS = 15_000

interface Listed {
  readonly access_requests: readonly AccessRequest[]
}

interface PartnersListed {
  readonly partner_requests: readonly AccessRequest[]
}

interface Requests {
  readonly waiting: readonly AccessRequest[]
  readonly decided: readonly AccessRequest[]
}

/** Production access, enrolment and sites in one list. */
async function readRequests(): Promise<Requests> {
  const both = async (status: "decided" | "pending"): Promise<readonly AccessRequest[]> => {
    const [access, partners] = await Promise.all([
      read<Listed>(`/internal/v1/access-requests?status=${status}`),
      read<PartnersListed>(`/internal/v1/partner-requests?status=${status}`),
    ])
    return [...access.access_requests, ...partners.partner_requests]
  }
  const [waiting, decided] = await Promise.all([both("pending"), both("decided")])
  return {
    waiting: waiting.toSorted((one, other) => Date.parse(one.due_at) - Date.parse(other.due_at)),
    decided: decided.toSorted((one, other) => decidedMs(other) - decidedMs(one)),
  }
}

function decidedMs({ decided_at: at }: AccessRequest): number {
  return at === null ? 0 : Date.parse(at)
}

/** Without an id, a desk shows the request that is due first; a phone shows the list alone. */
export function Approvals({ requestId }: { readonly requestId: string | null }): JSX.Element {
  if (opsData().environment !== "production") return <NotHere />
  return <Reviews requestId={requestId} />
}

function NotHere(): JSX.Element {
  return (
    <Empty title="Approvals are on the production host">
      An organization asks for production and enrolment there, and operations of production decide.
    </Empty>
  )
}

function Reviews({ requestId }: { readonly requestId: string | null }): JSX.Element {
  const { data, fault, reload } = useResource(readRequests)
  useRefresh(reload, REFRESH_MS)
  const opened = useRef<string | null>(null)
  const count = data?.waiting.length ?? 0
  useEffect(() => {
    document.title = `${count === 0 ? "" : `(${count}) `}Approvals - Curbline operations`
  }, [count])
  if (data === null) {
    return fault === null ? (
      <Skeleton lines={6} />
    ) : (
      <ReadProblem what="The requests" fault={fault} onAgain={reload} />
    )
  }
  const { waiting, decided } = data
  // What is open stays open, also when it is decided or another request becomes the first.
  opened.current ??= requestId ?? waiting[0]?.request_id ?? null
  const shown = opened.current
  if (waiting.length === 0 && decided.length === 0) return <NoRequests />
  return (
    <div class={`approvals${requestId === null ? " is-list" : ""}`}>
      <h1 class="visually-hidden">{waitingSentence(waiting.length)}</h1>
      <RequestLists requests={data} shown={shown} />
      <section class="approvals-case" aria-label="Request">
        {fault === null ? null : (
          <Banner tone="wait">The list could not be read again: {fault.message}</Banner>
        )}
        {shown === null ? (
          <Empty title="Nothing waits for a decision">Choose a decided request to read it again.</Empty>
        ) : (
          <AccessCase
            key={shown}
            path={pathOf(
              [...waiting, ...decided].find(({ request_id: id }) => id === shown) ?? { request_id: shown },
            )}
            requestId={shown}
            place={placeOf(waiting, shown)}
            onDecided={reload}
          />
        )}
      </section>
    </div>
  )
}

interface RequestListsProps {
  readonly requests: Requests
  readonly shown: string | null
}

function RequestLists({ requests: { waiting, decided }, shown }: RequestListsProps): JSX.Element {
  return (
    <nav aria-label="Requests" class="approvals-list">
      <h2>
        Waiting <span class="quiet">by due time</span>
      </h2>
      {waiting.length === 0 ? (
        <p class="small quiet">Nothing waits for a decision.</p>
      ) : (
        <ul>
          {waiting.map((request) => (
            <WaitingRow key={request.request_id} request={request} shown={shown} />
          ))}
        </ul>
      )}
      <h2>
        Decided <span class="quiet">latest first</span>
      </h2>
      {decided.length === 0 ? (
        <p class="small quiet">No decision yet.</p>
      ) : (
        <ul>
          {decided.map((request) => (
            <DecidedRow key={request.request_id} request={request} shown={shown} />
          ))}
        </ul>
      )}
      {mayCall("listSiteRequests") ? (
        <p class="approvals-more">
          <a href="/ops/settings/site-requests">Requests to change sites</a>
        </p>
      ) : null}
    </nav>
  )
}

function NoRequests(): JSX.Element {
  return (
    <>
      <Head title="No organization has asked for anything." />
      <Empty title="Requests appear here">
        An organization asks in its portal for production, once all seven steps in the sandbox are done, for
        enrolment as a fleet partner, and for more sites. Operations answer within 24 hours.{" "}
        <a href="/ops/settings/site-requests">Requests to change sites</a> are in the settings.
      </Empty>
    </>
  )
}

function waitingSentence(count: number): string {
  if (count === 0) return "No request waits for a decision."
  return count === 1 ? "One request waits for a decision." : `${count} requests wait for a decision.`
}

/** `1 of 2`; null for a decided request. */
function placeOf(waiting: readonly AccessRequest[], shown: string): string | null {
  const at = waiting.findIndex(({ request_id: id }) => id === shown)
  return at === -1 ? null : `${at + 1} of ${waiting.length}`
}

interface RowProps {
  readonly request: AccessRequest
  readonly shown: string | null
}

function WaitingRow({ request, shown }: RowProps): JSX.Element {
  const { request_id: id, organization_name: name, due_at: dueAt, is_overdue: isOverdue } = request
  return (
    <li>
      <a
        href={`/ops/approvals/${encodeURIComponent(id)}`}
        aria-current={id === shown ? "true" : undefined}
        class="approvals-row"
      >
        <span class="name">{name}</span>
        <span class={isOverdue ? "late" : "left"}>
          {isOverdue ? <Icon name="triangle-alert" /> : null} {timeLeft(dueAt, Date.now())}
        </span>
        <span class="under">{wanted(request)}</span>
        <span class="under end">due {dayTime(dueAt, null, Date.now())}</span>
      </a>
    </li>
  )
}

function DecidedRow({ request, shown }: RowProps): JSX.Element {
  const { request_id: id, organization_name: name, status, decided_at: decidedAt } = request
  const isApproved = status === "approved"
  const what = isApproved ? done(request) : request.reason || "no reason given"
  return (
    <li>
      <a
        href={`/ops/approvals/${encodeURIComponent(id)}`}
        aria-current={id === shown ? "true" : undefined}
        class="approvals-row"
      >
        <span class="name">{name}</span>
        <Pill tone={isApproved ? "ok" : "bad"} icon={isApproved ? "check" : "circle-x"}>
          {isApproved ? "Approved" : "Declined"}
        </Pill>
        <span class="under">
          {what}
          {request.decided_by ? `, by ${request.decided_by}` : ""}
        </span>
        <span class="under end">{decidedAt === null ? "" : dayTime(decidedAt, null, Date.now())}</span>
      </a>
    </li>
  )
}
