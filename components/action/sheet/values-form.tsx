"use client";

import { useId } from "react";
import type { ActionParams } from "@/server/contract/schemas";
import { capital, effectWords, FIELD_LABELS, sameParams, valuesOf, paramsOf, type Field, type Offer, type Values } from "../values";

interface ValuesFormProps {
  readonly offer: Offer;
  readonly values: Values;
  readonly errors: Readonly<Partial<Record<Field, string>>>;
  /** What was sent stays as it was sent. */
  readonly frozen: boolean;
  readonly onChange: (values: Values) => void;
}

const PRESET_HINTS = { emergency: "while a storm lasts", lasting: "to keep" } as const;

/** The three values of the plan: a preset by a click, or any others. Every change makes a new plan. */
export function ValuesForm({ offer, values, errors, frozen, onChange }: ValuesFormProps) {
  const chosen = paramsOf(offer.container, values);
  const set = (part: Partial<Values>): void => onChange({ ...values, ...part });
  return (
    <fieldset className="vals" disabled={frozen}>
      <legend className="sr">Values of {offer.container}</legend>
      <div className="vals-presets" role="group" aria-label="Presets">
        {offer.presets.map(({ preset, params }) => (
          <PresetButton key={preset} params={params} hint={PRESET_HINTS[preset]} pressed={sameParams(params, chosen)} onClick={() => onChange(valuesOf(params))} />
        ))}
      </div>
      <div className="vals-fields">
        <Quantity field="cpuLimit" values={values} error={errors.cpuLimit} now={offer.current === undefined ? undefined : (offer.current.cpuLimit ?? "no limit")} disabled={values.noCpuLimit} onChange={set}>
          <label className="check">
            <input type="checkbox" checked={values.noCpuLimit} onChange={(event) => set({ noCpuLimit: event.target.checked })} />
            No CPU limit
          </label>
        </Quantity>
        <Quantity field="memoryRequest" values={values} error={errors.memoryRequest} now={offer.current === undefined ? undefined : (offer.current.memoryRequest ?? "none")} onChange={set} />
        <Quantity field="memoryLimit" values={values} error={errors.memoryLimit} now={offer.current === undefined ? undefined : (offer.current.memoryLimit ?? "none")} onChange={set} />
      </div>
    </fieldset>
  );
}

function PresetButton({ params, hint, pressed, onClick }: { readonly params: ActionParams; readonly hint: string; readonly pressed: boolean; readonly onClick: () => void }) {
  return (
    <button type="button" className="toggle" aria-pressed={pressed} onClick={onClick}>
      {capital(effectWords(params))}
      <span className="n">{hint}</span>
    </button>
  );
}

interface QuantityProps {
  readonly field: Field;
  readonly values: Values;
  readonly error: string | undefined;
  readonly now: string | undefined;
  readonly disabled?: boolean;
  readonly onChange: (part: Partial<Values>) => void;
  readonly children?: React.ReactNode;
}

function Quantity({ field, values, error, now, disabled = false, onChange, children }: QuantityProps) {
  const id = useId();
  return (
    <div className="vals-field">
      <label htmlFor={id}>{FIELD_LABELS[field]}</label>
      <input
        id={id}
        className="input mono"
        autoComplete="off"
        spellCheck={false}
        value={disabled ? "" : values[field]}
        placeholder={disabled ? "none" : field === "cpuLimit" ? "such as 2" : "keeps what it has"}
        disabled={disabled}
        aria-invalid={error !== undefined}
        aria-describedby={`${id}-now${error === undefined ? "" : ` ${id}-error`}`}
        onChange={(event) => onChange({ [field]: event.target.value })}
      />
      {children}
      <p id={`${id}-now`} className="small muted">
        {now === undefined ? "What it has now is not known" : `now ${now}`}
      </p>
      {error === undefined ? null : (
        <p id={`${id}-error`} className="small bad-t">
          {error}
        </p>
      )}
    </div>
  );
}
