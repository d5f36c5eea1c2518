import { readFileSync } from "node:fs";

const PARENT_POLL_MS = 500;

/**
 * npm hands SIGTERM on to the shell that runs this script; a shell that does not pass it further, or an npm that was
 * killed, would leave us running with nobody to end us. So the processes between npm and us are watched: when one of
 * them is gone, it is as if we had been asked to stop.
 */
export function watchNpm(gone) {
  if (process.env.npm_lifecycle_event === undefined) return;
  const parent = process.ppid;
  const grandparent = parentOf(parent);
  const throughShell = grandparent !== undefined && isShell(parent);
  const timer = setInterval(() => {
    if (process.ppid === parent && !(throughShell && parentOf(parent) !== grandparent)) return;
    clearInterval(timer);
    gone();
  }, PARENT_POLL_MS);
  timer.unref();
}

function stat(pid) {
  try {
    return readFileSync(`/proc/${pid}/stat`, "utf8");
  } catch (error) {
    if (error.code === "ENOENT" || error.code === "ESRCH") return undefined; // gone, or a system without /proc
    throw error;
  }
}
const parentOf = (pid) => stat(pid)?.replace(/^.*\) /s, "").split(" ")[1];
const isShell = (pid) => /\((sh|dash|bash|ash|zsh|busybox)\)/.test(stat(pid) ?? "");
