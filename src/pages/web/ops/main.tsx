/** The pages of operations: one script for all of them; the path says which. */

import "../design/design.css"
import "../portal/portal.css"
import "../components/map.css"
import "./ops.css"
import "./board/board.css"
import "./board/kiosk.css"
import "./lists/lists.css"
import "./pages/approvals.css"
import "./settings/settings.css"
import { render } from "preact"
import type { JSX } from "preact"
import { ButtonLink } from "../design/button.tsx"
import { BoardPage } from "./board/board-page.tsx"
import { KioskPage } from "./board/kiosk-page.tsx"
import { ErrandPage } from "./errands/errand-page.tsx"
import { EnvironmentBar, Frame, Head } from "./frame.tsx"
import { Lists } from "./lists/lists-page.tsx"
import { Approvals } from "./pages/approvals.tsx"
import { Account } from "./pages/account.tsx"
import { AuditLog } from "./pages/audit-log.tsx"
import { Operators } from "./pages/operators.tsx"
import { SetPassword } from "./pages/set-password.tsx"
import { SignIn } from "./pages/sign-in.tsx"
import { Sites } from "./pages/sites.tsx"
import { keepFocus } from "../components/kept-focus.ts"
import { watchInput } from "../session-watch.ts"
import { opsData } from "./session.ts"
import type { Me } from "./session.ts"
import { Settings } from "./settings/settings-page.tsx"

/** Pages of signed-in operators; `src/apps/operators/http/pages.ts` serves the same paths. */
function pageAt(pathname: string, me: Me): readonly [title: string, page: JSX.Element] {
  if (pathname === "/ops") return ["Sites", <Sites />]
  const site = /^\/ops\/sites\/([^/]+)$/.exec(pathname)?.[1]
  if (site !== undefined) return ["Site", <BoardPage siteId={decodeURIComponent(site)} />]
  const request = /^\/ops\/approvals(?:\/([^/]+))?$/.exec(pathname)
  if (request !== null) {
    const id = request[1] === undefined ? null : decodeURIComponent(request[1])
    return ["Approvals", <Approvals requestId={id} />]
  }
  const list = /^\/ops\/lists(?:\/([^/]+))?$/.exec(pathname)
  if (list !== null) return ["Lists", <Lists path={list[1] ?? null} />]
  const errand = /^\/ops\/errands\/([^/]+)$/.exec(pathname)?.[1]
  if (errand !== undefined) return ["Errand", <ErrandPage errandId={decodeURIComponent(errand)} />]
  if (pathname === "/ops/account") return ["Account", <Account me={me} />]
  if (pathname === "/ops/operators") return ["Operators", <Operators />]
  if (pathname === "/ops/audit-log") return ["Audit log", <AuditLog />]
  const settings = /^\/ops\/settings(?:\/([^/]+)(?:\/([^/]+))?)?$/.exec(pathname)
  if (settings !== null) {
    const [, path = null, id] = settings
    return ["Settings", <Settings path={path} id={id === undefined ? null : decodeURIComponent(id)} />]
  }
  return ["No such page", <NoSuchPage />]
}

function NoSuchPage(): JSX.Element {
  return (
    <>
      <Head title="There is no such page." lead="The address may be mistyped, or the page may have moved." />
      <p>
        <ButtonLink href="/ops">All sites</ButtonLink>
      </p>
    </>
  )
}

function App(): JSX.Element {
  const { me, environment } = opsData()
  if (window.location.pathname === "/ops/set-password") {
    document.title = "Choose a password - Curbline operations"
    return <SetPassword environment={environment} />
  }
  if (me === null) {
    document.title = "Sign in - Curbline operations"
    return <SignIn environment={environment} />
  }
  const kiosk = /^\/ops\/sites\/([^/]+)\/kiosk$/.exec(window.location.pathname)?.[1]
  if (kiosk !== undefined) {
    return (
      <>
        <EnvironmentBar environment={environment} />
        <KioskPage siteId={decodeURIComponent(kiosk)} />
      </>
    )
  }
  const [title, page] = pageAt(me.needs_factor ? "/ops/account" : window.location.pathname, me)
  document.title = `${title} - Curbline operations`
  return <Frame me={me}>{page}</Frame>
}

watchInput()
keepFocus()
const place = document.getElementById("page")
if (place !== null) render(<App />, place)
