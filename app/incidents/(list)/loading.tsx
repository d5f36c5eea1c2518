/** As high as the list, so that nothing jumps when it comes. */
export default function Loading() {
  return (
    <div className="page-skeleton" role="status">
      <span className="sr">Reading the incidents</span>
      {[46, 44, 400].map((height) => (
        <div key={height} style={{ height }}>
          <span className="sk" />
        </div>
      ))}
    </div>
  );
}
