/** What stands around every page of operations: the environment, the places to go, and the operator. */

import type { ComponentChildren, JSX } from "preact"
import { Button } from "../design/button.tsx"
import { Banner, Toasts } from "../design/feedback.tsx"
import { Mark } from "../design/mark.tsx"
import { Menu } from "../design/overlay.tsx"
import { useCommand, useConnection } from "../resource.ts"
import { endSession } from "../session-watch.ts"
import { SessionNotice } from "../components/session-notice.tsx"
import { DOOR, send } from "./api.ts"
import { clockSeconds, zoneName } from "./board/times.ts"
import { useChangedRights } from "./changed-rights.ts"
import { EnvironmentBar } from "./environment-bar.tsx"
import { SearchBox } from "./search-box.tsx"
import { may, opsData } from "./session.ts"
import type { Me, Role } from "./session.ts"
import { useWaitingRequests } from "./waiting-requests.ts"

interface Place {
  readonly name: string
  readonly path: string
}

const APPROVALS = "/ops/approvals"

/** By the role that may read them. */
const PLACES: readonly (Place & { readonly role: Role })[] = [
  { name: "Sites", path: "/ops", role: "viewer" },
  { name: "Lists", path: "/ops/lists", role: "viewer" },
  { name: "Approvals", path: APPROVALS, role: "manager" },
  { name: "Settings", path: "/ops/settings", role: "viewer" },
  { name: "Operators", path: "/ops/operators", role: "admin" },
  { name: "Audit log", path: "/ops/audit-log", role: "admin" },
]

export function Frame({
  me,
  children,
}: {
  readonly me: Me
  readonly children: ComponentChildren
}): JSX.Element {
  const leave = useCommand(signOut)
  const waiting = useWaitingRequests()
  const haveChanged = useChangedRights()
  const countAt = (path: string): number => (path === APPROVALS ? waiting : 0)
  const places = me.needs_factor ? [] : PLACES.filter(({ role }) => may(role))
  return (
    <>
      <a class="visually-hidden" href="#content">
        Skip to the content
      </a>
      <EnvironmentBar environment={opsData().environment} />
      <header class="ops-top">
        <a class="brand" href="/ops">
          <Mark /> <span>Curbline</span>
        </a>
        <nav aria-label="Operations">
          {places.map(({ name, path }) => (
            <a key={path} href={path} aria-current={isHere(path) ? "page" : undefined}>
              {name}
              {countAt(path) === 0 ? null : (
                <span class="count">
                  {countAt(path)}
                  <span class="visually-hidden"> waiting</span>
                </span>
              )}
            </a>
          ))}
        </nav>
        <SearchBox />
        <span class="who">
          {me.has_account ? <a href="/ops/account">{me.label}</a> : <span>{me.label}</span>}
          <span>{me.role}</span>
          <Button look="quiet" icon="log-out" isSmall isBusy={leave.isBusy} onPress={leave.send}>
            Sign out
          </Button>
        </span>
        <span class="places">
          <Menu
            label="Places"
            icon="menu"
            look="quiet"
            items={[
              ...places.map(({ name, path }) => ({
                name: countAt(path) === 0 ? name : `${name} (${countAt(path)})`,
                href: path,
              })),
              ...(me.has_account ? [{ name: "Account", href: "/ops/account" }] : []),
              { name: "Sign out", about: me.label, onChoose: leave.send },
            ]}
          />
        </span>
      </header>
      <main id="content" class="ops-content" tabIndex={-1}>
        <Connection />
        {haveChanged ? <RightsBanner /> : null}
        {children}
      </main>
      <Toasts />
      <SessionNotice door={DOOR} name={me.label} />
    </>
  )
}

/** Shown while reads fail: the page keeps what it has read before. */
function Connection(): JSX.Element | null {
  const state = useConnection()
  if (state === null) return null
  const since = `${clockSeconds(state.sinceMs, null)} ${zoneName(state.sinceMs, null)}`
  return <Banner tone="wait">No answer since {since}. The page shows what it read before then.</Banner>
}

function RightsBanner(): JSX.Element {
  return (
    <Banner tone="wait">
      What you may do has changed since this page was read.{" "}
      <Button isSmall onPress={() => window.location.reload()}>
        Read the page again
      </Button>
    </Banner>
  )
}

/** A site's page belongs to the list of sites. */
function isHere(path: string): boolean {
  const { pathname } = window.location
  if (path === "/ops") return pathname === path || pathname.startsWith("/ops/sites/")
  return pathname === path || pathname.startsWith(`${path}/`)
}

async function signOut(): Promise<void> {
  await endSession(DOOR, () => send("DELETE", "/ops/api/session"))
  window.location.assign("/ops/sign-in")
}

interface HeadProps {
  readonly title: ComponentChildren
  readonly lead?: ComponentChildren
  /** At the end of the line. */
  readonly children?: ComponentChildren
}

/** The head of a page: its sentence, what it means, and what to do. */
export function Head({ title, lead, children }: HeadProps): JSX.Element {
  return (
    <div class="page-head">
      <div class="grow">
        <h1>{title}</h1>
        {lead === undefined ? null : <p class="lead">{lead}</p>}
      </div>
      <div class="row">{children}</div>
    </div>
  )
}
