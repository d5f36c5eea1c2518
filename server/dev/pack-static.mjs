import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import path from "node:path";
import { promisify } from "node:util";
import { brotliCompress, constants, gzip } from "node:zlib";

const PACKED = /\.(js|css)$/;
/** As small as it gets: this is done once a build, and unpacking takes no longer for it. */
const FORMS = [
  [".br", (bytes) => promisify(brotliCompress)(bytes, { params: { [constants.BROTLI_PARAM_QUALITY]: constants.BROTLI_MAX_QUALITY, [constants.BROTLI_PARAM_LGWIN]: constants.BROTLI_MAX_WINDOW_BITS, [constants.BROTLI_PARAM_SIZE_HINT]: bytes.length } })],
  [".gz", (bytes) => promisify(gzip)(bytes, { level: constants.Z_BEST_COMPRESSION })],
];

/** Plain Node 20.0 cannot list a folder with all below it. */
function* filesBelow(folder, below = "") {
  for (const entry of readdirSync(path.join(folder, below), { withFileTypes: true })) {
    const name = path.join(below, entry.name);
    if (entry.isDirectory()) yield* filesBelow(folder, name);
    else yield name;
  }
}

/** Packs scripts and styles below `from` into `to`, under the same names with the suffix of their form; one that would not be smaller is left out. `server/http/packed-files.ts` serves them. */
export async function packStatic(from, to) {
  rmSync(to, { recursive: true, force: true });
  const names = [...filesBelow(from)].filter((name) => PACKED.test(name));
  await Promise.all(
    names.map(async (name) => {
      const bytes = readFileSync(path.join(from, name));
      mkdirSync(path.dirname(path.join(to, name)), { recursive: true });
      for (const [suffix, pack] of FORMS) {
        const packed = await pack(bytes);
        if (packed.length < bytes.length) writeFileSync(path.join(to, name + suffix), packed);
      }
    }),
  );
}
