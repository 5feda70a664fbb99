/** The portal: one script for all its pages; the path says which. */

import "../design/design.css"
import "../components/map.css"
import "./portal.css"
import type { JSX } from "preact"
import { ButtonLink } from "../design/button.tsx"
import { keepFocus } from "../components/kept-focus.ts"
import { pageData } from "../page-data.ts"
import { watchInput } from "../session-watch.ts"
import { partOfPage, showLoaded } from "../show.tsx"
import { useClockMoves } from "./clock-moves.ts"
import { Frame } from "./frame.tsx"
import { Card } from "./pages/card.tsx"
import type { PageProps, PortalData } from "./session.ts"

type Page = (props: PageProps) => JSX.Element
type OpenPage = (props: Pick<PortalData, "ended" | "me">) => JSX.Element

/** Pages of members, by the parts that `src/apps/portal/http/pages.ts` names. Each is loaded when it is shown. */
const MEMBER_PARTS: Readonly<Record<string, () => Promise<Page>>> = {
  "pages/account": async () => (await import("./pages/account.tsx")).Account,
  "agents/agents": async () => (await import("./agents/agents.tsx")).Agents,
  "pages/analytics/analytics": async () => (await import("./pages/analytics/analytics.tsx")).AnalyticsPage,
  "pages/audit-log": async () => (await import("./pages/audit-log.tsx")).AuditLog,
  "pages/charges": async () => (await import("./pages/charges.tsx")).Charges,
  "pages/deliveries": async () => (await import("./pages/deliveries.tsx")).Deliveries,
  "pages/delivery": async () => (await import("./pages/delivery.tsx")).DeliveryPage,
  "pages/home": async () => (await import("./pages/home.tsx")).Home,
  "pages/keys": async () => (await import("./pages/keys.tsx")).Keys,
  "pages/requests": async () => (await import("./pages/requests.tsx")).Requests,
  "pages/reservation": async () => (await import("./pages/reservation.tsx")).ReservationPage,
  "pages/reservations": async () => (await import("./pages/reservations.tsx")).Reservations,
  "pages/site": async () => (await import("./pages/site.tsx")).SitePage,
  "pages/sites": async () => (await import("./pages/sites.tsx")).Sites,
  "pages/team": async () => (await import("./pages/team.tsx")).Team,
  "pages/webhooks": async () => (await import("./pages/webhooks.tsx")).Webhooks,
}

const OPEN_PARTS: Readonly<Record<string, () => Promise<OpenPage>>> = {
  "pages/invitation": async () => (await import("./pages/invitation.tsx")).Invitation,
  "pages/new-password": async () => {
    const { Forgotten, NewPassword } = await import("./pages/new-password.tsx")
    return window.location.pathname === "/portal/forgotten" ? Forgotten : NewPassword
  },
  "pages/sign-in": async () => (await import("./pages/sign-in.tsx")).SignIn,
  "pages/sign-up": async () => (await import("./pages/sign-up.tsx")).SignUp,
}

/** A page whose relative times follow the sandbox's clock. */
function Timed({ page: Shown, props }: { readonly page: Page; readonly props: PageProps }): JSX.Element {
  useClockMoves()
  return <Shown {...props} />
}

async function pageOf(part: string, { me, urls, ended }: PortalData): Promise<JSX.Element> {
  const Open = await OPEN_PARTS[part]?.()
  if (Open !== undefined) return <Open me={me} ended={ended} />
  const Member = await MEMBER_PARTS[part]?.()
  if (me === null || Member === undefined) {
    return (
      <Card title="There is no such page" lead="The address may be mistyped, or the page may have moved.">
        <p>
          <ButtonLink href="/portal">Go to the portal</ButtonLink>
        </p>
      </Card>
    )
  }
  const { environment } = me.session
  const id = decodeURIComponent(window.location.pathname.split("/")[3] ?? "")
  return (
    <Frame me={me} environment={environment}>
      <Timed page={Member} props={{ me, environment, urls, id }} />
    </Frame>
  )
}

watchInput()
keepFocus()
void showLoaded(pageOf(partOfPage(), pageData<PortalData>()))
