/**
 * The service worker of the runner's page: it serves the page, its script, style and typefaces without network. It never
 * answers for `/runner/api`.
 */

import { clientsClaim } from "workbox-core"
import { cleanupOutdatedCaches, createHandlerBoundToURL, precacheAndRoute } from "workbox-precaching"
import { NavigationRoute, registerRoute } from "workbox-routing"

declare global {
  interface Window {
    /** Written before this script by the service: the files of the page, each with the digest of its content. */
    readonly CURBLINE_SHELL: readonly { readonly url: string; readonly revision: string | null }[]
    readonly skipWaiting: () => Promise<void>
  }
}

precacheAndRoute([...self.CURBLINE_SHELL])
cleanupOutdatedCaches()
registerRoute(new NavigationRoute(createHandlerBoundToURL("/runner"), { allowlist: [/^\/runner$/] }))
void self.skipWaiting()
clientsClaim()
