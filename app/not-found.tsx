import Link from "next/link";

export default function NotFound() {
  return (
    <section className="empty">
      <h1>There is no page at this address</h1>
      <p className="muted">It may be mistyped, or of another version of Sandglass.</p>
      <p className="row">
        <Link className="btn" href="/">
          Open the fleet
        </Link>
      </p>
    </section>
  );
}
