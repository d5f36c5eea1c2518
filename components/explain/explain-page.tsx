"use client";

import { useCallback, useEffect, useId, useState } from "react";
import { MAX_EXPLAINED_CHARS } from "@/server/domain/messages/types";
import { formatCount } from "@/components/format/numbers";
import { CopyLink } from "@/components/ui/copy-link";
import { ExplainResult } from "./explain-result";
import { fragmentOf, textOfFragment } from "./link";
import { useExplain, type ExplainState } from "./use-explain";

/** One pastes a text and reads what it says. The text goes to this Sandglass alone, and is not kept. */
export function ExplainPage() {
  const [text, setText] = useState("");
  const { state, ask, clear } = useExplain();
  const box = useId();
  const hint = useId();
  const tooLong = text.length > MAX_EXPLAINED_CHARS;
  const ready = text.trim() !== "" && !tooLong;

  const run = useCallback(
    (asked: string): void => {
      ask(asked);
      // The address follows the question, where it may; else an older text must not stay in it.
      history.replaceState(history.state, "", fragmentOf(asked) ?? location.pathname);
    },
    [ask],
  );
  useEffect(() => {
    const open = (): void => {
      const linked = textOfFragment(location.hash);
      if (linked === undefined) return;
      setText(linked);
      run(linked);
    };
    open();
    window.addEventListener("hashchange", open);
    return () => window.removeEventListener("hashchange", open);
  }, [run]);

  return (
    <div className="explain">
      <header className="q">
        <h1>What does this message say?</h1>
        <p className="small muted">Paste an event, a log or what <code>kubectl get events -o json</code> prints. It is read by this Sandglass alone, and not kept.</p>
      </header>
      <form
        className="ask"
        onSubmit={(event) => {
          event.preventDefault();
          if (ready) run(text);
        }}
      >
        <label className="med" htmlFor={box}>
          Text
        </label>
        <textarea
          id={box}
          className="input"
          rows={8}
          spellCheck={false}
          autoComplete="off"
          aria-describedby={hint}
          aria-invalid={tooLong}
          placeholder='Failed to create pod sandbox: … failed to find plugin "bridge" in path [/opt/cni/bin]'
          value={text}
          onChange={(event) => setText(event.target.value)}
          onKeyDown={(event) => {
            if (event.key !== "Enter" || !(event.ctrlKey || event.metaKey) || !ready) return;
            event.preventDefault();
            run(text);
          }}
        />
        <p id={hint} className={tooLong ? "small bad-t" : "small muted"}>
          {tooLong ? `${formatCount(text.length)} characters: at most ${formatCount(MAX_EXPLAINED_CHARS)} are read at once. Select fewer events, or use sandglass explain.` : "Ctrl and Enter explain it."}
        </p>
        <div className="row">
          <button type="submit" className="btn btn-primary" aria-disabled={!ready}>
            Explain
          </button>
          <button
            type="button"
            className="btn"
            onClick={() => {
              setText("");
              clear();
              history.replaceState(history.state, "", location.pathname);
            }}
          >
            Clear
          </button>
          {state.step === "explained" && fragmentOf(text) !== undefined ? <CopyLink label="Copy link" address={() => `${location.origin}${location.pathname}${fragmentOf(text) ?? ""}`} /> : null}
        </div>
      </form>
      <div aria-live="polite" aria-busy={state.step === "asking"}>
        <Answer state={state} again={() => run(text)} />
      </div>
    </div>
  );
}

function Answer({ state, again }: { readonly state: ExplainState; readonly again: () => void }) {
  switch (state.step) {
    case "empty":
      return (
        <section className="sec" aria-labelledby="what-h">
          <div className="sec-head">
            <h2 id="what-h">What can be explained</h2>
          </div>
          <ul className="checks-list pad">
            <li>The text of one event, whole: FailedCreatePodSandBox, FailedKillPod, NetworkNotReady, NoNetworkFound</li>
            <li>Lines of the kubelet, of containerd, CRI-O or Docker, of multus and other CNIs, of the kernel</li>
            <li>Lists of events, pods or nodes, as kubectl prints them with -o json: each thing that is said in them, once</li>
          </ul>
        </section>
      );
    case "asking":
      return (
        <section className="sec" aria-label="Reading the text">
          <div className="sec-head">
            <h2>Reading the text</h2>
          </div>
          <div className="explained">
            <span className="sk" style={{ width: 120, height: 20 }} />
            <span className="sk" style={{ width: "70%", height: 24 }} />
            <span className="sk" style={{ width: "90%", height: 64 }} />
          </div>
        </section>
      );
    case "failed":
      return (
        <section className="sec" aria-labelledby="failed-h">
          <div className="sec-head">
            <h2 id="failed-h">It was not explained</h2>
          </div>
          <div className="pad" role="alert">
            <p>{state.error.message}</p>
            <p className="row">
              <button type="button" className="btn btn-sm" onClick={again}>
                Try again
              </button>
            </p>
          </div>
        </section>
      );
    case "explained":
      return <ExplainResult explained={state.explained} />;
  }
}
