/** What stands around every page of a member: the environment, the places to go, and the person. */

import type { ComponentChildren, JSX } from "preact"
import { Button } from "../design/button.tsx"
import { Banner, Toasts, toast } from "../design/feedback.tsx"
import { Icon } from "../design/icon.tsx"
import type { IconName } from "../design/icon.tsx"
import { Mark } from "../design/mark.tsx"
import { Menu } from "../design/overlay.tsx"
import { useEffect } from "preact/hooks"
import { SessionNotice } from "../components/session-notice.tsx"
import { DOOR, api, dataOf } from "./api.ts"
import { asFault } from "../faults.ts"
import { SandboxClock } from "./clock.tsx"
import { useStream } from "./live.ts"
import { useCommand, useConnection } from "../resource.ts"
import { endSession } from "../session-watch.ts"
import type { Environment, Me } from "./session.ts"
import { clockTime } from "./times.ts"

interface Place {
  readonly name: string
  readonly path: string
  readonly icon: IconName
}

/** Places in the side bar, by the heading above them. */
const PLACES: readonly (readonly [heading: string | null, places: readonly Place[]])[] = [
  [
    null,
    [
      { name: "Home", path: "/portal", icon: "house" },
      { name: "Deliveries", path: "/portal/deliveries", icon: "box" },
      { name: "Reservations", path: "/portal/reservations", icon: "calendar" },
      { name: "Sites", path: "/portal/sites", icon: "map-pin" },
    ],
  ],
  [
    "Developers",
    [
      { name: "API keys", path: "/portal/keys", icon: "key" },
      { name: "Webhooks", path: "/portal/webhooks", icon: "webhook" },
      { name: "Requests", path: "/portal/requests", icon: "scroll" },
      { name: "Agents", path: "/portal/agents", icon: "bot" },
    ],
  ],
  [
    "Insights",
    [
      { name: "Analytics", path: "/portal/analytics", icon: "bar-chart" },
      { name: "Charges", path: "/portal/charges", icon: "receipt" },
    ],
  ],
  [
    "Organization",
    [
      { name: "Team", path: "/portal/team", icon: "users" },
      { name: "Audit log", path: "/portal/audit-log", icon: "shield-check" },
    ],
  ],
]

interface FrameProps {
  readonly me: Me
  readonly environment: Environment
  readonly children: ComponentChildren
}

export function Frame({ me, environment, children }: FrameProps): JSX.Element {
  useOwnSession()
  useStream(environment)
  return (
    <>
      <a class="visually-hidden" href="#content">
        Skip to the content
      </a>
      <EnvironmentBar me={me} environment={environment} />
      <TopBar me={me} />
      <div class="shell">
        <SideBar me={me} />
        <main id="content" tabIndex={-1}>
          <Connection />
          {children}
        </main>
      </div>
      <Toasts />
      <SessionNotice door={DOOR} name={`${me.account.name} (${me.organization.name})`} />
    </>
  )
}

/** Said as long as reads fail: what is shown was known before. */
function Connection(): JSX.Element | null {
  const state = useConnection()
  if (state === null) return null
  return (
    <div class="connection">
      <Banner tone="wait">
        No answer since {clockTime(new Date(state.sinceMs).toISOString())}. What is shown was known then; the
        page goes on asking.
      </Banner>
    </div>
  )
}

/** Another tab may have signed out, or somebody else in: calls of this page are then refused. */
function useOwnSession(): void {
  useEffect(() => {
    const check = (): void => {
      if (document.visibilityState === "visible")
        void dataOf(api.GET("/portal/api/session")).catch(() => null)
    }
    document.addEventListener("visibilitychange", check)
    return () => document.removeEventListener("visibilitychange", check)
  }, [])
}

async function switchTo(environment: Environment): Promise<void> {
  try {
    await dataOf(api.PUT("/portal/api/session/environment", { body: { environment } }))
    window.location.assign(listPath())
  } catch (cause) {
    toast({ text: asFault(cause).message, icon: "circle-x" })
  }
}

async function chooseOrganization(id: string): Promise<void> {
  try {
    await dataOf(api.POST("/portal/api/session/organization", { body: { organization_id: id } }))
    window.location.assign("/portal")
  } catch (cause) {
    toast({ text: asFault(cause).message, icon: "circle-x" })
  }
}

function EnvironmentBar({ me, environment }: Omit<FrameProps, "children">): JSX.Element {
  const other: Environment = environment === "sandbox" ? "production" : "sandbox"
  const change = useCommand(() => switchTo(other))
  const canSwitch = me.organization.environments.includes(other)
  return (
    <div
      class={`environment ${environment}${environment === "sandbox" ? " has-clock" : ""}`}
      role="region"
      aria-label="Environment"
    >
      <span class="badge">{environment.toUpperCase()}</span>
      <span class="about">
        {environment === "sandbox"
          ? "Nothing is charged, no text leaves"
          : "Real vehicles, customers and charges"}
      </span>
      <span class="end">
        {environment === "sandbox" ? <SandboxClock /> : null}
        {canSwitch ? (
          <button type="button" class="switch about" disabled={change.isBusy} onClick={() => change.send()}>
            Switch to {other}
          </button>
        ) : (
          <a class="about" href="/portal">
            Production after seven steps
          </a>
        )}
      </span>
    </div>
  )
}

/** A thing of one environment is not in the other, so its list is shown instead. */
function listPath(): string {
  return window.location.pathname.split("/").slice(0, 3).join("/")
}

function isHere(path: string): boolean {
  const { pathname } = window.location
  return path === "/portal" ? pathname === path : pathname === path || pathname.startsWith(`${path}/`)
}

function SideBar({ me }: { readonly me: Me }): JSX.Element {
  return (
    <aside class="side" aria-label="Organization and places">
      <div class="organization">
        <Mark />
        <span>
          <strong>{me.organization.name}</strong>
          <span class="tiny quiet">Curbline portal</span>
        </span>
        {me.organizations.length < 2 ? null : (
          <Menu
            label="Your organizations"
            icon="chevron-down"
            look="quiet"
            isSmall
            items={me.organizations.map(({ organization_id: id, name, role }) => ({
              name,
              about: role === "owner" ? "Owner" : "Member",
              onChoose: () => void chooseOrganization(id),
            }))}
          />
        )}
      </div>
      <nav aria-label="Portal">
        {PLACES.map(([heading, places]) => (
          <>
            {heading === null ? null : <h2>{heading}</h2>}
            {places.map(({ name, path, icon }) => (
              <a key={path} href={path} aria-current={isHere(path) ? "page" : undefined}>
                <Icon name={icon} /> {name}
              </a>
            ))}
          </>
        ))}
      </nav>
      <Person me={me} />
    </aside>
  )
}

async function signOut(): Promise<void> {
  await endSession(DOOR, () => dataOf(api.DELETE("/portal/api/session")))
  window.location.assign("/portal/sign-in")
}

function Person({ me: { account } }: { readonly me: Me }): JSX.Element {
  const leave = useCommand(signOut)
  return (
    <div class="person">
      <span class="initials" aria-hidden="true">
        {initialsOf(account.name)}
      </span>
      <span class="grow">
        <a href="/portal/account">{account.name}</a>
        <span class="tiny quiet">{account.role === "owner" ? "Owner" : "Member"}</span>
      </span>
      <Button
        look="quiet"
        icon="log-out"
        label="Sign out"
        isSmall
        isBusy={leave.isBusy}
        onPress={leave.send}
      />
    </div>
  )
}

function TopBar({ me }: { readonly me: Me }): JSX.Element {
  const places = PLACES.flatMap(([, group]) => group)
  const here = places.find(({ path }) => isHere(path))
  return (
    <header class="topbar">
      <Mark />
      <span>{here?.name ?? me.organization.name}</span>
      <Menu
        label="Places"
        icon="menu"
        look="quiet"
        items={[
          ...places.map(({ name, path }) => ({ name, href: path })),
          { name: "Account", href: "/portal/account" },
          ...me.organization.environments
            .filter((one) => one !== me.session.environment)
            .map((one) => ({ name: `Switch to ${one}`, onChoose: () => void switchTo(one) })),
          { name: "Sign out", onChoose: () => void signOut() },
        ]}
      />
    </header>
  )
}

function initialsOf(name: string): string {
  const words = name.trim().split(/\s+/)
  return [words[0], words.length > 1 ? words.at(-1) : undefined]
    .map((word) => word?.charAt(0).toUpperCase() ?? "")
    .join("")
}

interface HeadProps {
  readonly title: ComponentChildren
  readonly lead?: ComponentChildren
  readonly crumbs?: readonly (readonly [name: string, path: string])[]
  /** Ends the crumbs. */
  readonly here?: string
  /** At the end of the line. */
  readonly children?: ComponentChildren
}

/** The head of a page: where it is, its name, a sentence, and what to do. */
export function Head({ title, lead, crumbs = [], here = "", children }: HeadProps): JSX.Element {
  return (
    <>
      {crumbs.length === 0 ? null : (
        <nav class="crumbs" aria-label="Breadcrumbs">
          {crumbs.map(([name, path]) => (
            <span key={path}>
              <a href={path}>{name}</a> <Icon name="chevron-right" />
            </span>
          ))}
          <span aria-current="page">{here}</span>
        </nav>
      )}
      <div class="page-head">
        <div class="grow">
          <h1 class="row">{title}</h1>
          {lead === undefined ? null : <p class="lead">{lead}</p>}
        </div>
        <div class="row">{children}</div>
      </div>
    </>
  )
}
