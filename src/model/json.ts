/** Plain JSON: what contexts, events, facts and journal entries are made of. */

export type Json =
  null | boolean | number | string | readonly Json[] | { readonly [key: string]: Json | undefined }

export type JsonObject = { readonly [key: string]: Json | undefined }
