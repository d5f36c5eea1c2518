/** As high as the node page, so that nothing jumps when it comes. */
export default function Loading() {
  return (
    <div className="page-skeleton" role="status">
      <span className="sr">Reading the node</span>
      {[118, 44, 560, 300].map((height) => (
        <div key={height} style={{ height }}>
          <span className="sk" />
        </div>
      ))}
    </div>
  );
}
