/** One reading of the collector's own metrics. */
export interface OwnMetrics {
  /** Sum over all series of that name whose labels hold `label`, a text like `kind="samples"`. Throws where there is none. */
  value(name: string, label?: string): number;
  /** Buckets of a histogram, ascending: upper edge and how many were at most that. */
  buckets(name: string): readonly { readonly le: number; readonly count: number }[];
}

const LINE = /^([a-zA-Z_:][\w:]*)(?:\{(.*)\})? (\S+)$/;

export async function readOwnMetrics(url: string): Promise<OwnMetrics> {
  const answer = await fetch(url);
  if (!answer.ok) throw new Error(`${url} answered ${answer.status}`);
  const series = (await answer.text()).split("\n").flatMap((line) => {
    const [, name, labels, value] = LINE.exec(line) ?? [];
    return name === undefined ? [] : [{ name, labels: labels ?? "", value: Number(value) }];
  });
  return {
    value: (name, label = "") => {
      const found = series.filter((one) => one.name === name && one.labels.includes(label));
      if (found.length === 0) throw new Error(`the collector's own metrics have no ${name}${label === "" ? "" : ` with ${label}`}`);
      return found.reduce((sum, one) => sum + one.value, 0);
    },
    buckets: (name) =>
      series
        .filter((one) => one.name === `${name}_bucket`)
        .map((one) => ({ le: Number((/le="([^"]+)"/.exec(one.labels)?.[1] ?? "").replace("+Inf", "Infinity")), count: one.value }))
        .sort((a, b) => a.le - b.le),
  };
}
