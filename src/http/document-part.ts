/** A part of an OpenAPI document. */
export interface Part {
  readonly [name: string]: unknown
}
