/** One request: who asks, the sites wanted, what proves each step, and the decision. */

import type { JSX } from "preact"
import { useState } from "preact/hooks"
import { Button, ShortId } from "../../design/button.tsx"
import { Skeleton, toast } from "../../design/feedback.tsx"
import { AreaField } from "../../design/field.tsx"
import { Icon } from "../../design/icon.tsx"
import { Dialog } from "../../design/overlay.tsx"
import { Pill } from "../../design/pill.tsx"
import { CommandProblem, ReadProblem } from "../../portal/pages/problem.tsx"
import { dayTime } from "../../portal/times.ts"
import { asFault } from "../../faults.ts"
import { useCommand, useRefresh, useResource } from "../../resource.ts"
import { read, send } from "../api.ts"
import { opsData } from "../session.ts"
import { APPROVED, STEP_NAMES, caseSentence, wanted } from "./access-words.ts"
import type { AccessRequest, AccessRequestCase, ProvedStep, RequestedSite } from "./access-words.ts"

/** ms between reads of a request that waits */
const REFRESH_MS = 15_000

interface CaseProps {
  /** Of its resource. */
  readonly path: string
  readonly requestId: string
  /** `1 of 2` of those that wait; null for a decided request. */
  readonly place: string | null
  readonly onDecided: () => Promise<void>
}

export function AccessCase({ path, requestId, place, onDecided }: CaseProps): JSX.Element {
  const { data: request, fault, reload } = useResource(() => readCase(path), [path])
  // Another operator may decide meanwhile.
  useRefresh(reload, request?.status === "pending" ? REFRESH_MS : null)
  const back = (
    <p class="approvals-back">
      <a href="/ops/approvals">
        <Icon name="chevron-left" /> Approvals
      </a>
      <span class="quiet">{place}</span>
    </p>
  )
  if (request === null) {
    const named = { noun: "request", id: requestId, list: ["Approvals", "/ops/approvals"] } as const
    return (
      <>
        {back}
        {fault === null ? (
          <Skeleton lines={8} />
        ) : (
          <ReadProblem what="The request" fault={fault} onAgain={reload} named={named} />
        )}
      </>
    )
  }
  return (
    <>
      {back}
      <CaseHead request={request} />
      {request.text ? (
        <section>
          <h3>What it says</h3>
          <p class="request-text">{request.text}</p>
        </section>
      ) : null}
      {request.kind === "fleet_enrolment" || request.course === "reservations" ? null : (
        <SitesWanted sites={request.sites} />
      )}
      <Steps steps={request.steps} />
      {request.status === "pending" ? (
        <Decision
          path={path}
          request={request}
          onDecided={async () => {
            await Promise.all([reload(), onDecided()])
          }}
        />
      ) : (
        <Decided request={request} />
      )}
    </>
  )
}

/** Whose resource it is. */
export function pathOf({ kind, request_id: id }: Pick<AccessRequest, "kind" | "request_id">): string {
  const name = encodeURIComponent(id)
  return kind === undefined ? `/internal/v1/access-requests/${name}` : `/internal/v1/partner-requests/${name}`
}

async function readCase(path: string): Promise<AccessRequestCase> {
  const [request] = Object.values(await read<Readonly<Record<string, AccessRequestCase>>>(path))
  if (request === undefined) throw new Error("the answer has no request")
  return request
}

function CaseHead({ request }: { readonly request: AccessRequestCase }): JSX.Element {
  const { request_id: id, asked_by: askedBy, requested_at: at, sites } = request
  const volume = sites.reduce((sum, { expected_deliveries_per_day: some }) => sum + some, 0)
  const who = askedBy === null ? "somebody who has left" : `${askedBy.name}, ${askedBy.role}`
  return (
    <header class="approvals-head">
      <p class="small quiet">
        Request <ShortId id={id} label="Copy the request's id" /> · asked by {who},{" "}
        {dayTime(at, null, Date.now())}, answered within 24 h
      </p>
      <h2>{caseSentence(request)}</h2>
      <p class="row">
        <StatusPill request={request} />
        <span class="quiet">
          {wanted(request)}
          {sites.length === 0 ? "" : `, about ${volume} deliveries a day`}
        </span>
      </p>
    </header>
  )
}

function StatusPill({
  request: { status, is_overdue: isOverdue },
}: {
  readonly request: AccessRequestCase
}): JSX.Element {
  if (status === "approved") {
    return (
      <Pill tone="ok" icon="check">
        Approved
      </Pill>
    )
  }
  if (status === "declined") {
    return (
      <Pill tone="bad" icon="circle-x">
        Declined
      </Pill>
    )
  }
  return (
    <Pill tone={isOverdue ? "bad" : "wait"} icon={isOverdue ? "triangle-alert" : "clock"}>
      {isOverdue ? "Overdue" : "Waits for review"}
    </Pill>
  )
}

function SitesWanted({ sites }: { readonly sites: readonly RequestedSite[] }): JSX.Element {
  if (sites.length === 0) return <p class="quiet">It names no site: operations make them later.</p>
  return (
    <section>
      <h3>Sites wanted</h3>
      <table class="table two-line approvals-sites" aria-label="Sites wanted">
        <thead>
          <tr>
            <th scope="col">Name</th>
            <th scope="col">Time zone</th>
            <th scope="col" class="end">
              A day
            </th>
          </tr>
        </thead>
        <tbody>
          {sites.map(({ name, address, timezone, expected_deliveries_per_day: perDay }) => (
            <tr key={name}>
              <th scope="row">
                {name}
                <span class="under">
                  {address.street}, {address.city} {address.state} {address.zip}
                </span>
              </th>
              <td>{timezone ?? "that of the address"}</td>
              <td class="end">{perDay}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  )
}

function Steps({ steps }: { readonly steps: readonly ProvedStep[] }): JSX.Element {
  return (
    <section>
      <h3>The seven steps</h3>
      <table class="table two-line" aria-label="The seven steps">
        <thead>
          <tr>
            <th scope="col">Step and evidence</th>
            <th scope="col" class="end">
              Done
            </th>
          </tr>
        </thead>
        <tbody>
          {steps.map(({ step, is_done: isDone, done_at: doneAt, hint, evidence }) => (
            <tr key={step}>
              <th scope="row" class="sentence">
                <span class="approvals-step">
                  <span class={isDone ? "done" : "missing"}>
                    <Icon name={isDone ? "check" : "circle-x"} />
                    <span class="visually-hidden">{isDone ? "Done: " : "Missing: "}</span>
                  </span>
                  <span>
                    {STEP_NAMES[step]}
                    <span class="under">{isDone ? evidence : hint}</span>
                  </span>
                </span>
              </th>
              <td class="end">
                {doneAt === null ? (isDone ? "done" : "") : dayTime(doneAt, null, Date.now())}
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  )
}

function Decided({ request }: { readonly request: AccessRequestCase }): JSX.Element {
  const { kind, status, decided_at: at, decided_by: by, reason, site_ids: siteIds } = request
  const who = by === null ? "" : ` by ${by}`
  return (
    <footer class="approvals-decision">
      <p>
        <strong>
          {status === "approved" ? "Approved" : "Declined"}
          {who}
          {at === null ? "" : `, ${dayTime(at, null, Date.now())}`}.
        </strong>
        {reason ? <span class="under">It was told: {reason}</span> : null}
      </p>
      {kind === "fleet_enrolment" && status === "approved" ? <Grants request={request} /> : null}
      {siteIds.length === 0 ? null : (
        <p class="small">
          Sites made, each with its area and price:{" "}
          {siteIds.map((id) => (
            <a key={id} href={`/ops/settings/sites/${encodeURIComponent(id)}`}>
              {id.slice(0, 8)}{" "}
            </a>
          ))}
        </p>
      )}
    </footer>
  )
}

/** A fleet partner can reserve only where operations let it. */
function Grants({ request: { organization_id: id } }: { readonly request: AccessRequestCase }): JSX.Element {
  return (
    <p class="small">
      It reserves only at places that are granted:{" "}
      <a href={`/ops/settings/organizations/${encodeURIComponent(id)}`}>grant places</a>.
    </p>
  )
}

/** What approval does, before it is done. */
function effectOf({ kind, course, sites }: AccessRequestCase): readonly [does: string, then: string] {
  if (kind === "fleet_enrolment")
    return [
      "Approve enrols the organization as a fleet partner in production, and mails its contact.",
      "It reserves once it has production access, and only at places that you grant it.",
    ]
  if (course === "reservations")
    return [
      "Approve opens production for the organization, and mails its contact.",
      "Its robots may reserve there once it is a fleet partner, at places that you grant it.",
    ]
  const made = sites.length === 1 ? "1 site" : `${sites.length} sites`
  return [
    sites.length === 0
      ? "Approve opens production for the organization, and mails its contact."
      : `Approve makes ${made} in production, on now, and mails the contact of the organization.`,
    "They make keys and webhooks themselves. A site takes deliveries once it has an area and a price; it can be switched off again, not deleted.",
  ]
}

interface DecisionProps {
  readonly path: string
  readonly request: AccessRequestCase
  readonly onDecided: () => Promise<void>
}

interface Answer {
  readonly is_approved: boolean
  readonly reason?: string
}

function Decision({ path, request, onDecided }: DecisionProps): JSX.Element {
  const [isDeclining, setDeclining] = useState(false)
  const [reason, setReason] = useState("")
  const { kind, sites, organization_name: name } = request
  const answer = useCommand(async (body: Answer) => {
    try {
      await send("PUT", `${path}/decision`, { ...body, decided_by: opsData().me?.label ?? null })
    } catch (cause) {
      const fault = asFault(cause)
      // Another operator decided first: the page reads the request again and shows who decided and how.
      if (fault.code === "INVALID_STATE") {
        toast(`Not done: ${fault.message}`)
        await onDecided()
      }
      throw cause
    }
    toast(
      body.is_approved ? `${name} ${APPROVED[kind ?? "access"]}` : `${name} was declined and gets the reason`,
    )
    setDeclining(false)
    await onDecided()
  })
  const count = sites.length === 1 ? "1 site" : `${sites.length} sites`
  const [does, then] = effectOf(request)
  return (
    <footer class="approvals-decision">
      <p>
        <strong>{does}</strong>
        <span class="under">{then}</span>
      </p>
      {isDeclining ? null : <CommandProblem fault={answer.fault} />}
      <div class="row">
        <Button isDisabled={answer.isBusy} onPress={() => setDeclining(true)}>
          Decline with a reason…
        </Button>
        <Button look="primary" isBusy={answer.isBusy} onPress={() => answer.send({ is_approved: true })}>
          {sites.length === 0 ? "Approve" : `Approve ${count}`}
        </Button>
      </div>
      {isDeclining ? (
        <Dialog title={`Decline ${name}`} onClose={() => setDeclining(false)}>
          <form
            class="column"
            onSubmit={(event) => {
              event.preventDefault()
              answer.send({ is_approved: false, reason: reason.trim() })
            }}
          >
            <p class="small">The reason is mailed to its contact. The organization may ask again.</p>
            <AreaField label="Reason" value={reason} onChange={setReason} />
            <CommandProblem fault={answer.fault} />
            <div class="row">
              <Button look="danger" type="submit" isBusy={answer.isBusy} isDisabled={reason.trim() === ""}>
                Decline
              </Button>
            </div>
          </form>
        </Dialog>
      ) : null}
    </footer>
  )
}
