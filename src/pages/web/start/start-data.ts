/** What the host writes into its start page. */

export interface StartData {
  readonly environment: "production" | "sandbox"
  readonly urls: Readonly<Record<"production" | "sandbox", string>>
  readonly documents: readonly { readonly name: string; readonly url: string }[]
  readonly docs: string
  readonly portal: string
  readonly host: string
  /** Each check by name; null when it passes. */
  readonly checks: Readonly<Record<string, string | null>>
  readonly about: { readonly database: string; readonly version: string; readonly startedAtMs: number }
  readonly has_inspector: boolean
  readonly open_link_url: string
  /** Path of the run of the demo's day, and address of its page; null without demo data. */
  readonly replay: { readonly run: string; readonly page: string } | null
  /** The file with the keys; null without demo data. */
  readonly demo_file: string | null
  /** Keys and ids; null when this caller may not see them. */
  readonly demo: DemoKeys | null
}

export interface DemoKeys {
  readonly api_key: string
  readonly zone_id: string
  readonly retailer_id: string
  readonly site_id: string
  readonly operator_token: string
  readonly connector: {
    readonly mcp_url: string
    readonly issuer: string
    readonly phone: string
    readonly redirect_uri: string
  }
}
