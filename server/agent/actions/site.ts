import { monotonicMs, type Clock } from "../../clock";
import type { Reporter } from "../report";
import { hostFiles } from "./host-files";
import { withCri } from "./sandboxes";
import type { Site } from "./types";

/** The node itself: its files, and its runtime at the socket that the reports go by. */
export const ownSite = (hostRoot: string, reporter: Pick<Reporter, "criSocketHere">, clock: Clock): Site => ({
  files: hostFiles(hostRoot),
  withRuntime: (work) => withCri(reporter.criSocketHere(), clock, work),
  monotonicMs,
});
