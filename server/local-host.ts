/**
 * The names of the loopback as a Host header gives them, with any port. A name that only resolves to 127.0.0.1, as one of a DNS rebinding
 * does, is none of them.
 */
const LOCAL_HOST = /^(localhost|127\.0\.0\.1|\[::1\])(:\d{1,5})?$/;

export const isLocalHost = (host: string | null | undefined): boolean => typeof host === "string" && LOCAL_HOST.test(host);

/** What whoever comes by another name is told. */
export const OTHER_HOST_REFUSED = "Open Sandglass as localhost, 127.0.0.1 or [::1]. Another host name is refused while no sign-in is configured.";
