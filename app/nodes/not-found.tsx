import Link from "next/link";

export default function NodeNotFound() {
  return (
    <section className="empty">
      <h1>There is no node of this name</h1>
      <p className="muted">The node may be gone from the cluster, or the address is mistyped. Events and timelines of a node that left are kept, but it has no answer any more.</p>
      <p className="row">
        <Link className="btn" href="/">
          Open the fleet
        </Link>
      </p>
    </section>
  );
}
