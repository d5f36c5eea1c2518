import Link from "next/link";

export default function CauseNotFound() {
  return (
    <section className="empty">
      <h1>There is no cause of this code</h1>
      <p className="muted">The address may be mistyped, or of another version of Sandglass.</p>
      <p className="row">
        <Link className="btn" href="/causes">
          All causes
        </Link>
      </p>
    </section>
  );
}
