import { readFileSync, statSync } from "node:fs";
import { X509Certificate } from "node:crypto";
import type { Clock } from "../../clock";
import type { Log } from "../../log";

/** How often the file is looked at again. */
const LOOK_EVERY_MS = 60_000;

/**
 * The authorities of `--kubelet-ca`, read again where the file changed, so that a renewed authority needs no restart.
 * Throws at the start where the file cannot be read or holds no certificate; later it keeps what it had and logs that.
 */
export function readAuthorities(file: string, clock: Clock, log: Log): () => string {
  let changedMs = statSync(file).mtimeMs;
  let pem = readPem(file);
  let lookAgainMs = clock.now() + LOOK_EVERY_MS;
  return () => {
    if (clock.now() < lookAgainMs) return pem;
    lookAgainMs = clock.now() + LOOK_EVERY_MS;
    try {
      const mtimeMs = statSync(file).mtimeMs;
      if (mtimeMs !== changedMs) {
        pem = readPem(file);
        changedMs = mtimeMs;
        log.info({ file }, "kubelet authorities read again");
      }
    } catch (err) {
      log.warn({ err, file }, "--kubelet-ca could not be read again; the authorities read before stay");
    }
    return pem;
  };
}

function readPem(file: string): string {
  const text = readFileSync(file, "utf8");
  try {
    new X509Certificate(text);
  } catch (cause) {
    throw new Error(`--kubelet-ca ${file}: it holds no certificate in PEM form`, { cause });
  }
  return text;
}
