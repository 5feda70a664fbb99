/** True with `npm run test:long`: what a test otherwise does for a fixed part of its cases, it then does for all of them. */
export const isLong = process.env["CURBLINE_LONG_TESTS"] === "true"
