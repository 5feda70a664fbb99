/** The portal: one script for all its pages; the path says which. */

import "../design/design.css"
import "../components/map.css"
import "./portal.css"
import { render } from "preact"
import type { JSX } from "preact"
import { ButtonLink } from "../design/button.tsx"
import { keepFocus } from "../components/kept-focus.ts"
import { pageData } from "../page-data.ts"
import { watchInput } from "../session-watch.ts"
import { Frame } from "./frame.tsx"
import { Account } from "./pages/account.tsx"
import { AnalyticsPage } from "./pages/analytics/analytics.tsx"
import { AuditLog } from "./pages/audit-log.tsx"
import { Card } from "./pages/card.tsx"
import { Charges } from "./pages/charges.tsx"
import { Deliveries } from "./pages/deliveries.tsx"
import { DeliveryPage } from "./pages/delivery.tsx"
import { Home } from "./pages/home.tsx"
import { Keys } from "./pages/keys.tsx"
import { Invitation } from "./pages/invitation.tsx"
import { Forgotten, NewPassword } from "./pages/new-password.tsx"
import { SignIn } from "./pages/sign-in.tsx"
import { SignUp } from "./pages/sign-up.tsx"
import { Requests } from "./pages/requests.tsx"
import { ReservationPage } from "./pages/reservation.tsx"
import { Reservations } from "./pages/reservations.tsx"
import { SitePage } from "./pages/site.tsx"
import { Sites } from "./pages/sites.tsx"
import { Team } from "./pages/team.tsx"
import { Webhooks } from "./pages/webhooks.tsx"
import type { PageProps, PortalData } from "./session.ts"
import { useClockMoves } from "./clock-moves.ts"

type Page = (props: PageProps) => JSX.Element
type OpenPage = (props: Pick<PortalData, "ended" | "me">) => JSX.Element

const MEMBER_PAGES: Readonly<Record<string, readonly [title: string, page: Page]>> = {
  "/portal": ["Home", Home],
  "/portal/deliveries": ["Deliveries", Deliveries],
  "/portal/deliveries/*": ["Delivery", DeliveryPage],
  "/portal/reservations": ["Reservations", Reservations],
  "/portal/reservations/*": ["Reservation", ReservationPage],
  "/portal/requests": ["Requests", Requests],
  "/portal/requests/*": ["Requests", Requests],
  "/portal/sites": ["Sites", Sites],
  "/portal/sites/*": ["Site", SitePage],
  "/portal/analytics": ["Analytics", AnalyticsPage],
  "/portal/charges": ["Charges", Charges],
  "/portal/keys": ["API keys", Keys],
  "/portal/webhooks": ["Webhooks", Webhooks],
  "/portal/team": ["Team", Team],
  "/portal/audit-log": ["Audit log", AuditLog],
  "/portal/account": ["Account", Account],
}

const OPEN_PAGES: Readonly<Record<string, readonly [title: string, page: OpenPage]>> = {
  "/portal/sign-in": ["Sign in", SignIn],
  "/portal/sign-up": ["Sign up", SignUp],
  "/portal/forgotten": ["A new password", Forgotten],
  "/portal/new-password": ["A new password", NewPassword],
  "/portal/invitation": ["An invitation", Invitation],
}

/** A page whose relative times follow the sandbox's clock. */
function Timed({ page: Shown, props }: { readonly page: Page; readonly props: PageProps }): JSX.Element {
  useClockMoves()
  return <Shown {...props} />
}

function pageOf({ me, urls, ended }: PortalData): JSX.Element {
  const { pathname } = window.location
  const open = OPEN_PAGES[pathname]
  if (open !== undefined) {
    const [title, Open] = open
    document.title = `${title} - Curbline`
    return <Open me={me} ended={ended} />
  }
  const [, portal = "", place = "", id = "", ...deeper] = pathname.split("/")
  const found = MEMBER_PAGES[id === "" ? pathname : `/${portal}/${place}/*`]
  if (me === null || found === undefined || deeper.length > 0) {
    return (
      <Card title="There is no such page" lead="The address may be mistyped, or the page may have moved.">
        <p>
          <ButtonLink href="/portal">Go to the portal</ButtonLink>
        </p>
      </Card>
    )
  }
  const [title, Member] = found
  const { environment } = me.session
  document.title = `${title} - ${me.organization.name} - Curbline`
  return (
    <Frame me={me} environment={environment}>
      <Timed page={Member} props={{ me, environment, urls, id: decodeURIComponent(id) }} />
    </Frame>
  )
}

watchInput()
keepFocus()
const place = document.getElementById("page")
if (place !== null) render(pageOf(pageData<PortalData>()), place)
