/** Order is badness, so that the maximum of a rolled-up span is its worst moment. */
export const SOCKET_STATES = ["answers", "silent", "refuses", "absent"] as const;
export type SocketState = (typeof SOCKET_STATES)[number];
export const socketStateCode = (state: SocketState): number => SOCKET_STATES.indexOf(state);
