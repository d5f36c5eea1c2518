/** As high as the fleet page, so that nothing jumps when it comes. */
export default function Loading() {
  return (
    <div className="page-skeleton" role="status">
      <span className="sr">Reading the fleet</span>
      {[46, 130, 340, 215, 400].map((height) => (
        <div key={height} style={{ height }}>
          <span className="sk" />
        </div>
      ))}
    </div>
  );
}
