"use client";

/** The frame itself could not be made, so this brings its own. */
export default function GlobalError({ error }: { readonly error: Error & { readonly digest?: string } }) {
  return (
    <html lang="en">
      <body>
        <main>
          <h1>Sandglass could not make this page</h1>
          <p>The reason is in its log{error.digest === undefined ? "" : `, under ${error.digest}`}. Reload to try again.</p>
        </main>
      </body>
    </html>
  );
}
