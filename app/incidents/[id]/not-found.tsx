import Link from "next/link";

export default function NotFound() {
  return (
    <section className="empty">
      <h1>There is no incident by this number</h1>
      <p className="muted">Closed incidents are kept for 30 days. A sign that did not last never became one.</p>
      <p className="row">
        <Link className="btn" href="/incidents">
          All incidents
        </Link>
      </p>
    </section>
  );
}
