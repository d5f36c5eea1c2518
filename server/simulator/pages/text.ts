/** The Prometheus text format as Go's client writes it. */
export class MetricsText {
  private readonly parts: string[] = [];

  family(name: string, type: "counter" | "gauge" | "histogram", help: string): this {
    this.parts.push(`# HELP ${name} ${help}\n# TYPE ${name} ${type}\n`);
    return this;
  }

  /** `labels` is the text between the braces, already escaped; "" for none. */
  sample(name: string, labels: string, value: number, timestampMs?: number): this {
    this.parts.push(`${name}${labels === "" ? "" : `{${labels}}`} ${goFloat(value)}${timestampMs === undefined ? "" : ` ${Math.round(timestampMs)}`}\n`);
    return this;
  }

  histogram(name: string, labels: string, of: { readonly buckets: readonly number[]; readonly counts: readonly number[]; readonly count: number; readonly sumSeconds: number }): this {
    const separator = labels === "" ? "" : ",";
    for (const [i, upTo] of of.buckets.entries()) this.sample(`${name}_bucket`, `${labels}${separator}le="${goFloat(upTo)}"`, of.counts[i] ?? 0);
    return this.sample(`${name}_bucket`, `${labels}${separator}le="+Inf"`, of.count).sample(`${name}_sum`, labels, of.sumSeconds).sample(`${name}_count`, labels, of.count);
  }

  toString(): string {
    return this.parts.join("");
  }
}

/** As strconv.FormatFloat(v, 'g', -1, 64) writes it: an exponent from 1e+06 on and below 1e-04. */
export function goFloat(value: number): string {
  if (!Number.isFinite(value)) return Number.isNaN(value) ? "NaN" : value > 0 ? "+Inf" : "-Inf";
  const text = value.toExponential();
  const at = text.indexOf("e");
  const exponent = Number(text.slice(at + 1));
  if (value === 0 || (exponent >= -4 && exponent < 6)) return String(value);
  const digits = String(Math.abs(exponent)).padStart(2, "0");
  return `${text.slice(0, at)}e${exponent < 0 ? "-" : "+"}${digits}`;
}

export const escapeLabel = (text: string): string => text.replaceAll("\\", "\\\\").replaceAll('"', '\\"').replaceAll("\n", "\\n");
