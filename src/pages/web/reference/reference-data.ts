/** What the host writes into the page of the documents. */

export interface ReferenceData {
  readonly environment: "production" | "sandbox"
  readonly documents: readonly ListedDocument[]
  /** Public URL of the host, without a path. */
  readonly base_url: string
  readonly open_link_url: string
  /** Keys and ids; null when this caller may not see them. */
  readonly demo: DemoKeys | null
}

export interface ListedDocument {
  readonly name: string
  readonly url: string
}

export interface DemoKeys {
  readonly api_key: string
  readonly zone_id: string
  readonly retailer_id: string
  readonly site_id: string
  readonly operator_token: string
}

/** The name of a document in addresses: `rs` of `/openapi/rs.json`. */
export function slugOf({ url }: ListedDocument): string {
  return url.replace(/^.*\//, "").replace(/\.json$/, "")
}
