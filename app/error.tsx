"use client";

/** A page that could not be made. The frame, its banners and the way to other pages stay. */
export default function PageError({ error, reset }: { readonly error: Error & { readonly digest?: string }; readonly reset: () => void }) {
  return (
    <section className="empty" role="alert">
      <h1>This page could not be made</h1>
      <p className="muted">
        The reason is in Sandglass&apos;s log{error.digest === undefined ? "" : `, under ${error.digest}`}. Nothing was changed in the cluster.
      </p>
      <p className="row">
        <button type="button" className="btn" onClick={reset}>
          Try again
        </button>
      </p>
    </section>
  );
}
