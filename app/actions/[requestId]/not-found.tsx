import Link from "next/link";

export default function NotFound() {
  return (
    <section className="empty">
      <h1>There is no run by this request id</h1>
      <p className="muted">An attempt that was refused made no run; it is in the audit log.</p>
      <p className="row">
        <Link className="btn" href="/actions">
          All runs
        </Link>
        <Link className="btn" href="/audit">
          Audit log
        </Link>
      </p>
    </section>
  );
}
